"""Exponents by one design for each of some orders: for notions whose extreme rays are too many to list.

At a fixed order the shortfall is a utility of ratio type, which other routes maximise. Bounds at the orders bound it
between them, as it is concave in the order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives.exponent import Searched, infinite
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, require_time
from mechdesign.solve.certificate.between_orders import (
    at_order,
    between_orders,
    largest_log,
    reversed_divergence,
    with_complement,
)
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.certificate.claims import span
from mechdesign.solve.routes import columns, quantised
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, stopping
from mechdesign.tolerances import SPAN_SHARE

#: The routes that are asked for the design at an order; some twenty by `directions` would take many minutes.
ROUTES: tuple[Route, ...] = (quantised.ROUTE, columns.ROUTE)
#: Shares of the gap that the designs, their pricing and the orders in between may take.
OF_DESIGN, OF_PRICING, OF_ORDERS = 0.25, 0.02, 0.5
#: Designs at the best order of the one before; by what factor orders are further and further from the best.
REPEATED, FURTHER = 4, 3.0
#: The gap of the divergence at which the exponent is known to vanish or not.
ROUGH = 1e-3
#: Orders nearer to the ends of the range are not needed at first; orders at most.
FROM_ENDS, MOST_ORDERS = 0.05, 60


def plan(objective: Searched, task: Task) -> Plan | Refusal:
    """Return how the exponent is designed for order by order, or why it cannot be."""
    inner = _at(task, objective, 0.5, task.gap)
    refusals = []
    for route in ROUTES:
        found = route.asked(inner)
        if isinstance(found, Plan):
            if largest_log(task.notion, objective, task.problem) is None:
                return Refusal(
                    "an output can come from one hypothesis alone, so that some orders bound none between them"
                )
            return Plan(partial(_searched, objective, route), route.preferred(found))
        refusals.append(f"{route.name}: {found.why}")
    return Refusal(f"no route answers at a fixed order ({'; '.join(refusals)})")


def _at(task: Task, objective: Searched, order: float, gap: float) -> Task:
    return replace(task, objective=at_order(objective, order)[0], gap=gap, warm_start=None, say=None)


@dataclass
class _Search:
    """The orders that have been designed for, with the bound on the shortfall at each, and the best mechanism."""

    task: Task
    objective: Searched
    route: Route
    solver: str
    logs: float
    stages: Stages = field(default_factory=Stages)
    stats: SolverStats = field(default_factory=lambda: SolverStats("FORMULA", "not needed", 0.0, 0))
    found: dict[float, tuple[float, Multipliers]] = field(default_factory=dict)
    value: float = -math.inf
    order: float = 0.5
    matrix: Array = field(default_factory=lambda: np.ones((1, 1)))

    def design(self, order: float, gap: float) -> bool:
        """Design for an order, to so wide a gap, and keep its bound; and its mechanism where that is the best.

        Return whether Ctrl-C ended it.
        """
        objective, problem = self.objective, self.task.problem
        inner = _at(self.task, objective, order, gap)
        candidate = self.route.solve(inner, self.solver if self.solver in self.route.solvers else None)
        self.stages.lap("solve")
        before, self.stats = self.stats, candidate.stats
        self.stats = replace(
            self.stats,
            seconds=before.seconds + self.stats.seconds,
            iterations=before.iterations + self.stats.iterations,
        )
        matrix = np.maximum(candidate.matrix, 0.0)
        matrix = matrix / matrix.sum(axis=1, keepdims=True)
        utility = float(inner.objective.column_utility(matrix, problem).sum())  # type: ignore[attr-defined] # ratio type
        multipliers = candidate.multipliers
        bound = utility_bound(self.task.notion, inner.objective, problem, multipliers, OF_PRICING * gap * utility)
        factor = at_order(objective, order)[1]
        self.found[order] = factor * bound.utility, multipliers
        own, reached = objective.best(*objective.pair(matrix), objective.apart(matrix))
        if not math.isfinite(reached):
            raise infinite(objective)
        if reached > self.value:
            self.value, self.order, self.matrix = reached, own, matrix
        self.stages.lap("price")
        self.task.report(len(self.found), self.value, float(self.bounds().max()))
        return candidate.interrupted

    def bounds(self) -> Array:
        """Return the bound on the exponent between the orders."""
        orders = sorted(self.found)
        most = np.array([self.found[order][0] for order in orders])
        return between_orders(self.objective, np.array(orders), most, self.logs)

    @property
    def asked(self) -> float:
        """How far value and bound may be apart."""
        size = max(abs(self.value), SPAN_SHARE * span(self.objective, self.task.problem))
        return OF_ORDERS * self.task.gap * size

    def open_orders(self) -> Iterator[float]:
        """Yield an order inside of each interval whose bound is too wide, where there is another one."""
        orders = [0.0, *sorted(self.found), 1.0]
        for low, high, bound in zip(orders[:-1], orders[1:], self.bounds(), strict=True):
            middle = float(with_complement((low + high) / 2.0))
            if bound > self.value + self.asked and low < middle < high:
                yield middle

    def candidate(self, ending: object, interrupted: bool) -> Candidate:
        """Return the best mechanism, with the multipliers at each order."""
        lines = []
        for order in sorted(self.found):
            factor, (_, multipliers) = at_order(self.objective, order)[1], self.found[order]
            lines.append(np.concatenate([[order], factor * multipliers.rows, factor * multipliers.budget]))
        nearest = lines[int(np.argmin([abs(line[0] - self.order) for line in lines]))][1:]
        n = self.task.problem.n
        multipliers = Multipliers(nearest[:n], nearest[n:], by_order=np.array(lines))
        note = f"at order {self.order:.6g}, {len(self.found)} designs by the route {self.route.name}{ending}"
        return Candidate(self.matrix, multipliers, self.stats, self.stages.timings, note, interrupted)


def _searched(objective: Searched, route: Route, task: Task, solver: str) -> Candidate:
    """Design at the best order of the last design, then at orders further and further from it, until all is bounded."""
    logs = largest_log(task.notion, objective, task.problem)
    assert logs is not None, "the plan refuses where columns may have any ratio"
    search, gap = _Search(task, objective, route, solver, logs), OF_DESIGN * task.gap
    nothing = _vanishing(search, objective) if objective.vanishing_rate > 0 else None
    if nothing is not None:
        return nothing
    with stopping(task, lambda: bool(search.found)) as ending:
        for order in _orders(search, math.sqrt(OF_ORDERS * task.gap)):
            if search.found and (is_late() or len(search.found) >= MOST_ORDERS):
                break
            require_time("the exponent was designed for at its first order")
            # Far from the best order less is enough: the exponent falls with the square of the distance.
            if search.design(order, max(gap, 0.5 * (order - search.order) ** 2 if search.found else 0.0)):
                ending.said = "interrupted"
                break
    return search.candidate(ending, ending.interrupted)


def _vanishing(search: _Search, objective: Searched) -> Candidate | None:
    """Return a mechanism where the rate is beyond every ``D(s || p)``: all have the exponent 0 then."""
    task = search.task
    divergence = reversed_divergence(objective)
    inner = replace(task, objective=divergence, gap=ROUGH, warm_start=None, say=None)
    if not isinstance(search.route.asked(inner), Plan):
        return None
    candidate = search.route.solve(inner)
    rows, budget = candidate.multipliers.rows, candidate.multipliers.budget
    most = utility_bound(
        task.notion, divergence, task.problem, candidate.multipliers, ROUGH * objective.vanishing_rate
    ).utility
    if most > objective.vanishing_rate:
        return None
    line = np.concatenate([[1.0], rows, budget])[None, :]
    return replace(candidate, multipliers=Multipliers(rows, budget, by_order=line), note="no exponent is positive")


def _orders(search: _Search, width: float) -> Iterator[float]:
    """Yield the orders to design for."""
    if search.objective.orders[0] == search.objective.orders[1]:
        yield search.objective.orders[0]
        return
    for _ in range(REPEATED):
        best = float(with_complement(search.order))
        if best in search.found:
            break
        yield best
        if min(abs(search.order - order) for order in search.found) <= 0.5 * width:
            break
    best, away = search.order, 1.0
    while away > width:
        away /= FURTHER
        for order in with_complement(np.array([best - away, best + away])).tolist():
            if FROM_ENDS < order < 1.0 - FROM_ENDS and order not in search.found:
                yield order
    while wanted := list(search.open_orders()):
        yield from (order for order in wanted if order not in search.found)


def size(task: Task) -> Size:
    """Return the size of the design at one order."""
    if not isinstance(task.objective, Searched):
        return Size()
    inner = _at(task, task.objective, 0.5, task.gap)
    for route in ROUTES:
        if isinstance(route.asked(inner), Plan):
            return route.size(inner)
    return Size()
