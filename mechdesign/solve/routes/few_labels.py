"""Route `few_labels`: information on a label that is drawn at random, by columns that are priced by what labels see.

The columns' weights are a linear program. Of two to five labels further columns are found where the chords of the
utility over cells of what the labels see exceed its multipliers, which bounds all columns besides. Of more labels they
are found along the tangents, and the bound is that of the labels' own mechanism: the gap need not close.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from mechdesign.errors import MechdesignError
from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Separable
from mechdesign.objectives.base import is_separable
from mechdesign.objectives.label import seen_by_label
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import in_share
from mechdesign.solve.pricing.few_labels import is_seen_by_labels
from mechdesign.solve.pricing.oracles import FEW_LABELS, LABELS
from mechdesign.solve.pricing.priced_columns import Oracle
from mechdesign.solve.pricing.support import support
from mechdesign.solve.resources.measurements import bytes_of
from mechdesign.solve.routes import labels, rays
from mechdesign.solve.search.bracket import Start, bracket, smoothed
from mechdesign.solve.search.incumbent import incumbent
from mechdesign.solve.search.pooled_columns import PooledColumns
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Task, used
from mechdesign.tolerances import RAY_COMFORT

#: Entries of the columns up to which their weights are found by a linear program.
MOST_ENTRIES = 1 << 22
#: Directions of the labels whose columns are the first, and thresholds for each.
DIRECTIONS, THRESHOLDS = 24, 12
#: Rounds at most, how many may pass without a gain, what share of the utility counts as one, and to what share of the
#: width that is left a round is priced.
MOST_ROUNDS, PATIENCE, LEAST_GAIN, OF_WIDTH = 400, 30, 1e-4, 0.2
#: The share of the time that is left which the search may take.
OF_TIME = 0.7
#: Where columns are priced between the best multipliers and those of the program, which swing.
BETWEEN = (0.3, 1.0)


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot: also where the rays are so few that their program is exact."""
    asked, table = (task.notion, task.objective, task.problem), task.objective.label_table
    oracle = next((each for each in (FEW_LABELS, LABELS) if each.applies(*asked)), None)
    if oracle is None or table is None or not is_separable(task.objective) or not is_seen_by_labels(*asked):
        return Refusal("it answers information on a label, if columns have a price by formula")
    channel = seen_by_label(table, task.problem).channel
    return rays.refusal_for_rays(task) or Plan(partial(_over_columns, task.objective, oracle, channel))


def _over_columns(objective: Separable, oracle: Oracle, channel: Array, task: Task, solver: str) -> Candidate:
    """Weigh columns of the notion, and add those that exceed the multipliers."""
    master = PooledColumns(task, objective, solver, MOST_ENTRIES)

    def uphill(matrix: Array, multipliers: Multipliers) -> Array:
        # Where the cone is largest along a column's tangent the utility is at least as large again.
        tangents = objective.supporting(matrix, task.problem).T
        return support(task.notion, task.problem, tangents - multipliers.rows).columns

    best = incumbent(task, MOST_ROUNDS, PATIENCE, LEAST_GAIN)
    starts, between = _starts(task, solver, channel), smoothed(*BETWEEN)
    # The certificate prices once more.
    with in_share(OF_TIME):
        return bracket(best, master, oracle, starts, coarse=OF_WIDTH, between=between, heuristic=uphill)


def _starts(task: Task, solver: str, channel: Array) -> Iterator[Start]:
    """Yield the best mechanism of the labels, if one is found, and the columns nearest to each input's disclosure."""
    found = labels.plan(task)
    if isinstance(found, Plan):
        try:
            candidate = found.run(task, solver)
        except MechdesignError:
            # It is a start alone: what it lacks the search may find.
            pass
        else:
            columns = used(candidate.matrix)
            yield Start(candidate.matrix, candidate.multipliers, columns / (task.columns.normal @ columns))
    single = np.eye(task.problem.n)
    functionals = np.vstack([single, -single, _directions(channel, task.columns.normal)])
    yield Start(columns=support(task.notion, task.problem, functionals).columns)


def _directions(channel: Array, normal: Array) -> Array:
    """Return functionals of what labels see, each less the masses at some thresholds, shape (functionals, n)."""
    drawn = np.random.default_rng(0).normal(size=(DIRECTIONS, len(channel))) @ channel
    both = np.vstack([drawn, -drawn]) / normal
    thresholds = np.quantile(both, np.linspace(0.05, 0.95, THRESHOLDS), axis=1)
    return np.asarray(((both[None] - thresholds[:, :, None]) * normal).reshape(-1, channel.shape[1]))


def first_of_all(task: Task) -> str | None:
    """Return why it is asked first where it answers: there are too many rays to list, and labels drawn at random."""
    table, count = task.objective.label_table, task.columns.ray_count()
    if table is None or labels.is_function(table) or count is None or count <= RAY_COMFORT:
        return None
    return "there are too many extreme rays to list, and few labels, by which columns are priced"


def size(task: Task) -> Size:
    """Return the size of the columns, a few for each input."""
    return Size(bytes_of("sets", task.problem.n**2))


ROUTE = Route("few_labels", of_linear_programs, plan, size, first_of_all)
