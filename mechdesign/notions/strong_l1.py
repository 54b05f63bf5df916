"""Strong privacy in the l1 norm: given any output, the posterior of the secret is close to its prior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.catalogue import Card, Rule, of_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, fair, quarter_off
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Masses, Shape
from mechdesign.columns.absolute_ball import AbsoluteBall
from mechdesign.displays.numbers import in_full
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.ldp import LDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"For every report, the probabilities of the {of.values} with it and without it differ by at most "
        f"{in_full(notion.epsilon)} in sum."
    )


@dataclass(frozen=True)
class StrongL1(Notion):
    r"""sum_s pi_s abs(Pr(y | s) / Pr(y) - 1) <= epsilon for every output y; epsilon is a number, 2 says nothing.

    That sum is ``sum_s abs(Pr(s | y) - Pr(s))``, the l1 distance between what is known of the secret with y and
    without it.

    Parameters
    ----------
    epsilon : float
        At least 0, finite.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; a problem without a prior of the secret.

    Notes
    -----
    Half of the sum lies above the mass m, so the cone is ``2 sum_s pi_s max(v_s - m, 0) <= epsilon m``. With direct
    access its rays move up to epsilon / 2 of the prior onto one input: all from a set, and a part of another input.
    LIP(epsilon) implies StrongL1(2 tanh(epsilon / 2)).

    References
    ----------
    A. Zamani, P. Sadeghi, M. Skoglund, "An Information Geometric Approach to Local Information Privacy with
    Applications to Max-lift and Local Differential Privacy", arXiv 2501.11757 (2025), Section I (strong l1-privacy).

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> md.StrongL1(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value
    0.5
    """

    card = Card(
        "strong privacy in l1 distance",
        r"\sum_s \pi_s \left|\frac{\Pr(y \mid s)}{\Pr(y)} - 1\right| \le \epsilon \quad \text{for all } y",
        works=("zamani",),
        promise=_promise,
        implied_by=(
            Rule(
                "LIP",
                of_level(lambda level: 2 * math.tanh(level / 2)),
                "Zamani, Sadeghi, Skoglund 2025, Section V-D, sharp constant",
            ),
            Rule(
                "LDP",
                of_level(lambda level: 2 * math.tanh(level / 4)),
                "an extreme column has two values, and their mass is best at 1 / (1 + e^(epsilon / 2))",
            ),
        ),
        stronger=lambda notion, problem: LDP(4.0 * math.atanh(notion.epsilon / 2.0)) if notion.epsilon < 2.0 else None,
        examples=(
            lambda rng: (StrongL1(0.5), random_problem(3, rng)),
            lambda rng: (StrongL1(1.2), random_problem(4, rng, skew=2.0)),
            lambda rng: (StrongL1(0.3), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: StrongL1(0.5),
        # The distance is exactly 1/2.
        edge=lambda: Edge(StrongL1(0.5), fair(), *quarter_off()),
    )

    epsilon: float
    needs_prior = True
    level_unit = ""

    def plain(self, problem: Problem) -> Notion:
        """Return LDP(0) at epsilon 0: nothing may be disclosed."""
        return LDP(0.0) if self.epsilon == 0 else self

    def shape(self, problem: Problem) -> Shape:
        """Return the ball of mean absolute distance."""
        return AbsoluteBall(problem.secrets, Masses.of(problem), self.epsilon)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest distance over outputs; columns of zeros count nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        prior = problem.required_prior_of_secret
        mass = prior @ seen
        used = mass > 0
        moved = np.zeros_like(seen)
        moved[:, used] = prior[:, None] * np.abs(seen[:, used] / mass[used] - 1.0)
        worst = int(moved.sum(axis=0).argmax())
        return Level(float(moved[:, worst].sum()), (int(moved[:, worst].argmax()),), worst)
