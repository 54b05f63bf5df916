"""Certified pricing over a band about the mass with the square: one exact maximisation for each interval of decisions.

On the slice of mass one ``v = low + (high - low) z`` with ``0 <= z <= 1`` and ``P . z = room``. For any threshold nu,

    max over v of g_t . v  <=  low sum_x g_t(x) + (high - low) (room nu + sum_x max(g_t(x) - P_x nu, 0)),

with equality at the density where the fractional knapsack is full. With nu linear in t on an interval, each term is
a parabola in t that opens downwards, positive between its two roots: between sorted roots the sum is one parabola,
whose maximum is exact. What is lost is of second order in what nu misses, so that few intervals are enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.notions import Band, Cone, Notion
from mechdesign.objectives import Ratio
from mechdesign.objectives.divergence_generators import Square
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.continuum_of_decisions import Price, price
from mechdesign.solve.pricing.support import support

#: Numbers in one block of intervals times inputs: a few arrays of this size are held at once.
BLOCK = 250_000
#: Splits of the intervals that could still hold more, before their bounds are taken as they are.
ROUNDS = 60
#: Splits of every interval that holds more than its ends, so that all local maxima are seen and not the highest alone.
EVERYWHERE = 3
#: Decisions that are evaluated before the bounds are taken as they are.
MOST = 20_000


@dataclass(frozen=True)
class BandPrice:
    """The data: g_t(x) = 2 t a_x - t^2 b_x - lam_x on the slice of the band."""

    ratio: Ratio
    prior: Array
    low: float
    high: float

    @classmethod
    def of(cls, ratio: Ratio, cone: Cone) -> BandPrice | None:
        """Return the pricing where the cone is a band about a positive mass and the utility is made of squares."""
        band = cone.band_of_inputs
        if band is None or not isinstance(ratio.f, Square) or not _about_mass(band) or np.any(ratio.b < 0):
            return None
        assert band.middle is not None, "it has a mass"
        return cls(ratio, band.middle, band.low, band.high)

    @property
    def room(self) -> float:
        """How much of the mass the box takes."""
        return (1.0 - self.low) / (self.high - self.low)

    def at(self, t: Array, multipliers: Array) -> tuple[Array, Array]:
        """Return the largest ``g_t . v`` and the threshold for each t, of the shape of t."""
        values, thresholds = np.empty(len(t)), np.empty(len(t))
        each = max(BLOCK // len(self.prior), 1)
        for at in range(0, len(t), each):
            part = slice(at, at + each)
            gains = self.ratio.functionals(t[part]) - multipliers
            values[part], thresholds[part] = fullest(gains, self.prior, self.low, self.high)
        return values, thresholds

    def rounding(self, low: Array, high: Array, at_low: Array, at_high: Array, lam: Array) -> Array:
        """Return by how much `above` may be rounded down on each interval, shape (intervals,): the size of its terms.

        Terms count where they are positive somewhere on the interval, but for their own rounding.
        """
        found = np.empty(len(low))
        each = max(BLOCK // len(self.prior), 1)
        for at in range(0, len(low), each):
            p = slice(at, at + each)
            found[p] = self._rounding(low[p], high[p], at_low[p], at_high[p], lam)
        return found

    def _rounding(self, low: Array, high: Array, at_low: Array, at_high: Array, lam: Array) -> Array:
        a, b, unit = self.ratio.a, self.ratio.b, rounding_unit(2 * len(self.prior))
        t, price = np.maximum(np.abs(low), np.abs(high)), np.maximum(np.abs(at_low), np.abs(at_high))
        sizes = (2.0 * t)[:, None] * np.abs(a) + (t**2)[:, None] * b + price[:, None] * self.prior + np.abs(lam)
        slope = np.divide(at_high - at_low, high - low, out=np.zeros_like(low), where=high > low)
        half = a - 0.5 * slope[:, None] * self.prior
        with np.errstate(divide="ignore", invalid="ignore"):
            peak = np.where(b > 0, half / b, np.where(half > 0, np.inf, -np.inf))
        peak = np.clip(peak, low[:, None], high[:, None])
        fixed = lam + (at_low - slope * low)[:, None] * self.prior
        counts = (2.0 * half - b * peak) * peak - fixed > -unit * sizes
        inside = np.where(counts, sizes, 0.0).sum(axis=1)
        return np.asarray(unit * ((self.high - self.low) * inside + self.low * sizes.sum(axis=1) + price))

    def above(self, low: Array, high: Array, at_low: Array, at_high: Array, multipliers: Array) -> tuple[Array, Array]:
        """Return a bound over each interval, shape (intervals,), by thresholds at its ends, and where it is reached."""
        bounds, where = np.empty(len(low)), np.empty(len(low))
        each = max(BLOCK // len(self.prior), 1)
        for at in range(0, len(low), each):
            p = slice(at, at + each)
            bounds[p], where[p] = self._above(low[p], high[p], at_low[p], at_high[p], multipliers)
        return bounds, where

    def _above(self, low: Array, high: Array, at_low: Array, at_high: Array, lam: Array) -> tuple[Array, Array]:
        a, b, width = self.ratio.a, self.ratio.b, self.high - self.low
        slope = (at_high - at_low) / (high - low)
        level = at_low - slope * low
        # Each term: -b t^2 + 2 half t - fixed.
        half = a - 0.5 * slope[:, None] * self.prior
        fixed = lam + level[:, None] * self.prior
        inside = half * half - b * fixed
        root = np.sqrt(np.maximum(inside, 0.0))
        # The root next to 0 from the product of both: the difference would cancel.
        larger = half + np.copysign(root, half)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            one, other = fixed / larger, larger / b
        first, last = np.fmin(one, other), np.fmax(one, other)
        straight = b == 0.0
        if straight.any():
            zero, up = one[:, straight], half[:, straight] > 0
            first[:, straight] = np.where(up, zero, -np.inf)
            last[:, straight] = np.where(up, np.inf, zero)
        none = (inside <= 0.0) | ~(last > first)
        begins = np.where(none, high[:, None], np.clip(first, low[:, None], high[:, None]))
        ends = np.where(none, high[:, None], np.clip(last, low[:, None], high[:, None]))
        events = np.concatenate([begins, ends], axis=1)
        order = np.argsort(events, axis=1)
        each = np.arange(len(low))[:, None]
        events = events[each, order]

        def summed(terms: Array, always: Array) -> Array:
            signed = np.concatenate([terms, -terms], axis=1)[each, order]
            return np.asarray(always[:, None] + width * signed.cumsum(axis=1))

        count = len(low)
        square = summed(np.broadcast_to(b, half.shape), np.full(count, self.low * b.sum()))
        linear = summed(half, self.low * a.sum() + 0.5 * width * self.room * slope)
        constant = summed(fixed, self.low * lam.sum() - width * self.room * level)
        start, stop = events, np.concatenate([events[:, 1:], high[:, None]], axis=1)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            peak = np.where(square > 0, linear / square, np.where(linear > 0, np.inf, -np.inf))
        t = np.clip(peak, start, stop)
        # Between events at one place only some of them are counted.
        worth = np.where(stop > start, (2.0 * linear - square * t) * t - constant, -np.inf)
        best = worth.argmax(axis=1)
        rows = np.arange(count)
        bound, where = worth[rows, best], t[rows, best]
        # Before the first root nothing is inside: the ends, and the parabola of what is always there.
        always, rise = self.low * b.sum(), self.low * a.sum() + 0.5 * width * self.room * slope
        t = np.clip(np.divide(rise, always, out=low.copy(), where=always > 0), low, events[:, 0])
        for at in (t, low, np.asarray(events[:, 0])):
            empty = (2.0 * rise - always * at) * at - (self.low * lam.sum() - width * self.room * level)
            where = np.where(empty > bound, at, where)
            bound = np.maximum(bound, empty)
        return bound, where

    def price(self, multipliers: Array, decisions: Array, tolerance: float, outward: bool = False) -> Price:
        """Bound the largest ``g_t . v`` over all t between the first and the last of `decisions`, shape (decisions,).

        With `outward` the bound is raised by its rounding: a certificate's.
        """
        t = np.unique(decisions)
        values, nu = self.at(t, multipliers)
        lam, rounding = multipliers, 0.0
        if len(t) == 1:
            rounding = float(self.rounding(t, t, nu, nu, lam)[0]) if outward else 0.0
            return Price(float(values[0]) + rounding, t, values, rounding)
        low, high, at_low, at_high = t[:-1], t[1:], nu[:-1], nu[1:]
        seen, worth, closed = [t], [values], float(values.max())
        best = at_decisions = closed
        tolerance = max(tolerance, 16.0 * np.finfo(float).eps * float(np.abs(multipliers).sum()))
        for split in range(ROUNDS):
            upper, where = self.above(low, high, at_low, at_high, multipliers)
            blur = self.rounding(low, high, at_low, at_high, lam) if outward else np.zeros(len(low))
            # A bound that is met next to an end is best cut there, or in the middle.
            edge = 0.05 * (high - low)
            middle = np.clip(where, low + edge, high - edge)
            open_ = (
                (upper > (at_decisions if split < EVERYWHERE else best) + tolerance) & (middle > low) & (middle < high)
            )
            closed = max(closed, float((upper + blur)[~open_].max(initial=-np.inf)))
            rounding = max(rounding, float(blur.max()))
            if not open_.any() or sum(map(len, seen)) > MOST or is_late():
                closed = max(closed, float((upper + blur).max()))
                return Price(max(closed, best), np.concatenate(seen), np.concatenate(worth), rounding)
            low, high, middle = low[open_], high[open_], middle[open_]
            at_low, at_high = at_low[open_], at_high[open_]
            values, at_middle = self.at(middle, multipliers)
            seen.append(middle)
            worth.append(values)
            best = max(best, float(values.max()))
            low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
            at_low, at_high = np.concatenate([at_low, at_middle]), np.concatenate([at_middle, at_high])
        upper, _ = self.above(low, high, at_low, at_high, multipliers)
        if outward:
            upper += self.rounding(low, high, at_low, at_high, lam)
        return Price(max(closed, best, float(upper.max())), np.concatenate(seen), np.concatenate(worth), rounding)


def densities(gains: Array, prior: Array) -> Array:
    """Return the gains, shape (decisions, n), by mass: infinite for an input of negligible mass."""
    with np.errstate(over="ignore"):
        return np.asarray(gains / prior)


def fullest(gains: Array, prior: Array, low: float, high: float) -> tuple[Array, Array]:
    """Return the largest ``gains[d] . v`` at mass one and the knapsack's threshold, shape (decisions,)."""
    room = (1.0 - low) / (high - low)
    density = densities(gains, prior)
    order = np.argsort(-density, axis=1)
    full = (prior[order].cumsum(axis=1) < room).sum(axis=1)
    each = np.arange(len(gains))
    nu = density[each, order[each, np.minimum(full, len(prior) - 1)]]
    over = np.maximum(gains - nu[:, None] * prior, 0.0).sum(axis=1)
    return low * gains.sum(axis=1) + (high - low) * (room * nu + over), nu


def _about_mass(band: Band) -> bool:
    return band.middle is not None and bool(np.all(band.middle > 0)) and 0.0 <= band.low < 1.0 < band.high


def pricing_of(ratio: Ratio, notion: Notion, problem: Problem, cone: Cone) -> Callable[[Array, Array, float], Price]:
    """Return what prices decisions under these multipliers to a tolerance: exact on a band, by halving elsewhere."""
    banded = BandPrice.of(ratio, cone)
    if banded is not None:
        return banded.price

    def sigma(functionals: Array) -> Array:
        return support(notion, problem, functionals).values

    return lambda multipliers, decisions, tolerance: price(ratio, sigma, multipliers, decisions, tolerance)
