"""Utilities in exact arithmetic that are largest over a box of priors, or over the data of each output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.exact import Enclosure, Fractions, Integers, fractions, log_enclosed
from mechdesign.objectives.exact_form import ExactForm, LargestPiece, shares
from mechdesign.parameters.checks import Array


@dataclass(frozen=True, eq=False)
class LargestInBox(LargestPiece):
    """``value = max_p sum_x p_x sum_d loss[x, d] Q[x, d]`` over distributions p with ``lower <= p <= upper``.

    Piece x is the loss of input x alone; the weights of a proof are a prior, moved into the box.
    """

    lower: Fractions = field(default_factory=lambda: np.zeros(0, dtype=object))
    upper: Fractions = field(default_factory=lambda: np.zeros(0, dtype=object))

    @classmethod
    def of_box(cls, lower: Array, upper: Array, loss: npt.NDArray[Any]) -> LargestInBox | None:
        """Return the form of a box of floats; None where rounding leaves no distribution in it."""
        low, high = fractions(lower), fractions(upper)
        if not low.sum() <= 1 <= high.sum():
            return None
        alone = LargestPiece.of_loss(fractions(np.eye(len(loss))), loss)
        return cls(alone.entries, alone.shape, low, high)

    def utility(self, numerators: Integers) -> Enclosure:
        """Return minus the loss under the least favourable prior, twice."""
        given = numerators.astype(object)
        losses = [Fraction(0)] * self.shape[0]
        for _, x, d, cost in self.entries:
            losses[x] += cost * int(given[x, d])
        most = self._largest(losses)
        return -most, -most

    def idle(self) -> Enclosure:
        """Return the utility of the best single decision for all, twice."""
        losses = np.full(self.shape[1:], Fraction(0), dtype=object)
        for _, x, d, cost in self.entries:
            losses[x, d] = cost
        most = max(-self._largest(column) for column in losses.T)
        return most, most

    def functionals(self, ends: Sequence[float], weights: Sequence[float] = ()) -> list[Fractions] | None:
        """Return minus the cost of each decision under the weights' prior; None where these are no weights."""
        n, _, decisions = self.shape
        if len(weights) != n or min(weights) < 0 or not any(weights):
            return None
        prior = self._inside(shares(np.asarray(weights, dtype=float)))
        found = np.full((decisions, n), Fraction(0), dtype=object)
        for _, x, d, cost in self.entries:
            found[d, x] -= prior[x] * cost
        return list(found)

    def _largest(self, losses: Sequence[Fraction]) -> Fraction:
        """Return the mean of losses under the prior in the box that gives as much as it can to the largest."""
        total, left = Fraction(self.lower @ np.asarray(losses)), 1 - self.lower.sum()
        for x in sorted(range(len(losses)), key=lambda x: losses[x], reverse=True):
            share = min(left, self.upper[x] - self.lower[x])
            total, left = total + share * losses[x], left - share
        return total

    def _inside(self, prior: Fractions) -> Fractions:
        """Return a distribution in the box: entries clipped to it, the first with room take what is then missing."""
        found = np.minimum(np.maximum(prior, self.lower), self.upper)
        left = 1 - found.sum()
        for x in range(len(found)):
            moved = min(max(left, self.lower[x] - found[x]), self.upper[x] - found[x])
            found[x], left = found[x] + moved, left - moved
        return found


@dataclass(frozen=True, eq=False)
class SumOfLargest(ExactForm):
    """``value = ln sum_y max_x Q[x, y]``, at least 0: each column's largest entry is at least the first input's."""

    inputs: int

    def utility(self, numerators: Integers) -> Enclosure:
        """Return minus the sum of the columns' largest entries, twice."""
        total = -Fraction(sum(numerators.astype(object).max(axis=0)))
        return total, total

    def idle(self) -> Enclosure:
        """Return -1 twice."""
        return Fraction(-1), Fraction(-1)

    def value(self, utility: Fraction) -> Enclosure:
        """Return bounds of ``ln(-utility)``: no mechanism's utility is above -1."""
        return log_enclosed(max(-utility, Fraction(1)))

    def functionals(self, ends: Sequence[float], weights: Sequence[float] = ()) -> list[Fractions] | None:
        """Return minus the first input's entry."""
        return [fractions(-np.eye(self.inputs)[0])]
