"""The fixed instances of the solvers' benchmark: ``instances.json``, questions as mechdesign writes them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import mechdesign as md
from mechdesign.files import atomic_writes as writing
from mechdesign.objectives import Objective
from mechdesign.question.question import in_json

FILE = Path(__file__).with_name("instances.json")


@dataclass(frozen=True)
class Instance:
    """One question with its name."""

    name: str
    question: md.Question

    @property
    def kind(self) -> str:
        """The kind of its objective: linear, sublinear, convex or design."""
        return str(self.question.objective.kind)


def instances() -> list[Instance]:
    """Return the instances in the order of the file."""
    written = json.loads(FILE.read_text(encoding="utf-8"))
    return [Instance(each["name"], md.Question.from_dict(each["question"])) for each in written]


def _drawn() -> list[Instance]:
    """Draw the instances: skewed priors, levels from 0.1 to 4, every kind of objective."""
    rng, found = np.random.default_rng(20), []

    def add(size: str, notion: md.LDP | md.LIP, problem: md.Problem, *objectives: Objective) -> None:
        for goal in objectives:
            question = md.Question(problem, notion, goal, None)
            found.append(Instance(f"{notion} {goal.name} {size}", question))

    for n in (5, 10, 20):
        for epsilon in (0.1, 1.0, 4.0):
            prior = rng.dirichlet(np.ones(n)).round(6) + 1e-4
            problem = md.Problem(prior=prior / prior.sum(), values=np.arange(n))
            distances = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) ** 1.5
            add(f"n={n}", md.LDP(epsilon), problem, md.AbsoluteError(), md.WorstCaseLoss(distances))
            add(f"n={n}", md.LIP(epsilon), problem, md.AbsoluteError())
    for n in (6, 8):
        for epsilon in (0.1, 1.0, 4.0):
            prior = rng.dirichlet(np.ones(n)).round(6) + 1e-4
            other = rng.dirichlet(np.ones(n)) + 1e-3
            problem = md.Problem(prior=prior / prior.sum(), values=rng.normal(size=n).round(3))
            divergence = md.KLDivergence(prior / prior.sum(), other / other.sum())
            add(f"n={n}", md.LDP(epsilon), problem, md.MMSE(), md.MutualInformation(), divergence)
    for n in (3, 4, 5):
        for epsilon in (0.5, 1.0, 3.0):
            prior = rng.dirichlet(np.ones(n)).round(6) + 1e-2
            add(f"n={n}", md.LDP(epsilon), md.Problem(prior=prior / prior.sum()), md.InformationDesign("A"))
    return found


def write() -> None:
    """Write the file anew; what was measured before is then of other instances."""
    listed = [{"name": each.name, "question": in_json(each.question.to_dict())} for each in _drawn()]
    lines = ",\n".join(json.dumps(each) for each in listed)
    writing.write(FILE, f"[\n{lines}\n]\n")


if __name__ == "__main__":
    write()
