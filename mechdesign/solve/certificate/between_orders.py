"""Bounds on exponents at all orders, from bounds at finitely many: no list of extreme rays is needed.

The total shortfall ``S(t) = 1 - sum_y p_y^(1-t) s_y^t`` of every mechanism is concave in the order t, and
``-S''(t) = sum_y p_y^(1-t) s_y^t ln(s_y / p_y)^2``. The Green's function of the second derivative on [0, 1] makes each
output's shortfall the mean of ``-S''`` over orders with mean ``(1 + t) / 3``, times ``t (1 - t) / 2``; by Jensen's
inequality ``-S''(t) <= c(t) S(t)`` with ``c(t) = 2 / (t (1-t)) e^(L |2t-1| / 3)``, where ``|ln(s_y / p_y)| <= L``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.objectives import KLDivergence, RatioType, RenyiDivergence
from mechdesign.objectives.exponent import Searched
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.certificate.exponents import Nodes
from mechdesign.solve.pricing.continuum_of_decisions import ratio_range

#: What is left of a chord where the curvature between its ends takes more is no bound.
LEAST_LEFT = 0.25
#: Roundings of a bound between orders, with some room.
OUTWARD = 1.0 + 64.0 * float(np.finfo(float).eps)


def at_order(objective: Searched, order: float) -> tuple[RatioType, float]:
    """Return an objective of ratio type whose utility, times the factor, is the shortfall at an order.

    Examples
    --------
    >>> import mechdesign as md
    >>> exponent = md.ChernoffExponent(first=[1, 0], second=[0, 1])
    >>> coin = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> renyi, factor = at_order(exponent, 0.5)
    >>> shortfall = factor * renyi.column_utility(coin, md.Problem(n=2)).sum()
    >>> round(float(-np.log(1 - shortfall)), 6) == round(exponent.value(coin, md.Problem(n=2)), 6)
    True
    """
    if objective.orders[0] == objective.orders[1]:
        return KLDivergence(objective.first, objective.second), 1.0
    power = 1.0 - order
    return RenyiDivergence(power, objective.first, objective.second), (1.0 - power) * power


def with_complement(order: Array | float) -> Array:
    """Return orders, of any shape, or their neighbours, that one minus them is exact of: powers of the shortfall.

    Examples
    --------
    >>> with_complement(np.array([0.5, 1e-17])).tolist()
    [0.5, 0.0]
    """
    return np.asarray(1.0 - (1.0 - np.asarray(order)))


def bound_from_orders(
    notion: Notion,
    objective: Searched,
    problem: Problem,
    multipliers: Multipliers,
    bound_at: Callable[[RatioType, Multipliers], tuple[float, float]],
) -> tuple[float, float] | None:
    """Return a bound on the exponent of every private mechanism, and how far it was rounded outward.

    None where a column may have any ratio.

    Parameters
    ----------
    bound_at : callable
        Gives a bound on the utility of an objective of ratio type from multipliers, and its rounding.
    """
    logs = largest_log(notion, objective, problem)
    if logs is None:
        return None
    nodes = Nodes.of(multipliers, problem.n, len(notion.columns(problem).budget()), *objective.orders)
    if objective.vanishing_rate > 0 and _is_at_one(multipliers):
        most, _ = bound_at(reversed_divergence(objective), Multipliers(nodes.rows[-1], nodes.budget[-1]))
        if most <= objective.vanishing_rate:
            return 0.0, 0.0
    nodes = _inside(objective, nodes)
    bounds, rounding = np.empty(len(nodes.orders)), 0.0
    for k, (order, rows, budget) in enumerate(zip(nodes.orders, nodes.rows, nodes.budget, strict=True)):
        ratio, factor = at_order(objective, float(order))
        utility, rounded = bound_at(ratio, Multipliers(rows / factor, budget / factor))
        bounds[k], rounding = factor * utility, max(rounding, factor * rounded)
    outer = float(between_orders(objective, nodes.orders, bounds, logs).max())
    inner = float(between_orders(objective, nodes.orders, np.maximum(bounds - rounding, 0.0), logs).max())
    return outer, outer - inner if math.isfinite(outer) else 0.0


def _is_at_one(multipliers: Multipliers) -> bool:
    """Return whether the multipliers are one line, at order 1, of the divergence with both hypotheses swapped."""
    lines = multipliers.by_order
    return lines is not None and lines.ndim == 2 and len(lines) == 1 and lines[0, 0] == 1


def reversed_divergence(objective: Searched) -> KLDivergence:
    """Return ``D(s || p)``: where no mechanism's is larger than the rate, the exponent of all is 0."""
    return KLDivergence(objective.second, objective.first)


def largest_log(notion: Notion, objective: Searched, problem: Problem) -> float | None:
    """Return the largest ``|ln(p_y / s_y)|`` of a column, None where it has no bound."""
    ratio = at_order(objective, 0.5)[0].ratio(problem)
    low, high = ratio_range(ratio, notion, problem)
    # The largest ratio of f stands for all beyond it, infinite ones too.
    if not (low > 0 and high < ratio.f.most):
        return None
    return max(abs(math.log(low)), abs(math.log(high))) * OUTWARD


def _inside(objective: Searched, nodes: Nodes) -> Nodes:
    """Return the nodes inside of the range of orders: at the ends the shortfall of every mechanism is known.

    Where there are none, one in the middle with no multipliers.
    """
    low, high = objective.orders
    if low == high:
        return nodes
    orders, first = np.unique(with_complement(nodes.orders), return_index=True)
    kept = (orders > low) & (orders < high)
    if kept.any():
        return Nodes(orders[kept], nodes.rows[first[kept]], nodes.budget[first[kept]])
    return Nodes(np.array([(low + high) / 2.0]), 0.0 * nodes.rows[:1], 0.0 * nodes.budget[:1])


def between_orders(objective: Searched, orders: Array, most: Array, logs: float) -> Array:
    """Return a bound on the exponent over each interval that the orders cut the range into, shape (k + 1,).

    Parameters
    ----------
    orders : ndarray, shape (k,)
        Rising, inside of the range, each with an exact complement; the one order of an objective that has one.
    most : ndarray, shape (k,)
        A bound on the shortfall of every mechanism at each.
    logs : float
        The largest ``|ln(s_y / p_y)|`` of a column.
    """
    if objective.orders[0] == objective.orders[1]:
        return objective.at(most, orders)
    low, high = np.concatenate([[0.0], orders]), np.concatenate([orders, [1.0]])
    at_low, at_high = np.concatenate([[np.inf], most]), np.concatenate([most, [np.inf]])
    bounds = [
        np.maximum(objective.at(OUTWARD * first, low), objective.at(OUTWARD * last, high))
        for first, last in _lines(low, high, at_low, at_high, logs)
    ]
    return np.asarray(np.min(bounds, axis=0))


def _lines(low: Array, high: Array, at_low: Array, at_high: Array, logs: float) -> Iterator[tuple[Array, Array]]:
    """Yield lines above the shortfall over each interval, by their values at its ends; infinite if no line lies above.

    Along each the exponent has its maximum at an end.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # Concave and nowhere negative: S / (1 - t) never falls, S / t never rises.
        yield np.where(high < 1, at_high * (1.0 - low) / (1.0 - high), np.inf), at_high
        yield at_low, np.where(low > 0, at_low * high / low, np.inf)
        ends = [2.0 / (t * (1.0 - t)) * np.exp(logs * np.abs(2.0 * t - 1.0) / 3.0) for t in (low, high)]
        left = 1.0 - np.maximum(*ends) * (high - low) ** 2 / 8.0
        usable = left > LEAST_LEFT
        first, last = (np.where(usable, side / np.where(usable, left, 1.0), np.inf) for side in (at_low, at_high))
        yield first, last
