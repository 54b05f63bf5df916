"""Laws on multiples of a step, and their sums, in nonnegative arithmetic: each number has a bounded relative error."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from mechdesign.parameters.checks import Array

#: The rounding of one operation.
UNIT = float(np.finfo(float).eps)
#: The mass that is moved inward at each end of a law, before each sum: it is never lost from an upper bound.
TAIL = 1e-40
#: Multiples of a step beyond which it is doubled: sums of longer laws take seconds each.
MOST = 1 << 15


@dataclass(frozen=True, eq=False)
class LossGrid:
    """A law of losses that are multiples of a step, which is doubled where there are too many multiples.

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
    step : float
        Of what losses are multiples, in nats.
    """

    first: int
    masses: Array
    beyond: float
    error: float
    upward: bool
    step: float

    def plus(self, other: LossGrid) -> LossGrid:
        """Return the law of the sum of two independent losses, without negligible tails."""
        ours, theirs = self._cut(), other._cut()
        step = max(ours.least_step, theirs.least_step)
        ours, theirs = ours.on(step), theirs.on(step)
        masses = np.convolve(ours.masses, theirs.masses)
        rounding = UNIT * (min(len(ours.masses), len(theirs.masses)) + 2)
        outward = 1.0 + (4.0 if self.upward else -4.0) * UNIT
        beyond = (ours.beyond + (1.0 - ours.beyond) * theirs.beyond) * outward
        error = (1.0 + ours.error) * (1.0 + theirs.error) * (1.0 + rounding) - 1.0 + UNIT
        return LossGrid(ours.first + theirs.first, masses, beyond, error, self.upward, ours.step)

    @property
    def least_step(self) -> float:
        """The step, doubled until there are not too many multiples."""
        return self.step * 2.0 ** math.ceil(math.log2(max(len(self.masses) / MOST, 1.0)))

    def on(self, step: float) -> LossGrid:
        """Return the law on multiples of a step, which is its own one, doubled some times."""
        found = self
        while found.step < step:
            found = found.coarser()
        return found

    def coarser(self) -> LossGrid:
        """Return the law on multiples of twice the step.

        A loss between two of them goes to the upper one with the share ``1 / (1 + e^-step)``, which keeps its
        probabilities under both inputs; or down.
        """
        share = 1.0 / (1.0 + math.exp(-self.step)) if self.upward else 0.0
        odd = self.first % 2
        masses = np.concatenate([np.zeros(odd), self.masses, np.zeros((odd + len(self.masses)) % 2)])
        even, between = masses[::2], masses[1::2]
        found = np.append(even + (1.0 - share) * between, 0.0)
        found[1:] += share * (1.0 + 4.0 * UNIT) * between
        error = (1.0 + self.error) * (1.0 + 8.0 * UNIT) - 1.0 + UNIT
        first = (self.first - odd) // 2
        return replace(self, first=first, masses=found, error=error, step=2.0 * self.step)

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

    def delta(self, epsilon: float, slack: float) -> float:
        """Return ``E[(1 - e^(epsilon - loss))_+]`` rounded upward, if the law is, or else downward.

        Parameters
        ----------
        epsilon : float
            Nats.
        slack : float
            By how much multiples may be off.
        """
        losses = (self.first + np.arange(len(self.masses))) * self.step
        rounding = slack + 4.0 * UNIT * float(max(abs(losses[0]), abs(losses[-1]), epsilon))
        moved = losses - epsilon + (rounding if self.upward else -rounding)
        at = moved > 0
        worth = float(-(self.masses[at] * np.expm1(-moved[at])).sum())
        error = self.error + UNIT * (len(losses) + 16)
        if self.upward:
            return min(1.0, self.beyond + worth * (1.0 + error))
        return max(0.0, (self.beyond + worth) * (1.0 - error))
