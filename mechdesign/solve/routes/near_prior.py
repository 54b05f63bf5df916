"""Route `near_prior`: mutual information and histogram MMSE under StrongL1 and StrongChiSquare, over weighted columns.

The gap is certified by a relaxation that bounds columns input by input, and need not close: it shrinks with the masses
of the inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Separable
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.distance_from_prior import NearPrior
from mechdesign.solve.pricing.near_prior import near_prior
from mechdesign.solve.pricing.oracles import NEAR_PRIOR
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.routes import rays
from mechdesign.solve.search.bracket import Start, bracket, smoothed
from mechdesign.solve.search.columns_near_prior import Source, source_of
from mechdesign.solve.search.incumbent import Incumbent, incumbent
from mechdesign.solve.search.pooled_columns import PooledColumns, drawn
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Task

#: Columns drawn for each input, and at least: the nearest weights make a mechanism of them.
DRAWN, FEWEST = 2, 3000
#: Entries of the columns up to which their weights are found by a linear program, and columns for each input then.
MOST_ENTRIES, WEIGHED = 1 << 20, 30
#: Entries of the first columns up to which a linear program is tried where they have no nearest weights.
MOST_UNWEIGHED = 1 << 21
#: Rounds at most, how many may pass without a gain, and what share of the utility counts as one.
MOST_ROUNDS, PATIENCE, LEAST_GAIN = 12, 3, 1e-5
#: Shares of the solver's multipliers whose mixtures with those of the relaxation are priced.
MIXED = (0.5, 1.0)


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot: also where the rays are so few that their program is exact."""
    objective, near = task.objective, near_prior(task.notion, task.objective, task.problem)
    if not is_separable(objective) or near is None:
        return Refusal("it answers mutual information and histogram MMSE under StrongL1 and StrongChiSquare")
    answer = partial(_over_columns, objective, near, source_of(task.notion, objective, task.problem, near))
    return rays.refusal_for_rays(task) or Plan(answer)


def _over_columns(objective: Separable, near: NearPrior, source: Source, task: Task, solver: str) -> Candidate:
    """Weigh columns, and add those that the multipliers of the weights ask for."""
    best, master = (
        incumbent(task, MOST_ROUNDS, PATIENCE, LEAST_GAIN),
        PooledColumns(task, objective, solver, MOST_ENTRIES),
    )

    def more(matrix: Array, multipliers: Multipliers) -> Array:
        return source.more(multipliers.rows, master.used, best.rounds, MOST_ENTRIES // task.problem.n)

    starts = _starts(near, source, best, master)
    return bracket(best, master, NEAR_PRIOR, starts, between=smoothed(*MIXED), heuristic=more)


def _starts(
    near: NearPrior, source: Source, best: Incumbent[Array, Multipliers], master: PooledColumns
) -> Iterator[Start]:
    """Yield the relaxation's multipliers, drawn columns with their nearest weights, and columns of large excess."""
    yield Start(best.found, Multipliers(near.multipliers()))
    n = len(near.prior)
    most = MOST_ENTRIES // n
    columns, weights = source.first(max(DRAWN * n, FEWEST, min(WEIGHED * n, most)))
    yield Start(drawn(columns, weights).matrix)
    if columns.size > (MOST_UNWEIGHED if weights is None else MOST_ENTRIES):
        yield Start(columns=columns)
        return
    asked = source.more(best.shown.rows, master.used, 0, most)
    # Where there are too many, those that the multipliers ask for.
    yield Start(columns=asked if columns.shape[1] + asked.shape[1] > most else np.hstack([columns, asked]))


def size(task: Task) -> Size:
    """Return the size of the columns: made and loaded before the solver looks at the clock."""
    return Size(bytes_of("sets", task.problem.n**2), first=seconds_of("lifts", task.problem.n**2))


ROUTE = Route("near_prior", of_linear_programs, plan, size, is_exact=False)
