"""Route `rays`: the linear program over extreme rays, exact for every sublinear utility and polyhedral notion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import MaximalLeakage, Rays
from mechdesign.objectives import Linear, Separable
from mechdesign.objectives.base import is_separable
from mechdesign.objectives.exponent import Exponent
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import time_left
from mechdesign.solve.limits.measurements import seconds_of
from mechdesign.solve.limits.programs import OF_BANDS, rays_bytes
from mechdesign.solve.pricing.all_rays import rays_or_why
from mechdesign.solve.pricing.revealing_outputs import by_output
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram, LinearSolution, by_rows
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


def _over_rays(objective: Separable, rays: Rays, task: Task, solver: str) -> Candidate:
    """Maximise ``sum_r w_r mu(r)`` over weights with ``sum_r w_r r = 1`` and the budget."""
    stages = Stages()
    utility = objective.column_utility(rays.columns, task.problem)
    scale = float(np.abs(utility).max()) or 1.0
    budget = task.notion.budget(task.problem)
    rows = np.vstack([rays.columns, rays.cost])
    n = task.problem.n
    low, high = np.ones(len(rows)), np.concatenate([np.ones(n), budget.limits])
    low[n:] = -np.inf
    program = _OverRays(-utility / scale, rows, low, high)
    stages.lap("build")
    found = _solved(program, task, solver)
    stages.lap("solve")
    duals = -found.multipliers * scale
    multipliers = Multipliers(duals[:n], np.maximum(duals[n:], 0.0))
    matrix = _matrix(np.maximum(found.point, 0.0), rays, objective, task)
    return Candidate(matrix, multipliers, found.stats, stages.timings, f"over {rays.columns.shape[1]} rays")


@dataclass(frozen=True)
class _OverRays:
    """The program over all rays, dense: only what a solver is given is made sparse."""

    cost: Array
    rows: Array
    low: Array
    high: Array

    def over(self, chosen: npt.NDArray[np.intp] | None = None) -> LinearProgram:
        """Return the program over some of the rays, or over all."""
        cost, rows = (self.cost, self.rows) if chosen is None else (self.cost[chosen], self.rows[:, chosen])
        return LinearProgram(cost, by_rows(rows), self.low, self.high)


def _solved(program: _OverRays, task: Task, solver: str) -> LinearSolution:
    """Solve over all rays, by way of those that mattered at the last level of a frontier where there was one."""
    start, count = task.warm_start, len(program.cost)
    found = None
    # As many rays in the same order are those of the same sets of inputs, mostly; where they are not, it is longer.
    if start is not None and start.of_rays is not None and start.of_rays[0] == count >= LEAST_RAYS:
        found = _over_some(program, task, solver, start.of_rays[1])
    if found is None and count > RAYS_AT_ONCE:
        found = _over_some(program, task, solver, _first_few(program), MOST_PROGRAMS)
    if found is None:
        found = _by_solver(program.over(), task, solver)
    if start is not None:
        most = min(KEPT * len(program.rows), count)
        least = np.argpartition(_reduced(program, found.multipliers), most - 1)[:most]
        start.of_rays = count, np.union1d(least, np.flatnonzero(found.point > 0))
    return found


def _first_few(program: _OverRays) -> npt.NDArray[np.intp]:
    """Return the rays of the largest utility for their size, and others at even distances."""
    count = len(program.cost)
    best = np.argsort(program.cost / program.rows.sum(axis=0), kind="stable")[:BEST]
    return np.union1d(best, np.arange(0, count, count // EVEN))


def _over_some(
    program: _OverRays, task: Task, solver: str, chosen: npt.NDArray[np.intp], most: int = MOST_ROUNDS
) -> LinearSolution | None:
    """Return the solution over all columns, from programs over some to which those of negative cost are added.

    None where the programs fail, or are more than it takes to solve over all.
    """
    for _ in range(most):
        try:
            found = _by_solver(program.over(chosen), task, solver)
        except SolverError:
            return None
        reduced = _reduced(program, found.multipliers)
        missing = np.setdiff1d(np.flatnonzero(reduced < -SOLVER), chosen)
        if not len(missing):
            point = np.zeros(len(program.cost))
            point[chosen] = found.point
            return replace(found, point=point)
        worst = missing[np.argsort(reduced[missing])]
        chosen = np.union1d(chosen, worst[: max(len(program.rows), len(chosen))])
    return None


def _by_solver(program: LinearProgram, task: Task, solver: str) -> LinearSolution:
    return solve_linear(program, solver, time_limit=time_left(), verbose=task.solver_verbose)


def _reduced(program: _OverRays, multipliers: Array) -> Array:
    """Return each column's cost less what the rows' multipliers say that it is worth."""
    return np.asarray(program.cost - multipliers @ program.rows)


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
    known = isinstance(task.notion, (*OF_BANDS, MaximalLeakage))
    count, n = task.notion.ray_count(task.problem) if known else None, task.problem.n
    first = 0.0
    if count is not None and count <= RAY_LIMIT and n * count > 0:
        # Of many rays only some are in the first program.
        first = seconds_of("listed rays", n * count) + seconds_of("rays", n * min(count, RAYS_AT_ONCE))
    return Size(rays_bytes(task), first=first)


ROUTE = Route("rays", of_linear_programs, plan, size, size_first=True)
