"""Columns with a bound on what the norm of order alpha exceeds the mean by: values, tangents, support function."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import Support, raised, rounding_unit
from mechdesign.columns.cone_program import ByDual, minimise
from mechdesign.columns.dual import Shown, charges_of
from mechdesign.columns.smooth import BudgetOfSecret, SmoothlyBounded
from mechdesign.exact import Integers, exp_enclosed, power_above
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_EXPONENT

if TYPE_CHECKING:
    import cvxpy as cp

#: Floats may reject a matrix whose leakage is this much above epsilon, relative to 1 + epsilon: proofs are slow.
CLEARLY = 1e-10
#: Up to here (of the order times the change) powers are summed by their series, of so many terms.
NEXT_TO_ONE, TERMS = 0.1, 24
#: Sums of powers above this are taken by the largest entry: the powers themselves may be beyond floats.
LARGE = 1e200
#: A lift of 0 is taken as this in a logarithm.
LEAST_LIFT = 1e-300
#: Steps of Newton's method, and doublings of the margin below the root.
STEPS, DOUBLINGS = 80, 60


@dataclass(frozen=True, eq=False)
class NormBound(SmoothlyBounded):
    """Vectors with ``sum_y ||v_y|| <= e^(epsilon (alpha - 1) / alpha)`` and ``||v||^alpha = sum_s pi_s v_s^alpha``.

    Parameters
    ----------
    n : int
    masses : Masses
        pi.
    epsilon : float
        In nats.
    alpha : float
        Above 1.
    """

    alpha: float

    def smooth_budget(self, seen: Array) -> BudgetOfSecret:
        """Return by how much the norms exceed the means, and ``e^(epsilon (alpha - 1) / alpha) - 1`` as their limit."""
        prior = self.masses.floats
        # No mechanism has more than full disclosure; a limit far beyond is all that a solver sees.
        most = 2.0 * float((prior ** (1.0 / self.alpha)).sum())
        exponent = self.epsilon * (1.0 - 1.0 / self.alpha)
        limit = most if exponent > math.log1p(most) else math.expm1(exponent) * (1.0 + rounding_unit(2))
        return PowerBudget(np.zeros((1, 1, seen.shape[1])), np.array([limit]), seen, prior, self.alpha)

    def constraints_of(self, Q: cp.Variable, seen: Array) -> list[cp.Constraint]:
        """Return ``Q >= 0``, each ``t_y`` at least a norm by power cones (a ball at order 2), and the sum of all t."""
        import cvxpy as cp

        if self.epsilon == 0:
            return super().constraints_of(Q, seen)
        prior, outputs = self.masses.floats, Q.shape[1]
        norms, entries = cp.Variable(outputs), seen @ Q
        if self.alpha == 2:
            held = [cp.norm(cp.multiply(np.sqrt(prior)[:, None], entries), 2, axis=0) <= norms]
        else:
            # z^(1/alpha) (pi t)^(1 - 1/alpha) >= pi v and the sum of z <= t: then t is at least the norm.
            shares, beside = cp.Variable(entries.shape, nonneg=True), cp.outer(prior, norms)
            sides = (shares, beside, cp.multiply(prior[:, None], entries))
            flat = [cp.reshape(each, (entries.size,), order="C") for each in sides]
            held = [cp.PowCone3D(*flat, 1.0 / self.alpha), cp.sum(shares, axis=0) <= norms]
        within = cp.sum(norms) - cp.sum((prior @ seen) @ Q) <= self.budget_of(seen).limits
        return [Q >= 0, *held, within]

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return whether ``charge - w / pi``, where positive, is at most the charge in the dual norm: by Hoelder."""
        if self.epsilon == 0:
            return None
        prior, dual = self.masses.shares, 1 / (1 - 1 / Fraction(self.alpha))

        def is_shown(functional: Integers, charge: int) -> bool:
            if charge <= 0:
                return charge == 0 and min(functional) >= 0
            left = [1 - Fraction(entry) / (charge * share) for entry, share in zip(functional, prior, strict=True)]
            if any(entry * share > 1 for entry, share in zip(left, prior, strict=True)):
                return False
            powers = [power_above(max(entry, Fraction(0)), dual) for entry in left]
            return sum(share * power for share, power in zip(prior, powers, strict=True)) <= 1

        charges = charges_of(shown, len(functionals), 1)[:, 0]
        return np.array([is_shown(w, charge) for w, charge in zip(functionals, charges, strict=True)])

    def exact_limits(self) -> tuple[Fraction, ...]:
        """Return ``e^(epsilon (alpha - 1) / alpha) - 1``, rounded up."""
        return (exp_enclosed(exact_exponent(self.epsilon, self.alpha))[1] - 1,) if self.epsilon > 0 else ()

    def measured(self, seen: Integers) -> Integers:
        """Return the integers."""
        return seen.astype(object)

    def allows(self, measured: Integers) -> npt.NDArray[np.bool_]:
        """Return whether an upper bound of the norms is allowed; exact powers are taken near epsilon."""
        level = self.epsilon
        if level == 0:
            return np.array([bool(np.all(measured == measured[0]))])
        # Floats may reject, never accept.
        floats = (measured / measured[0].sum()).astype(float)
        added = excess(floats, self.masses.floats, self.alpha)
        rough = conjugate(self.alpha) * math.log1p(float(added.sum()))
        if rough > level + CLEARLY * (1.0 + level):
            return np.array([False])
        above = _norms_above(tuple(map(tuple, measured)), tuple(self.masses.exact), self.alpha)
        return np.array([above <= exp_enclosed(exact_exponent(level, self.alpha))[0]])


def exact_exponent(level: float, alpha: float) -> Fraction:
    """Return ``level (alpha - 1) / alpha``, in exact arithmetic, no more than decides anything.

    Examples
    --------
    >>> exact_exponent(1.0, 2.0)
    Fraction(1, 2)
    """
    order = Fraction(alpha)
    return Fraction(min(level, LARGEST_EXPONENT)) * (order - 1) / order


@dataclass(frozen=True)
class PowerBudget(BudgetOfSecret):
    """``sum_y ||v_y|| - pi . v_y <= limit`` with ``||v||^a = sum_s pi_s v_s^a`` and ``v_y = W q_y``."""

    #: The order a of the norm, above 1.
    alpha: float

    def cost(self, columns: Array) -> Array:
        """Return by how much the norm of what the secret sees exceeds its mean."""
        return excess(self.channel @ columns, self.prior, self.alpha)[None, :]

    def tangents(self, columns: Array) -> Array:
        """Return ``W' (pi (u - 1))`` with u at most 1 in the dual norm: Hoelder's inequality."""
        change = np.expm1(norming(self.channel @ columns, self.prior, self.alpha))
        return np.asarray((self.prior[:, None] * change).T @ self.channel)

    def support_of_input(self, functionals: Array, price: float) -> Support:
        """Return the support function by the dual norm."""
        return _by_norm(functionals, self.prior, price, self.alpha)

    def support_by_dual(self, functional: Array, normal: Array, price: float) -> ByDual:
        """Return a bound by u at most 1 in the dual norm, of a program over power cones."""
        return _by_dual(functional, self, normal, price)


def conjugate(order: float) -> float:
    """Return the order of the dual norm, ``order / (order - 1)``."""
    return order / (order - 1.0)


def lifts(seen: Array, prior: Array) -> tuple[Array, Array, Array]:
    """Return the lift ``w = v / m`` of each column v, shape (k, m), ``w - 1``, and the mass ``m = pi . v``.

    A column of no mass has the lift 1. The change is taken from what the entries do not share, which keeps its digits.
    """
    mass = prior @ seen
    some = np.where(mass > 0, mass, 1.0)
    lift = np.where(mass > 0, seen / some, 1.0)
    nearest = np.abs(seen - mass).argmin(axis=0)
    apart = seen - np.take_along_axis(seen, nearest[None, :], axis=0)
    return lift, np.where(mass > 0, (apart - prior @ apart) / some, 0.0), mass


def bend(lift: Array, change: Array, order: float) -> Array:
    """Return ``w^order - 1 - order (w - 1)`` entry by entry, which is convex and 0 at ``w = 1``; infinite past floats.

    Examples
    --------
    >>> bend(np.array([2.0]), np.array([1.0]), 2.0), bend(np.array([1.0]), np.array([1e-9]), 2.0)
    (array([1.]), array([1.e-18]))
    """
    near = np.abs(order * change) < NEXT_TO_ONE
    small = np.where(near, change, 0.0)
    term, series = np.ones_like(change), np.zeros_like(change)
    for k in range(1, TERMS):
        term = term * small * ((order - k + 1.0) / k)
        series = series + term if k > 1 else series
    with np.errstate(over="ignore"):
        far = np.power(lift, order) - 1.0 - order * change
    return np.asarray(np.maximum(np.where(near, series, far), 0.0))


def growth(seen: Array, prior: Array, order: float) -> Array:
    """Return ``ln(||w||) = ln (sum_s pi_s w_s^order)^(1 / order)`` for the lift w of each column, at least 0."""
    lift, change, _ = lifts(seen, prior)
    with np.errstate(over="ignore", invalid="ignore"):
        # The mean of the changes is 0, so that their convex parts alone are left.
        total = prior @ bend(lift, change, order)
    small = total < LARGE
    weighted = np.log(np.maximum(lift, LEAST_LIFT)) + np.log(prior)[:, None] / order
    peak = weighted.max(axis=0)
    by_peak = peak + np.log(np.exp(order * (weighted - peak)).sum(axis=0)) / order
    return np.asarray(np.where(small, np.log1p(np.where(small, total, 0.0)) / order, by_peak))


def excess(seen: Array, prior: Array, order: float) -> Array:
    """Return ``||v|| - pi . v`` of each column v, shape (m,), at least 0."""
    return np.asarray((prior @ seen) * np.expm1(growth(seen, prior, order)))


def norming(seen: Array, prior: Array, order: float) -> Array:
    """Return ``ln u`` with ``u = (w / ||w||)^(order - 1)``, where the norm has the gradient ``pi u``.

    Lowered so that ``||u|| <= 1`` in the dual norm: then ``sum_s pi_s u_s v_s`` is at most ``||v||`` for every v.
    """
    lift, change, _ = lifts(seen, prior)
    near = np.abs(change) < 0.5
    logs = np.where(near, np.log1p(np.where(near, change, 0.0)), np.log(np.maximum(lift, LEAST_LIFT)))
    return lowered((order - 1.0) * (logs - growth(seen, prior, order)), prior, conjugate(order))


def lowered(logs: Array, prior: Array, order: float) -> Array:
    """Return ``ln u`` of each column, lowered until ``sum_s pi_s u_s^order <= 1``, whatever was given."""
    powers = order * logs
    peak = np.maximum(powers.max(axis=0), 0.0)
    size = peak + np.log(np.maximum(prior @ np.exp(powers - peak), LEAST_LIFT))
    apart = prior @ np.expm1(np.minimum(powers, 0.5))
    beyond = np.where(peak < 0.5, np.log1p(np.maximum(apart, 0.0)), size)
    # The sum is rounded in proportion to its terms.
    blur = prior @ np.minimum(np.abs(powers), 1.0) + np.maximum(beyond, 0.0)
    return np.asarray(logs - np.maximum(beyond, 0.0) / order - rounding_unit(len(prior)) * (blur + np.abs(logs)))


def _by_norm(functionals: Array, prior: Array, price: float, order: float) -> Support:
    """Return at least the largest ``h . q - price (||q|| - prior . q)`` with ``prior . q = 1``, for each functional h.

    With ``r = h / prior`` and its peak r*, ``e = (r* - r) / price`` and t at least 0 it is ``r* - price t``, where
    ``sum_x prior_x (1 + t - e_x)_+^a = 1`` for the dual order a: Hoelder's inequality, so that a smaller t is sound.
    """
    dual, unit = conjugate(order), rounding_unit(len(prior))
    ratios = functionals / prior
    peak = ratios.max(axis=1, keepdims=True)
    apart = (peak - ratios) / price
    at = _root(apart, prior, dual)
    for step in range(DOUBLINGS):
        size, slope, blur = _norm(at, apart, prior, dual)
        above = size + blur > 0
        if not np.any(above):
            break
        # At 0 the norm is at most 1 whatever the ratios are.
        at = np.where(above, np.maximum(at - 2.0**step * (np.abs(size) + blur) / slope, 0.0), at)
        if np.all(at[above] == 0.0):
            break
    left = np.maximum(1.0 + at[:, None] - apart, 0.0)
    shape = left ** (dual - 1.0)
    shares = prior * shape
    shares /= shares.sum(axis=1, keepdims=True)
    sizes = np.abs(peak[:, 0]) + np.einsum("tx,tx->t", shares, np.abs(ratios) + np.abs(peak))
    return raised(peak[:, 0] - price * at, unit * (sizes + price * at), (shares / prior).T)


def _norm(at: Array, apart: Array, prior: Array, order: float) -> tuple[Array, Array, Array]:
    """Return ``||(1 + t - e)_+|| - 1``, its slope in t, and by how much the former may be rounded."""
    change = at[:, None] - apart
    left = np.maximum(1.0 + change, 0.0)
    powers = np.where(left > 0, np.expm1(order * np.log1p(np.where(left > 0, change, 0.0))), -1.0)
    total = powers @ prior
    steep = left ** (order - 1.0)
    norm = np.log1p(total) / order
    slope = (steep @ prior) * np.exp(-(order - 1.0) * norm)
    blur = (np.abs(powers) + order * steep * np.where(left > 0, at[:, None] + apart, 0.0)) @ prior
    return np.expm1(norm), slope, rounding_unit(len(prior)) * blur / (order * np.exp((order - 1.0) * norm))


def _root(apart: Array, prior: Array, order: float) -> Array:
    """Return where ``||(1 + t - e)_+|| = 1``, from above by Newton's method: the norm is convex in t."""
    alone = np.expm1(-np.log(prior[apart.argmin(axis=1)]) / order)
    at = np.minimum(apart @ prior, alone)
    for _ in range(STEPS):
        size, slope, _ = _norm(at, apart, prior, order)
        new = np.clip(at - size / slope, 0.0, at)
        if np.all(at - new <= np.finfo(float).eps * at):
            break
        at = new
    return np.asarray(at)


def _by_dual(functional: Array, budget: PowerBudget, normal: Array, price: float) -> ByDual:
    """Return a bound on ``h . q - price (||v|| - pi . v)`` with ``v = W q`` on the slice, its rounding, and a column.

    It is ``max_x (h - price W' (pi (u - 1)))_x / normal_x`` for whatever u the dual norm of which is at most 1; a
    program over power cones looks for the least.
    """
    channel, prior, order = budget.channel, budget.prior, budget.alpha
    k, n = channel.shape
    scale = max(float(np.abs(functional).max()), price)
    joint = channel.T * prior
    # Variables (t, u, z): t normal + price joint (u - 1) >= h, pi . z <= 1, and z >= |u|^a by a power cone each.
    rows = np.zeros((n + 1 + 3 * k, 1 + 2 * k))
    rows[:n, 0], rows[:n, 1 : k + 1], rows[n, k + 1 :] = -normal, -price / scale * joint, prior
    places = n + 1 + 3 * np.arange(k)
    rows[places, 1 + k + np.arange(k)] = rows[places + 2, 1 + np.arange(k)] = -1.0
    right = np.zeros(len(rows))
    right[:n] = -(functional + price * joint.sum(axis=1)) / scale
    right[n], right[places + 1] = 1.0, 1.0
    cost = np.concatenate([[1.0], np.zeros(2 * k)])
    dual = conjugate(order)
    point, multipliers = minimise(cost, rows, right, nonnegative=n + 1, powers=(1.0 / dual,) * k)
    column = np.maximum(multipliers[:n], 0.0)
    if not (np.all(np.isfinite(column)) and normal @ column > 0):
        column = np.ones(n)
    column /= float(normal @ column)
    found = np.nan_to_num(point[1 : k + 1])
    logs = np.log(np.maximum(found, LEAST_LIFT))[:, None]
    bounds = []
    # Whichever says more, what the solver found or the gradient at its column.
    for each in (lowered(logs, prior, dual), norming((channel @ column)[:, None], prior, order)):
        change = np.expm1(np.maximum(each[:, 0], -700.0))
        reduced = functional - price * (joint @ change)
        blur = rounding_unit(n + k) * (np.abs(functional) + price * (joint @ np.abs(change)))
        bounds.append((float(((reduced + blur) / normal).max()), float((reduced / normal).max())))
    above, nominal = min(bounds)
    return (nominal, above - nominal), column


@lru_cache(maxsize=16)
def _norms_above(seen: tuple[tuple[int, ...], ...], prior: tuple[int, ...], alpha: float) -> Fraction:
    """Return a fraction at least ``sum_y (sum_s pi_s v_sy^alpha)^(1 / alpha)`` of rows of integers of one sum."""
    total, certain, order = sum(prior), sum(seen[0]), Fraction(alpha)
    found = Fraction(0)
    for column in zip(*seen, strict=True):
        mass = sum(weight * entry for weight, entry in zip(prior, column, strict=True))
        if mass:
            # Known mechanisms have few different entries, and a power takes longer than all else here.
            powers = {entry: power_above(Fraction(entry * total, mass), order) for entry in set(column)}
            mean = sum((weight * powers[entry] for weight, entry in zip(prior, column, strict=True)), Fraction(0))
            found += mass * power_above(mean / total, 1 / order)
    return found / (total * certain)
