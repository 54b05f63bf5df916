"""Route `rays`: the linear program over extreme rays, exact for every sublinear utility and polyhedral notion."""

from __future__ import annotations

import numpy as np

from mechdesign.domains import Array
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Rays
from mechdesign.objectives import Linear
from mechdesign.objectives.base import is_separable
from mechdesign.objectives.exponent import Exponent
from mechdesign.solve.backends import LinearProgram, solve_linear
from mechdesign.solve.bounds.revealing import by_output
from mechdesign.solve.bounds.support import all_rays
from mechdesign.solve.task import Candidate, Clock, Route, Task, used
from mechdesign.tolerances import RAY_LIMIT


def refusal(task: Task) -> str | None:
    """Return why the route cannot answer, or None."""
    if task.subject_to is not None:
        return "constraints of your own need the convex route"
    if isinstance(task.objective, Exponent):
        return f"{task.objective.name} is the largest over an order, which the route orders searches over the rays"
    if not is_separable(task.objective):
        return f"{task.objective.name} is no sum over columns, so its optimum need not use extreme rays"
    if not task.notion.polyhedral:
        return f"the columns of {task.notion.name} are a cone with a curved side, whose extreme rays are no finite list"
    count = task.notion.ray_count(task.problem)
    if count is not None and count > RAY_LIMIT:
        return f"{task.notion.name} has up to {count:.3g} extreme rays for {task.problem.n} inputs (limit {RAY_LIMIT})"
    if all_rays(task.notion, task.problem) is None:
        return f"the cone of {task.notion.name} for {task.problem.n} inputs is too large to enumerate its rays"
    return None


def solve(task: Task) -> Candidate:
    """Maximise ``sum_r w_r mu(r)`` over weights with ``sum_r w_r r = 1`` and the budget."""
    from scipy.sparse import csr_array

    clock = Clock()
    objective = task.objective
    assert is_separable(objective), "refusal() was asked first"
    rays = all_rays(task.notion, task.problem)
    assert rays is not None, "refusal() was asked first"
    utility = objective.column_utility(rays.columns, task.problem)
    scale = float(np.abs(utility).max()) or 1.0
    budget = task.notion.budget(task.problem)
    rows = np.vstack([rays.columns, rays.cost])
    n = task.problem.n
    low, high = np.ones(len(rows)), np.concatenate([np.ones(n), budget.limits])
    low[n:] = -np.inf
    program = LinearProgram(-utility / scale, csr_array(rows), low, high)
    clock.lap("build")
    found = solve_linear(program, task.solver or "HIGHS", time_limit=task.time_left(), verbose=task.solver_verbose)
    clock.lap("solve")
    duals = -found.multipliers * scale
    multipliers = Multipliers(duals[:n], np.maximum(duals[n:], 0.0))
    matrix = _matrix(np.maximum(found.point, 0.0), rays, task)
    return Candidate(matrix, multipliers, found.stats, clock.timings, f"over {rays.columns.shape[1]} rays")


def _matrix(weights: Array, rays: Rays, task: Task) -> Array:
    kept = weights > 0
    columns = rays.columns[:, kept] * weights[kept]
    if not is_separable(task.objective) or task.objective.gains(task.problem) is None:
        return columns
    matrix = by_output(columns, task.objective, task.notion, task.problem)
    return matrix if isinstance(task.objective, Linear) else used(matrix)


ROUTE = Route("rays", ("HIGHS", "CLARABEL"), refusal, solve)
