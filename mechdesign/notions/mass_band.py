"""``low * m <= v_s <= high * m`` with the mass ``m = pi . v``: what all notions of the lift share.

The lift is ``Pr(y | s) / Pr(y)``. Notions give its ends in nats, ``low = e^-lower`` and ``high = e^upper``.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mechdesign.exact import TINY, Fractions, Integers, exp_above, exp_below, float_above, float_below, product
from mechdesign.notions.cone import Cone, Support, raised, rounding_unit
from mechdesign.notions.dual import shares_of_secret
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT

#: An entry within this share of either end is taken as the end: rays that differ only by rounding are one.
NEXT_TO = float(4.0 * np.finfo(float).eps)
#: Prices of mass beyond this are cut off: any price bounds, and their products do not overflow.
LARGEST_PRICE = 1e150


@lru_cache(maxsize=64)
def prior_shares(problem: Problem) -> tuple[Fraction, Fraction]:
    """Return the least and the largest of the floating-point prior of the secret over the exact one."""
    given, prior = problem.exact_prior_of_secret, problem.required_prior_of_secret
    total = sum(given)
    shares = [Fraction(float(rounded)) / exact for rounded, exact in zip(prior, given, strict=True)]
    return min(shares) * total, max(shares) * total


@lru_cache(maxsize=64)
def ends(problem: Problem, lower: float, upper: float) -> tuple[float, float]:
    """Return ``(low, high)`` of ``-lower <= ln(v_s / m) <= upper``, either of them possibly without effect.

    Rounded outward, and further by what `prior_of` misses the exact prior: with the prior of floats, the band holds
    every column that the notion allows.
    """
    if lower == 0 or upper == 0:
        # All are at least the mean of all, or at most: equal.
        return 1.0, 1.0
    least, most = prior_shares(problem)
    low, high = 0.0, min(2.0 / float(problem.required_prior_of_secret.min()), sys.float_info.max)
    if lower <= LARGEST_EXPONENT:
        # The exponential is from below, within 1e-58.
        low = max(float_below((1 - TINY) / exp_below(lower) / most), 0.0)
    if upper <= LARGEST_EXPONENT:
        # v_s is at most m / pi_s, so that more than that says nothing, and nothing is infinite.
        high = min(float_above((1 + TINY) * exp_below(upper) / least), high)
    return low, high


def cone(problem: Problem, low: float, high: float) -> Cone:
    """Return ``low * m <= v <= high * m``, with the mass as an auxiliary variable."""
    return Cone.band(problem.channel, low, high, problem.required_prior_of_secret @ problem.channel)


def support(functionals: Array, problem: Problem, low: float, high: float) -> Support | None:
    """Return the fractional knapsack's value: fill the inputs of largest ``h_x / P_x`` first.

    By its dual: for any price nu of mass it is at most ``nu + sum_x max(r_x low, r_x high_x)``, ``r = h - nu P``.
    """
    if problem.is_hidden:
        return None
    prior = problem.required_prior_of_secret
    unit = rounding_unit(problem.n)
    if low >= high:
        values = functionals.sum(axis=1)
        return raised(values, unit * np.abs(functionals).sum(axis=1), np.ones((problem.n, len(functionals))))
    capacity = (1.0 - low) / (high - low)
    filled = np.empty_like(functionals)
    # An input of negligible mass is filled first or never, and always whole: infinity says so.
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
    most = _most(problem, low, high)
    ends = np.where(rest > 0, most, low)
    values = price + np.einsum("tx,tx->t", rest, ends)
    rounding = unit * np.abs(price) + np.einsum("tx,tx->t", blur, np.where(rest > -blur, most, low))
    return raised(values, rounding, (low + (high - low) * filled).T)


@lru_cache(maxsize=64)
def _most(problem: Problem, low: float, high: float) -> Array:
    """Return an upper bound of each entry on the slice: `high`, or all the mass that the other entries leave it."""
    prior = problem.required_prior_of_secret
    left = float_above(1 - Fraction(low) * sum(Fraction(float(mass)) for mass in prior))
    with np.errstate(over="ignore"):
        return np.asarray(np.minimum(high, (low + left / prior) * (1.0 + NEXT_TO)))


def nonnegative(functionals: Integers, problem: Problem, lower: float, upper: float) -> npt.NDArray[np.bool_]:
    """Return for each functional w over secrets whether ``w . v >= 0`` where ``-lower <= ln(v_s / m) <= upper``.

    At mass one and for any price theta of mass, ``w . v`` is at least ``theta`` plus the rest ``w - theta pi`` with
    each entry at the end that makes it least. Every price is sound: it is chosen in floating point, and rounds nothing.
    """
    prior = np.array(problem.exact_prior_of_secret, dtype=object)
    total = int(prior.sum())
    low, high = _outer_ends(problem, lower, upper)
    chosen = _last_filled(functionals, prior, low, high)
    of_chosen = np.take_along_axis(functionals, chosen[:, None], axis=1)
    rest = functionals * prior[chosen][:, None] - of_chosen * prior
    above, below = np.maximum(rest, 0).sum(axis=1), np.minimum(rest, 0).sum(axis=1)
    found = of_chosen[:, 0] * total + low * above + high * below >= 0
    shown: npt.NDArray[np.bool_] = found.astype(bool)
    return shown


def exact_rows(problem: Problem, lower: float, upper: float) -> Fractions:
    """Return the rows ``high m - v_s`` and ``v_s - low m`` with the mass m, the ends rounded outward."""
    low, high = _outer_ends(problem, lower, upper)
    prior, unit = np.array(shares_of_secret(problem), dtype=object), np.eye(problem.secrets, dtype=int).astype(object)
    return np.vstack([high * prior - unit, unit - low * prior])


def _outer_ends(problem: Problem, lower: float, upper: float) -> tuple[Fraction, Fraction]:
    """Return lower and upper bounds of entries at mass one, rounded outward: no entry has more than all the mass."""
    prior = problem.exact_prior_of_secret
    low = Fraction(0) if math.isinf(lower) else 1 / exp_above(lower)
    return low, Fraction(sum(prior), min(prior)) if math.isinf(upper) else exp_above(upper)


def _last_filled(functionals: Integers, prior: Integers, low: Fraction, high: Fraction) -> npt.NDArray[np.int64]:
    """Return for each functional the secret whose entry is filled last, in the order of ``w_s / pi_s``, by floats."""
    shares = (prior / prior.sum()).astype(float)
    sizes = np.abs(functionals).max(axis=1, keepdims=True)
    order = np.argsort((functionals / np.maximum(sizes, 1)).astype(float) / shares, axis=1)
    room = float((1 - low) / (high - low)) if high > low else 1.0
    before = np.cumsum(shares[order], axis=1) - shares[order]
    last = np.maximum((before < room).sum(axis=1) - 1, 0)
    return np.take_along_axis(order, last[:, None], axis=1)[:, 0]


def log_lifts(matrix: Array, problem: Problem) -> Array:
    """Return ``ln v_s(y) - ln m(y)``, shape (secrets, m), zero for columns of zeros."""
    seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
    mass = problem.required_prior_of_secret @ seen
    used = mass > 0
    found = np.zeros_like(seen)
    with np.errstate(divide="ignore"):
        found[:, used] = np.log(seen[:, used]) - np.log(mass[used])
    return found


@dataclass(frozen=True)
class Extremes:
    """Integers for each column, in one unit: ``total`` times its largest and smallest entry, and its mass."""

    high: Integers
    low: Integers
    mass: Integers

    @classmethod
    def of(cls, numerators: Integers, problem: Problem) -> Extremes:
        """Return the extremes of a matrix of integers whose rows have one sum."""
        seen = problem.exactly_seen_by_secret(numerators)
        prior = np.array(problem.exact_prior_of_secret, dtype=object)
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
