"""Route `lifts`: mutual information and histogram MMSE under LIP and its kin, over full sets with one fractional input.

The gap is certified by chords of the lift, which drawn columns reach where there are many inputs, then by chords over
parts of its range, and need not close.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Separable
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.bounded_lift import Lifts, lifts, majorant
from mechdesign.solve.pricing.oracles import LIFTS
from mechdesign.solve.pricing.support import support
from mechdesign.solve.programs.nearest_weights import nearest_weights
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.routes import rays
from mechdesign.solve.search.bracket import Start, bracket
from mechdesign.solve.search.incumbent import incumbent
from mechdesign.solve.search.lift_columns import by_tiers, in_sequence
from mechdesign.solve.search.pooled_columns import PooledColumns, drawn
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Task

#: Columns drawn by tiers for each input, and at least; and what their smallest tier has at least, of the next input.
DRAWN, FEWEST, LEAST_ROOM = 3, 1500, (2.0, 20.0)
#: The gap below which draws without an input between the ends are worth their time: 1 s of 6 at n = 1000.
EXCHANGED = 1e-4
#: Entries of the columns up to which their weights are found by a linear program: the nearest weights do beyond.
MOST_ENTRIES = 1 << 21
#: Rounds at most, how many may pass without a gain, what share of the utility counts as one; and of the width that is
#: left to what share a round is priced.
MOST_ROUNDS, PATIENCE, LEAST_GAIN, OF_WIDTH = 30, 3, 1e-5, 0.2
#: The share of the time that is left which pricing for the certificate may take.
OF_TIME = 0.5


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot: also where the rays are so few that their program is exact."""
    found = plan_of_any_size(task)
    return found if isinstance(found, Refusal) else rays.refusal_for_rays(task) or found


def plan_of_any_size(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot, however few the extreme rays are."""
    objective, bounds = task.objective, lifts(task.notion, task.problem)
    if not is_separable(objective) or bounds is None or not LIFTS.applies(task.notion, objective, task.problem):
        return Refusal(
            "it answers mutual information and histogram MMSE under bounds of the lift, such as LIP and MaxLift"
        )
    return Plan(partial(_over_columns, objective, bounds))


def _over_columns(objective: Separable, bounds: Lifts, task: Task, solver: str) -> Candidate:
    """Weigh columns of the cone, and add those that its support function gives at their supporting functionals."""
    master = PooledColumns(task, objective, solver, MOST_ENTRIES)

    def uphill(matrix: Array, multipliers: Multipliers) -> Array:
        # Where the cone is largest along a column's tangent the utility is at least as large again.
        tangents = objective.supporting(matrix, task.problem).T
        return support(task.notion, task.problem, tangents - multipliers.rows).columns

    starts = _starts(bounds, majorant(bounds, objective), exchanged=task.gap < EXCHANGED)
    best = incumbent(task, MOST_ROUNDS, PATIENCE, LEAST_GAIN)
    return bracket(best, master, LIFTS, starts, coarse=OF_WIDTH, of_time=OF_TIME, heuristic=uphill)


def _starts(bounds: Lifts, above: Array, *, exchanged: bool) -> Iterator[Start]:
    """Yield the multipliers of the chords, mechanisms of columns drawn by tiers, and columns in sequence."""
    yield Start(np.ones((len(above), 1)), Multipliers(above))
    for least in LEAST_ROOM:
        columns, near = by_tiers(bounds, max(DRAWN * len(above), FEWEST), least, exchanged=exchanged)
        yield drawn(columns, nearest_weights(columns, near))
    yield Start(columns=in_sequence(bounds))


def size(task: Task) -> Size:
    """Return the size of columns that fill their lifts: made and loaded before the solver looks at the clock."""
    return Size(bytes_of("sets", task.problem.n**2), first=seconds_of("lifts", task.problem.n**2))


ROUTE = Route("lifts", of_linear_programs, plan, size)
