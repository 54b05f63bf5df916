"""``low * m <= v_s <= high * m`` with the mass ``m = pi . v``: entries within a band of the mass of the column."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mechdesign.columns import band_vertices
from mechdesign.columns.cone import NEXT_TO, Cone, Rays, Support, raised, rounding_unit
from mechdesign.columns.dual import Shown
from mechdesign.columns.masses import Masses
from mechdesign.columns.shape import Shape
from mechdesign.exact import TINY, Fractions, Integers, exp_above, exp_below, float_above, float_below, product
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_EXPONENT

#: Prices of mass beyond this are cut off: any price bounds, and their products do not overflow.
LARGEST_PRICE = 1e150


@dataclass(frozen=True, eq=False)
class MassBand(Shape):
    """Columns with ``-lower <= ln(v_s / m) <= upper`` for each entry s, with the mass ``m = pi . v``.

    On the slice of mass one they are ``v_s = low + t_s (high - low)`` with ``0 <= t <= 1`` and
    ``pi . t = (1 - low) / (high - low)``: the rays are the vertices of a knapsack.

    Parameters
    ----------
    n : int
    masses : Masses
        pi.
    lower, upper : float
        In nats; infinite without a bound.
    """

    masses: Masses
    lower: float
    upper: float

    @property
    def banded(self) -> bool:
        """A band of the entries."""
        return True

    @property
    def normal(self) -> Array:
        """The masses: on their slice every column has mass one."""
        return self.masses.floats

    @cached_property
    def ends(self) -> tuple[float, float]:
        """``(low, high)`` of ``-lower <= ln(v_s / m) <= upper``, either of them possibly without effect.

        Rounded outward, and further by what the masses of floats miss the exact ones: with masses of floats, the band
        holds every column that is allowed.
        """
        if self.lower == 0 or self.upper == 0:
            # All are at least the mean of all, or at most: equal.
            return 1.0, 1.0
        least, most = self.masses.missed
        low, high = 0.0, min(2.0 / float(self.masses.floats.min()), sys.float_info.max)
        if self.lower <= LARGEST_EXPONENT:
            # The exponential is from below, within 1e-58.
            low = max(float_below((1 - TINY) / exp_below(self.lower) / most), 0.0)
        if self.upper <= LARGEST_EXPONENT:
            # v_s is at most m / pi_s, so that more than that says nothing, and nothing is infinite.
            high = min(float_above((1 + TINY) * exp_below(self.upper) / least), high)
        return low, high

    def cone_of(self, seen: Array) -> Cone:
        """Return ``low * m <= v <= high * m``, with the mass as an auxiliary variable."""
        return Cone.band(seen, *self.ends, self.masses.floats @ seen)

    def ray_count(self) -> float | None:
        """Return at most how many full sets with one fractional entry there are; 1 if columns must be constant."""
        return band_vertices.ray_count(self.masses.floats, *self.ends)

    def rays(self) -> Rays | None:
        """Return the vertices of a knapsack: a full set, and one entry that takes what is left."""
        return band_vertices.rays(self.masses.floats, *self.ends)

    def support(self, functionals: Array, nu: Array) -> Support | None:
        """Return the fractional knapsack's value: fill the entries of largest ``h_x / P_x`` first.

        By its dual: for any price nu of mass it is at most ``nu + sum_x max(r_x low, r_x high_x)``, ``r = h - nu P``.
        """
        prior = self.masses.floats
        (low, high), unit = self.ends, rounding_unit(self.n)
        if low >= high:
            values = functionals.sum(axis=1)
            return raised(values, unit * np.abs(functionals).sum(axis=1), np.ones((self.n, len(functionals))))
        capacity = (1.0 - low) / (high - low)
        filled = np.empty_like(functionals)
        # An entry of negligible mass is filled first or never, and always whole: infinity says so.
        with np.errstate(over="ignore"):
            density = functionals / prior
            order = np.argsort(-density, axis=1, kind="stable")
            sizes = prior[order]
            before = sizes.cumsum(axis=1) - sizes
            each = np.arange(len(filled))[:, None]
            filled[each, order] = np.clip((capacity - before) / sizes, 0.0, 1.0)
        last = order[each[:, 0], (before < capacity).sum(axis=1) - 1]
        price = np.clip(density[each[:, 0], last], -LARGEST_PRICE, LARGEST_PRICE)
        charged = price[:, None] * prior
        rest, blur = functionals - charged, unit * (np.abs(functionals) + np.abs(charged))
        most = self._most
        ends = np.where(rest > 0, most, low)
        values = price + np.einsum("tx,tx->t", rest, ends)
        rounding = unit * np.abs(price) + np.einsum("tx,tx->t", blur, np.where(rest > -blur, most, low))
        return raised(values, rounding, (low + (high - low) * filled).T)

    @cached_property
    def _most(self) -> Array:
        """An upper bound of each entry on the slice: `high`, or all the mass that the other entries leave it."""
        prior, (low, high) = self.masses.floats, self.ends
        left = float_above(1 - Fraction(low) * sum(Fraction(float(mass)) for mass in prior))
        with np.errstate(over="ignore"):
            return np.asarray(np.minimum(high, (low + left / prior) * (1.0 + NEXT_TO)))

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_]:
        """Return for each functional w whether a price of mass proves ``w . v >= 0``, exponentials rounded outward.

        At mass one and for any price theta of mass, ``w . v`` is at least ``theta`` plus the rest ``w - theta pi`` with
        each entry at the end that makes it least. Every price is sound: it is chosen in floating point and rounds
        nothing.
        """
        prior = self.masses.integers
        total = int(prior.sum())
        low, high = self._outer_ends
        chosen = _last_filled(functionals, prior, low, high)
        of_chosen = np.take_along_axis(functionals, chosen[:, None], axis=1)
        rest = functionals * prior[chosen][:, None] - of_chosen * prior
        above, below = np.maximum(rest, 0).sum(axis=1), np.minimum(rest, 0).sum(axis=1)
        found = of_chosen[:, 0] * total + low * above + high * below >= 0
        return np.asarray(found, dtype=bool)

    def exact_rows(self) -> Fractions:
        """Return the rows ``high m - v_s`` and ``v_s - low m`` with the mass m, the ends rounded outward."""
        low, high = self._outer_ends
        prior, unit = np.array(self.masses.shares, dtype=object), np.eye(self.n, dtype=int).astype(object)
        return np.vstack([high * prior - unit, unit - low * prior])

    @property
    def _outer_ends(self) -> tuple[Fraction, Fraction]:
        """Lower and upper bounds of entries at mass one, rounded outward: no entry has more than all the mass."""
        prior = self.masses.exact
        low = Fraction(0) if math.isinf(self.lower) else 1 / exp_above(self.lower)
        return low, Fraction(sum(prior), min(prior)) if math.isinf(self.upper) else exp_above(self.upper)

    def measured(self, seen: Integers) -> Extremes:
        """Return the extremes and the mass of each column."""
        return Extremes.of(seen, self.masses.integers)

    def allows(self, measured: Extremes) -> npt.NDArray[np.bool_]:
        """Return for each column whether it is within the band, exponentials rounded down."""
        down, up = (None if math.isinf(end) else exp_below(end) for end in (self.lower, self.upper))
        return measured.between(down, up)


def _last_filled(functionals: Integers, prior: Integers, low: Fraction, high: Fraction) -> npt.NDArray[np.int64]:
    """Return for each functional the secret whose entry is filled last, in the order of ``w_s / pi_s``, by floats."""
    shares = (prior / prior.sum()).astype(float)
    sizes = np.abs(functionals).max(axis=1, keepdims=True)
    order = np.argsort((functionals / np.maximum(sizes, 1)).astype(float) / shares, axis=1)
    room = float((1 - low) / (high - low)) if high > low else 1.0
    before = np.cumsum(shares[order], axis=1) - shares[order]
    last = np.maximum((before < room).sum(axis=1) - 1, 0)
    return np.take_along_axis(order, last[:, None], axis=1)[:, 0]


@dataclass(frozen=True)
class Extremes:
    """Integers for each column, in one unit: ``total`` times its largest and smallest entry, and its mass."""

    high: Integers
    low: Integers
    mass: Integers

    @classmethod
    def of(cls, seen: Integers, prior: Integers) -> Extremes:
        """Return the extremes of a matrix of integers whose rows have one sum."""
        total = int(sum(prior))
        high, low = seen.max(axis=0).astype(object), seen.min(axis=0).astype(object)
        return cls(high * total, low * total, product(prior, seen))

    def between(self, down: Fraction | None, up: Fraction | None) -> npt.NDArray[np.bool_]:
        """Return for each column whether ``m <= down * v_s`` and ``v_s <= up * m``; None bounds nothing."""
        found = np.ones(len(self.mass), dtype=bool)
        if down is not None:
            found &= (self.mass * down.denominator <= self.low * down.numerator).astype(bool)
        if up is not None:
            found &= (self.high * up.denominator <= self.mass * up.numerator).astype(bool)
        return found
