"""Laws on multiples of a step, and their sums, in nonnegative arithmetic: each number has a bounded relative error."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mechdesign.parameters.checks import Array

#: The rounding of one operation.
UNIT = float(np.finfo(float).eps)
#: The mass that is moved inward at each end of a law, before each sum: it is never lost from an upper bound.
TAIL = 1e-40


@dataclass(frozen=True, eq=False)
class LossGrid:
    """A law of losses that are multiples of a step.

    Attributes
    ----------
    first : int
        The least multiple.
    masses : ndarray, shape (k,)
        The probability of each multiple from `first` on; nonnegative.
    beyond : float
        Probability beyond all multiples, as of an infinite loss.
    error : float
        A bound on the relative error of each mass.
    upward : bool
        Whether masses that are cut off go upward, or downward.
    """

    first: int
    masses: Array
    beyond: float
    error: float
    upward: bool

    def plus(self, other: LossGrid) -> LossGrid:
        """Return the law of the sum of two independent losses, without negligible tails."""
        ours, theirs = self._cut(), other._cut()
        masses = np.convolve(ours.masses, theirs.masses)
        rounding = UNIT * (min(len(ours.masses), len(theirs.masses)) + 2)
        outward = 1.0 + (4.0 if self.upward else -4.0) * UNIT
        beyond = (ours.beyond + (1.0 - ours.beyond) * theirs.beyond) * outward
        error = (1.0 + ours.error) * (1.0 + theirs.error) * (1.0 + rounding) - 1.0 + UNIT
        return LossGrid(ours.first + theirs.first, masses, beyond, error, self.upward)

    def times(self, count: int) -> LossGrid:
        """Return the law of the sum of `count` independent losses, by repeated doubling."""
        found, power, left = None, self, count
        while left:
            if left % 2:
                found = power if found is None else found.plus(power)
            left //= 2
            power = power.plus(power) if left else power
        assert found is not None, "a count of at least one"
        return found

    def _cut(self) -> LossGrid:
        """Return the law without its tails: upward they go to the least multiple kept, and beyond all; or downward."""
        sums = np.cumsum(self.masses)
        low = int(np.searchsorted(sums, TAIL))
        high = len(sums) - int(np.searchsorted(np.cumsum(self.masses[::-1]), TAIL))
        if (low == 0 and high == len(sums)) or high <= low:
            return self
        kept = self.masses[low:high].copy()
        below, above = float(self.masses[:low].sum()), float(self.masses[high:].sum())
        beyond = self.beyond
        if self.upward:
            kept[0] += below
            beyond = (beyond + above * (1.0 + self.error)) * (1.0 + 4.0 * UNIT * len(sums))
        else:
            kept[-1] += above
        return replace(
            self, first=self.first + low, masses=kept, beyond=beyond, error=self.error + 4.0 * UNIT * len(sums)
        )

    def delta(self, epsilon: float, step: float, slack: float) -> float:
        """Return ``E[(1 - e^(epsilon - loss))_+]`` rounded upward, if the law is, or else downward.

        Parameters
        ----------
        epsilon : float
            Nats.
        step : float
            What a loss is a multiple of.
        slack : float
            By how much multiples may be off.
        """
        losses = (self.first + np.arange(len(self.masses))) * step
        rounding = slack + 4.0 * UNIT * float(max(abs(losses[0]), abs(losses[-1]), epsilon))
        moved = losses - epsilon + (rounding if self.upward else -rounding)
        at = moved > 0
        worth = float(-(self.masses[at] * np.expm1(-moved[at])).sum())
        error = self.error + UNIT * (len(losses) + 16)
        if self.upward:
            return min(1.0, self.beyond + worth * (1.0 + error))
        return max(0.0, (self.beyond + worth) * (1.0 - error))
