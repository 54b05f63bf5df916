"""What one level of a frontier leaves to the next, and the program over a band that its solver goes on with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from mechdesign.errors import SolverError
from mechdesign.notions import Cone
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import time_left
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.solvers.rule import LEAST_GROWN, MOST_GROWN, is_grown
from mechdesign.solve.task.warm_program import WarmProgram, can_follow

if TYPE_CHECKING:
    from mechdesign.solve.task.task import Candidate, Task

#: Inputs up to which pivots are quicker than our interior point over the same decisions: few are needed where the band
#: has no mass (Hamming loss under LDP, n = 100: a fifth of the time of designs apart), more where it has (absolute loss
#: under LIP, n = 60: less than half; n = 100: longer).
MOST_INPUTS, MOST_WITH_MASS = 100, 70

#: The solver that holds programs from one level to the next.
HOLDER = "HIGHS"
#: From the numbers of some decisions: their columns, the rows' multipliers, how the solver ended.
Follow = Callable[[npt.NDArray[np.intp]], tuple[Array, Array, SolverStats] | None]


class Resumed(Protocol):
    """What solves the next level of a frontier from where the last one ended."""

    def solve(self, task: Task, cone: Cone) -> tuple[Candidate | None, Array]:
        """Return the level's answer, None where it led nowhere, and the decisions it came to."""


@dataclass
class WarmStart:
    """What one level of a frontier leaves to the next, where to start from: never an answer."""

    #: Whether a program over some decisions has to be as good as one over all of them, or within the gap alone.
    whole: bool = False
    #: Of finitely many decisions, the indices of those made or nearly made.
    chosen: npt.NDArray[np.intp] | None = None
    #: Their program over a band as its solver holds it, to be moved to the next level.
    program: WarmProgram | None = None
    #: Of a continuum, the extreme columns of the last optimum; and the decisions that the next level may start from.
    columns: Resumed | None = None
    decisions: Array | None = None
    #: Of finitely many extreme rays, how many there were, and the numbers of those made or nearly made.
    of_rays: tuple[int, npt.NDArray[np.intp]] | None = None


def starts(task: Task, cone: Cone) -> bool:
    """Return whether a task by itself, or the first of a frontier, is quicker from a single decision."""
    some = LEAST_GROWN <= cone.on_column.shape[1] <= MOST_GROWN
    first = task.warm_start is None or task.warm_start.chosen is None
    return some and first and can_follow(cone.band_of_inputs)


def starting(task: Task, cone: Cone, gains: Array, solver: str) -> Task:
    """Return the task as one that starts from a single decision where that pays, gains of shape (decisions, n)."""
    if not (is_grown(task.notion, task.problem) or (starts(task, cone) and solver == HOLDER)):
        return task
    start = task.warm_start or WarmStart(whole=True)
    if start.chosen is None:
        start.chosen = np.array([gains.sum(axis=1).argmax()])
    return replace(task, warm_start=start)


def follows(task: Task, cone: Cone, continuum: bool) -> bool:
    """Return whether the task goes on from the last level of a frontier, over a continuum of decisions or some."""
    start, band = task.warm_start, cone.band_of_inputs
    if start is None or band is None or not can_follow(band):
        return False
    if continuum:
        return start.columns is not None
    most = MOST_INPUTS if band.middle is None else MOST_WITH_MASS
    return start.chosen is not None and cone.on_column.shape[1] <= most


def holds(task: Task, cone: Cone, gains: Array) -> bool:
    """Return whether the last level's program is over these decisions, gains of shape (decisions, n), and mass."""
    band, held = cone.band_of_inputs, None if task.warm_start is None else task.warm_start.program
    return band is not None and held is not None and held.is_of(gains, band.middle)


def following(task: Task, cone: Cone, gains: Array, solver: str) -> Follow | None:
    """Return what solves over some decisions, gains of shape (decisions, n), from the last level; or None."""
    start, band = task.warm_start, cone.band_of_inputs
    if start is None or band is None or solver != HOLDER or not follows(task, cone, False):
        return None
    if not holds(task, cone, gains):
        start.program = None

    def follow(chosen: npt.NDArray[np.intp]) -> tuple[Array, Array, SolverStats] | None:
        held = start.program or WarmProgram(gains, band.middle, task.solver_verbose)
        start.program = None
        try:
            columns, rows, stats = held.solve(band, chosen.tolist(), time_left())
        except SolverError:
            # It is solved from nothing instead, and so is the first program of the next level.
            return None
        start.program = held
        return columns[:, chosen], rows, stats

    return follow


def following_rays(task: Task, cone: Cone, solver: str) -> Candidate | None:
    """Return the answer over a continuum from where the last level ended, or None where it has to be found anew."""
    start = task.warm_start
    held = None if start is None else start.columns
    if start is None or held is None or solver != HOLDER or not follows(task, cone, True):
        return None
    start.columns = start.decisions = None
    try:
        candidate, start.decisions = held.solve(task, cone)
    except SolverError:
        return None
    start.columns = held
    return candidate
