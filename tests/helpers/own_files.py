"""One file with a notion and one with an objective, as a user writes them, each with its card."""

import importlib.util
import sys

#: A notion with all that pages, searches, implications, contracts and the adversary read.
NOTION = '''
from dataclasses import dataclass

import numpy as np

import mechdesign as md
from mechdesign.catalogue import same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, fair, symmetric
from mechdesign.exact import exp_below


@dataclass(frozen=True)
class UpperLift(md.Notion):
    """Pr(y | s) <= e^epsilon Pr(y) for all secrets s and outputs y; epsilon in nats."""

    card = md.Card(
        "an upper bound of the lift",
        r"\\Pr(y \\mid s) \\le e^{\\epsilon} \\Pr(y)",
        means="No output makes a secret much likelier.",
        search=("rising suspicion", "PRAM"),
        works=("zamani", "A. Author, A Paper of One's Own, 2026"),
        promise=lambda notion, problem, of: f"No report makes {of.one} {np.exp(notion.epsilon):.3g} times likelier.",
        odds=lambda notion, problem, of: "Somebody who thought two answers alike cannot be sure of either.",
        implied_by=(md.Rule("LDP", same_level, "the mass is a mean of the entries"),),
        stronger=lambda notion, problem: md.LDP(notion.epsilon),
        examples=(
            lambda rng: (UpperLift(0.5), random_problem(3, rng)),
            lambda rng: (UpperLift(0.3), random_problem(3, rng, secrets=2)),
        ),
        edge=lambda: Edge(UpperLift(0.5), fair(), *symmetric(0.5, lambda ratio: (ratio, 2 - ratio))),
    )

    epsilon: float
    needs_prior = True

    def cone(self, problem):
        lift = np.exp(self.epsilon) * problem.prior_of_secret - np.eye(problem.secrets)
        return md.Cone.of_rows(lift @ problem.channel)

    def level(self, matrix, problem):
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        mass = problem.prior_of_secret @ seen
        lift = np.divide(seen, mass, out=np.ones_like(seen), where=mass > 0)
        secret, output = np.unravel_index(lift.argmax(), lift.shape)
        return md.Level(float(np.log(lift[secret, output])), (int(secret),), int(output))

    def holds_exactly(self, numerators, problem):
        seen = problem.exactly_seen_by_secret(numerators).astype(object)
        prior, ratio = np.array(problem.exact_prior_of_secret, dtype=object), exp_below(self.epsilon)
        return bool(np.all(seen * int(sum(prior)) * ratio.denominator <= (prior @ seen) * ratio.numerator))
'''
#: An objective likewise.
OBJECTIVE = '''
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import mechdesign as md
from mechdesign.catalogue.anchor import COIN, Anchor
from mechdesign.catalogue.drawn import random_problem


@dataclass(frozen=True)
class Overstatement(md.Linear):
    """sum_x P_x sum_d Q[x, d] max(values[d] - values[x], 0), in the unit of the values; output d names values[d]."""

    card = md.Card(
        "mean overstatement of the value",
        r"E[(a_Y - a_X)_+]",
        means="By how much reports are too large on average.",
        search=("overreporting",),
        examples=(lambda rng: (Overstatement(), random_problem(3, rng)),),
        anchor=lambda: Anchor(Overstatement(), 0.25, "1/2 of 1/4 of the distance 2"),
    )

    needs_prior = needs_values = True
    unit = "values"

    def cost(self, problem):
        return problem.prior[:, None] * np.maximum(problem.values - problem.values[:, None], 0.0)

    def decisions(self, problem):
        return tuple(f"{value:g}" for value in problem.values)
'''


def written(folder, text, name):
    """Write one of the texts into a file called `name`, and return its path and its module."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return path, module
