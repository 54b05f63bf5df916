"""Inputs in groups of like frequencies: the information of a set of inputs, from how many of each group are in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mechdesign.objectives.base import unit
from mechdesign.parameters.checks import Array

#: Groups at most, and inputs that stand alone at most.
MOST_GROUPS, MOST_ALONE = 16, 5
#: An input stands alone that moves the mass of a column by this share.
MOVES = 0.04
#: Frequencies that differ by less, as a share of the largest, are one level.
SAME = 1e-12


@dataclass(frozen=True)
class InputGroups:
    """A partition of the inputs, sorted from the most to the least frequent, into consecutive groups.

    The first `alone` groups hold one input each. A column is ``v = 1 + rise 1_S``, of which the counts ``k_b`` of each
    group in S and the frequency T of S are kept.

    Attributes
    ----------
    order : ndarray of int, shape (n,)
        The inputs, from the most frequent.
    theta : ndarray, shape (n,)
        Their frequencies in that order.
    rise : float
        ``e^epsilon - 1``.
    sizes : ndarray, shape (b,)
        Inputs of each group.
    alone : int
        How many groups of one input come first.
    """

    order: npt.NDArray[np.intp]
    theta: Array
    rise: float
    sizes: Array
    alone: int

    @classmethod
    def of_sizes(cls, theta: Array, rise: float, sizes: Array) -> InputGroups | None:
        """Return the groups of sizes of shape (groups,); None where they are no partition with a group of several."""
        whole = np.round(sizes)
        if len(whole) == 0 or np.any(whole != sizes) or np.any(whole < 1) or whole.sum() != len(theta):
            return None
        alone = int(np.argmax(whole > 1)) if np.any(whole > 1) else len(whole)
        # Groups of one are taken as alone where they come first; among the others they would have no spread.
        if alone == len(whole) or alone > MOST_ALONE + 3:
            return None
        order = np.argsort(-theta, kind="stable")
        return cls(order, np.asarray(theta)[order], rise, whole.astype(float), alone)

    @classmethod
    def chosen(cls, theta: Array, rise: float) -> InputGroups:
        """Return the groups of inputs, by their frequencies theta, shape (n,), that a bound is sought over.

        A few levels of theta are groups. Otherwise what moves the mass of a column most stands alone, and the other
        groups have equal sums of the roots of theta's steps, which keeps the ranges of T within them small.
        """
        ranked = np.sort(theta)[::-1]
        n = len(ranked)
        levels = [*(np.flatnonzero(-np.diff(ranked) > SAME * ranked[0]) + 1).tolist(), n]
        alone = 0
        while levels[0] - alone <= 2 and len(levels) > 1:
            alone = levels.pop(0)
        few = len(levels) <= MOST_GROUPS and alone <= MOST_ALONE + 3
        if not (few and np.diff([alone, *levels]).min() > 2):
            alone, levels = _by_steps(ranked, min(MOST_ALONE, int((ranked * rise > MOVES).sum()), n - 3))
        sizes = np.concatenate([np.ones(alone), np.diff([alone, *levels])])
        made = cls.of_sizes(theta, rise, sizes)
        assert made is not None, "the groups are a partition"
        return made

    @property
    def others(self) -> Array:
        """The sizes of the groups of several inputs."""
        return self.sizes[self.alone :]

    @property
    def group_of(self) -> npt.NDArray[np.intp]:
        """The number of the group, among groups of several inputs, of each input that does not stand alone."""
        return np.repeat(np.arange(len(self.others)), self.others.astype(int))

    @property
    def means(self) -> Array:
        """The mean frequency of each group, shape (b,)."""
        rest = np.bincount(self.group_of, self.theta[self.alone :]) / self.others
        return np.concatenate([self.theta[: self.alone], rest])

    def counts(self, sets: Array) -> tuple[Array, Array]:
        """Return the counts, shape (m, b), and the frequencies of (relaxed) sets, rows with entries in [0, 1]."""
        inside = sets[:, self.alone :] @ (self.group_of[:, None] == np.arange(len(self.others)))
        return np.hstack([sets[:, : self.alone], inside]), sets @ self.theta

    def features(self, counts: Array, frequency: Array) -> tuple[Array, Array, Array]:
        """Return each set's mass m, shape (sets,), ``U'v / m`` and what it distinguishes in a group over ``m^2``.

        The latter two have the shape (sets, groups), as `counts` has: how many inputs of a group are in a set.

        ``U_b = 1_b / sqrt(n_b)``, and within a group ``rise^2 k (n_b - k) / n_b``.
        """
        mass = 1.0 + self.rise * frequency
        roots = np.sqrt(self.sizes)
        between = (roots + self.rise * counts / roots) / mass[:, None]
        within = self.rise**2 * counts * (self.sizes - counts) / self.sizes / mass[:, None] ** 2
        return mass, between, within


def _by_steps(ranked: Array, alone: int) -> tuple[int, list[int]]:
    """Return how many stand alone, and the ends of groups with equal sums of the roots of theta's steps."""
    n = len(ranked)
    total = np.cumsum(np.sqrt(np.maximum(-np.diff(ranked[alone:]), 0.0)))
    ends = [alone]
    for j in range(1, MOST_GROUPS):
        end = alone + int(np.searchsorted(total, total[-1] * j / MOST_GROUPS)) + 1
        if ends[-1] + 2 <= end <= n - 2:
            ends.append(end)
    return alone, [*ends[1:], n]


@dataclass(frozen=True)
class GroupedSlope:
    """A matrix G that is constant on groups, with multipliers of the rows and of the total mass.

    ``G = sum_b within_b (I - 1 1' / n_b)`` on each group, plus ``U between U'``.

    Attributes
    ----------
    within : ndarray, shape (b,)
        At least 0.
    between : ndarray, shape (b, b)
        Positive semidefinite, 0 along ``sqrt(sizes)``.
    rows : ndarray, shape (b,)
        The multiplier of every row of a group.
    total : float
        That of the mass.
    """

    within: Array
    between: Array
    rows: Array
    total: float

    def mixed(self, other: GroupedSlope, share: float) -> GroupedSlope:
        """Return `share` of the other and the rest of this: they are a convex set."""
        pairs = ((self.within, other.within), (self.between, other.between), (self.rows, other.rows))
        made = [(1.0 - share) * ours + share * theirs for ours, theirs in pairs]
        return GroupedSlope(made[0], made[1], made[2], (1.0 - share) * self.total + share * other.total)

    def with_total(self, total: float) -> GroupedSlope:
        """Return this slope with another multiplier of the mass."""
        return GroupedSlope(self.within, self.between, self.rows, total)

    def excess(self, groups: InputGroups, counts: Array, frequency: Array) -> Array:
        """Return ``(v' G v - (rows . v) m - total m^2) / m^2`` of each set, shape (sets,): at most 0 if exact."""
        _, features, inside = groups.features(counts, frequency)
        charge = (features * np.sqrt(groups.sizes)) @ self.rows + self.total
        return np.asarray(((features @ self.between) * features).sum(axis=1) + inside @ self.within - charge)

    def root_trace(self, sizes: Array) -> float:
        """Return a number below ``trace(G^(1/2))`` for sizes of shape (groups,): eigenvalues are rounded down."""
        values = np.linalg.eigvalsh(self.between)
        below = values - unit(len(sizes)) * float(np.abs(values).max())
        return float(((sizes - 1.0) * np.sqrt(self.within)).sum() + np.sqrt(np.maximum(below, 0.0)).sum())

    def packed(self, sizes: Array) -> Array:
        """Return one array, shape (b + 2, b + 1): between and within, the multipliers, and the sizes of the groups."""
        top = np.column_stack([self.between, self.within])
        return np.vstack([top, np.append(self.rows, self.total), np.append(sizes, 0.0)])

    @classmethod
    def unpacked(cls, given: Array | None) -> tuple[GroupedSlope, Array] | None:
        """Return what `packed` was made from, and the sizes; None where the array has another shape."""
        if given is None or np.ndim(given) != 2 or given.shape[0] != given.shape[1] + 1 or given.shape[1] < 2:
            return None
        size = given.shape[1] - 1
        within, between = np.maximum(given[:size, size], 0.0), given[:size, :size]
        return cls(within, 0.5 * (between + between.T), given[size, :size], float(given[size, size])), given[-1, :size]

    def projected(self, groups: InputGroups) -> GroupedSlope:
        """Return G made positive with ``G 1 = 0``, `within` raised until G is concave on counts inside of groups."""
        ones = np.sqrt(groups.sizes / groups.sizes.sum())
        flat = self.between - np.outer(ones, ones @ self.between)
        flat = flat - np.outer(flat @ ones, ones)
        values, vectors = np.linalg.eigh(0.5 * (flat + flat.T))
        between = (vectors * np.maximum(values, 0.0)) @ vectors.T
        several = groups.sizes > 1
        top = float(np.linalg.eigvalsh(between[np.ix_(several, several)] - np.diag(self.within[several]))[-1])
        within = self.within + max(0.0, top * (1.0 + 1e-9)) * several
        return GroupedSlope(within, between, self.rows, self.total)
