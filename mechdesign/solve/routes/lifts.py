"""Route `lifts`: mutual information and histogram MMSE under LIP and its kin, over full sets with one fractional input.

The gap is certified by chords and need not close: it shrinks with the largest atom of the prior.
"""

from __future__ import annotations

from functools import partial
from operator import itemgetter

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Separable
from mechdesign.objectives.base import is_separable
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.bounded_lift import Lifts, has_majorant, lifts, majorant
from mechdesign.solve.pricing.support import support
from mechdesign.solve.programs.column_weights import made, weighed_by_gain
from mechdesign.solve.programs.nearest_weights import nearest_weights
from mechdesign.solve.resources.effort import too_slow
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.routes import rays
from mechdesign.solve.search.lift_columns import by_tiers, in_sequence
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, stopping
from mechdesign.tolerances import MERGE_LOSS, RAY_LIMIT

#: Rounds of columns that the multipliers ask for, how many may pass without a gain, and what share of it counts as one.
MOST_ROUNDS, PATIENCE, LEAST_GAIN = 12, 3, 1e-5
#: Columns drawn by tiers for each input, and at least; and what their smallest tier has at least, of the next input.
DRAWN, FEWEST, LEAST_ROOM = 3, 1500, (2.0, 20.0)
#: Entries of the columns up to which their weights are found by a linear program: the nearest weights do beyond.
MOST_ENTRIES = 1 << 20
#: What rounding may take of the utility where there are many more outputs than inputs.
OF_MANY = 1e-8


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot: also where the rays are so few that their program is exact."""
    count = task.notion.ray_count(task.problem)
    few = count is not None and count <= RAY_LIMIT and too_slow(task, rays.size(task)) is None
    found = of_any_size(task)
    if not few or isinstance(found, Refusal):
        return found
    return Refusal(f"there are at most {count:.3g} extreme rays, so the route rays is exact, as this one need not be")


def of_any_size(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot, however few the extreme rays are."""
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
    pool = [constant]
    # The repair may cost as much again.
    rounds, since, enough = 0, 0, max(MERGE_LOSS, 0.5 * task.gap)
    with stopping(task, lambda: True) as ending:
        for least in LEAST_ROOM:
            drawn, near = by_tiers(bounds, max(DRAWN * problem.n, FEWEST), least)
            pool.append(drawn)
            weights = nearest_weights(drawn, near)
            stages.lap("build")
            if weights is not None:
                found, utility = made(objective, problem, drawn, weights)
                best, reached = max((best, reached), (found, utility * (1.0 - OF_MANY)), key=itemgetter(1))
            task.report_utility(rounds, reached, float(above.sum()))
            if is_late() or not above.sum() - reached > enough * abs(reached):
                break
        columns = np.hstack(pool)
        few = columns.size <= MOST_ENTRIES
        if few and not is_late() and above.sum() - reached > enough * abs(reached):
            columns = np.hstack([columns, in_sequence(bounds)])
        while few and rounds < MOST_ROUNDS and since < PATIENCE and not is_late():
            if not above.sum() - reached > enough * abs(reached):
                break
            weights, lam, stats = weighed_by_gain(task, objective, columns, solver)
            rounds += 1
            before, taken = reached, columns[:, weights > 0]
            best, reached = max((best, reached), made(objective, problem, columns, weights), key=itemgetter(1))
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


def size(task: Task) -> Size:
    """Return the size of columns that fill their lifts: made and loaded before the solver looks at the clock."""
    return Size(bytes_of("sets", task.problem.n**2), first=seconds_of("lifts", task.problem.n**2))


ROUTE = Route("lifts", of_linear_programs, plan, size)
