"""Utilities in exact arithmetic: what proofs in integers are checked with, written apart from the floating-point ones.

All numbers are fractions; distributions are divided by their exact sum, and what is no fraction is enclosed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from mechdesign.exact import Enclosure, Fractions, Integers, fractions, integers
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


def shares(weights: Array) -> Fractions:
    """Return a distribution of floats, divided by its exact sum."""
    return _normalised(integers(weights))


def prior_shares(problem: Problem) -> Fractions:
    """Return the exact prior of the inputs, divided by its sum."""
    return _normalised(problem.exact_prior)


def _normalised(whole: Sequence[int]) -> Fractions:
    total = sum(whole)
    return np.array([Fraction(weight, total) for weight in whole], dtype=object)


@dataclass(frozen=True, eq=False)
class ExactForm(ABC):
    """``utility = sum_y mu(q_y)`` with a homogeneous mu, and the value as a monotone function of the utility."""

    @abstractmethod
    def utility(self, numerators: Integers) -> Enclosure:
        """Return bounds of the utility of a matrix of integers, in the unit of their rows' sum."""

    @abstractmethod
    def idle(self) -> Enclosure | None:
        """Return bounds of the utility of a mechanism that ignores its input, None where that is infinite."""

    @abstractmethod
    def value(self, utility: Fraction) -> Enclosure:
        """Return bounds of the value at a utility."""

    @property
    def weighed(self) -> int:
        """How many weights the functionals are made with: one for each of the pieces of a maximum."""
        return 0

    @property
    def lined(self) -> int:
        """How many lines, each of a number for each input, a proof gives besides."""
        return 0

    def along(self, lines: Array) -> Self:
        """Return the form with a proof's lines."""
        return self

    @abstractmethod
    def functionals(self, ends: Sequence[float], weights: Sequence[float] = ()) -> list[Fractions] | None:
        """Return functionals of which one is at least ``mu(v)`` for each v >= 0; None where the numbers do not suffice.

        A continuum of decisions takes the chords between the `ends`, a maximum of functionals of the matrix their mean
        by the `weights`.
        """


@dataclass(frozen=True, eq=False)
class LargestGain(ExactForm):
    """``mu(v) = max_d gains[d] . v`` and ``value = offset - utility``; output d stands for decision d if `decided`."""

    gains: tuple[Fractions, ...]
    offset: Fraction = Fraction(0)
    decided: bool = True

    @classmethod
    def of_loss(cls, prior: Fractions, loss: npt.NDArray[Any]) -> LargestGain:
        """Return the utility of an expected loss, shape (n, decisions), of floats or fractions."""
        exact = fractions(loss)
        return cls(tuple(-prior * column for column in exact.T))

    def utility(self, numerators: Integers) -> Enclosure:
        """Return the utility twice, as it is a fraction."""
        columns = numerators.astype(object).T
        if self.decided:
            total = sum((gain @ column for gain, column in zip(self.gains, columns, strict=True)), Fraction(0))
        else:
            total = sum((max(gain @ column for gain in self.gains) for column in columns), Fraction(0))
        return total, total

    def idle(self) -> Enclosure:
        """Return the largest sum of gains, twice."""
        most = max(gain.sum() for gain in self.gains)
        return most, most

    def value(self, utility: Fraction) -> Enclosure:
        """Return ``offset - utility`` twice."""
        return self.offset - utility, self.offset - utility

    def functionals(self, ends: Sequence[float], weights: Sequence[float] = ()) -> list[Fractions] | None:
        """Return the gains."""
        return list(self.gains)


@dataclass(frozen=True, eq=False)
class LargestPiece(ExactForm):
    """``value = max_k sum cost Q[x, d]`` over the entries (k, x, d, cost) of piece k; the utility is minus the value.

    Parameters
    ----------
    entries : tuple
        The costs that are not zero, as k, x, d, cost.
    shape : tuple of int
        Pieces, inputs and decisions.
    """

    entries: tuple[tuple[int, int, int, Fraction], ...]
    shape: tuple[int, int, int]

    @classmethod
    def of_loss(cls, priors: npt.NDArray[Any], loss: npt.NDArray[Any]) -> LargestPiece:
        """Return the largest expected loss under one of some priors, shape (pieces, n), all of fractions."""
        entries = (
            (int(k), int(x), d, priors[k, x] * cost)
            for k, x in zip(*np.nonzero(priors), strict=True)
            for d, cost in enumerate(loss[x])
            if cost
        )
        return cls(tuple(entries), (len(priors), *loss.shape))

    @property
    def weighed(self) -> int:
        """One weight for each piece."""
        return self.shape[0]

    def utility(self, numerators: Integers) -> Enclosure:
        """Return minus the largest piece, twice."""
        given = numerators.astype(object)
        sums = [Fraction(0)] * self.shape[0]
        for k, x, d, cost in self.entries:
            sums[k] += cost * int(given[x, d])
        return -max(sums), -max(sums)

    def idle(self) -> Enclosure:
        """Return the utility of the best single decision for all, twice: a piece without costs is 0."""
        pieces, _, decisions = self.shape
        sums: list[dict[int, Fraction]] = [{} for _ in range(decisions)]
        for k, _, d, cost in self.entries:
            sums[d][k] = sums[d].get(k, Fraction(0)) + cost
        most = max(-max([*each.values(), *[Fraction(0)] * (len(each) < pieces)]) for each in sums)
        return most, most

    def value(self, utility: Fraction) -> Enclosure:
        """Return minus the utility, twice."""
        return -utility, -utility

    def functionals(self, ends: Sequence[float], weights: Sequence[float] = ()) -> list[Fractions] | None:
        """Return minus the mean cost of each decision by the weights; None where these are no weights."""
        pieces, n, decisions = self.shape
        if len(weights) != pieces or min(weights) < 0 or not any(weights):
            return None
        exact = shares(np.asarray(weights, dtype=float))
        found = np.array([[Fraction(0)] * n for _ in range(decisions)], dtype=object)
        for k, x, d, cost in self.entries:
            if exact[k]:
                found[d, x] -= exact[k] * cost
        return list(found)


def as_it_is(utility: Fraction) -> Enclosure:
    """Return the utility twice: it is the value."""
    return utility, utility


@dataclass(frozen=True, eq=False)
class ConvexOfRatio(ExactForm):
    """``mu(v) = (b . v) f(a . v / b . v)`` with a convex f, by its enclosure; b is positive wherever a is not 0."""

    a: Fractions
    b: Fractions
    f: Callable[[Fraction], Enclosure]
    of_utility: Callable[[Fraction], Enclosure] = field(default=as_it_is)

    @property
    def covers(self) -> bool:
        """Whether ratios are bounded: no input has a in it and no b."""
        return all(b != 0 or a == 0 for a, b in zip(self.a, self.b, strict=True))

    @property
    def range(self) -> tuple[Fraction, Fraction]:
        """The least and the largest ratio of one input; the ratios of all vectors lie between."""
        ratios = [a / b for a, b in zip(self.a, self.b, strict=True) if b]
        return min(ratios), max(ratios)

    def utility(self, numerators: Integers) -> Enclosure:
        """Return the sum of the outputs' enclosures."""
        low = high = Fraction(0)
        for column in numerators.astype(object).T:
            mass = self.b @ column
            if mass:
                least, most = self.f(self.a @ column / mass)
                low, high = low + mass * least, high + mass * most
        return low, high

    def idle(self) -> Enclosure:
        """Return bounds of the utility of one output for all."""
        return self.utility(np.ones((len(self.a), 1), dtype=object))

    def value(self, utility: Fraction) -> Enclosure:
        """Return bounds of the value at a utility."""
        return self.of_utility(utility)

    def functionals(self, ends: Sequence[float], weights: Sequence[float] = ()) -> list[Fractions] | None:
        """Return f's chord between each end and the next, each at least f between them; None unless they cover all.

        Where all inputs have one ratio, that is the only end, and f is its value there.
        """
        exact = [Fraction(end) for end in ends]
        least, most = self.range
        rising = len(exact) > 0 and all(low < high for low, high in pairwise(exact))
        if not rising or not (self.covers and exact[0] <= least and most <= exact[-1]):
            return None
        values = [self.f(end)[1] for end in exact]
        found = [values[0] * self.b] if len(exact) == 1 else []
        for (low, f_low), (high, f_high) in pairwise(zip(exact, values, strict=True)):
            slope = (f_high - f_low) / (high - low)
            found.append(slope * self.a + (f_low - slope * low) * self.b)
        return found
