"""Route `orders`: exponents, by linear programs over extreme rays at the orders that matter.

Where the rays are too many, by designs of a divergence at such orders: `order_by_order`.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives.exponent import Searched, divergence, infinite, log_ratios
from mechdesign.objectives.han_kobayashi_exponent import HanKobayashiExponent
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.exponents import Nodes, Table, cells, is_listed, table, vanishes
from mechdesign.solve.resources.programs import rays_bytes
from mechdesign.solve.routes import order_by_order
from mechdesign.solve.search.order_programs import Search, Vertex
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Task, stopping

#: Orders of the first round, spread over the range.
FIRST_ORDERS = 9
#: Orders at most: the width of the intervals halves in each round, and few of them stay open.
MOST_ORDERS = 600
#: Halvings of the order at which the exchange of order and weights is tight.
HALVINGS = 50
#: Totals are known up to this share: the solver's tolerance.
COMPLETE = 1e-9


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    objective = task.objective
    if not isinstance(objective, Searched | HanKobayashiExponent):
        return Refusal(f"{objective.name} is not searched over an order")
    found = table(task.notion, objective, task.problem) if is_listed(task.notion, task.problem) else None
    if found is not None:
        return Plan(partial(_over_order, objective, found))
    if isinstance(objective, Searched):
        return order_by_order.plan(objective, task)
    return Refusal(f"the extreme rays of {task.notion.name} for {task.problem.n} inputs are too many or no finite list")


def _over_order(objective: Searched | HanKobayashiExponent, found: Table, task: Task, solver: str) -> Candidate:
    """Search the order: by branch and bound where it is maximised, by its saddle point where it is minimised."""
    search = Search(task, found, solver)
    if isinstance(objective, Searched):
        return _maximised(task, objective, search)
    return _minimised(task, objective, search)


def _maximised(task: Task, objective: Searched, search: Search) -> Candidate:
    if objective.vanishing_rate > 0:
        vanishing = _vanishing(objective, search)
        if vanishing is not None:
            return vanishing
    low, high = objective.orders
    found: dict[float, Vertex] = {}
    value, order, best = -np.inf, low, np.zeros(0)
    wanted = list(np.linspace(low, high, FIRST_ORDERS)) if high > low else [low]
    with stopping(task, lambda: bool(len(best))) as ending:
        while True:
            for t in wanted:
                vertex = search.best(_terms(objective, search.table, t))
                own, reached = objective.best(*search.pair(vertex.weights))
                _require_finite(objective, vertex.total, t, reached)
                found[t] = vertex
                if reached > value:
                    value, order, best = reached, own, vertex.weights
                if is_late():
                    break
            nodes = _nodes(found)
            bounds, roundings = cells(objective, search.table, nodes)
            search.stages.lap("price")
            task.report(len(found), value, float(bounds.max()))
            open_ = bounds > value + search.asked(value) + 2.0 * roundings
            middles = (nodes.orders[:-1] + nodes.orders[1:]) / 2.0
            wanted = [float(t) for t in middles[open_[: len(middles)]]]
            if np.abs(nodes.orders - order).min() > 1e-3 * np.diff(nodes.orders).max(initial=0.0):
                # The next vertex at the best order of this one is better still, or as good.
                wanted.append(order)
            wanted = [t for t in dict.fromkeys(wanted) if t not in found]
            if not open_.any() or not wanted or is_late() or len(found) > MOST_ORDERS:
                break
    nearest, nodes = found[min(found, key=lambda t: abs(t - order))], _nodes(found)
    lines = np.column_stack([nodes.orders, nodes.rows, nodes.budget])
    return search.candidate(best, Multipliers(nearest.rows, nearest.budget, by_order=lines), order, ending)


def _vanishing(objective: Searched, search: Search) -> Candidate | None:
    """Return a mechanism where the rate is beyond every ``D(s || p)``: all have the exponent 0 then."""
    terms = divergence(search.table.s, search.table.p, -search.table.apart)
    if not np.all(np.isfinite(terms)):
        return None
    vertex = search.best(terms)
    shown = _multipliers({1.0: vertex}, 1.0)
    return search.candidate(vertex.weights, shown, 1.0) if vanishes(objective, search.table, shown) else None


def _terms(objective: Searched, found: Table, order: float) -> Array:
    terms = objective.shortfalls(found.p, found.s, np.array([order]), found.apart)[0]
    if not np.all(np.isfinite(terms)):
        raise infinite(objective)
    return np.asarray(terms)


def _require_finite(objective: Searched, total: float, order: float, reached: float) -> None:
    """Refuse an exponent that some mechanism makes infinite (at the edge of that, no bound can be shown)."""
    bare = float(objective.at(np.array([total * (1.0 + COMPLETE)]), np.array([order]))[0])
    if not np.isfinite(reached) or bare == np.inf:
        raise infinite(objective)


def _nodes(found: dict[float, Vertex]) -> Nodes:
    orders = sorted(found)
    rows, budget = ([getattr(found[t], name) for t in orders] for name in ("rows", "budget"))
    return Nodes(np.array(orders), np.array(rows), np.array(budget))


def _minimised(task: Task, objective: HanKobayashiExponent, search: Search) -> Candidate:
    """Find the order at which the least exponent over mechanisms is largest, and mix what is best on its two sides."""
    p, s = search.table.p, search.table.s
    alone = (p <= 0) & (s > 0)
    sides = [Vertex(np.zeros(0), np.zeros(task.problem.n), np.zeros(len(search.table.limits)), 0.0)] * 2
    if alone.any():
        # With such an output the exponent is 0, and none is less.
        sides = [search.best(np.where(alone, s, 0.0))] * 2
        if sides[0].total > COMPLETE:
            return search.candidate(sides[0].weights, _multipliers({0.0: sides[0]}, 0.0), 0.0)
    kept = ~alone
    p, s = np.where(kept, p, 0.0), np.where(kept, s, 0.0)
    low, high = 0.0, 1.0
    sides = [search.best(_at(p, s, objective, low)), search.best(_at(p, s, objective, high))]
    shown = {low: sides[0], high: sides[1]}
    if not objective.rises(*search.pair(sides[0].weights), low):
        return search.candidate(sides[0].weights, _multipliers(shown, low), low)
    if sides[1].total > COMPLETE and not _falls_at_end(objective, search, sides[1]):
        return search.candidate(sides[1].weights, _multipliers(shown, high), high)
    with stopping(task, lambda: True) as ending:
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            vertex = search.best(_at(p, s, objective, middle))
            shown[middle] = vertex
            if objective.rises(*search.pair(vertex.weights), middle):
                low, sides[0] = middle, vertex
            else:
                high, sides[1] = middle, vertex
            if is_late():
                break
    weights = _mixed(objective, search, sides[0].weights, sides[1].weights, low)
    return search.candidate(weights, _multipliers({t: shown[t] for t in (low, high)}, low), low, ending)


def _at(p: Array, s: Array, objective: HanKobayashiExponent, order: float) -> Array:
    """Return the terms whose sum is largest where the exponent at `order` is least, or grows least at either end."""
    if order <= 0:
        return divergence(s, p)
    largest = float(log_ratios(p, s)[1].max())
    if order >= 1:
        return np.where(s >= p * np.exp(largest) * (1.0 - 1e-12), p, 0.0)
    return objective.powers(p, s, order, largest)[0]


def _falls_at_end(objective: HanKobayashiExponent, search: Search, vertex: Vertex) -> bool:
    """Return whether the exponent of a vertex falls towards order 1: then its best order lies before."""
    weights, ratios = log_ratios(*search.pair(vertex.weights))
    at_top = ratios >= ratios.max() - 1e-12
    return bool(objective.rate + np.log(weights[at_top].sum()) < 0)


def _mixed(objective: HanKobayashiExponent, search: Search, first: Array, second: Array, order: float) -> Array:
    """Return the mixture of two vertices that are both best at `order` whose exponent is largest just there."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        share = (low + high) / 2.0
        rises = objective.rises(*search.pair((1.0 - share) * first + share * second), order)
        low, high = (share, high) if rises else (low, share)
    return (1.0 - low) * first + low * second


def _multipliers(shown: dict[float, Vertex], order: float) -> Multipliers:
    lines = [np.concatenate([[t], vertex.rows, vertex.budget]) for t, vertex in sorted(shown.items())]
    return Multipliers(shown[order].rows, shown[order].budget, by_order=np.array(lines))


def size(task: Task) -> Size:
    """Return the size of a program over the rays, of one over decisions where these are too many."""
    if not is_listed(task.notion, task.problem):
        return order_by_order.size(task)
    return Size(rays_bytes(task))


ROUTE = Route("orders", of_linear_programs, plan, size, size_first=True)
