"""Route `orders`: exponents, by linear programs over extreme rays at the orders that matter.

Where the rays are too many, by designs of a divergence at such orders: `order_by_order`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.objectives.exponent import Searched, divergence, infinite, log_ratios
from mechdesign.objectives.han_kobayashi_exponent import HanKobayashiExponent
from mechdesign.objectives.hoeffding_exponent import HoeffdingExponent
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.claims import span
from mechdesign.solve.certificate.exponents import Nodes, Table, cells, is_listed, table, vanishes
from mechdesign.solve.limits.programs import rays_bytes
from mechdesign.solve.programs.column_weights import ColumnWeights
from mechdesign.solve.routes import order_by_order
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Ending, Plan, Refusal, Route, Size, Stages, Task, stopping
from mechdesign.tolerances import GAIN_GAP, SPAN_SHARE

#: Orders of the first round, spread over the range.
FIRST_ORDERS = 9
#: Orders at most: the width of the intervals halves in each round, and few of them stay open.
MOST_ORDERS = 600
#: Halvings of the order at which the exchange of order and weights is tight.
HALVINGS = 50
#: Totals are known up to this share: the solver's tolerance.
COMPLETE = 1e-9
#: Rows of a vertex sum to 1 up to this: far more than the solver's tolerance.
STOCHASTIC = 1e-6


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


@dataclass(frozen=True)
class Vertex:
    """The weights of the rays that are best at one order, with the multipliers that show it."""

    weights: Array
    rows: Array
    budget: Array
    #: The largest sum of the terms.
    total: float


@dataclass
class Search:
    """Solves ``max sum_r w_r terms_r`` over the weights of private mechanisms, again and again."""

    task: Task
    table: Table
    solver: str
    stages: Stages = field(default_factory=Stages)
    stats: SolverStats = field(default_factory=lambda: SolverStats("HIGHS", "not needed", 0.0, 0))
    count: int = 0

    def __post_init__(self) -> None:
        found, ones = self.table, np.ones(self.task.problem.n)
        self._program = ColumnWeights.of(found.rays.columns, ones, found.rays.cost, found.limits)
        self.stages.lap("build")

    def best(self, terms: Array) -> Vertex:
        """Return the vertex at which the sum of `terms` is largest."""
        found = self._program.best(terms, self.solver, verbose=self.task.solver_verbose)
        self.count += 1
        self.stats = SolverStats(
            found.stats.name,
            found.stats.status,
            self.stats.seconds + found.stats.seconds,
            self.stats.iterations + found.stats.iterations,
        )
        self.stages.lap("solve")
        weights = found.weights
        if not np.abs(self.table.rays.columns @ weights - 1.0).max() <= STOCHASTIC:
            # Where it is stopped on the way these are no probabilities, and exponents of them no numbers.
            said = found.stats.status
            raise SolverError(f"{self.solver} stopped without a mechanism ({said}).", status=said, iterate=weights)
        return Vertex(weights, found.of_sums, found.of_limits, float(weights @ terms))

    def pair(self, weights: Array) -> tuple[Array, Array]:
        """Return both distributions of the output."""
        kept = weights > 0
        return weights[kept] * self.table.p[kept], weights[kept] * self.table.s[kept]

    def candidate(
        self, weights: Array, multipliers: Multipliers, order: float, ending: Ending | None = None
    ) -> Candidate:
        """Return the mechanism of these weights, its outputs in the sequence of their likelihood ratio."""
        kept = np.flatnonzero(weights > 0)
        kept = kept[np.argsort(np.arctan2(self.table.s[kept], self.table.p[kept]), kind="stable")]
        matrix = self.table.rays.columns[:, kept] * weights[kept]
        ending = ending or Ending()
        note = f"at order {order:.6g}, over {self.table.p.size} rays, {self.count} programs{ending}"
        return Candidate(matrix, multipliers, self.stats, self.stages.timings, note, ending.interrupted)

    def asked(self, value: float) -> float:
        """Return how far value and bound may be apart."""
        task = self.task
        asked = 0.1 * task.gap * max(abs(value), SPAN_SHARE * span(task.objective, task.problem))
        if not 0.0 < value < np.inf or not isinstance(task.objective, Searched):
            return asked
        # An exponent gains all of its value: next to nothing of the span it is still to be near its bound.
        return min(asked, 0.1 * GAIN_GAP * value)


def _maximised(task: Task, objective: Searched, search: Search) -> Candidate:
    if isinstance(objective, HoeffdingExponent) and objective.rate > 0:
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


def _vanishing(objective: HoeffdingExponent, search: Search) -> Candidate | None:
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
