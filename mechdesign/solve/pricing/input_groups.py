"""Inputs in groups of like frequencies: the information of a set of inputs, from how many of each group are in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array

#: Inputs that stand alone at most: all of their sets are tried.
MOST_ALONE = 8


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
        if alone == len(whole) or alone > MOST_ALONE:
            return None
        order = np.argsort(-theta, kind="stable")
        return cls(order, np.asarray(theta)[order], rise, whole.astype(float), alone)

    @property
    def others(self) -> Array:
        """The sizes of the groups of several inputs."""
        return self.sizes[self.alone :]

    @property
    def means(self) -> Array:
        """The mean frequency of each group, shape (b,)."""
        group = np.repeat(np.arange(len(self.others)), self.others.astype(int))
        rest = np.bincount(group, self.theta[self.alone :]) / self.others
        return np.concatenate([self.theta[: self.alone], rest])

    def features(self, counts: Array, frequency: Array) -> tuple[Array, Array, Array]:
        """Return each set's mass m, shape (sets,), ``U'v / m`` and what it distinguishes in a group over ``m^2``.

        The latter two have the shape (sets, groups), as `counts` has, of how many inputs of a group are in a set.

        ``U_b = 1_b / sqrt(n_b)``, and within a group ``rise^2 k (n_b - k) / n_b``.
        """
        mass = 1.0 + self.rise * frequency
        roots = np.sqrt(self.sizes)
        between = (roots + self.rise * counts / roots) / mass[:, None]
        within = self.rise**2 * counts * (self.sizes - counts) / self.sizes / mass[:, None] ** 2
        return mass, between, within


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

    def excess(self, groups: InputGroups, counts: Array, frequency: Array) -> Array:
        """Return ``(v' G v - (rows . v) m - total m^2) / m^2`` of each set, shape (sets,): at most 0 if exact."""
        _, features, inside = groups.features(counts, frequency)
        charge = (features * np.sqrt(groups.sizes)) @ self.rows + self.total
        return np.asarray(((features @ self.between) * features).sum(axis=1) + inside @ self.within - charge)
