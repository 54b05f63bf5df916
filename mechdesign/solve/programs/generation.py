"""Where one level of a frontier left off, the next one starts: its decisions first, and the others are priced."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mechdesign.domains import Array
from mechdesign.objectives.base import is_separable
from mechdesign.solve.backends import SolverStats
from mechdesign.solve.bounds.support import support
from mechdesign.solve.task import Memory, Task

#: Decisions that are added at a time: as many as there are, and at least so many.
LEAST_ADDED = 12
#: Decisions that came next to being made are kept for the next level: as many as were made, and at least so many.
LEAST_KEPT = 12
#: Decisions of less than this share of the largest mass count as not made.
MADE = 1e-4
#: Share of the gap that may be left to decisions that were not asked, and of a program that answers for all of them.
LEFT, LEFT_OF_WHOLE = 0.3, 1e-3
#: A program that a solver holds is made anew where it has this many times the decisions that matter.
MOST_UNWANTED = 4

#: Numbers of some of the decisions.
Chosen = npt.NDArray[np.intp]
#: Columns (last, those that reveal an input), the rows' multipliers, how the solver ended.
Solved = tuple[Array, Array, SolverStats]


def generated(task: Task, gains: Array, solved: Callable[[Chosen], Solved]) -> tuple[Solved, str]:
    """Return the solution over all decisions, found over those that matter, and a note of how many these were.

    Starts from the decisions in the task's memory (all, where it has none), and adds those of positive price until
    the bound over all of them is as near to what is reached as a share of the gap asks.
    """
    memory = task.memory or Memory()
    asked = np.zeros(len(gains), dtype=bool)
    asked[slice(None) if memory.chosen is None else memory.chosen] = True
    rounds = 0
    while True:
        rounds += 1
        chosen = np.flatnonzero(asked)
        columns, rows, stats = solved(chosen)
        prices = support(task.notion, task.problem, gains - rows).values
        reached = float(np.vdot(gains[chosen], columns[:, : len(chosen)].T))
        missing = np.flatnonzero((prices > 0.0) & ~asked)
        width = float(rows.sum() + prices.max()) - reached
        if not len(missing) or width <= _enough(task, reached) or task.late:
            break
        best = missing[np.argsort(-prices[missing])]
        asked[best[: max(LEAST_ADDED, len(chosen))]] = True
    _leave(memory, columns, prices, chosen)
    spread = np.zeros((len(columns), len(gains)))
    spread[:, chosen] = columns[:, : len(chosen)]
    everything = np.hstack([spread, columns[:, len(chosen) :]])
    return (everything, rows, stats), f"over {len(chosen)} of {len(gains)} decisions, {rounds} rounds"


def _enough(task: Task, reached: float) -> float:
    assert is_separable(task.objective), "others have no finitely many decisions"
    value = task.objective.from_utility(reached, task.problem)
    share = LEFT_OF_WHOLE if task.memory is not None and task.memory.whole else LEFT
    return share * task.gap * task.objective.steepness(value, task.problem) * abs(value)


def _leave(memory: Memory, columns: Array, prices: Array, chosen: Chosen) -> None:
    """Leave to the next level what it may start from, where there is one."""
    if memory.whole:
        return
    memory.chosen = _kept(columns, prices, chosen)
    if memory.hot is not None and len(memory.hot.present) <= MOST_UNWANTED * len(memory.chosen):
        # What a solver holds it solves over.
        memory.chosen = np.union1d(memory.chosen, memory.hot.present)
    else:
        memory.hot = None


def _kept(columns: Array, prices: Array, chosen: Chosen) -> Chosen:
    mass = columns[:, : len(chosen)].sum(axis=0)
    made = chosen[mass > MADE * mass.max()]
    order = np.argsort(-prices)
    near = order[~np.isin(order, made)][: max(LEAST_KEPT, len(made))]
    return np.asarray(np.union1d(made, near))
