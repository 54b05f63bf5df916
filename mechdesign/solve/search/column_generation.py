"""A program over the decisions that matter: it starts from some, and the others are priced.

From those of the last level of a frontier, or, by itself, from the one that is best without any report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.support import support
from mechdesign.solve.resources.memory import note_of
from mechdesign.solve.resources.programs import is_band, numbers_over_matrix, program_bytes
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Task, WarmStart, stopping

#: Decisions that are added at a time: as many as there are, and at least so many.
LEAST_ADDED = 12
#: Decisions that came next to being made are kept for the next level: as many as were made, and at least so many.
LEAST_KEPT = 12
#: Decisions of less than this share of the largest mass count as not made.
MADE = 1e-4
#: Share of the gap that may be left to decisions that were not asked, and of a program that answers for all of them.
LEFT, LEFT_OF_WHOLE = 0.3, 1e-2
#: Programs over further decisions where the solver was not accurate over those that matter.
TRIES = 1
#: A program that a solver holds is made anew where it has this many times the decisions that matter.
MOST_UNWANTED = 4

#: Numbers of some of the decisions.
Chosen = npt.NDArray[np.intp]
#: Columns (last, those that reveal an input), the rows' multipliers, how the solver ended.
Solved = tuple[Array, Array, SolverStats]


@dataclass(frozen=True)
class Generated:
    """The columns of all decisions (last, those that reveal an input), the rows' multipliers, and how it went."""

    columns: Array
    rows: Array
    stats: SolverStats
    note: str
    interrupted: bool
    #: Whether the bound over all decisions is as near to what is reached as the gap asks.
    closed: bool = True


@dataclass(frozen=True)
class _Round:
    """What a program over some decisions says of all of them."""

    chosen: Chosen
    solved: Solved
    reached: float
    prices: Array

    @property
    def bound(self) -> float:
        """The bound over all decisions, whatever the multipliers are."""
        return float(self.solved[1].sum() + self.prices.max())


def generated(task: Task, gains: Array, solved: Callable[[Chosen], Solved]) -> Generated:
    """Return the solution over all decisions, gains of shape (decisions, n), found over those that matter.

    Starts from the decisions in the task's warm start (all, where it has none), and adds those of positive price until
    the bound over all of them is as near to what is reached as a share of the gap asks. Ctrl-C, and a solver that the
    time limit stops, leave the last round's.
    """
    start = task.warm_start or WarmStart()
    asked = np.zeros(len(gains), dtype=bool)
    asked[slice(None) if start.chosen is None else start.chosen] = True
    last: _Round | None = None
    best: _Round | None = None
    rounds, tries, short = 0, TRIES, ""
    with stopping(task, lambda: last is not None) as ending:
        while not short:
            made = _round(task, gains, np.flatnonzero(asked), solved)
            rounds += 1
            if last is not None and is_late():
                # What a solver was stopped at may be worse than where it began.
                ending.said = "time limit"
                break
            last = made
            best = made if best is None or made.bound <= best.bound else best
            width = task.report_utility(rounds, made.reached, best.bound)
            if width <= _enough(task, made.reached) or asked.all() or is_late():
                break
            missing = np.flatnonzero((made.prices > 0.0) & ~asked)
            if not len(missing):
                # Where what is left is the solver's inaccuracy, it may come to less over other decisions.
                tries -= 1
                if tries < 0 or width <= _enough(task, made.reached, LEFT):
                    break
                missing = np.flatnonzero(~asked)
            more = missing[np.argsort(-made.prices[missing])][: max(LEAST_ADDED, len(made.chosen))]
            short = "" if is_band(task) else _beyond_memory(task, len(made.chosen) + len(more))
            asked[more] = True
    assert last is not None and best is not None, "stopping() raises where there is none"
    chosen, (columns, _, stats), rows = last.chosen, last.solved, best.solved[1]
    _leave(start, columns, last.prices, chosen)
    spread = np.zeros((len(columns), len(gains)))
    spread[:, chosen] = columns[:, : len(chosen)]
    everything = np.hstack([spread, columns[:, len(chosen) :]])
    note = f"over {len(chosen)} of {len(gains)} decisions, {rounds} rounds{ending}{short}"
    closed = best.bound - last.reached <= _enough(task, last.reached, LEFT)
    return Generated(everything, rows, stats, note, ending.interrupted, closed)


def _beyond_memory(task: Task, decisions: int) -> str:
    """Return a note if the program over a number of decisions would take too much memory."""
    return note_of(task, program_bytes(task, numbers_over_matrix(task, decisions)))


def _round(task: Task, gains: Array, chosen: Chosen, solved: Callable[[Chosen], Solved]) -> _Round:
    columns, rows, stats = solved(chosen)
    prices = support(task.notion, task.problem, gains - rows).values
    reached = float(np.vdot(gains[chosen], columns[:, : len(chosen)].T))
    return _Round(chosen, (columns, rows, stats), reached, prices)


def _enough(task: Task, reached: float, share: float | None = None) -> float:
    assert is_separable(task.objective), "others have no finitely many decisions"
    value = task.objective.from_utility(reached, task.problem)
    if share is None:
        share = LEFT_OF_WHOLE if task.warm_start is not None and task.warm_start.whole else LEFT
    return share * task.gap * task.objective.steepness(value, task.problem) * abs(value)


def _leave(start: WarmStart, columns: Array, prices: Array, chosen: Chosen) -> None:
    """Leave to the next level what it may start from, where there is one."""
    if start.whole:
        return
    start.chosen = _kept(columns, prices, chosen)
    if start.program is not None and len(start.program.present) <= MOST_UNWANTED * len(start.chosen):
        # What a solver holds it solves over.
        start.chosen = np.union1d(start.chosen, start.program.present)
    else:
        start.program = None


def _kept(columns: Array, prices: Array, chosen: Chosen) -> Chosen:
    mass = columns[:, : len(chosen)].sum(axis=0)
    made = chosen[mass > MADE * mass.max()]
    order = np.argsort(-prices)
    near = order[~np.isin(order, made)][: max(LEAST_KEPT, len(made))]
    return np.asarray(np.union1d(made, near))
