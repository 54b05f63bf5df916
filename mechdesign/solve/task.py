"""What routes work on and what they answer: a task, a candidate with multipliers, or a refusal."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.domains import Array
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.solve.backends import SolverStats

if TYPE_CHECKING:
    from mechdesign.solve.programs.hot_band import HotBand
    from mechdesign.solve.programs.hot_rays import HotRays


@dataclass
class Memory:
    """What one level of a frontier leaves to the next, where to start from: never an answer."""

    #: Whether the user named a solver, who then has no other.
    named: bool = False
    #: Of finitely many decisions, the indices of those made or nearly made.
    chosen: npt.NDArray[np.intp] | None = None
    #: Their program over a band as its solver holds it, to be moved to the next level.
    hot: HotBand | None = None
    #: Of a continuum, the extreme columns of the last optimum; and the decisions that the next level may start from.
    rays: HotRays | None = None
    decisions: Array | None = None
    #: Of finitely many extreme rays, how many there were, and the numbers of those made or nearly made.
    of_rays: tuple[int, npt.NDArray[np.intp]] | None = None


@dataclass(frozen=True)
class Task:
    """One question to a route; `problem` is over the mechanism's inputs."""

    problem: Problem
    notion: Notion
    objective: Objective
    outputs: int | None = None
    solver: str | None = None
    gap: float = 1e-6
    deadline: float | None = None
    subject_to: Callable[[Any], list[Any]] | None = None
    solver_verbose: bool = False
    memory: Memory | None = None
    #: In gigabytes; None for the package's own.
    memory_limit: float | None = None

    def time_left(self) -> float | None:
        """Return the seconds until the deadline, or None where there is none."""
        return None if self.deadline is None else self.deadline - time.perf_counter()

    @property
    def late(self) -> bool:
        """Whether the deadline has passed."""
        left = self.time_left()
        return left is not None and left <= 0


@dataclass(frozen=True)
class Candidate:
    """A route's answer, not yet trusted: a matrix that may miss its constraints, and multipliers."""

    matrix: Array
    multipliers: Multipliers
    stats: SolverStats
    #: Seconds by stage: build, compile, solve.
    timings: dict[str, float] = field(default_factory=dict)
    #: What the route has to say of its answer ("over 27 decisions, 3 rounds").
    note: str = ""


@dataclass(frozen=True)
class Route:
    """A way to the optimum: `refusal` gives the sentence why not (or None), `solve` the candidate."""

    name: str
    #: The solvers that can be named; the first is used unless `preferred` says otherwise.
    solvers: tuple[str, ...]
    refusal: Callable[[Task], str | None]
    solve: Callable[[Task], Candidate]
    preferred: Callable[[Task], str] | None = None


class Clock:
    """Measures stages: ``with``-less, one call at the end of each stage."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Add the time since the last lap to `stage`."""
        now = time.perf_counter()
        self.timings[stage] = self.timings.get(stage, 0.0) + now - self._last
        self._last = now


def used(columns: Array) -> Array:
    """Return the columns that are not all zero."""
    return np.asarray(columns[:, columns.max(axis=0) > 0])
