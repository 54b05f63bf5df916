"""Families that cover the person's input with one probability, and any other given input with another one."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from mechdesign.exact import Integers as Exact
from mechdesign.families.cover_law import CoverLaw
from mechdesign.families.family import Family, over_one_denominator
from mechdesign.families.on_sets import on_sets
from mechdesign.parameters.checks import Array


@dataclass(frozen=True, eq=False)
class PureProtocol(Family):
    """A family whose reports are of one kind, and whose inputs are all alike.

    References
    ----------
    T. Wang, J. Blocki, N. Li, S. Jha, "Locally Differentially Private Protocols for Frequency Estimation", USENIX
    Security 2017 (pure protocols).
    """

    @property
    @abstractmethod
    def own(self) -> Fraction:
        """The probability that a report covers the person's input."""

    @property
    @abstractmethod
    def other(self) -> Fraction:
        """The probability that a report covers another given input than the person's."""

    @property
    @abstractmethod
    def cells(self) -> tuple[Fraction, Fraction, Fraction]:
        """The mass of the reports that cover one of two inputs alone, both, neither, if they cover no one's input.

        All pairs of inputs are alike. From an input that they cover reports are `ratio` times as likely.
        """

    @abstractmethod
    def least_by_size(self) -> list[Fraction]:
        """Return the probability of a report off the person's input, by how many of the n inputs it covers, from 0."""

    @cached_property
    def law(self) -> CoverLaw:
        """The probabilities that a report covers an input."""
        one = np.ones((1, 1))
        return CoverLaw(one, float(self.own) * one, float(self.other) * one[None], one)

    @cached_property
    def pairs(self) -> tuple[Exact, ...]:
        """Two rows and the least of all: reports that cover one input alone, the other one alone, both, neither."""
        one, both, neither = self.cells
        more = self.ratio * one
        rows = [(more, one, one), (one, more, one), (self.ratio * both,) * 2 + (both,), (neither,) * 3]
        return (over_one_denominator(rows),)

    def pair_of(self, x: int, z: int) -> Exact:
        """Return two rows for a pair of inputs, as integers of one sum, shape (2, k)."""
        return self.pairs[0][[0, 1] if x != z else [0, 0]]

    def least_of_each(self) -> list[Fraction]:
        """Return the probability of each report off the person's input, in the order of their numbers."""
        low = self.least_by_size()
        return [low[size] for size in self.incidence().sum(axis=0).tolist()]

    def matrix_numerators(self) -> Exact:
        """Return the matrix in integers over ``2**53``, shape (n, outputs)."""
        return on_sets(self.incidence(), self.least_by_size(), self.ratio, math.log(self.ratio))

    def variances(self, frequencies: Array | None = None) -> Array:
        """Return the variance of each estimated frequency from one report, shape (n,); people are drawn, too.

        Input x is covered with the probability ``r = other + f_x (own - other)``: ``r (1 - r) / (own - other)^2``.
        """
        shares = np.full(self.n, 1.0 / self.n) if frequencies is None else frequencies
        return cover_variances(shares, float(self.own), float(self.other))

    def total_variance(self) -> float:
        """Return the sum of the variances at equal frequencies, which is rounded once.

        Examples
        --------
        >>> from mechdesign.families import KaryResponse
        >>> KaryResponse(4, Fraction(3)).total_variance()
        6.75
        """
        gap = self.own - self.other
        if gap == 0:
            return math.inf
        covered = self.other + gap / self.n
        return float(self.n * covered * (1 - covered) / gap**2)

    @property
    def covers_in_words(self) -> str:
        """How likely reports cover the person's input, and another one, in a sentence."""
        own, other = float(self.own), float(self.other)
        return f"A report covers the person's own input with probability {own:.6g}, and any other one with {other:.6g}."


def cover_variances(frequencies: Array, own: float, other: float) -> Array:
    """Return the variance of each frequency's estimate by covers from one report: ``r (1 - r) / (own - other)^2``.

    It is infinite if a report covers each input with one probability.

    Examples
    --------
    >>> cover_variances(np.array([0.5, 0.5]), 0.75, 0.25).tolist()
    [1.0, 1.0]
    """
    if own == other:
        return np.full_like(frequencies, np.inf)
    covered = other + frequencies * (own - other)
    return np.asarray(covered * (1.0 - covered) / (own - other) ** 2)
