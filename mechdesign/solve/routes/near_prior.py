"""Route `near_prior`: mutual information and histogram MMSE under StrongL1 and StrongChiSquare, over weighted columns.

The gap is certified by a relaxation that bounds columns input by input, and need not close: it shrinks with the masses
of the inputs.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Separable
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.distance_from_prior import NearPrior
from mechdesign.solve.pricing.near_prior import near_prior
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.routes import rays
from mechdesign.solve.search.columns_near_prior import Source, source_of
from mechdesign.solve.search.weighed_columns import WeighedColumns
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, stopping

#: Columns drawn for each input, and at least: the nearest weights make a mechanism of them.
DRAWN, FEWEST = 2, 3000
#: Entries of the columns up to which their weights are found by a linear program, and columns for each input then.
MOST_ENTRIES, WEIGHED = 1 << 20, 30
#: Entries of the first columns up to which a linear program is tried where they have no nearest weights.
MOST_UNWEIGHED = 1 << 21
#: Shares of the solver's multipliers whose mixtures with those of the relaxation are priced.
MIXED = (0.5, 1.0)


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot: also where the rays are so few that their program is exact."""
    objective, near = task.objective, near_prior(task.notion, task.objective, task.problem)
    if not is_separable(objective) or near is None:
        return Refusal("it answers mutual information and histogram MMSE under StrongL1 and StrongChiSquare")
    answer = partial(_over_columns, objective, near, source_of(task.notion, objective, task.problem, near))
    return rays.better_than_bounded(task) or Plan(answer)


def _over_columns(objective: Separable, near: NearPrior, source: Source, task: Task, solver: str) -> Candidate:
    """Weigh columns, and add those that the multipliers of the weights ask for."""
    stages, best, n = Stages(), _Best(near), task.problem.n
    most = MOST_ENTRIES // n
    weighed = WeighedColumns(task, objective, solver, stages, best.bound)
    columns = weighed.best
    stages.lap("price")

    def more(before: Array, used: Array, claimed: Array) -> Array:
        if is_late():
            return before
        asked = source.more(claimed, used, weighed.progress.rounds, most)
        # Where there are too many those that are used stay.
        return np.hstack([before if before.shape[1] + asked.shape[1] <= most else used, asked])

    with stopping(task, lambda: True) as ending:
        columns, weights = source.first(max(DRAWN * n, FEWEST, min(WEIGHED * n, most)))
        weighed.take(columns, weights)
        stages.lap("build")
        weighed.progress.report()
        if columns.size <= (MOST_UNWEIGHED if weights is None else MOST_ENTRIES) and not is_late():
            columns = weighed.go_on(more(columns, columns[:, :0], best.rows), more, best.asked)
    note = f"over {columns.shape[1]} columns, {weighed.progress.rounds} rounds{ending}"
    return Candidate(weighed.best, Multipliers(best.rows), weighed.stats, stages.timings, note, ending.interrupted)


class _Best:
    """The multipliers of the rows whose bound is least: those of the relaxation, then better ones of solvers."""

    def __init__(self, near: NearPrior) -> None:
        self.near, self.rows = near, near.multipliers()
        self.bound = self._of(self.rows)

    def asked(self, claimed: Array) -> float:
        """Return the least bound once multipliers that a solver claims are tried, shape (n,), and mixtures of them."""
        for share in MIXED:
            mixed = self.rows + share * (claimed - self.rows)
            if not is_late() and (bound := self._of(mixed)) < self.bound:
                self.rows, self.bound = mixed, bound
        return self.bound

    def _of(self, rows: Array) -> float:
        return float(rows.sum()) + self.near.excess(rows)[0]


def size(task: Task) -> Size:
    """Return the size of the columns: made and loaded before the solver looks at the clock."""
    return Size(bytes_of("sets", task.problem.n**2), first=seconds_of("lifts", task.problem.n**2))


ROUTE = Route("near_prior", of_linear_programs, plan, size, is_exact=False)
