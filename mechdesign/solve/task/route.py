"""A way to the optimum: what it answers, how large that is, and the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mechdesign.solve.task.task import Candidate, Task


@dataclass(frozen=True)
class Size:
    """What a route's largest arrays take, and its seconds before a solver can be stopped; 0 where both are small."""

    bytes: float = 0.0
    #: Seconds in which the program is made and proved.
    before: float = 0.0
    #: Seconds until the solver looks at the clock for the first time.
    first: float = 0.0


@dataclass(frozen=True)
class Route:
    """A way to the optimum: `refusal` gives the sentence why not (or None), `solve` the candidate."""

    name: str
    #: The solvers that can be named; the first is used unless `preferred` says otherwise.
    solvers: tuple[str, ...]
    refusal: Callable[[Task], str | None]
    solve: Callable[[Task], Candidate]
    #: What it would take, before any of it is made.
    size: Callable[[Task], Size]
    preferred: Callable[[Task], str] | None = None
    #: Whether its answers come up to the gap, where it is given the time; otherwise others are tried first.
    is_exact: bool = True
    #: Whether to ask it costs as much as an answer may (a list of rays, the ends of a line of decisions): then its size
    #: is looked at first.
    size_first: bool = False
