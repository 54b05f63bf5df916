"""Columns whose entries of some ordered pairs have ratios up to ``e^epsilon``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import Cone
from mechdesign.columns.dual import Shown, covers_pairs, own_of, ratio_rows
from mechdesign.columns.ratio_in_blocks import rows_within, within_ratio
from mechdesign.columns.shape import Shape
from mechdesign.exact import Fractions, Integers, exp_above, exp_below, exp_down
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_EXPONENT


@dataclass(frozen=True, eq=False)
class EdgeRatios(Shape):
    """Vectors with ``v_i <= e^epsilon v_j`` and ``v_j <= e^epsilon v_i`` for each edge (i, j).

    Parameters
    ----------
    n : int
    epsilon : float
        In nats.
    edges : sequence of tuple of int
    """

    epsilon: float
    edges: tuple[tuple[int, int], ...]
    asks_for_multipliers = True

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The ordered pairs (i, j) that are compared, in the order of the cone's rows."""
        return (*((int(i), int(j)) for i, j in self.edges), *((int(j), int(i)) for i, j in self.edges))

    def cone_of(self, seen: Array) -> Cone:
        """Return ``v_j >= e^-epsilon v_i`` for each pair: divided, so that a large epsilon does not overflow."""
        first, second = np.array(self.pairs, dtype=np.intp).reshape(-1, 2).T
        share = exp_down(-min(self.epsilon, LARGEST_EXPONENT))
        return Cone.at_least(seen[second], share * seen[first])

    @property
    def cone_rows(self) -> float:
        """One for each pair."""
        return float(len(self.pairs))

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return for each functional whether multipliers of pairs (i, j), at ``i n + j``, prove it nonnegative."""
        own, most, joined = own_of(shown, len(functionals)), exp_above(self.epsilon), set(self.pairs)

        def ratio(i: int, j: int) -> Fraction | None:
            return most if (i, j) in joined else None

        return np.array([covers_pairs(w, each, ratio) for w, each in zip(functionals, own, strict=True)])

    def exact_rows(self) -> Fractions:
        """Return ``e^epsilon v_j - v_i`` for each pair."""
        most = exp_above(self.epsilon)
        both = dict.fromkeys(pair for i, j in self.edges for pair in ((int(i), int(j)), (int(j), int(i))))
        return ratio_rows(self.n, ((i, j, most) for i, j in both))

    def own_numbers(self, functional: Array, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return the multiplier of each pair's row, in the unit of the larger entry."""
        times, found = multipliers * math.exp(-min(self.epsilon, LARGEST_EXPONENT)), dict[int, float]()
        for (i, j), y in zip(self.pairs, times, strict=True):
            place = i * self.n + j
            found[place] = found.get(place, 0.0) + float(y)
        return {place: y for place, y in found.items() if y > 0}

    def measured(self, seen: Integers) -> Integers:
        """Return the integers."""
        return seen.astype(object)

    def allows(self, measured: Integers) -> npt.NDArray[np.bool_]:
        """Return for each column whether the ends of every edge have a ratio of at most ``e^epsilon``, rounded down."""
        ratio, found = exp_below(self.epsilon), np.ones(measured.shape[1], dtype=bool)
        # Edge by edge: among many profiles there are far more edges than entries.
        for first, second in self.pairs:
            found &= (measured[first] * ratio.denominator <= measured[second] * ratio.numerator).astype(bool)
        return found


@dataclass(frozen=True, eq=False)
class EveryPair(EdgeRatios):
    """Vectors with ``v_i <= e^epsilon v_j`` for all ordered pairs, whose tests in exact arithmetic have a formula."""

    asks_for_multipliers = False

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All ordered pairs (i, j), row by row."""
        return tuple(permutations(range(self.n), 2))

    @property
    def cone_rows(self) -> float:
        """One for each ordered pair, which are not made to be counted."""
        return self.n * (self.n - 1.0)

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_]:
        """Return for each functional whether it is nonnegative, ``e^epsilon`` rounded up."""
        return within_ratio(functionals, self.epsilon)

    def exact_rows(self) -> Fractions:
        """Return ``e^epsilon v_j - v_i`` for each ordered pair."""
        return rows_within(self.epsilon, self.n, [range(self.n)])

    def own_numbers(self, functional: Array, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return nothing: the test needs no numbers."""
        return {}

    def allows(self, measured: Integers) -> npt.NDArray[np.bool_]:
        """Return for each column whether it is allowed under every distribution, ``e^epsilon`` rounded down.

        The mass is linear in the distribution: its least and its largest are those of one entry alone.
        """
        ratio, least, largest = exp_below(self.epsilon), measured.min(axis=0), measured.max(axis=0)
        below = measured * ratio.denominator <= least * ratio.numerator
        above = largest * ratio.denominator <= measured * ratio.numerator
        return np.asarray((below & above).astype(bool).all(axis=0))
