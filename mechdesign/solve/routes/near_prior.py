"""Route `near_prior`: mutual information and histogram MMSE under StrongL1 and StrongChiSquare, over weighted columns.

The gap is certified by a relaxation that bounds columns input by input, and need not close: it shrinks with the masses
of the inputs.
"""

from __future__ import annotations

from functools import partial
from operator import itemgetter

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Separable
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.columns_near_prior import near_prior
from mechdesign.solve.pricing.near_prior import NearPrior
from mechdesign.solve.programs.column_weights import made, weighed_by_gain
from mechdesign.solve.programs.nearest_weights import nearest_weights
from mechdesign.solve.resources.effort import too_slow
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.routes import rays
from mechdesign.solve.search.columns_near_prior import Source, source_of
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, stopping
from mechdesign.tolerances import MERGE_LOSS, RAY_LIMIT

#: Rounds of columns that the multipliers ask for, how many may pass without a gain, and what share of it counts as one.
MOST_ROUNDS, PATIENCE, LEAST_GAIN = 12, 2, 1e-5
#: Columns drawn for each input, and at least; and entries that columns have at most.
DRAWN, FEWEST, MOST_ENTRIES = 30, 1000, 1 << 20
#: Shares of the solver's multipliers whose mixtures with those of the relaxation are priced.
MIXED = (0.5, 1.0)


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot: also where the rays are so few that their program is exact."""
    objective, near = task.objective, near_prior(task.notion, task.objective, task.problem)
    if not is_separable(objective) or near is None:
        return Refusal("it answers mutual information and histogram MMSE under StrongL1 and StrongChiSquare")
    count = task.notion.ray_count(task.problem) if task.notion.polyhedral else None
    if count is not None and count <= RAY_LIMIT and too_slow(task, rays.size(task)) is None:
        return Refusal(
            f"there are at most {count:.3g} extreme rays, so the route rays is exact, as this one need not be"
        )
    return Plan(partial(_over_columns, objective, near, source_of(task.notion, objective, task.problem, near)))


def _over_columns(objective: Separable, near: NearPrior, source: Source, task: Task, solver: str) -> Candidate:
    """Weigh columns, and add those that the multipliers of the weights ask for."""
    stages, problem = Stages(), task.problem
    best, stats = np.ones((problem.n, 1)), SolverStats(solver, "not needed", 0.0, 0)
    reached = float(objective.column_utility(best, problem).sum())
    lam = near.multipliers()
    bound, rounds, since = lam.sum() + near.excess(lam)[0], 0, 0
    columns, enough = best, max(MERGE_LOSS, 0.5 * task.gap)
    most = max(MOST_ENTRIES // problem.n, 1)
    stages.lap("price")
    with stopping(task, lambda: True) as ending:
        columns, likely = source.first(min(max(DRAWN * problem.n, FEWEST), most))
        weights = nearest_weights(columns, likely)
        if weights is not None:
            best, reached = max((best, reached), made(objective, problem, columns, weights), key=itemgetter(1))
        columns = np.hstack([columns, source.more(lam, columns[:, :0], 0, most)])
        stages.lap("build")
        while rounds < MOST_ROUNDS and since < PATIENCE and not is_late():
            task.report_utility(rounds, reached, bound)
            if not bound - reached > enough * abs(reached):
                break
            weights, claimed, stats = weighed_by_gain(task, objective, columns, solver)
            rounds += 1
            before, used = reached, columns[:, weights > 0]
            best, reached = max((best, reached), made(objective, problem, columns, weights), key=itemgetter(1))
            since = 0 if reached - before > LEAST_GAIN * reached else since + 1
            stages.lap("solve")
            lam, bound = _better(near, lam, claimed, bound)
            columns = _with_more(source, columns, used, claimed, rounds, most)
            stages.lap("price")
    note = f"over {columns.shape[1]} columns, {rounds} rounds{ending}"
    return Candidate(best, Multipliers(lam), stats, stages.timings, note, ending.interrupted)


def _better(near: NearPrior, lam: Array, claimed: Array, bound: float) -> tuple[Array, float]:
    """Return the multipliers of the least bound, among those before, the solver's and mixtures, and the bound."""
    for share in MIXED:
        mixed = lam + share * (claimed - lam)
        if not is_late() and (found := mixed.sum() + near.excess(mixed)[0]) < bound:
            lam, bound = mixed, found
    return lam, bound


def _with_more(source: Source, columns: Array, used: Array, lam: Array, again: int, most: int) -> Array:
    """Return the columns and those that the multipliers ask for: those that are used stay where there are too many."""
    if is_late():
        return columns
    more = source.more(lam, used, again, most)
    found = np.hstack([columns, more])
    if found.shape[1] > most:
        found = np.hstack([used, more])
    return found[:, np.sort(np.unique(np.round(found, 9), axis=1, return_index=True)[1])]


def size(task: Task) -> Size:
    """Return the size of the columns: made and loaded before the solver looks at the clock."""
    return Size(bytes_of("sets", task.problem.n**2), first=seconds_of("lifts", task.problem.n**2))


ROUTE = Route("near_prior", of_linear_programs, plan, size, is_exact=False)
