"""Estimates of frequencies from covers: their weights without bias, and their variances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.runtime.random_bits import Integers


@dataclass(frozen=True, eq=False)
class CoverLaw:
    """The probabilities of reports of each kind, and of covering an input, by groups of inputs: one kind per group.

    With k the kind of a report, input x of group b is estimated by ``slopes[k, b] [the report covers x] + offsets[k,
    b]``, whose expectation is 1 if it is the person's input and 0 otherwise.

    Attributes
    ----------
    kinds : ndarray, shape (k, g)
        The probability of a report of each kind, by the group of the person's input.
    own : ndarray, shape (k, g)
        The probability of a report of each kind that covers the person's input, by its group.
    other : ndarray, shape (k, g, g)
        The probability of a report of each kind that covers another given input, by the group of that input and the
        group of the person's.
    relative : ndarray, shape (k, g)
        The slopes up to a factor for each group.

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> response = CoverLaw(one, 0.75 * one, 0.25 * one[None], one)
    >>> response.slopes.tolist(), response.offsets.tolist()
    ([[2.0]], [[-0.5]])
    >>> response.variances(np.array([0.5, 0.5]), np.array([0, 0])).tolist()
    [1.0, 1.0]
    """

    kinds: Array
    own: Array
    other: Array
    relative: Array

    @cached_property
    def slopes(self) -> Array:
        """What a cover of an input counts for, shape (k, g)."""
        within = np.einsum("kbb->kb", self.other)
        return np.asarray(self.relative / (self.relative * (self.own - within)).sum(axis=0))

    @cached_property
    def offsets(self) -> Array:
        """What a report counts for in each input's estimate, whether it covers it or not, shape (k, g)."""
        constant = np.einsum("kb,kbc->cb", self.slopes, self.other)
        return np.asarray(np.linalg.solve(self.kinds.T, -constant))

    def variances(self, frequencies: Array, groups: Integers) -> Array:
        """Return the variance of each input's estimate from the report of a person drawn at random, shape (n,).

        Parameters
        ----------
        frequencies : ndarray, shape (n,)
            The population.
        groups : ndarray of int, shape (n,)
            The group of each input.
        """
        shares = np.bincount(groups, frequencies, minlength=self.kinds.shape[1])
        within = np.einsum("kbb->kb", self.other)
        found = -(frequencies**2)
        for kind, of_kind in enumerate(self.kinds @ shares):
            common, rise = self.other[kind] @ shares, self.own[kind] - within[kind]
            covering = common[groups] + rise[groups] * frequencies
            slope, offset = self.slopes[kind][groups], self.offsets[kind][groups]
            found += (slope + offset) ** 2 * covering + offset**2 * (of_kind - covering)
        return found
