"""What the package knows of a solver, in one record: how it is called, what it takes, how its options are named."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from mechdesign.runtime.deadline import solver_limit, time_left
from mechdesign.runtime.threads import thread_count
from mechdesign.solve.solvers.linear_program import LinearProgram, LinearSolution
from mechdesign.tolerances import SOLVER


class SolveLinear(Protocol):
    """How a solver takes a linear program as arrays."""

    def __call__(
        self, program: LinearProgram, *, interior: bool, time_limit: float | None, verbose: bool
    ) -> LinearSolution:
        """Return the optimum, by an interior-point method without crossover where `interior`.

        Parameters
        ----------
        time_limit : float or None
            In seconds.

        Raises
        ------
        SolverError
            There is no solution, in the solver's own words.
        """


@dataclass(frozen=True)
class ThroughCvxpy:
    """How cvxpy calls a solver: the names of its options, and the programs that it takes."""

    #: The options at a tolerance.
    options: Callable[[float], Mapping[str, Any]]
    #: What it calls its number of threads; empty where it has one.
    threads: str = ""
    #: What it calls its limit in seconds; empty where it has none.
    time_limit: str = ""
    #: Whether it takes linear programs alone.
    linear_only: bool = False
    #: Whether it takes semidefinite cones.
    semidefinite: bool = False
    #: The tolerance where an objective measures what outputs disclose.
    tolerance_of_leakage: float = SOLVER
    #: Further options for semidefinite cones without zeros.
    of_dense_cones: Mapping[str, Any] = field(default_factory=dict)
    #: What has to run before cvxpy calls it.
    before: Callable[[], Any] = lambda: None
    #: Whether it puts a handler of Ctrl-C of its own into the process, and the old one back when it ends.
    handles_interrupts: bool = False

    def limits(self) -> dict[str, Any]:
        """Return the options that limit its threads and its seconds, where it has them, to what is left."""
        left = time_left()
        threads = {self.threads: thread_count()} if self.threads else {}
        return threads if left is None or not self.time_limit else {**threads, self.time_limit: solver_limit(left)}


@dataclass(frozen=True)
class Solver:
    """A solver: its name, the module that it needs, and how it is called."""

    #: In upper case; cvxpy's name where cvxpy calls it.
    name: str
    #: The module without which it cannot be called.
    module: str
    #: What pip installs it by, where that is not its module.
    requirement: str = ""
    #: How it takes linear programs as arrays; None where it does not.
    linear: SolveLinear | None = None
    #: How cvxpy calls it; None where cvxpy does not.
    through_cvxpy: ThroughCvxpy | None = None

    @property
    def is_installed(self) -> bool:
        """Whether its module is found."""
        return _is_found(self.module)


@cache
def _is_found(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
