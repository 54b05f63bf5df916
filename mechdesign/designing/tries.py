"""The solvers of a route, tried one after another: the best design of them, and what became of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mechdesign.designing.finish import TooManyOutputs, combined, finished
from mechdesign.designing.result import Attempt, Design
from mechdesign.errors import CertificateError, InfeasibleError, SolverError, UnsupportedError
from mechdesign.question import Question
from mechdesign.runtime.deadline import is_late, later, now
from mechdesign.solve.choose import Chosen
from mechdesign.solve.resources.effort import leaving_a_step
from mechdesign.solve.search.known_mechanisms import is_known_to_be_finite
from mechdesign.solve.solvers.catalogue import of_cvxpy_programs, solver_name
from mechdesign.solve.task import Route, Task

#: Seconds past the routes' deadline in which the bound is still made tighter: after them the first at hand is taken.
GRACE = 0.5
#: What counts as a failure of a solver, or of what works with its numbers; other exceptions are faults of ours. A
#: bound that the matrix passes is one of ours, too, but another route may have a true one.
FAILURES = (SolverError, CertificateError, MemoryError, np.linalg.LinAlgError)


@dataclass
class Tries:
    """What was tried for a question: each solver with its outcome, and the failures."""

    question: Question
    task: Task
    attempts: list[Attempt] = field(default_factory=list)
    failures: list[SolverError] = field(default_factory=list)
    refuted: CertificateError | None = None

    def best_of(self, chosen: Chosen, solver: str | Sequence[str] | None) -> Design | None:
        """Return the best that a route's solvers come to, in order until one meets the gap; None where all fail."""
        task, say, route = self.task, self.task.say or _silent, chosen.route
        say(f"route {route.name}: {chosen.reason}")
        best: Design | None = None
        for name in _order(solver, chosen):
            started = now()
            try:
                given = replace(task, solver=None if solver is None else name)
                with leaving_a_step(chosen.size):
                    candidate = chosen.plan.run(given, name)
                with later(GRACE):
                    made = finished(self.question, task, route, candidate)
                    best = made if best is None else combined(self.question, task, best, made)
            except TooManyOutputs as error:
                self._note(route.name, name, f"failed: {error.why}", started)
                raise
            except InfeasibleError as error:
                if not is_known_to_be_finite(task):
                    raise
                self._failed(route.name, name, error, started)
                continue
            except FAILURES as error:
                self._failed(route.name, name, error, started)
                continue
            self._note(route.name, name, f"gap {made.gap:.1e}", started)
            say(f"{name}: value {made.value:.9g}, bound {made.bound:.9g}, gap {made.gap:.1e}")
            if candidate.interrupted:
                best = replace(best, interrupted=True)
            if best.gap <= task.gap or best.interrupted or is_late():
                break
        return best

    def nearer(self, best: Design, other: Chosen, solver: str | Sequence[str] | None) -> Design:
        """Return the best of a design and what another route comes to, which may refuse or fail."""
        try:
            made = self.best_of(other, solver)
        except UnsupportedError:
            return best
        return best if made is None else combined(self.question, self.task, best, made)

    def _failed(self, route: str, solver: str, error: Exception, started: float) -> None:
        if isinstance(error, CertificateError):
            self.refuted = error
        if not isinstance(error, SolverError):
            error = SolverError(f"{type(error).__name__}: {error}", status="crashed", log=str(error))
        self.failures.append(error)
        self._note(route, solver, f"failed: {error}", started)
        (self.task.say or _silent)(self.attempts[-1].outcome)

    def _note(self, route: str, solver: str, outcome: str, started: float) -> None:
        self.attempts.append(Attempt(route, solver, outcome, now() - started))

    def error(self, route: Route) -> SolverError | CertificateError:
        """Return the error that says how each solver of the route failed, or the error of a false bound."""
        if self.refuted is not None:
            return self.refuted
        tried = "; ".join(f"{a.solver} {a.outcome}" for a in self.attempts)
        last, within, remedy = self.failures[-1], "", "Name another with solver=..."
        if is_late() or "time limit" in last.status.lower():
            within, remedy = " within the time limit", "Raise time_limit=..., or name another solver with solver=..."
        return SolverError(
            f"Route {route.name}: no solver answered{within} ({tried}). {remedy}",
            status=last.status,
            log=last.log,
            iterate=last.iterate,
        )


def _order(solver: str | Sequence[str] | None, chosen: Chosen) -> list[str]:
    route = chosen.route
    if solver is None:
        return [route.preferred(chosen.plan)]
    names = [solver_name(name) for name in ([solver] if isinstance(solver, str) else solver)]
    for name in names:
        if name not in route.solvers:
            raise UnsupportedError(
                f"The route {route.name} does not use {name}: choose one of {', '.join(route.solvers)}"
                f"{', or the route convex, which does' * (name in of_cvxpy_programs())}."
            )
    return names


def _silent(_: str) -> None:
    return None
