"""Route `lifts`: mutual information and histogram MMSE under LIP and its kin, over full sets with one fractional input.

The gap is certified by chords of the lift, which leave the less the smaller the largest atom of the prior, then by
chords over parts of its range, and need not close.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Separable
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, now, time_left
from mechdesign.solve.pricing.bounded_lift import Lifts, has_majorant, lifts, majorant
from mechdesign.solve.pricing.branched_lifts import excess_of_lifts
from mechdesign.solve.pricing.support import support
from mechdesign.solve.pricing.utility_of_lifts import utility_of_lifts
from mechdesign.solve.programs.nearest_weights import nearest_weights
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.routes import rays
from mechdesign.solve.search.lift_columns import by_tiers, in_sequence
from mechdesign.solve.search.weighed_columns import WeighedColumns
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, stopping

#: Columns drawn by tiers for each input, and at least; and what their smallest tier has at least, of the next input.
DRAWN, FEWEST, LEAST_ROOM = 3, 1500, (2.0, 20.0)
#: Entries of the columns up to which their weights are found by a linear program: the nearest weights do beyond.
MOST_ENTRIES = 1 << 20
#: What rounding may take of the utility where there are many more outputs than inputs.
OF_MANY = 1e-8
#: Rounds of columns at most; entries beyond which only those that are used stay.
MOST_ROUNDS, MOST_KEPT = 30, 1 << 21
#: To what share of the width that is left, and of the gap asked for, a round is priced.
OF_WIDTH, OF_GAP = 0.2, 0.1
#: The share of the time that is left which pricing for the certificate may take.
OF_TIME = 0.5


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot: also where the rays are so few that their program is exact."""
    found = of_any_size(task)
    return found if isinstance(found, Refusal) else rays.better_than_bounded(task) or found


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
    stages, problem, best = Stages(), task.problem, _Best(objective, bounds)
    weighed = WeighedColumns(task, objective, solver, stages, best.bound, MOST_ROUNDS)
    columns = weighed.best

    def bounded(claimed: Array) -> float:
        width = weighed.progress.width
        return best.asked(claimed, max(OF_WIDTH * width, OF_GAP * task.asked(weighed.reached)))

    def more(before: Array, used: Array, claimed: Array) -> Array:
        asked = objective.supporting(used, problem).T
        # Where the cone is largest along a column's tangent the utility is at least as large again.
        uphill = support(task.notion, problem, asked - claimed).columns
        return np.hstack([before if before.size <= MOST_KEPT else used, uphill, best.columns])

    with stopping(task, lambda: True) as ending:
        for least in LEAST_ROOM:
            drawn, near = by_tiers(bounds, max(DRAWN * problem.n, FEWEST), least)
            columns = np.hstack([columns, drawn])
            weights = nearest_weights(drawn, near)
            stages.lap("build")
            weighed.take(drawn, weights, OF_MANY)
            weighed.progress.report()
            if is_late() or weighed.is_near:
                break
        if columns.size <= MOST_ENTRIES and not (is_late() or weighed.is_near):
            columns = weighed.go_on(np.hstack([columns, in_sequence(bounds)]), more, bounded)
    note = f"over {columns.shape[1]} columns, {weighed.progress.rounds} rounds{ending}"
    return Candidate(weighed.best, Multipliers(best.rows), weighed.stats, stages.timings, note, ending.interrupted)


class _Best:
    """The multipliers of the rows whose bound is least: those of the chords, then better ones of solvers."""

    def __init__(self, objective: Separable, bounds: Lifts) -> None:
        self.bounds, self.utility = bounds, utility_of_lifts(objective)
        self.rows = majorant(bounds, objective)
        self.bound, self.columns = float(self.rows.sum()), np.zeros((len(self.rows), 0))

    def asked(self, claimed: Array, tolerance: float) -> float:
        """Return the least bound once multipliers that a solver claims are tried, shape (n,), to a tolerance."""
        assert self.utility is not None, "it knows the same objectives as majorant()"
        started = now()
        found = excess_of_lifts(self.bounds, self.utility, claimed, tolerance)
        self.columns, left = found.columns, time_left()
        bound = float(claimed.sum()) + found.bound
        if bound < self.bound and (left is None or now() - started <= OF_TIME * left):
            self.rows, self.bound = claimed, bound
        return self.bound


def size(task: Task) -> Size:
    """Return the size of columns that fill their lifts: made and loaded before the solver looks at the clock."""
    return Size(bytes_of("sets", task.problem.n**2), first=seconds_of("lifts", task.problem.n**2))


ROUTE = Route("lifts", of_linear_programs, plan, size)
