"""Exponents by one design for each of some orders: for notions whose extreme rays are too many to list.

At a fixed order the shortfall is a utility of ratio type, which other routes maximise. Bounds at the orders bound it
between them, as it is concave in the order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives.exponent import Searched
from mechdesign.runtime.deadline import in_share, is_late, require_time
from mechdesign.solve.certificate.between_orders import (
    largest_log,
    reversed_divergence,
    with_complement,
)
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.routes import columns, directions, mixture, quantised
from mechdesign.solve.search.designs_by_order import OF_DESIGN, ROUGH, DesignsByOrder, task_at
from mechdesign.solve.task import Candidate, Ending, Plan, Refusal, Route, Size, Task, stopping

#: The routes that are asked for the design at an order; `directions` last, as it takes the longest.
ROUTES: tuple[Route, ...] = (quantised.ROUTE, columns.ROUTE, mixture.ROUTE, directions.ROUTE)
#: Designs at the best order of the one before; designs at most.
REPEATED, MOST_DESIGNS = 4, 60
#: The least order that is designed for, and how far the largest is from 1: there are no divergences of order 0 and 1.
LEAST_ORDER = 2.0**-52
#: Share of the time allowed that the route takes itself: repair and certificate come after it.
OWN_TIME = 0.7


def plan(objective: Searched, task: Task) -> Plan | Refusal:
    """Return how the exponent is designed for order by order, or why it cannot be."""
    inner = task_at(task, objective, 0.5, task.gap)
    refusals = []
    for route in ROUTES:
        found = route.asked(inner)
        if isinstance(found, Plan):
            logs = largest_log(task.notion, objective, task.problem)
            if logs is None:
                return Refusal(
                    "an output can come from one hypothesis alone, so that some orders bound none between them"
                )
            return Plan(partial(_searched, objective, route, logs), route.preferred(found))
        refusals.append(f"{route.name}: {found.why}")
    return Refusal(f"no route answers at a fixed order ({'; '.join(refusals)})")


def _searched(objective: Searched, route: Route, logs: float, task: Task, solver: str) -> Candidate:
    """Design at the best order of the last design, then where the bound is widest, until all is bounded.

    `logs` is the largest logarithm of a column's ratio.
    """
    search = DesignsByOrder(task, objective, route, solver, logs)
    nothing = _vanishing(search, objective) if objective.vanishing_rate > 0 else None
    if nothing is not None:
        return nothing
    with in_share(OWN_TIME), stopping(task, lambda: bool(search.shown)) as ending:
        for gap in (ROUGH, task.gap) if task.gap < ROUGH else (task.gap,):
            search.go_on_to(gap)
            if not _closed_in(search, ending):
                break
    return search.candidate(ending, ending.interrupted)


def _closed_in(search: DesignsByOrder, ending: Ending) -> bool:
    """Design at order after order until the gap is as narrow as is asked next; return whether there is time left."""
    for order in _orders(search):
        if search.shown and (is_late() or search.count >= MOST_DESIGNS):
            return False
        require_time("the exponent was designed for at its first order")
        # Far from the best order less is enough: the exponent falls with the square of the distance.
        rough = 0.5 * (order - search.order) ** 2 if search.shown else 0.0
        if search.design(order, max(OF_DESIGN * search.gap, rough)):
            ending.said = "interrupted"
            return False
    return True


def _vanishing(search: DesignsByOrder, objective: Searched) -> Candidate | None:
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


def _orders(search: DesignsByOrder) -> Iterator[float]:
    """Yield the orders to design for."""
    if search.objective.orders[0] == search.objective.orders[1]:
        if search.objective.orders[0] not in search.found:
            yield search.objective.orders[0]
        return
    for _ in range(REPEATED):
        best = min(max(float(with_complement(search.order)), LEAST_ORDER), 1.0 - LEAST_ORDER)
        if best in search.found:
            break
        yield best
        if min(abs(search.order - order) for order in search.found) <= 0.5 * search.width:
            break
    while (order := search.widest()) is not None:
        yield order


def size(task: Task) -> Size:
    """Return the size of the design at one order."""
    if not isinstance(task.objective, Searched):
        return Size()
    inner = task_at(task, task.objective, 0.5, task.gap)
    for route in ROUTES:
        if isinstance(route.asked(inner), Plan):
            return route.size(inner)
    return Size()
