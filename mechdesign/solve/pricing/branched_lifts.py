"""Pricing where every lift has bounds of its own: branch and bound over intervals of the lifts.

A column of mass one has lifts ``low <= q_x <= high_x`` with ``P . q = 1``, and its excess is a sum of convex functions
of them. On intervals each function is at most its chord, and the sum of chords is largest where inputs are filled in
the order of their slopes: all but one of them are at an end, where the chord is the function. At the lift of that one
its interval is cut in two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.bounded_lift import Lifts
from mechdesign.solve.pricing.subdivision import Excess
from mechdesign.solve.pricing.utility_of_lifts import UtilityOfLifts

#: Ends of intervals that are looked at before the bound is left as it is, and boxes at once.
MOST_ENDS, AT_ONCE = 1 << 22, 512
#: Columns that are handed back, and of each round of boxes; how near to each other they count as one.
RETURNED, OF_ROUND, ALIKE = 100, 30, 9
#: A box whose mass is off one by more than this holds no column.
MISSED = 1e-9


@dataclass(frozen=True)
class _Boxes:
    """Boxes of lifts, shape (boxes, n), each with an upper bound on the excess."""

    low: Array
    high: Array
    upper: Array

    def __getitem__(self, chosen: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> _Boxes:
        return _Boxes(self.low[chosen], self.high[chosen], self.upper[chosen])

    def with_others(self, other: _Boxes) -> _Boxes:
        """Return the boxes of both."""
        low, high = np.vstack([self.low, other.low]), np.vstack([self.high, other.high])
        return _Boxes(low, high, np.concatenate([self.upper, other.upper]))

    def cut(self, at: npt.NDArray[np.intp], lifts: Array) -> _Boxes:
        """Return both parts of each box, cut at the lift of one input, shapes (boxes,)."""
        each = np.arange(len(at))
        below, above = self.high.copy(), self.low.copy()
        below[each, at], above[each, at] = lifts, lifts
        return _Boxes(self.low, below, self.upper).with_others(_Boxes(above, self.high, self.upper))


def excess_of_lifts(bounds: Lifts, utility: UtilityOfLifts, lam: Array, tolerance: float) -> Excess:
    """Bound ``sum_x f_x(q_x) - lam . q`` over lifts q of shape (n,) in their bounds and of mass one.

    Boxes that could hold more than `tolerance` above the best column seen are cut, those that could hold most first,
    until none is left or there are too many; the bound is sound either way.
    """
    return _BranchedBoxes(bounds.prior, utility, lam).over(bounds, tolerance)


class _BranchedBoxes:
    """The best columns so far, and the size of the terms that were added up."""

    def __init__(self, prior: Array, utility: UtilityOfLifts, lam: Array) -> None:
        self.prior, self.utility, self.lam = prior, utility, lam
        self.best, self.size = -np.inf, 0.0
        self.columns, self.values = np.zeros((0, len(prior))), np.zeros(0)

    def over(self, bounds: Lifts, tolerance: float) -> Excess:
        """Return a bound on all columns within the bounds, to the tolerance where few boxes are enough."""
        n = len(self.prior)
        open_ = _Boxes(np.full((1, n), bounds.low), np.maximum(bounds.high, bounds.low)[None, :], np.array([np.inf]))
        closed, looked = -np.inf, 0
        while len(open_.upper) and looked * n < MOST_ENDS and not (looked and is_late()):
            order = np.argsort(-open_.upper, kind="stable")
            now, later = open_[order[:AT_ONCE]], open_[order[AT_ONCE:]]
            looked += len(now.upper)
            upper, at, lifts = self._bounded(now)
            kept = upper > self.best + tolerance
            closed = max(closed, float(upper[~kept].max(initial=-np.inf)))
            parts = _Boxes(now.low[kept], now.high[kept], upper[kept]).cut(at[kept], lifts[kept])
            still = later.upper > self.best + tolerance
            closed = max(closed, float(later.upper[~still].max(initial=-np.inf)))
            open_ = later[still].with_others(parts)
        bound = max(closed, self.best, float(open_.upper.max(initial=-np.inf)))
        return Excess(bound, self.size, self.columns.T)

    def _bounded(self, boxes: _Boxes) -> tuple[Array, npt.NDArray[np.intp], Array]:
        """Return upper bounds of boxes, shape (boxes,), which input is short of its chord most, and its lift."""
        low, high, prior = boxes.low, boxes.high, self.prior
        at_low, at_high = self._gains(low), self._gains(high)
        room = prior * (high - low)
        slope = np.divide(at_high - at_low, room, out=np.full_like(room, -np.inf), where=room > 0)
        order = np.argsort(-slope, axis=1, kind="stable")
        sizes = np.take_along_axis(room, order, axis=1)
        left = 1.0 - low @ prior
        before = sizes.cumsum(axis=1) - sizes
        taken = np.clip(left[:, None] - before, 0.0, sizes)
        share = np.empty_like(taken)
        np.put_along_axis(share, order, np.divide(taken, sizes, out=np.zeros_like(sizes), where=sizes > 0), axis=1)
        # By the dual: whatever a unit of mass costs, every input is best at one end.
        last = np.maximum(((before < left[:, None]) & (sizes > 0)).sum(axis=1) - 1, 0)
        each = np.arange(len(left))
        cost = slope[each, order[each, last]]
        cost = np.where(np.isfinite(cost), cost, 0.0)[:, None]
        ends = np.maximum(at_low - cost * prior * low, at_high - cost * prior * high)
        holds = (left >= -MISSED) & (room.sum(axis=1) >= left - MISSED)
        upper = np.where(holds, np.minimum(cost[:, 0] + ends.sum(axis=1), boxes.upper), -np.inf)
        terms = np.abs(ends) + np.abs(cost) * prior * np.where(share > 0.5, high, low)
        self.size = max(self.size, float((terms.sum(axis=1) + np.abs(cost[:, 0]))[holds].max(initial=0.0)))
        lifts = np.minimum(low + share * (high - low), high)
        gains = self._gains(lifts)
        self._see(lifts[holds], gains.sum(axis=1)[holds])
        short = at_low + share * (at_high - at_low) - gains
        at = short.argmax(axis=1)
        return upper, at, lifts[each, at]

    def _gains(self, lifts: Array) -> Array:
        return np.asarray(self.utility.at(self.prior, lifts) - self.lam * lifts)

    def _see(self, lifts: Array, values: Array) -> None:
        """Keep the columns of largest excess, given as rows."""
        self.best = max(self.best, float(values.max(initial=-np.inf)))
        kept = np.argsort(-values, kind="stable")[:OF_ROUND]
        columns, values = np.vstack([self.columns, lifts[kept]]), np.append(self.values, values[kept])
        first = np.unique(np.round(columns, ALIKE), axis=0, return_index=True)[1]
        best = first[np.argsort(-values[first], kind="stable")][:RETURNED]
        self.columns, self.values = columns[best], values[best]
