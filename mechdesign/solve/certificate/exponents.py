"""Bounds on exponents from multipliers at finitely many orders: sound at every order, for every mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion, Rays
from mechdesign.objectives.exponent import Exponent, Searched, divergence, log_ratios, shortfall
from mechdesign.objectives.han_kobayashi_exponent import HanKobayashiExponent
from mechdesign.objectives.near_one import exponential_rest, log_ratio
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.tolerances import LARGEST_MULTIPLIER, RAY_COMFORT


@dataclass(frozen=True)
class Table:
    """The extreme rays with what each has under both hypotheses, its mass on the slice and the budgets' limits."""

    rays: Rays
    p: Array
    s: Array
    #: ``p - s``, which the difference of the two would round away where they are next to equal.
    apart: Array
    #: The size of the terms of `apart`.
    moved: Array
    mass: Array
    limits: Array

    @property
    def logs(self) -> Array:
        """``ln(s / p)`` of each ray, 0 where one of the two is 0."""
        return log_ratio(self.s, self.p, -self.apart)

    def blur(self, rows: Array, budget: Array, terms: Array | float) -> Array:
        """Return by how much each ray's excess may be rounded down at each order, shape (orders, rays).

        `rows` and `budget` are sizes of multipliers, shapes (orders, n) and (orders, budgets), `terms` of utilities.
        """
        sizes = rows @ self.rays.columns + budget @ self.rays.cost_sizes
        unit = 4.0 * (rounding_unit(len(self.rays.columns)) + self.rays.worst_share)
        # The utility changes with `apart` by at most the logarithm of the ratio.
        steep = np.where((self.p > 0) & (self.s > 0), np.minimum(np.abs(self.logs), 1.0), 1.0)
        return np.asarray(unit * (sizes + terms + steep * (np.abs(self.apart) + self.moved)))


@dataclass(frozen=True)
class Nodes:
    """Orders in rising sequence, with multipliers of the rows and of the budgets at each."""

    orders: Array
    rows: Array
    budget: Array

    @classmethod
    def of(cls, multipliers: Multipliers, inputs: int, budgets: int, low: float, high: float) -> Nodes:
        """Return the usable orders within the range; the ends get the multipliers of their neighbour."""
        given = np.concatenate([[low], multipliers.rows, multipliers.budget])[None, :]
        if multipliers.by_order is not None:
            given = np.asarray(multipliers.by_order, dtype=float)
        width = 1 + inputs + budgets
        fits = given.ndim == 2 and given.shape[1] == width
        # A NaN compares as false.
        usable = given[np.all(np.abs(given) <= LARGEST_MULTIPLIER, axis=1)] if fits else np.zeros((0, width))
        usable = usable[(usable[:, 0] >= low) & (usable[:, 0] <= high)]
        if not len(usable):
            usable = np.concatenate([[low], np.zeros(width - 1)])[None, :]
        usable = usable[np.unique(usable[:, 0], return_index=True)[1]]
        first, last = usable[:1].copy(), usable[-1:].copy()
        first[0, 0], last[0, 0] = low, high
        ends = [first] * bool(usable[0, 0] > low) + [usable] + [last] * bool(usable[-1, 0] < high)
        stacked = np.vstack(ends)
        return cls(stacked[:, 0], stacked[:, 1 : 1 + inputs], np.maximum(stacked[:, 1 + inputs :], 0.0))


def is_listed(notion: Notion, problem: Problem) -> bool:
    """Return whether exponents are bounded over the list of extreme rays, if there is one: it is not too long."""
    count = notion.columns(problem).ray_count()
    return count is None or count <= RAY_COMFORT


@lru_cache(maxsize=64)
def table(notion: Notion, objective: Exponent, problem: Problem) -> Table | None:
    """Return the rays with both hypotheses' numbers, or None where the rays are too many to enumerate."""
    rays = all_rays(notion, problem)
    if rays is None:
        return None
    p, s = objective.pair(rays.columns)
    apart, moved = objective.apart(rays.columns), np.abs(objective.difference) @ rays.columns
    return Table(
        rays, p, s, apart, moved, notion.columns(problem).normal @ rays.columns, notion.columns(problem).budget().limits
    )


def order_bound(
    notion: Notion, objective: Exponent, problem: Problem, multipliers: Multipliers
) -> tuple[float, float] | None:
    """Return a bound on the utility of every private mechanism, and how far it was rounded outward.

    None where there is no list of extreme rays, or it is too long.
    """
    found = table(notion, objective, problem) if is_listed(notion, problem) else None
    if found is None:
        return None
    if isinstance(objective, Searched) and vanishes(objective, found, multipliers):
        return 0.0, 0.0
    nodes = Nodes.of(multipliers, problem.n, len(found.limits), *objective.orders)
    if isinstance(objective, Searched):
        bounds, roundings = cells(objective, found, nodes)
        worst = int(bounds.argmax())
        return float(bounds[worst]), float(roundings[worst])
    assert isinstance(objective, HanKobayashiExponent), "the other exponents are maximised"
    return _least(objective, found, nodes)


def vanishes(objective: Searched, found: Table, multipliers: Multipliers) -> bool:
    """Return whether one line at order 1 shows that ``D(s || p)`` is at most the rate: the exponent is 0 then."""
    lines, inputs, rate = multipliers.by_order, len(found.rays.columns), objective.vanishing_rate
    if rate == 0 or lines is None or lines.shape != (1, 1 + inputs + len(found.limits)) or lines[0, 0] != 1:
        return False
    # A NaN compares as false.
    if not np.all(np.abs(lines) <= LARGEST_MULTIPLIER):
        return False
    rows, budget = lines[0, 1 : 1 + inputs], np.maximum(lines[0, 1 + inputs :], 0.0)
    charge = rows @ found.rays.columns + budget @ found.rays.cost
    lost = divergence(found.s, found.p, -found.apart)
    blur = found.blur(np.abs(rows), budget, np.abs(lost))
    with np.errstate(invalid="ignore"):
        rho = float(((lost - charge + blur) / found.mass).max())
    size = float(np.abs(rows).sum() + budget @ found.limits + abs(rho))
    noise = 4.0 * rounding_unit(inputs) * size
    return bool(rows.sum() + budget @ found.limits + rho + noise <= rate)


def cells(objective: Searched, found: Table, nodes: Nodes) -> tuple[Array, Array]:
    """Return a bound on the exponent over each interval between neighbouring orders, and its outward rounding.

    Between two orders the multipliers are interpolated: ``lam(t), nu(t)``. The shortfall at order t is at most
    ``sum(lam(t)) + nu(t) . limits + rho`` where rho is the largest ``(u_r(t) - nu(t) . beta_r - lam(t) . r) / c . r``
    over rays r and orders t of the interval. Each ray's ``u_r(t) = (1-t) p + t s - p (s/p)^t`` is concave in t, so
    any of its tangents bounds it; the best one is known in closed form. This bounds the shortfall by a line in t.
    Above a line the exponents have no maximum inside: ``-ln(1 - line)`` is convex, and so is the numerator of
    ``(-(1-t) rate - ln(1 - line)) / t``, whose quotient by t is therefore quasiconvex. The ends decide.
    The error is of second order in the width, since the true ``u_r`` lies that near to its chord.
    """
    low, high = (nodes.orders[:1],) * 2 if len(nodes.orders) == 1 else (nodes.orders[:-1], nodes.orders[1:])
    charge = nodes.rows @ found.rays.columns + nodes.budget @ found.rays.cost
    total = nodes.rows.sum(axis=1) + nodes.budget @ found.limits
    first, last = (slice(None, -1), slice(1, None)) if len(nodes.orders) > 1 else (slice(None), slice(None))
    blur = found.blur(np.abs(nodes.rows), nodes.budget, 0.0)
    with np.errstate(invalid="ignore"):
        excess = _largest(objective, found, low, high, charge[first], charge[last])
        # Each ray by itself: the best one may be another whose terms are larger.
        above = ((excess + np.maximum(blur[first], blur[last])) / found.mass).max(axis=1)
        rho = (excess / found.mass).max(axis=1)
    size = np.abs(nodes.rows).sum(axis=1) + np.abs(nodes.budget) @ found.limits
    unit = 4.0 * rounding_unit(nodes.rows.shape[1])
    with np.errstate(invalid="ignore"):
        noise = unit * (np.maximum(size[first], size[last]) + np.abs(rho)) + np.where(
            np.isfinite(rho), above - rho, 0.0
        )
    ends = [(total[side] + rho, orders) for side, orders in ((first, low), (last, high))]
    bounds = np.maximum(*[objective.at(line + noise, orders) for line, orders in ends])
    inner = np.maximum(*[objective.at(line, orders) for line, orders in ends])
    with np.errstate(invalid="ignore"):
        return bounds, np.where(np.isfinite(inner), bounds - inner, 0.0)


def _largest(objective: Searched, found: Table, low: Array, high: Array, at_low: Array, at_high: Array) -> Array:
    """Return, for each interval and ray, at least the largest ``u_r(t)`` minus the interpolated charge."""
    if np.all(low == high):
        return objective.shortfalls(found.p, found.s, low, found.apart) - at_low
    both = (found.p > 0) & (found.s > 0)
    p, ratio = np.where(both, found.p, 1.0), found.logs
    low, high = low[:, None], high[:, None]
    slope = (at_high - at_low) / (high - low)
    # The derivative is (s - p) - p ln(s/p) (s/p)^t - slope: `lifted` is s - p - p ln(s/p), of second order.
    lifted = np.where(both, p * ratio * ratio * exponential_rest(ratio), found.s - found.p)
    with np.errstate(all="ignore"):
        power = (lifted - slope) / (p * ratio)
        inside = np.log1p(np.where(power > -1.0, power, np.nan)) / ratio

    def rise(order: Array) -> Array:
        """Return the derivative at `order`, shape (intervals, rays)."""
        return lifted - slope - np.where(both, p * ratio * np.expm1(order * ratio), 0.0)

    # Where it vanishes, or at the end towards which u rises.
    ends = np.where(rise(low) > 0, high, low)
    point = np.clip(np.where(both & np.isfinite(inside), inside, ends), low, high)
    values = shortfall(found.p, found.s, point, found.apart) - at_low - slope * (point - low)
    along = rise(point)
    return np.asarray(values + np.maximum(along * (low - point), along * (high - point)))


def _least(objective: HanKobayashiExponent, found: Table, nodes: Nodes) -> tuple[float, float]:
    """Return minus the largest lower bound on the exponent that any order gives: each is sound by itself.

    At a fixed order the exponent falls with a sublinear sum over outputs, which the multipliers bound from above
    over the rays; at order 1 it is at least ``rate - max ln(s / p)``.
    """
    best, rounding = 0.0, 0.0
    if np.any((found.p <= 0) & (found.s > 0)):
        return -best, rounding
    largest = float(log_ratios(found.p, found.s)[1].max())
    for order, rows, budget in zip(nodes.orders, nodes.rows, nodes.budget, strict=True):
        if order >= 1:
            unit = float(4.0 * np.finfo(float).eps * (abs(objective.rate) + abs(largest) + 1.0))
            reached, noise = objective.rate - largest - unit, unit
        elif order > 0:
            reached, noise = _at_order(objective, found, float(order), rows, budget, largest)
        else:
            continue
        if reached > best:
            best, rounding = reached, noise
    return -best, rounding


def _at_order(
    objective: HanKobayashiExponent, found: Table, order: float, rows: Array, budget: Array, largest: float
) -> tuple[float, float]:
    terms, scale = objective.powers(found.p, found.s, order, largest)
    charge = rows @ found.rays.columns + budget @ found.rays.cost
    excess = (terms - charge) / found.mass
    blur = found.blur(np.abs(rows), budget, np.abs(terms) / (1.0 - order)) / found.mass
    worst = float(excess.max())
    size = float(np.abs(rows).sum() + abs(worst) + budget @ found.limits)
    noise = 4.0 * rounding_unit(len(rows)) * size + float((excess + blur).max()) - worst
    total = float(rows.sum() + budget @ found.limits) + worst
    # A sum of powers is positive: multipliers that say less are rounding.
    floor = float(np.finfo(float).tiny) if scale is not None else 0.0
    outer, inner = (objective.at(max(number, floor), order, scale) for number in (total + noise, total))
    # The powers themselves are rounded by their exponent.
    last = float(4.0 * np.finfo(float).eps * ((scale or 0.0) + abs(objective.rate)) * (1.0 - order))
    return outer - last, inner - outer + last
