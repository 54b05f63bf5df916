"""An exponent's designs at one order after another, with what they bound: which order is next, and the best so far."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives.exponent import Searched, infinite
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.between_orders import at_order, between_orders, with_complement
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.certificate.claims import span
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Route, Stages, Task
from mechdesign.tolerances import SPAN_SHARE

#: Shares of the gap that the designs, their pricing and the orders in between may take.
OF_DESIGN, OF_PRICING, OF_ORDERS = 0.25, 0.02, 0.5
#: Intervals of orders are cut no finer than this share of the distance at which the exponent falls by what is asked.
FINEST = 1.0 / 16.0
#: Gap that is reached first, where a narrower one is asked.
ROUGH = 1e-3


def task_at(task: Task, objective: Searched, order: float, gap: float) -> Task:
    """Return the task at a fixed order, whose objective is a divergence; it starts from nothing and reports nothing."""
    return replace(task, objective=at_order(objective, order)[0], gap=gap, warm_start=None, say=None)


@dataclass
class DesignsByOrder:
    """The orders that have been designed for, with the bound on the shortfall at each, and the best mechanism."""

    task: Task
    objective: Searched
    route: Route
    solver: str
    logs: float
    stages: Stages = field(default_factory=Stages)
    stats: SolverStats = field(default_factory=lambda: SolverStats("FORMULA", "not needed", 0.0, 0))
    found: dict[float, tuple[float, Multipliers]] = field(default_factory=dict)
    #: Those orders that bound best so far, and how.
    shown: dict[float, tuple[float, Multipliers]] = field(default_factory=dict)
    bound: float = math.inf
    #: The gap that is reached next, and how many designs there were.
    gap: float = ROUGH
    count: int = 0
    value: float = -math.inf
    order: float = 0.5
    matrix: Array = field(default_factory=lambda: np.ones((1, 1)))

    def design(self, order: float, gap: float) -> bool:
        """Design for an order, to so wide a gap, and keep its bound; and its mechanism where that is the best.

        Return whether Ctrl-C ended it.
        """
        objective, problem = self.objective, self.task.problem
        inner = task_at(self.task, objective, order, gap)
        candidate = self.route.solve(inner, self.solver if self.solver in self.route.solvers else None)
        self.count += 1
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
        # What a solver has when it is stopped may be far from private.
        if reached > self.value and not (is_late() and self.shown):
            self.value, self.order, self.matrix = reached, own, matrix
        most = float(self.bounds().max())
        if most <= self.bound:
            self.bound, self.shown = most, dict(self.found)
        self.stages.lap("price")
        self.task.report(self.count, self.value, self.bound)
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
        return OF_ORDERS * self.gap * size

    def go_on_to(self, gap: float) -> None:
        """Ask for a narrower gap, and forget the orders at which the bound is too wide for it."""
        self.gap = gap
        most = np.array([shortfall for shortfall, _ in self.found.values()])
        kept = self.objective.at(most, np.array(list(self.found))) <= self.value + self.asked
        self.found = {order: self.found[order] for order, keep in zip(self.found, kept, strict=True) if keep}

    def widest(self) -> float | None:
        """Return an order inside of the interval whose bound is largest, None where none is wider than is asked.

        A bound may be wider the further its order is from the best, with the square of the distance: an interval
        whose ends are at distances of different size is cut at their geometric mean, any other in its middle.
        """
        orders, bounds = [0.0, *sorted(self.found), 1.0], self.bounds()
        at = int(bounds.argmax())
        if bounds[at] <= self.value + self.asked:
            return None
        low, high = orders[at], orders[at + 1]
        if high - low <= FINEST * self.width:
            # The bounds at its ends are too wide themselves.
            return None
        near, far = sorted(abs(end - self.order) for end in (low, high))
        away = max(near, 0.5 * self.width)
        order = (low + high) / 2.0
        if 4.0 * away < far and not low < self.order < high:
            order = self.order + math.copysign(math.sqrt(away * far), order - self.order)
        order = float(with_complement(order))
        return order if low < order < high else None

    @property
    def width(self) -> float:
        """How far from the best order the exponent falls by what is asked."""
        return math.sqrt(OF_ORDERS * self.gap)

    def candidate(self, ending: object, interrupted: bool) -> Candidate:
        """Return the best mechanism, with the multipliers at each order."""
        lines = []
        for order, (_, multipliers) in sorted(self.shown.items()):
            factor = at_order(self.objective, order)[1]
            lines.append(np.concatenate([[order], factor * multipliers.rows, factor * multipliers.budget]))
        nearest = lines[int(np.argmin([abs(line[0] - self.order) for line in lines]))][1:]
        n = self.task.problem.n
        multipliers = Multipliers(nearest[:n], nearest[n:], by_order=np.array(lines))
        note = f"at order {self.order:.6g}, {self.count} designs by the route {self.route.name}{ending}"
        return Candidate(self.matrix, multipliers, self.stats, self.stages.timings, note, interrupted)
