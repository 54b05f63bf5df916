"""Columns with a budget for each ordered pair of entries: what one is above ``e^epsilon`` times the other, in all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import Budget, Cone, Rays, difference, subset_count
from mechdesign.columns.dual import Shown, charges_of, covers_pairs, own_of
from mechdesign.columns.shape import Shape
from mechdesign.exact import Integers, exp_above, exp_below, exp_up
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_EXPONENT, RAY_LIMIT

Indices = npt.NDArray[np.intp]

#: Inputs up to which rays are counted one kind after the other: with more there are too many in any case.
MOST_COUNTED = 20


@dataclass(frozen=True, eq=False)
class PairExcesses(Shape):
    """Vectors with ``sum_y max(v_i(y) - e^epsilon v_j(y), 0) <= delta`` for the ordered pairs (i, j).

    Parameters
    ----------
    n : int
    epsilon : float
        In nats.
    delta : float
    edges : sequence of tuple of int, optional
        Pairs that are compared, both ways; all by default.
    """

    epsilon: float
    delta: float
    edges: tuple[tuple[int, int], ...] | None
    asks_for_multipliers = True

    @cached_property
    def pairs(self) -> tuple[Indices, Indices]:
        """The ordered pairs that are compared: all of them, or both ways of each edge."""
        if self.edges is None:
            first, second = np.nonzero(~np.eye(self.n, dtype=bool))
            return first, second
        first, second = np.array(sorted((*self.edges, *(edge[::-1] for edge in self.edges)))).T
        return first, second

    @property
    def pair_ratio(self) -> float | None:
        """``e^epsilon``; None of neighbours alone."""
        return None if self.edges is not None else self._ratio

    @property
    def mixture(self) -> tuple[float, float] | None:
        """Epsilon and delta; None of neighbours alone."""
        return None if self.edges is not None else (self.epsilon, self.delta)

    def cone_of(self, seen: Array) -> Cone:
        """Return the whole orthant: only sums over columns are bounded."""
        return Cone.of_rows(np.zeros((0, seen.shape[1])))

    def budget_of(self, seen: Array) -> Budget:
        """Return ``sum_y max((W_s - e^epsilon W_s') . q_y, 0) <= delta`` for each ordered pair."""
        ratio = self._ratio
        first, second = self.pairs
        excess = difference(seen[first], ratio * seen[second])
        pieces = np.stack([excess, np.zeros_like(excess)], axis=1)
        # Where the excess is positive, its first term is the larger one.
        return Budget(pieces, np.full(len(first), self.delta), terms=seen[first])

    @property
    def _ratio(self) -> float:
        # Rounded up: a bound over a little more than the notion is sound.
        return min(exp_up(self.epsilon), exp_up(LARGEST_EXPONENT))

    @property
    def cone_rows(self) -> float:
        """Two pieces for each ordered pair."""
        return 2.0 * len(self.pairs[0])

    def most_taken(self, column: Array) -> float:
        """Return the largest ``v_s - e^epsilon v_s'`` of a pair that is compared, if that is positive."""
        first, second = self.pairs
        excess = column[first] - math.exp(min(self.epsilon, LARGEST_EXPONENT)) * column[second]
        return max(float(excess.max(initial=0.0)), 0.0)

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return for each functional whether multipliers of pairs, at most their charges, prove it nonnegative.

        None of neighbours alone, which no reader of proofs knows.
        """
        if self.edges is not None:
            return None
        own = own_of(shown, len(functionals))
        most, k = exp_above(self.epsilon), functionals.shape[1]
        first, second = self.pairs
        places = (first * k + second).tolist()

        def is_shown(functional: Integers, given: Mapping[int, int], charges: Integers) -> bool:
            charged = dict(zip(places, charges, strict=True))
            within = all(y <= charged.get(place, -1) for place, y in given.items())
            # Where y counts, v_i - e^epsilon v_j is at most what the pair takes of its budget.
            return within and covers_pairs(functional, given, lambda i, j: most)

        charges = charges_of(shown, len(functionals), len(places))
        return np.array([is_shown(*each) for each in zip(functionals, own, charges, strict=True)])

    def own_numbers(self, functional: Array, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return the multiplier of each pair's excess, no more than the pair's charge."""
        k, (first, second) = len(functional), self.pairs
        excess = np.minimum(multipliers.reshape(-1, 2)[:, 0], nu)
        return {int(i) * k + int(j): float(y) for i, j, y in zip(first, second, excess, strict=True) if y > 0}

    def exact_limits(self) -> tuple[Fraction, ...]:
        """Return delta for each ordered pair."""
        return (Fraction(self.delta),) * len(self.pairs[0])

    def ray_count(self) -> float | None:
        """Return the number of sets with their levels, ``2^n - 1`` at epsilon 0; None of edges."""
        if self.edges is not None:
            return None
        n = self.n
        if self.epsilon == 0:
            return subset_count(n) - 1.0
        # Weak orders of k inputs, by the size of the lowest class.
        orders = [1.0]
        for k in range(1, min(n, MOST_COUNTED) + 1):
            orders.append(sum(math.comb(k, j) * orders[k - j] for j in range(1, k + 1)))
        if n > MOST_COUNTED:
            return orders[-1]
        return n + sum(math.comb(n, k) * (orders[k] - 1.0) for k in range(2, n + 1))

    def rays(self) -> Rays | None:
        """Return ``e_x``, and ``e^(epsilon level)`` on every set, the levels onto ``0..h`` with ``h >= 1``."""
        count = self.ray_count()
        if count is None or count > RAY_LIMIT:
            return None
        levels = _subsets(self.n) if self.epsilon == 0 else _levels(self.n)
        within = levels >= 0
        below = np.where(within, levels.max(axis=0) - levels, np.inf)
        rate = min(self.epsilon, LARGEST_EXPONENT)
        columns = np.where(within, np.exp(-rate * np.where(within, below, 0.0)), 0.0)
        first, second = self.pairs
        # q_x - e^epsilon q_x' from the difference of levels: nothing is left where the levels are neighbours.
        apart = np.where(within[second], levels[first] - levels[second] - 1.0, np.inf)
        cost = columns[first] * -np.expm1(-rate * np.maximum(apart, 0.0)) if rate else columns[first] * ~within[second]
        # An exponential is rounded in proportion to its exponent.
        share = np.finfo(float).eps * (4.0 + 2.0 * rate * np.where(within, below, 0.0).max(axis=0))
        return Rays(columns, np.asarray(cost), share)

    by_column = False

    def measured(self, seen: Integers) -> MeasuredExcesses:
        """Return the excess of each pair, in floating point, and in rationals once that is asked for."""
        total, ratio = int(seen[0].astype(object).sum()), exp_below(self.epsilon)
        rough = excesses((seen / total).astype(float), math.exp(min(self.epsilon, LARGEST_EXPONENT)))
        rough = np.where(compared(self.pairs, len(seen)), rough, -np.inf)
        # Each term that counts is at most its first entry, and those add up to one.
        room = 2.0 * np.finfo(float).eps * (seen.shape[1] + 16) if self.epsilon < LARGEST_EXPONENT else np.inf
        return MeasuredExcesses(seen, total, ratio, rough, float(room))

    def allows(self, measured: MeasuredExcesses) -> npt.NDArray[np.bool_]:
        """Return whether every excess is at most delta, ``e^epsilon`` rounded down: only those near it in rationals."""
        return np.array([measured.at_most(self.delta)])


def _subsets(n: int) -> Array:
    """Return level 0 on each nonempty set and -1 elsewhere, shape (n, 2^n - 1)."""
    sets = np.arange(1, 2**n)
    return np.asarray(((sets[None, :] >> np.arange(n)[:, None]) & 1) - 1.0)


def _levels(n: int) -> Array:
    """Return the levels of each ray, -1 off its set: single inputs, and two levels or more on larger sets."""
    orders = [np.zeros((0, 1))]
    for k in range(1, n + 1):
        orders.append(_weak_orders(k, orders))
    found = []
    for inside in _subsets(n).T >= 0:
        ranked = orders[int(inside.sum())]
        kept = ranked if inside.sum() == 1 else ranked[:, ranked.max(axis=0) > 0]
        levels = np.full((n, kept.shape[1]), -1.0)
        levels[inside] = kept
        found.append(levels)
    return np.hstack(found)


def _weak_orders(k: int, smaller: list[Array]) -> Array:
    """Return the levels of k inputs onto 0..h in every way: the lowest class, and an order of the others above it."""
    found = []
    for lowest in _subsets(k).T >= 0:
        raised = smaller[k - int(lowest.sum())] + 1.0
        levels = np.zeros((k, raised.shape[1]))
        levels[~lowest] = raised
        found.append(levels)
    return np.hstack(found)


@dataclass(frozen=True, eq=False)
class MeasuredExcesses:
    """The excesses of a matrix of integers: roughly, and each in rationals when it is asked for."""

    seen: Integers
    total: int
    ratio: Fraction
    rough: Array
    #: How far the rough ones may be off.
    room: float
    known: dict[tuple[int, int], int] = field(default_factory=dict)

    def at_most(self, delta: float) -> bool:
        """Return whether all are at most delta."""
        if np.any(self.rough > delta + self.room):
            return False
        largest = Fraction(delta) * self.ratio.denominator * self.total
        near = np.argwhere(self.rough >= delta - self.room)
        return all(self._exactly(int(s), int(other)) <= largest for s, other in near)

    def _exactly(self, s: int, other: int) -> int:
        if (s, other) not in self.known:
            first, second = self.seen[s].astype(object), self.seen[other].astype(object)
            above = first * self.ratio.denominator - second * self.ratio.numerator
            self.known[s, other] = int(np.maximum(above, 0).sum())
        return self.known[s, other]


def compared(pairs: tuple[Indices, Indices], count: int) -> npt.NDArray[np.bool_]:
    """Return a table of which ordered pairs are compared, shape (count, count).

    Examples
    --------
    >>> compared((np.array([0]), np.array([1])), 2).tolist()
    [[False, True], [False, False]]
    """
    found = np.zeros((count, count), dtype=bool)
    found[pairs] = True
    return found


def excesses(seen: Array, ratio: float) -> Array:
    """Return ``sum_y max(v_s(y) - ratio v_s'(y), 0)`` of each ordered pair of rows, shape (k, k)."""
    grown, room = ratio * seen, np.empty_like(seen)
    sums = np.empty((len(seen), len(seen)))
    for s, row in enumerate(seen):
        np.subtract(row, grown, out=room)
        sums[s] = np.maximum(room, 0.0, out=room).sum(axis=1)
    return sums
