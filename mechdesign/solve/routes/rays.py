"""Route `rays`: the linear program over extreme rays, exact for every sublinear utility and polyhedral notion."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Rays
from mechdesign.objectives import Linear, Separable
from mechdesign.objectives.base import is_separable
from mechdesign.objectives.exponent import Exponent
from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.all_rays import rays_or_why
from mechdesign.solve.pricing.revealing_outputs import by_output
from mechdesign.solve.programs.column_weights import ColumnWeights, Weighed
from mechdesign.solve.resources.effort import too_slow
from mechdesign.solve.resources.measurements import seconds_of
from mechdesign.solve.resources.programs import rays_bytes
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, used
from mechdesign.tolerances import RAY_LIMIT, SOLVER

#: Rays beyond which a program starts from some of them (34,842 of 16 inputs under LIP: 0.2 s, and 5 s at once).
RAYS_AT_ONCE = 8192
#: Fewer rays than this are solved over at once.
LEAST_RAYS = 200
#: Of more rays than are solved over at once: the best, and others at even distances, that the first program is over;
#: and the most programs.
BEST, EVEN, MOST_PROGRAMS = 500, 2000, 40
#: Rays that are kept from one level of a frontier to the next, for each row, and programs over some before all are.
KEPT, MOST_ROUNDS = 4, 8


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    objective = task.objective
    if isinstance(objective, Exponent):
        return Refusal(f"{objective.name} is the largest over an order, which the route orders searches over the rays")
    if not is_separable(objective):
        return Refusal(f"{objective.name} is no sum over columns, so its optimum need not use extreme rays")
    rays = rays_or_why(task.notion, task.problem)
    return Refusal(rays) if isinstance(rays, str) else Plan(partial(_over_rays, objective, rays))


def refusal_for_rays(task: Task) -> Refusal | None:
    """Return why a route whose gap need not close leaves the question to this one; None where there are many rays."""
    count = task.columns.ray_count()
    if count is None or count > RAY_LIMIT or too_slow(task, size(task)) is not None:
        return None
    return Refusal(f"there are at most {count:.3g} extreme rays, so the route rays is exact, as this one need not be")


def _over_rays(objective: Separable, rays: Rays, task: Task, solver: str) -> Candidate:
    """Maximise ``sum_r w_r mu(r)`` over weights with ``sum_r w_r r = 1`` and the budget."""
    stages = Stages()
    utility = objective.column_utility(rays.columns, task.problem)
    scale = float(np.abs(utility).max()) or 1.0
    budget = task.columns.budget()
    program = ColumnWeights.of(rays.columns, np.ones(task.problem.n), rays.cost, budget.limits)
    stages.lap("build")
    found = _solved(program, utility / scale, task, solver)
    stages.lap("solve")
    multipliers = Multipliers(found.of_sums * scale, found.of_limits * scale)
    matrix = _matrix(found.weights, rays, objective, task)
    return Candidate(matrix, multipliers, found.stats, stages.timings, f"over {rays.columns.shape[1]} rays")


def _solved(program: ColumnWeights, utility: Array, task: Task, solver: str) -> Weighed:
    """Solve over all rays, by way of those that mattered at the last level of a frontier where there was one."""
    start, count = task.warm_start, len(utility)
    found = None
    # As many rays in the same order are those of the same sets of inputs, mostly; where they are not, it is longer.
    if start is not None and start.of_rays is not None and start.of_rays[0] == count >= LEAST_RAYS:
        found = _over_some(program, utility, task, solver, start.of_rays[1])
    if found is None and count > RAYS_AT_ONCE:
        found = _over_some(program, utility, task, solver, _first_few(program, utility), MOST_PROGRAMS)
    if found is None:
        found = program.best(utility, solver, scale=1.0, verbose=task.solver_verbose)
    if start is not None:
        most = min(KEPT * len(program.rows), count)
        least = np.argpartition(_reduced(program, utility, found), most - 1)[:most]
        start.of_rays = count, np.union1d(least, np.flatnonzero(found.weights > 0))
    return found


def _first_few(program: ColumnWeights, utility: Array) -> npt.NDArray[np.intp]:
    """Return the rays of the largest utility for their size, and others at even distances."""
    count = len(utility)
    best = np.argsort(-utility / program.rows.sum(axis=0), kind="stable")[:BEST]
    return np.union1d(best, np.arange(0, count, count // EVEN))


def _over_some(
    program: ColumnWeights,
    utility: Array,
    task: Task,
    solver: str,
    chosen: npt.NDArray[np.intp],
    most: int = MOST_ROUNDS,
) -> Weighed | None:
    """Return the solution over all columns, from programs over some to which those that gain are added.

    None where the programs fail, or are more than it takes to solve over all.
    """
    for _ in range(most):
        try:
            found = program.over(chosen).best(utility[chosen], solver, scale=1.0, verbose=task.solver_verbose)
        except SolverError:
            return None
        reduced = _reduced(program, utility, found)
        missing = np.setdiff1d(np.flatnonzero(reduced < -SOLVER), chosen)
        if not len(missing):
            weights = np.zeros(len(utility))
            weights[chosen] = found.weights
            return replace(found, weights=weights)
        worst = missing[np.argsort(reduced[missing])]
        chosen = np.union1d(chosen, worst[: max(len(program.rows), len(chosen))])
    return None


def _reduced(program: ColumnWeights, utility: Array, found: Weighed) -> Array:
    """Return by how much each column is worth less than the multipliers price it at, shape (m,)."""
    return np.asarray(found.multipliers @ program.rows - utility)


def _matrix(weights: Array, rays: Rays, objective: Separable, task: Task) -> Array:
    kept = weights > 0
    columns = rays.columns[:, kept] * weights[kept]
    if objective.gains(task.problem) is None:
        return columns
    matrix = by_output(columns, objective, task.notion, task.problem)
    return matrix if isinstance(objective, Linear) else used(matrix)


def size(task: Task) -> Size:
    """Return the size of a program over some of the rays, all of which are listed."""
    # Of the other notions the count is an upper bound that few programs come near to.
    shape, n = task.columns, task.problem.n
    known = shape.banded or shape.around_mass or shape.sum_of_peaks is not None
    count = shape.ray_count() if known else None
    first = 0.0
    if count is not None and count <= RAY_LIMIT and n * count > 0:
        # Of many rays only some are in the first program.
        first = seconds_of("listed rays", n * count) + seconds_of("rays", n * min(count, RAYS_AT_ONCE))
    return Size(rays_bytes(task), first=first)


ROUTE = Route("rays", of_linear_programs, plan, size, size_first=True)
