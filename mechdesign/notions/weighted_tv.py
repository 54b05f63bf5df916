"""Weighted total variation between the outputs of two secrets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.catalogue import Card
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import OUTSIDE, Edge, integers_of
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Shape
from mechdesign.columns.difference import WeightedDifference
from mechdesign.displays.numbers import in_full, rounded_down
from mechdesign.errors import DomainError, InfeasibleError
from mechdesign.exact import Integers, float_below
from mechdesign.notions.base import Level, Notion
from mechdesign.parameters import Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LEAST_LEVEL


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    wrong = rounded_down(float_below((1 - notion.limit) / 2), 6)
    return (
        f"Anyone who guesses {of.it} from a report is wrong with a probability of at least {wrong}, where "
        f'"{problem.named_secret(1)}" has the probability {in_full(notion.weight)}.'
    )


def _edge() -> Edge:
    """Return a matrix with ``|0.75 q0 - 0.25 q1|`` summing to exactly 0.625, and one with a little more."""

    def matrix(step: Fraction) -> Integers:
        # 0.75 (1 - a) + |0.75 a - 0.25| with a = 1/4 + step on the side where both terms fall with a.
        first = Fraction(1, 4) - step
        return integers_of([[1 - first, first], [Fraction(0), Fraction(1)]])

    return Edge(WeightedTV(0.625, 0.25), Problem(n=2), matrix(Fraction(0)), matrix(OUTSIDE))


@dataclass(frozen=True)
class WeightedTV(Notion):
    r"""``sum_y |(1 - weight) Pr(y | 0) - weight Pr(y | 1)| <= delta`` for a secret of two values; no unit.

    The norm has no factor 1/2: ``(1 - delta) / 2`` is the least error probability of anyone who guesses the secret
    from the output, when the secret is 1 with probability `weight`. With a hidden secret
    ``Pr(y | s) = sum_x W[s, x] Q[x, y]``; otherwise the secret is the input, and there have to be two.

    Parameters
    ----------
    delta : float
        In ``[|1 - 2 weight|, 1]``: at the lower end only mechanisms that never help to guess the secret remain.
        A delta within 1e-12 below that end is taken as the end.
    weight : float
        In ``(0, 1)``; 1/2 weighs both errors alike.

    Raises
    ------
    DomainError
        delta outside ``[0, 1]``, weight outside ``(0, 1)``; a secret that has not two values.
    InfeasibleError
        delta below ``|1 - 2 weight|``, when the notion meets a problem.

    Notes
    -----
    A budget over columns, whose term ``|d . q|``, ``d = (1 - weight) W[0] - weight W[1]``, is linear on both sides
    of the hyperplane ``d . q = 0``. The rays of that fan are the unit vectors, and for each pair of opposite signs
    of d the point of their face on the hyperplane: ``(1, 0), (0, 1), (weight, 1 - weight)`` where the secret is
    the input.

    References
    ----------
    Y. Yoshida, M.-H. Yung, M. Hayashi, "Optimal Mechanism for Randomized Responses under Universally Composable
    Security Measure", IEEE ISIT 2019, eq. (1) and Theorem 2.

    Examples
    --------
    >>> import mechdesign as md
    >>> md.WeightedTV(0.5).level([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2)).value
    0.5
    """

    card = Card(
        "weighted total variation privacy",
        r"\sum_y \left|(1 - w) \Pr(y \mid 0) - w \Pr(y \mid 1)\right| \le \delta",
        search=("universally composable security", "approximate local differential privacy"),
        works=("yoshida",),
        promise=_promise,
        relative_to="holds for the probabilities that it states, and says nothing for others.",
        examples=(
            lambda rng: (WeightedTV(0.4), random_problem(2, rng)),
            lambda rng: (WeightedTV(0.7, 0.3), Problem(n=2)),
            lambda rng: (WeightedTV(0.5, 0.4), random_problem(4, rng, secrets=2)),
        ),
        sized=lambda problem, rng: WeightedTV(0.5, 0.4) if problem.n == 2 else None,
        edge=_edge,
    )

    delta: float
    weight: float = 0.5
    domains = {
        "delta": Real(low=0.0, high=1.0),
        "weight": Real(
            low=0.0,
            high=1.0,
            open_low=True,
            open_high=True,
            rule="it has to lie strictly between 0 and 1",
            remedy="choose the probability of the second secret, 0.5 for both alike",
        ),
    }
    level_name = "delta"
    level_unit = ""
    most_level = 1.0

    @property
    def limit(self) -> Fraction:
        """The level that is enforced: delta, or the least level where delta is a rounding error below it."""
        asked, least = Fraction(self.delta), abs(1 - 2 * Fraction(self.weight))
        return least if 0 < least - asked <= Fraction(LEAST_LEVEL) else asked

    def inputs(self, problem: Problem) -> Problem:
        """Refuse a secret that has not two values, and a delta that no mechanism reaches."""
        if problem.secrets != 2:
            raise DomainError(
                "problem",
                f"one with {problem.secrets} values of the secret",
                "WeightedTV compares exactly two",
                "hide a secret of two values with problem.hidden(...)",
            )
        if self.limit < abs(1 - 2 * Fraction(self.weight)):
            raise InfeasibleError(
                f"No mechanism has delta = {self.delta!r} at weight {self.weight!r}: the least is |1 - 2 weight| = "
                f"{float(abs(1 - 2 * Fraction(self.weight)))!r}; ask for at least that much."
            )
        return super().inputs(problem)

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors with a bound on the sum of their weighted differences."""
        return WeightedDifference(2, self.weight, self.limit, np.eye(2))

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the sum over outputs; its witness is the output that adds most."""
        first, second = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        terms = np.abs((1.0 - self.weight) * first - self.weight * second)
        return Level(math.fsum(terms), (0, 1), int(terms.argmax()))

    def __str__(self) -> str:
        taken = f", taken as {float(self.limit)!r}" if Fraction(self.delta) < self.limit else ""
        return f"{self.name}(delta={in_full(self.delta)}{taken}, weight={in_full(self.weight)})"
