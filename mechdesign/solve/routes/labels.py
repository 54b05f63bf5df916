"""Route `labels`: information on a label by the best mechanism of the labels, for any number of inputs.

An input draws its label and reports as that label would. If the label is a function of the datum, nothing is better;
otherwise the bound is that of the labels, and the gap says what the draw may cost.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives.label import Seen
from mechdesign.objectives.label_information import INFORMATION
from mechdesign.parameters.checks import Array
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.pricing.label_space import seen_by_labels
from mechdesign.solve.resources.effort import too_slow
from mechdesign.solve.routes import directions, lifts, near_prior, rays, subsets
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, used, without_solver
from mechdesign.tolerances import RAY_COMFORT

#: The routes that are asked for the best mechanism of the labels.
ROUTES: tuple[Route, ...] = (rays.ROUTE, subsets.ROUTE, directions.ROUTE, lifts.ROUTE, near_prior.ROUTE)


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    seen = seen_by_labels(task.notion, task.objective, task.problem)
    if seen is None:
        return Refusal("it answers information on a label, if means of private rows are private")
    inner = replace(task, problem=seen.problem, objective=INFORMATION, warm_start=None, say=None)
    refusals = []
    for route in ROUTES:
        why = too_slow(inner, route.size(inner)) or route.refusal(inner)
        if why is None:
            return Plan(partial(_by_labels, route, inner, seen))
        refusals.append(f"{route.name}: {why}")
    return Refusal(f"no route answers for the labels ({'; '.join(refusals)})")


def _by_labels(route: Route, inner: Task, seen: Seen, task: Task, solver: str) -> Candidate:
    """Return the mechanism that draws a label, and multipliers that are means of the labels' own."""
    stages = Stages()
    found = route.solve(inner, None)
    stages.lap("solve")
    private = used(np.maximum(found.matrix, 0.0))
    private = private / private.sum(axis=1, keepdims=True)
    # Of the labels that have any mass.
    drawn = seen.channel * seen.problem.required_prior[:, None]
    drawn = np.where(drawn.sum(axis=0) > 0, drawn, 1.0 / len(drawn))
    matrix = (drawn / drawn.sum(axis=0)).T @ private
    rows = found.multipliers.rows
    bound = utility_bound(inner.notion, inner.objective, inner.problem, found.multipliers, 0.0).utility
    charged = float(found.multipliers.budget @ inner.columns.budget().limits)
    # Raised until they suffice for every column of the labels.
    rows = rows + max(bound - charged - float(rows.sum()), 0.0) * inner.columns.normal
    stages.lap("price")
    multipliers = Multipliers(seen.channel.T @ rows, found.multipliers.budget)
    note = f"each input reports as its label would, by what {route.name} finds for {inner.problem.n} labels"
    return Candidate(matrix, multipliers, found.stats, stages.timings, note, found.interrupted)


def first_of_all(task: Task) -> str | None:
    """Return why it is asked first where it answers: nothing is better, or there are too many rays to list."""
    table = task.objective.label_table
    if table is None:
        return None
    if is_function(table):
        return "the label is a function of the input, so the best mechanism of the labels is best"
    count = task.columns.ray_count()
    if count is None or count <= RAY_COMFORT:
        return None
    return "there are too many extreme rays to list, and few labels"


def is_function(table: Array) -> bool:
    """Return whether each datum has one label alone; `table` of shape (labels, data)."""
    return bool(np.all((table > 0).sum(axis=0) == 1))


def size(task: Task) -> Size:
    """Return none: the labels are few."""
    return Size()


ROUTE = Route("labels", without_solver, plan, size, first_of_all, is_exact=False)
