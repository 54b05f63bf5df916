"""Neighbours among the inputs by ratio, taken together: programs over groups, and multipliers of the single inputs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mechdesign.baselines.interval_partition import by_ratio
from mechdesign.objectives import Ratio
from mechdesign.parameters.checks import Array

#: Inputs next to a cut that are groups of their own, and the growth of groups from there.
SINGLE, GROWTH = 3, 1.25
#: Parts into which a group is split.
PARTS = 4

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Line:
    """Inputs of one ratio taken together, in its order: `ratio` has their sums, `at` the place of each input."""

    ratio: Ratio
    at: Indices


def on_line(ratio: Ratio) -> Line:
    """Return the inputs by their ratio; those without weight stand anywhere."""
    ratios, weightless = by_ratio(ratio), (ratio.a == 0) & (ratio.b == 0)
    kinds = np.unique(ratios[~weightless])
    at = np.where(weightless, 0, np.searchsorted(kinds, ratios))
    return Line(ratio.summed(lambda part: np.asarray(np.bincount(at, part, len(kinds)), dtype=float)), at)


@dataclass(frozen=True)
class Groups:
    """Neighbours on a line that share multipliers: the first place of each group; no group lies across a cut."""

    ratio: Ratio
    cuts: Indices
    starts: Indices

    @classmethod
    def graded(cls, ratio: Ratio, cuts: Indices) -> Groups:
        """Return groups that grow with their distance from the cuts, beside which windows end at decisions."""
        longest = int(np.diff(cuts).max())
        steps = np.arange(2 + int(np.log(longest) / np.log(GROWTH)))
        sizes = np.concatenate([np.ones(SINGLE), np.maximum(1.0, np.floor(GROWTH**steps))])
        away = np.concatenate([[0], sizes.cumsum()]).astype(np.intp)
        starts = [cuts[:-1]]
        for first, end in pairwise(cuts):
            near = away[away <= (end - first) // 2]
            starts += [first + near, end - near[1:]]
        return cls(ratio, cuts, np.unique(np.concatenate(starts)))

    @property
    def sizes(self) -> Indices:
        """The number of places in each group."""
        return np.asarray(np.diff(self.starts, append=len(self.ratio.a)))

    @property
    def cell(self) -> Indices:
        """The cell that each group lies in."""
        return np.searchsorted(self.cuts, self.starts, side="right") - 1

    @property
    def of_places(self) -> Indices:
        """The group of each place on the line."""
        return np.repeat(np.arange(len(self.starts)), self.sizes)

    def sums(self, of_places: Array) -> Array:
        """Return the sums over each group, shape (..., groups), along the last axis."""
        return np.asarray(np.add.reduceat(of_places, self.starts, axis=-1))

    def together(self) -> Ratio:
        """Return the ratio over groups."""
        return self.ratio.summed(self.sums)

    def extended(self, on_groups: Array, slopes: Array) -> tuple[Array, Array]:
        """Return, for each group, multipliers ``alpha b_x + beta a_x`` of its inputs that add up to the group's.

        What an input's multiplier per b gains with its ratio lies between the slopes of f at the ends of its window of
        decisions; the difference of the neighbouring groups in its cell shows where between.

        Parameters
        ----------
        slopes : ndarray, shape (cells + 2,)
            Of f, at the cells' decisions and before and after all.
        """
        a, b, cell = self.sums(self.ratio.a), self.sums(self.ratio.b), self.cell
        beta = np.zeros(len(b))
        with np.errstate(all="ignore"):
            for index in range(len(self.cuts) - 1):
                inside = np.flatnonzero((cell == index) & (b > 0))
                if len(inside) > 1:
                    beta[inside] = np.gradient((on_groups / b)[inside], (a / b)[inside])
        beta = np.clip(np.nan_to_num(beta), slopes[cell], slopes[cell + 2])
        beta[self.sizes == 1] = 0.0
        alone = b <= 0
        beta[alone] = on_groups[alone] / a[alone]
        alpha = np.divide(on_groups - beta * a, b, out=np.zeros(len(b)), where=~alone)
        return alpha, beta

    def split(self, gains: Array, least: float) -> Groups:
        """Return the groups with those split in which, for some row of `gains`, some places gain what others lose.

        Parameters
        ----------
        gains : ndarray, shape (decisions, places)
            What each place gains beyond its multiplier.
        least : float
            Groups that gain no more than this by being split are left alone.
        """
        gained = self.sums(np.maximum(gains, 0.0)) - np.maximum(self.sums(gains), 0.0)
        mixed = np.flatnonzero((gained.max(axis=0) > least) & (self.sizes > 1))
        ends = self.starts + self.sizes
        parts = [np.linspace(self.starts[g], ends[g], PARTS + 1)[:-1].astype(np.intp) for g in mixed]
        return Groups(self.ratio, self.cuts, np.unique(np.concatenate([self.starts, *parts])))
