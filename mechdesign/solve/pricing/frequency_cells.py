"""Inputs in cells of like frequencies, for many inputs: the information of any set, bounded from above.

Each frequency is replaced by the least of its cell, which lessens the mass of a set and so only adds information. Cells
lie in groups; a slope is constant on a group, and the multipliers of its rows are affine in the frequency.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mechdesign.objectives.base import unit
from mechdesign.parameters.checks import Array

#: By what frequencies of a cell, and of a group, differ at most.
CELL, GROUP = 1.01, 2.0
#: Groups at most: what is rarer than the rest of them is one group.
MOST_GROUPS = 40
#: Intervals of the mass, and steps of the search for the multiplier of each.
INTERVALS, STEPS = 30, 40
#: The range in which those multipliers are sought by halves, as a share of the largest; beyond it by square roots.
SMALL = 1e-9


@dataclass(frozen=True, eq=False)
class FrequencyCells:
    """Cells of inputs from the most to the least frequent, and the groups that they lie in.

    Attributes
    ----------
    sizes : ndarray, shape (c,)
        Inputs of each cell.
    least : ndarray, shape (c,)
        The least frequency of each cell.
    group_of : ndarray of int, shape (c,)
        The group of each cell, in order from 0.
    """

    sizes: Array
    least: Array
    group_of: npt.NDArray[np.intp]

    @classmethod
    def of(cls, theta: Array) -> FrequencyCells:
        """Return the cells of frequencies theta, shape (n,).

        Examples
        --------
        >>> cells = FrequencyCells.of(np.array([0.1, 0.4, 0.1, 0.4]))
        >>> cells.sizes.tolist(), cells.least.tolist(), cells.group_of.tolist()
        ([2.0, 2.0], [0.4, 0.1], [0, 1])
        """
        ranked = np.sort(theta)[::-1]
        lowest = ranked[0] * GROUP ** -float(MOST_GROUPS)
        depth = np.log(ranked[0] / np.maximum(ranked, lowest))
        cell, group = (np.floor(depth / np.log(step) + unit(1)).astype(int) for step in (CELL, GROUP))
        starts = np.flatnonzero(np.diff(np.stack([cell, group]), prepend=-1).any(axis=0))
        ends = np.append(starts[1:], len(ranked))
        return cls((ends - starts).astype(float), ranked[ends - 1], np.unique(group[starts], return_inverse=True)[1])

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.group_of[-1]) + 1

    @property
    def counts(self) -> Array:
        """Inputs of each group, shape (b,)."""
        return np.bincount(self.group_of, self.sizes).astype(float)

    @property
    def masses(self) -> Array:
        """The sum of the frequencies of each group, each the least of its cell, shape (b,)."""
        return np.bincount(self.group_of, self.sizes * self.least).astype(float)

    @property
    def firsts(self) -> npt.NDArray[np.intp]:
        """The first cell of each group, shape (b,)."""
        return np.searchsorted(self.group_of, np.arange(self.groups))

    @property
    def before(self) -> Array:
        """How many inputs of a cell's group are in the cells before it, shape (c,)."""
        ends = np.cumsum(self.sizes)
        starts = ends - self.sizes
        return np.asarray(starts - starts[self.firsts][self.group_of])


@dataclass(frozen=True, eq=False)
class CellSlope:
    """A matrix ``G = sum_b within_b (I - 1 1' / n_b)`` on the groups, with multipliers of the rows and of the mass.

    Attributes
    ----------
    within : ndarray, shape (b,)
        At least 0.
    constant, steepness : ndarray, shape (b,)
        The multiplier of the row of an input of frequency t is ``constant_b - steepness_b t``.
    total : float
        The multiplier of the mass.
    """

    within: Array
    constant: Array
    steepness: Array
    total: float

    def packed(self) -> Array:
        """Return one array, shape (4, b)."""
        return np.vstack([self.within, self.constant, self.steepness, np.full(len(self.within), self.total)])

    @classmethod
    def unpacked(cls, given: Array, groups: int) -> CellSlope | None:
        """Return what `packed` was made from; None if the array has another shape or numbers that are not finite."""
        if np.shape(given) != (4, groups) or not np.isfinite(given).all():
            return None
        return cls(np.maximum(given[0], 0.0), given[1], given[2], float(given[3, 0]))

    def mixed(self, other: CellSlope, share: float) -> CellSlope:
        """Return `share` of the other slope and the rest of this one: they are a convex set."""
        rows = (1.0 - share) * self.packed() + share * other.packed()
        return CellSlope(rows[0], rows[1], rows[2], float(rows[3, 0]))

    def of_rows(self, cells: FrequencyCells) -> float:
        """Return the sum of the multipliers of all rows."""
        return float(self.constant @ cells.counts - self.steepness @ cells.masses)

    def excess(self, cells: FrequencyCells, rise: float, counts: Array, masses: Array) -> Array:
        """Return ``v' G v / m^2 - rows . v / m - total`` of sets with counts and masses by groups, shape (sets,)."""
        mass = cells.masses.sum() + rise * masses.sum(axis=1)
        spread = rise**2 * (counts - counts**2 / cells.counts) @ self.within
        charge = self.of_rows(cells) + rise * (counts @ self.constant - masses @ self.steepness)
        return np.asarray(spread / mass**2 - charge / mass - self.total)


@dataclass(frozen=True, eq=False)
class CellPricing:
    """A bound on the excess of every set, its rounding, and sets of large excess.

    Attributes
    ----------
    bound, rounding : float
        No set has more than their sum.
    counts, masses : ndarray, shape (sets, b)
        Sets by the inputs of each group in them, which need not be whole numbers, and by their frequencies.
    """

    bound: float
    rounding: float
    counts: Array
    masses: Array


def priced_cells(cells: FrequencyCells, slope: CellSlope, rise: float) -> CellPricing:
    r"""Return a bound on the excess of every set of inputs.

    For a set S with ``v = 1 + rise 1_S`` of mass m, and ``u = 1 / m``, the excess is ``A u^2 - B u - total``, A and B
    depending on S. For any number w it is the same with ``w (u m(S) - 1)`` added; that is convex in u, so that on an
    interval of u it is largest at one of the two ends. There the best set takes, of each group, the most or the least
    frequent inputs, up to the number at which the next one adds nothing. The number w of each interval is found by
    bisection.
    """
    best = _Ends.of(cells, slope, rise)
    high = np.full(INTERVALS, best.largest)
    low = -high
    small, worst = SMALL * best.largest, np.full(INTERVALS, np.inf)
    for _ in range(STEPS):
        number = _between(low, high, small)
        counts, masses, values, noise = best.sets(np.tile(number, 2))
        first, second = values[:INTERVALS], values[INTERVALS:]
        worst = np.minimum(worst, np.maximum(first + noise[:INTERVALS], second + noise[INTERVALS:]))
        beyond = best.inverse * (cells.masses.sum() + rise * masses.sum(axis=1)) - 1.0
        above = np.where(first >= second, beyond[:INTERVALS], beyond[INTERVALS:]) > 0.0
        high, low = np.where(above, number, high), np.where(above, low, number)
    return CellPricing(float(worst.max()), float(noise.max()), counts, masses)


def _between(low: Array, high: Array, small: float) -> Array:
    """Return a number between the ends of each interval: 0 first, then a geometric mean while they are far apart."""
    number = 0.5 * (low + high)
    number = np.where((low < -small) & (high > small) & (np.abs(low + high) < SMALL * (high - low)), 0.0, number)
    wide = (low >= 0.0) & (high > 4.0 * np.maximum(low, small))
    number = np.where(wide, np.sqrt(np.maximum(low, small) * np.maximum(high, small)), number)
    wide = (high <= 0.0) & (low < 4.0 * np.minimum(high, -small))
    return np.where(wide, -np.sqrt(np.maximum(-high, small) * np.maximum(-low, small)), number)


@dataclass(frozen=True, eq=False)
class _Ends:
    """What the best sets at the ends of the intervals are found from, each array with a row for each end."""

    cells: FrequencyCells
    slope: CellSlope
    rise: float
    inverse: Array
    curved: Array
    charged: Array
    halves: Array
    before: Array
    after: Array
    largest: float

    @classmethod
    def of(cls, cells: FrequencyCells, slope: CellSlope, rise: float) -> _Ends:
        whole = float(cells.masses.sum())
        # Outward, so that rounding leaves no mass out.
        ends = np.geomspace(whole * (1.0 - unit(1)), whole * (1.0 + rise) * (1.0 + unit(1)), INTERVALS + 1)
        inverse = np.concatenate([1.0 / ends[:-1], 1.0 / ends[1:]])
        curved = rise**2 * slope.within * inverse[:, None] ** 2
        charged = rise * inverse[:, None] * slope.constant
        counts, group_of = cells.counts, cells.group_of
        # Up to how many inputs a group is filled, for each unit by which its next input adds or costs more.
        halves = (0.5 * counts / np.maximum(curved, np.finfo(float).tiny))[:, group_of]
        after = counts[group_of] - (cells.before + cells.sizes)
        tiniest = float(cells.least[cells.least > 0].min()) if (cells.least > 0).any() else 1.0
        largest = (float(curved.max()) + float(np.abs(charged).max())) / (tiniest * rise) * float(ends[-1])
        steep = float(np.abs(slope.steepness).max())
        return cls(
            cells, slope, rise, inverse, curved, charged, halves, cells.before, after, max(largest, steep, 1e-300)
        )

    def sets(self, number: Array) -> tuple[Array, Array, Array, Array]:
        """Return the best sets at the ends by counts and masses, their excess, and an estimate of its rounding.

        Numbers w have the shape (ends,); counts and masses (ends, b), the others (ends,).
        """
        cells, slope, inverse = self.cells, self.slope, self.inverse
        mass, group_of, firsts = float(cells.masses.sum()), cells.group_of, cells.firsts
        worth = self.rise * inverse[:, None] * (number[:, None] + slope.steepness)
        before = np.where((worth >= 0.0)[:, group_of], self.before, self.after)
        added = worth[:, group_of] * cells.least - self.charged[:, group_of]
        filled = np.clip(0.5 * cells.counts[group_of] + added * self.halves - before, 0.0, cells.sizes)
        counts = np.add.reduceat(filled, firsts, axis=1)
        masses = np.add.reduceat(filled * cells.least, firsts, axis=1)
        spread = (self.curved * (counts - counts**2 / cells.counts)).sum(axis=1)
        parts = (
            spread,
            (worth * masses).sum(axis=1),
            -(self.charged * counts).sum(axis=1),
            -inverse * slope.of_rows(cells),
            number * (inverse * mass - 1.0),
        )
        sizes = spread + np.abs(worth * masses).sum(axis=1) + np.abs(self.charged * counts).sum(axis=1)
        sizes += inverse * (np.abs(slope.constant) @ cells.counts + np.abs(slope.steepness) @ cells.masses)
        noise = 4.0 * unit(len(cells.sizes)) * (sizes + np.abs(number) + abs(slope.total))
        return counts, masses, np.asarray(sum(parts) - slope.total), noise
