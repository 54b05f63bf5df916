"""Columns whose entries have ratios up to ``e^(rate d)``, by a length d of their own for each pair."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import Cone
from mechdesign.columns.dual import Shown, covers_pairs, own_of, ratio_rows
from mechdesign.columns.metric_pairs import EXACT_DECIMALS, ExactPairs, Indices, Ways, shortest_way
from mechdesign.columns.shape import Shape
from mechdesign.exact import Fractions, Integers, exp_above
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_EXPONENT

#: The largest float below 1.
BELOW_ONE = 1.0 - 2.0**-53
#: Roundings of a sum along a path, as a share of it.
ALONG = 2.0**-40


@dataclass(frozen=True, eq=False)
class DistanceRatios(Shape):
    """Vectors with ``v_i <= e^(epsilon d[i, j]) v_j`` for all ordered pairs, d the same one way and the other.

    Parameters
    ----------
    n : int
    epsilon : float
        In nats for each unit of d.
    ways : Ways
        d, and its shortest paths.
    """

    epsilon: float
    ways: Ways
    asks_for_multipliers = True

    @property
    def pair_exponents(self) -> Array:
        """Epsilon times the shortest paths, infinite without a path."""
        # Entries that no path joins are not compared, at epsilon 0 either.
        with np.errstate(over="ignore"):
            return np.asarray(np.where(np.isfinite(self.ways.shortest), self.epsilon, 1.0) * self.ways.shortest)

    def cone_of(self, seen: Array) -> Cone:
        """Return ``v_s' >= e^(-epsilon D) v_s`` for the ordered pairs that no chain implies."""
        pairs, lengths = self.ways.chained
        first, second = np.concatenate([pairs, pairs[:, ::-1]]).T
        with np.errstate(over="ignore"):
            exponent = np.minimum(self.epsilon * np.concatenate([lengths, lengths]), LARGEST_EXPONENT)
        return cone_of_pairs(seen, first, second, exponent)

    @property
    def cone_rows(self) -> float:
        """Two for each pair that no chain implies."""
        return 2.0 * len(self.ways.needed[0])

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return for each functional whether multipliers of pairs (i, j), at ``i k + j``, prove it nonnegative."""
        own = own_of(shown, len(functionals))
        return np.array([covers_pairs(w, each, self._most) for w, each in zip(functionals, own, strict=True)])

    def exact_rows(self) -> Fractions:
        """Return ``e^(epsilon d) v_j - v_i`` for each ordered pair whose distance no chain of others explains."""
        first, second = (ends.tolist() for ends in self.ways.needed)
        # In the order in which readers of proofs take them.
        found = ((i, j, self._most(i, j)) for i, j in sorted(zip(first + second, second + first, strict=True)))
        return ratio_rows(self.n, ((i, j, most) for i, j, most in found if most is not None))

    def own_numbers(self, functional: Array, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return the multiplier of each pair's row, in the unit of the larger entry."""
        pairs, lengths = self.ways.chained
        both, twice = np.concatenate([pairs, pairs[:, ::-1]]), np.concatenate([lengths, lengths])
        # The cone's rows are e^-d v_i <= v_j; those of a proof v_i <= e^d v_j.
        times = multipliers * np.exp(-np.minimum(self.epsilon * twice, LARGEST_EXPONENT))
        found: dict[int, float] = {}
        for i, j, length, y in zip(*both.T.tolist(), twice.tolist(), times.tolist(), strict=True):
            for place, times_ratio in self._steps(i, j, length) if y > 0 else ():
                found[place] = found.get(place, 0.0) + y * times_ratio
        return found

    def _steps(self, first: int, last: int, length: float) -> list[tuple[int, float]]:
        """Return the pairs, as places, on the way of a length between secrets, with the ratio on the way to each."""
        k, way = len(self.ways.distance), [first, last]
        if self.ways.distance[first, last] > length:
            way = shortest_way(self.ways.distance, self.ways.needed, first, last)
        steps = [float(self.ways.distance[pair]) for pair in pairwise(way)]
        gone = np.minimum(self.epsilon * np.cumsum([0.0, *steps[:-1]]), LARGEST_EXPONENT)
        return [(i * k + j, float(ratio)) for (i, j), ratio in zip(pairwise(way), np.exp(gone), strict=True)]

    def _most(self, i: int, j: int) -> Fraction | None:
        """Return at least the largest ratio of secret i's probability to secret j's, None without a bound."""
        apart = float(self.ways.distance[i, j])
        nats = EXACT_DECIMALS.multiply(Decimal(self.epsilon), Decimal(apart)) if math.isfinite(apart) else None
        return None if nats is None or nats > LARGEST_EXPONENT else exp_above(nats)

    def measured(self, seen: Integers) -> ExactPairs:
        """Return the pairs that no chain implies, with the logarithms that say which are clear in floating point."""
        return ExactPairs(self.ways.distance, self.ways.needed, seen)

    def allows(self, measured: ExactPairs) -> npt.NDArray[np.bool_]:
        """Return for each column whether its ratios are allowed, ``e^(epsilon d)`` rounded down."""
        return measured.columns_hold(self.epsilon)

    def holds(self, measured: ExactPairs) -> bool:
        """Return whether all are: pairs with room to spare in floating point are not compared again."""
        return measured.hold(self.epsilon)


@dataclass(frozen=True, eq=False)
class OneWayRatios(Shape):
    """Vectors with ``v_i <= e^(scale epsilons[i, j]) v_j`` for all ordered pairs.

    Parameters
    ----------
    n : int
    scale : float
    epsilons : ndarray, shape (n, n)
        In nats; infinite ones are not compared.
    needed : pair of ndarray
        The pairs that no chain of others implies.
    """

    scale: float
    epsilons: Array
    needed: tuple[Indices, Indices]

    @property
    def pair_exponents(self) -> Array:
        """The scale times the shortest paths, rounded up."""
        lengths = self.epsilons.copy()
        for middle in range(len(lengths)):
            lengths = np.minimum(lengths, lengths[:, [middle]] + lengths[[middle], :])
        with np.errstate(over="ignore"):
            return np.asarray(np.where(np.isfinite(lengths), self.scale * (1.0 + ALONG), 1.0) * lengths)

    def cone_of(self, seen: Array) -> Cone:
        """Return ``v_j >= e^(-scale epsilon) v_i`` for the ordered pairs that no chain implies."""
        first, second = self.needed
        with np.errstate(over="ignore"):
            exponent = np.minimum(self.scale * self.epsilons[first, second], LARGEST_EXPONENT)
        return cone_of_pairs(seen, first, second, exponent)

    @property
    def cone_rows(self) -> float:
        """One for each ordered pair that no chain implies."""
        return float(len(self.needed[0]))

    def measured(self, seen: Integers) -> ExactPairs:
        """Return the ordered pairs that no chain implies, with their logarithms in floating point."""
        return ExactPairs(self.epsilons, self.needed, seen, both_ways=False)

    def allows(self, measured: ExactPairs) -> npt.NDArray[np.bool_]:
        """Return for each column whether its ratios are allowed, ``e^(scale epsilon)`` rounded down."""
        return measured.columns_hold(self.scale)

    def holds(self, measured: ExactPairs) -> bool:
        """Return whether all are: pairs with room to spare in floating point are not compared again."""
        return measured.hold(self.scale)


def cone_of_pairs(seen: Array, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp], exponent: Array) -> Cone:
    """Return ``v_second >= e^(-exponent) v_first`` for pairs of entries, in arrays of one length."""
    power = exponent[:, None]
    # Below 1 wherever there is a distance: rows of ones alone say that nothing may differ.
    factor = np.minimum(np.exp(-power), np.where(power > 0, BELOW_ONE, 1.0))
    larger, smaller = seen[second], factor * seen[first]
    # An exponential is rounded in proportion to its exponent.
    return replace(Cone.at_least(larger, smaller), terms=larger + (1.0 + power) * smaller)
