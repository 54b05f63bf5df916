"""What routes work on and what they answer: a task, a candidate with multipliers, or a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.columns import Shape
from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.notions.plain import plain
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late, now
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task.warm_start import WarmStart
from mechdesign.tolerances import SPAN_SHARE

if TYPE_CHECKING:
    from mechdesign.theorems import Theorem


@dataclass(frozen=True)
class Task:
    """One question to a route; `problem` is over the mechanism's inputs, and notion and problem are in plain form."""

    problem: Problem
    notion: Notion
    objective: Objective
    outputs: int | None = None
    #: The solver that the user named, if any.
    solver: str | None = None
    gap: float = 1e-6
    subject_to: Callable[[Any], list[Any]] | None = None
    solver_verbose: bool = False
    warm_start: WarmStart | None = None
    #: In gigabytes; None for the package's own.
    memory_limit: float | None = None
    #: Takes a line for each step of a long search.
    say: Callable[[str], None] | None = None
    #: Theorems of the user's own, with why each must not be used (None where the referee confirmed it).
    theorems: tuple[tuple[Theorem, str | None], ...] = ()

    def __post_init__(self) -> None:
        notion, problem = plain(self.notion, self.problem)
        object.__setattr__(self, "notion", notion)
        object.__setattr__(self, "problem", problem)

    @property
    def columns(self) -> Shape:
        """The shape of the columns that the notion allows over the inputs."""
        return self.notion.columns(self.problem)

    def report(self, rounds: int, value: float, bound: float) -> None:
        """Say where a search stands after a number of rounds."""
        if self.say is not None:
            width, size = abs(value - bound), max(abs(value), abs(bound))
            gap = f"gap {width / size:.1e}" if np.isfinite(width) and size > 0 else "no bound yet"
            self.say(f"round {rounds}: value {value:.9g}, bound {bound:.9g}, {gap}")

    def asked(self, reached: float, share: float = 1.0) -> float:
        """Return how far a bound may be from a utility that is reached: a share of the gap asked for, in utility."""
        value = abs(self.objective.from_utility(reached, self.problem))
        steepness = self.objective.steepness(value, self.problem)
        return share * self.gap * max(steepness * value, SPAN_SHARE * abs(reached))

    def report_utility(self, rounds: int, reached: float, bound: float) -> float:
        """Say the same of a search that goes by utility, and return how far apart the two are."""
        from_utility = self.objective.from_utility
        self.report(rounds, from_utility(reached, self.problem), from_utility(bound, self.problem))
        return bound - reached


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
    #: Whether Ctrl-C ended the search: then no other solver is tried.
    interrupted: bool = False
    #: Whether another matrix keeps the user's own constraints as well as this one; None where there are none.
    keeps_constraints: Callable[[Array], bool] | None = None


class Stages:
    """The seconds of each stage of a route: one call at the end of each."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self._last = now()

    def lap(self, stage: str) -> None:
        """Add the time since the last lap to `stage`."""
        moment = now()
        self.timings[stage] = self.timings.get(stage, 0.0) + moment - self._last
        self._last = moment


@dataclass
class Ending:
    """How a search ended, where it did not come to its own end."""

    #: "interrupted" or "time limit"; empty where nothing stopped it.
    said: str = ""

    @property
    def interrupted(self) -> bool:
        """Whether it was Ctrl-C."""
        return self.said == "interrupted"

    def __str__(self) -> str:
        return f", {self.said}" if self.said else ""


@contextmanager
def stopping(task: Task, found: Callable[[], bool]) -> Iterator[Ending]:
    """Let Ctrl-C, or a solver that the time limit stops, end what is within; raise where nothing was `found` before.

    Examples
    --------
    >>> import mechdesign as md
    >>> task = Task(md.Problem(prior=[0.5, 0.5]), md.LDP(1.0), md.MutualInformation())
    >>> rounds = 0
    >>> with stopping(task, lambda: rounds > 0) as ending:
    ...     while rounds < 9:
    ...         rounds += 1
    ...         if rounds == 2:
    ...             raise KeyboardInterrupt
    >>> f"{rounds} rounds{ending}"
    '2 rounds, interrupted'
    """
    ending = Ending()
    try:
        yield ending
    except KeyboardInterrupt:
        if not found():
            raise
        ending.said = "interrupted"
    except SolverError:
        if not (is_late() and found()):
            raise
        ending.said = "time limit"


def used(columns: Array) -> Array:
    """Return the columns that are not all zero, shape (n, used)."""
    return np.asarray(columns[:, columns.max(axis=0) > 0])
