"""Route `lifts`: mutual information and histogram MMSE under LIP and its kin, over full sets with one fractional input.

The gap is certified by chords and need not close: it shrinks with the largest atom of the prior.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Separable
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.solve.limits.effort import too_slow
from mechdesign.solve.limits.measurements import bytes_of, seconds_of
from mechdesign.solve.pricing.bounded_lift import Lifts, has_majorant, lifts, majorant
from mechdesign.solve.pricing.support import support
from mechdesign.solve.routes import rays
from mechdesign.solve.solvers.backends import LinearProgram, SolverStats, solve_linear
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, stopping
from mechdesign.tolerances import MERGE_LOSS, RAY_LIMIT

#: Rounds of columns that the multipliers ask for, how many may pass without a gain, and what share of it counts as one.
MOST_ROUNDS, PATIENCE, LEAST_GAIN = 12, 3, 1e-5
#: Random orders of the inputs in which columns are filled.
ORDERS = 3


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot: also where the rays are so few that their program is exact."""
    count = task.notion.ray_count(task.problem)
    few = count is not None and count <= RAY_LIMIT and too_slow(task, rays.size(task)) is None
    found = of_any_size(task)
    if not few or isinstance(found, Refusal):
        return found
    return Refusal(f"there are at most {count:.3g} extreme rays, so the route rays is exact, as this one need not be")


def of_any_size(task: Task) -> Plan | Refusal:
    """Return the same plan however few the extreme rays are."""
    objective, bounds = task.objective, lifts(task.notion, task.problem)
    if not is_separable(objective) or not has_majorant(objective) or bounds is None:
        return Refusal(
            "it answers mutual information and histogram MMSE under bounds of the lift, such as LIP and MaxLift"
        )
    return Plan(partial(_over_columns, objective, bounds))


def _over_columns(objective: Separable, bounds: Lifts, task: Task, solver: str) -> Candidate:
    """Weigh columns of the cone, and add those that its support function gives at their supporting functionals."""
    stages, problem = Stages(), task.problem
    above, constant = majorant(bounds, objective), np.ones((problem.n, 1))
    best, stats = constant, SolverStats(solver, "not needed", 0.0, 0)
    reached = float(objective.column_utility(best, problem).sum())
    columns = np.hstack([constant, _filled(bounds)])
    stages.lap("build")
    rounds = since = 0
    with stopping(task, lambda: True) as ending:
        while rounds < MOST_ROUNDS and since < PATIENCE and not task.late:
            if not above.sum() - reached > MERGE_LOSS * abs(reached):
                break
            weights, lam, stats = _weighted(task, objective, columns, solver)
            rounds += 1
            before, taken = reached, columns[:, weights > 0]
            found = taken * weights[weights > 0]
            utility = float(objective.column_utility(found, problem).sum())
            if utility > reached:
                best, reached = found, utility
            stages.lap("solve")
            task.report_utility(rounds, reached, float(above.sum()))
            since = 0 if reached - before > LEAST_GAIN * reached else since + 1
            asked = objective.supporting(taken, problem).T
            # Where the cone is largest along a column's tangent the utility is at least as large again.
            columns = np.hstack([columns, support(task.notion, problem, asked - lam).columns])
            columns = columns[:, np.sort(np.unique(np.round(columns, 9), axis=1, return_index=True)[1])]
            stages.lap("price")
    note = f"over {columns.shape[1]} columns, {rounds} rounds{ending}"
    return Candidate(best, Multipliers(above), stats, stages.timings, note, ending.interrupted)


def _filled(bounds: Lifts) -> Array:
    """Return the columns of mass one that fill the inputs to their largest lift, from each start of some orders."""
    prior, low, n = bounds.prior, bounds.low, len(bounds.prior)
    rng = np.random.default_rng(n)
    orders = [np.arange(n), np.argsort(-prior, kind="stable"), *(rng.permutation(n) for _ in range(ORDERS))]
    room = prior * (bounds.high - low)
    found = []
    for order in orders:
        # Row s starts at the s-th input of the order and goes round.
        circle = order[(np.arange(n)[:, None] + np.arange(n)) % n]
        sizes = room[circle]
        before = sizes.cumsum(axis=1) - sizes
        share = np.divide(1.0 - low - before, sizes, out=np.zeros_like(sizes), where=sizes > 0)
        columns = np.empty((n, n))
        np.put_along_axis(columns, circle, low + (bounds.high - low)[circle] * np.clip(share, 0.0, 1.0), axis=1)
        found.append(columns.T)
    return np.hstack(found)


def _weighted(task: Task, objective: Separable, columns: Array, solver: str) -> tuple[Array, Array, SolverStats]:
    from scipy.sparse import csr_array

    # What is told without any report is the same for all mechanisms, and may hide what is gained beside it.
    idle = objective.supporting(np.ones((task.problem.n, 1)), task.problem)[:, 0]
    gained = objective.column_utility(columns, task.problem) - idle @ columns
    scale = float(np.abs(gained).max()) or 1.0
    sums = np.ones(task.problem.n)
    program = LinearProgram(-gained / scale, csr_array(columns), sums, sums)
    found = solve_linear(program, solver, time_limit=task.time_left(), verbose=task.solver_verbose)
    return np.maximum(found.point, 0.0), idle - found.multipliers * scale, found.stats


def size(task: Task) -> Size:
    """Return the size of columns that fill their lifts: made and loaded before the solver looks at the clock."""
    return Size(bytes_of("sets", task.problem.n**2), first=seconds_of("lifts", task.problem.n**2))


ROUTE = Route("lifts", ("HIGHS", "CLARABEL"), plan, size)
