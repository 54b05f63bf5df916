"""Strong privacy in chi-square: a ball around the prior, a second-order cone of columns."""

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
from mechdesign.columns.square_ball import SquareBall
from mechdesign.displays.numbers import in_full
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.ldp import LDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"For every report, the chi-square divergence of what is believed of {of.it} with it from what is believed "
        f"without it is at most {in_full(notion.epsilon)} squared."
    )


@dataclass(frozen=True)
class StrongChiSquare(Notion):
    r"""sum_s pi_s (Pr(y | s) / Pr(y) - 1)^2 <= epsilon^2 for every output y; epsilon is a number.

    The sum is the chi-square divergence of ``Pr(s | y)`` from the prior ``pi_s``.

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
    The columns are a second-order cone: the routes `convex`, `columns`, `directions` and `near_prior` answer.
    LIP(epsilon) implies StrongChiSquare(2 sinh(epsilon / 2)), and not StrongChiSquare(epsilon).

    References
    ----------
    A. Zamani, P. Sadeghi, M. Skoglund, "An Information Geometric Approach to Local Information Privacy with
    Applications to Max-lift and Local Differential Privacy", arXiv 2501.11757 (2025), Section I (strong chi-square
    privacy).

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> md.StrongChiSquare(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value
    0.5
    """

    card = Card(
        "strong privacy in chi-square divergence",
        r"\sum_s \pi_s \left(\frac{\Pr(y \mid s)}{\Pr(y)} - 1\right)^2 \le \epsilon^2 \quad \text{for all } y",
        works=("zamani",),
        promise=_promise,
        implied_by=(
            Rule(
                "LIP",
                of_level(lambda level: 2 * math.sinh(level / 2)),
                "Zamani, Sadeghi, Skoglund 2025, Section V-D, corrected",
            ),
            Rule(
                "LDP",
                of_level(lambda level: math.sinh(level / 2)),
                "an extreme column has two values, and their mass is best at 1 / (1 + e^epsilon)",
            ),
        ),
        stronger=lambda notion, problem: LDP(2.0 * math.asinh(notion.epsilon)),
        examples=(
            lambda rng: (StrongChiSquare(0.5), random_problem(3, rng)),
            lambda rng: (StrongChiSquare(1.5), random_problem(4, rng, skew=2.0)),
            lambda rng: (StrongChiSquare(0.3), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: StrongChiSquare(0.5),
        # The divergence is exactly 1/4.
        edge=lambda: Edge(StrongChiSquare(0.5), fair(), *quarter_off()),
    )

    epsilon: float
    needs_prior = True
    level_unit = ""
    polyhedral = False

    def plain(self, problem: Problem) -> Notion:
        """Return LDP(0) at epsilon 0: nothing may be disclosed."""
        return LDP(0.0) if self.epsilon == 0 else self

    def shape(self, problem: Problem) -> Shape:
        """Return the ball of mean squared distance."""
        return SquareBall(problem.secrets, Masses.of(problem), self.epsilon)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the root of the largest divergence over outputs; columns of zeros count nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        prior = problem.required_prior_of_secret
        mass = prior @ seen
        used = mass > 0
        squares = np.zeros_like(seen)
        squares[:, used] = prior[:, None] * (seen[:, used] / mass[used] - 1.0) ** 2
        worst = int(squares.sum(axis=0).argmax())
        return Level(float(np.sqrt(squares[:, worst].sum())), (int(squares[:, worst].argmax()),), worst)
