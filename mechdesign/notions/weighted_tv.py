"""Weighted total variation between the outputs of two secrets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import OUTSIDE, Edge, integers_of
from mechdesign.catalogue.subject import Subject
from mechdesign.displays.numbers import in_full, rounded_down
from mechdesign.errors import DomainError, InfeasibleError
from mechdesign.exact import Integers, float_below
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.cone import Budget, Cone, Rays, difference
from mechdesign.notions.dual import Shown, charges_of
from mechdesign.parameters import Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LEAST_LEVEL, RAY_LIMIT


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
                f"{self.least_level(problem)!r}; ask for at least that much."
            )
        return super().inputs(problem)

    def cone(self, problem: Problem) -> Cone:
        """Return the whole orthant: only the sum over columns is bounded."""
        return Cone.of_rows(np.zeros((0, problem.n)))

    def budget(self, problem: Problem) -> Budget:
        """Return ``sum_y max(d . q_y, -d . q_y) <= delta``."""
        balance = self._balance(problem)
        limit = float(self.limit)
        # Never below the exact level: there the uninformative mechanism is all that is feasible.
        limit = limit if Fraction(limit) >= self.limit else math.nextafter(limit, math.inf)
        pieces = np.stack([balance, -balance])[None, :, :]
        return Budget(pieces, np.array([limit]), terms=self._terms(problem)[None, :])

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the sum over outputs; its witness is the output that adds most."""
        first, second = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        terms = np.abs((1.0 - self.weight) * first - self.weight * second)
        return Level(math.fsum(terms), (0, 1), int(terms.argmax()))

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether the sum is at most delta, in rationals: the floats `weight` and `delta` are exact."""
        first, second = problem.exactly_seen_by_secret(numerators).astype(object)
        weight = Fraction(self.weight)
        on_second, on_both = weight.numerator, weight.denominator
        total = sum(abs((on_both - on_second) * a - on_second * b) for a, b in zip(first, second, strict=True))
        return bool(total <= self.limit * on_both * sum(first))

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_] | None:
        """Return whether adding a multiple of ``(1 - weight, -weight)`` makes each functional nonnegative.

        The multiple is at most the charge in size; each entry of the functional bounds it on one side.
        """
        charges = charges_of(shown, len(functionals), 1)[:, 0]
        weight = Fraction(self.weight)
        least = [max(-charge, -w[0] / (1 - weight)) for w, charge in zip(functionals, charges, strict=True)]
        most = [min(charge, w[1] / weight) for w, charge in zip(functionals, charges, strict=True)]
        return np.array([low <= high for low, high in zip(least, most, strict=True)])

    def exact_limits(self, problem: Problem) -> tuple[Fraction, ...]:
        """Return delta, or the least level if delta is nearly equal to it."""
        return (self.limit,)

    def least_level(self, problem: Problem) -> float:
        """Return ``|1 - 2 weight|``: what is known of the secret before the output is seen."""
        return float(abs(1 - 2 * Fraction(self.weight)))

    def ray_count(self, problem: Problem) -> float | None:
        """Return ``n`` and one for each pair of inputs on which d has opposite signs."""
        signs = np.sign(self._balance(problem))
        return float(problem.n + np.sum(signs > 0) * np.sum(signs < 0))

    def rays(self, problem: Problem) -> Rays | None:
        """Return ``e_x``, and ``|d_x'| e_x + |d_x| e_x'`` for each pair of opposite signs."""
        # An array of n entries for each ray: for many inputs the memory is the limit, not the number of rays.
        if (self.ray_count(problem) or 0.0) * problem.n > 8 * RAY_LIMIT:
            return None
        balance = self._balance(problem)
        above, below = np.flatnonzero(balance > 0), np.flatnonzero(balance < 0)
        first, second = (pair.ravel() for pair in np.meshgrid(above, below, indexing="ij"))
        on_both = np.zeros((problem.n, len(first)))
        pairs = np.arange(len(first))
        larger = np.maximum(balance[first], -balance[second])
        on_both[first, pairs] = -balance[second] / larger
        on_both[second, pairs] = balance[first] / larger
        columns = np.hstack([np.eye(problem.n), on_both])
        terms, none = self._terms(problem), np.zeros(len(first))
        with np.errstate(divide="ignore", invalid="ignore"):
            wrong = 8.0 * np.finfo(float).eps * terms / np.abs(balance)
        cost = np.concatenate([np.abs(balance), none])[None, :]
        share = np.concatenate([np.zeros(problem.n), wrong[first] + wrong[second]])
        return Rays(columns, cost, share, cost_terms=np.concatenate([terms, none])[None, :])

    def _balance(self, problem: Problem) -> Array:
        first, second = problem.channel
        return difference((1.0 - self.weight) * first, self.weight * second)

    def _terms(self, problem: Problem) -> Array:
        """Return the size of the terms of each entry of d."""
        first, second = problem.channel
        return np.asarray((1.0 - self.weight) * first + self.weight * second)

    def __str__(self) -> str:
        taken = f", taken as {float(self.limit)!r}" if Fraction(self.delta) < self.limit else ""
        return f"{self.name}(delta={in_full(self.delta)}{taken}, weight={in_full(self.weight)})"
