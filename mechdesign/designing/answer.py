"""A question's answer: the route that is chosen for it, its solvers in order, and the best design of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mechdesign.designing.by_related_notion import no_worse_than_related
from mechdesign.designing.finish import WIDE, TooManyOutputs, combined, finished
from mechdesign.designing.own_theorems import ruled_on
from mechdesign.designing.result import Attempt, Design
from mechdesign.designing.settings import Settings
from mechdesign.errors import CertificateError, SolverError, UnsupportedError
from mechdesign.notions import Notion
from mechdesign.objectives import Linear, Objective
from mechdesign.parameters.base import require_dataclass
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.question.given import required
from mechdesign.runtime.deadline import at_least, available, is_late, later, now, until
from mechdesign.runtime.learned import learning
from mechdesign.runtime.logs import sayer
from mechdesign.runtime.threads import limited
from mechdesign.solve.choose import ROUTES, Chosen, choose, last_resort, others_in_order, unanswered
from mechdesign.solve.pricing.support import has_formula
from mechdesign.solve.resources.effort import leaving_a_step
from mechdesign.solve.resources.measurements import seconds_of
from mechdesign.solve.resources.memory import beyond_memory, beyond_pairs
from mechdesign.solve.routes import known
from mechdesign.solve.solvers.catalogue import of_cvxpy_programs, solver_name
from mechdesign.solve.task import Route, Task, WarmStart

#: The most of a time limit that a route is to leave to what comes after it.
OF_LIMIT = 0.5
#: Seconds past the routes' deadline in which the bound is still made tighter: after them the first at hand is taken.
GRACE = 0.5
#: What counts as a failure of a solver, or of what works with its numbers; other exceptions are faults of ours. A
#: bound that the matrix passes is one of ours, too, but another route may have a true one.
FAILURES = (SolverError, CertificateError, MemoryError, np.linalg.LinAlgError)
#: Statuses of solvers that were named but could not be tried.
NOT_TRIED = ("not installed", "not offered")
DEFAULTS = Settings()


def answered(
    problem: Problem,
    notion: Notion,
    objective: Objective,
    settings: Settings = DEFAULTS,
    warm_start: WarmStart | None = None,
) -> Design:
    """Return the optimum that `design` starts from: nothing is given up for fewer outputs, proved or warned of here.

    Parameters
    ----------
    settings : Settings
        The keywords of `design`, without `within` and `proof`, which are its own.
    warm_start : WarmStart, optional
        What the last level of a frontier left.
    """
    started, limit = now(), available(settings.time_limit)
    with limited(settings.threads), learning():
        question = asked(problem, notion, objective, settings.outputs)
        inputs = notion.inputs(problem)
        objective.check(inputs)
        task = Task(
            inputs,
            notion,
            objective,
            outputs=settings.outputs,
            gap=settings.gap,
            subject_to=settings.subject_to,
            solver_verbose=settings.solver_verbose,
            warm_start=warm_start,
            memory_limit=settings.memory_limit,
            say=sayer(settings.verbose),
            theorems=ruled_on(settings.theorems, settings.route),
        )
        pairs = beyond_pairs(task)
        if pairs is not None:
            raise UnsupportedError(f"No route answers {objective} under {notion}: {pairs}.")
        if isinstance(objective, Linear):
            objective.check_cost(inputs)
        with until(None if limit is None else started + limit - _finishing(limit, task)):
            try:
                return _routed(question, task, settings.route, settings.solver)
            except UnsupportedError as error:
                raise UnsupportedError(f"{error}{_same_as(question, task, ' ({})')}") from None


def _same_as(question: Question, task: Task, form: str) -> str:
    """Return in `form` which notion routes were asked for instead of the question's; nothing where it is that one."""
    asked, plain = question.notion, task.notion
    return "" if asked == plain else form.format(f"{asked.name} asks the same here as {plain}")


def _finishing(limit: float, task: Task) -> float:
    """Return the seconds of the limit that a route leaves to what comes after it."""
    notion, inputs = task.notion, task.problem
    # A notion whose arrays are too large for memory is refused without making them.
    quick = notion.polyhedral and beyond_memory(task) is None and has_formula(notion, inputs)
    needed = seconds_of("finishing" if quick else "finishing by programs", inputs.n)
    return min(needed + seconds_of("finished pairs", inputs.n**2), OF_LIMIT * max(limit, 0.0))


def _routed(question: Question, task: Task, route: str, solver: str | Sequence[str] | None) -> Design:
    """Return the answer of the route, or of `few_outputs` where the optimum has more outputs than are allowed.

    Where every solver of it fails, that of the next route if `route` is "auto", and at last the best known mechanism.
    """
    chosen = choose(task, route)
    reason, refusals = chosen.reason, chosen.refusals
    tried = _Tried(question, task)
    try:
        best = tried.best_of(chosen, solver)
    except TooManyOutputs as error:
        if route != "auto":
            raise
        first, exceeded = chosen, {chosen.name: error.why}
        try:
            chosen = choose(task, "few_outputs")
        except UnsupportedError as refused:
            raise UnsupportedError(f"Route {first.name}: {error.why}. {refused}") from None
        reason, refusals = f"{first.name}: {error.why}", refusals.but(exceeded, chosen.name)
        best = tried.best_of(replace(chosen, reason=reason), solver)
    if best is not None and route == "auto" and _is_loose(best, task):
        for other in others_in_order(task, chosen.name):
            best = tried.nearer(best, other, solver)
            if not _is_loose(best, task):
                break
    if best is not None and route == "auto":
        best = no_worse_than_related(question, task, best, _otherwise)
    if best is None and chosen.route is known.ROUTE and route == "auto" and tried.refuted is None:
        raise unanswered(task, {**refusals, chosen.name: str(tried.failures[-1]).rstrip(".")})
    if best is None:
        failed = {chosen.name: f"failed: {tried.failures[-1]}"}
        chosen, best = _instead(tried, chosen, solver, others=route == "auto")
        reason, refusals = chosen.reason, refusals.but(failed, chosen.name)
    reason += _same_as(question, task, "; {}")
    late = is_late() and not best.gap <= task.gap and not best.interrupted
    return replace(best, reason=reason, refusals=refusals, attempts=tuple(tried.attempts), late=late)


def _otherwise(question: Question, task: Task) -> Design:
    """Return the answer of another question."""
    return _routed(question, task, "auto", None)


def _is_loose(made: Design, task: Task) -> bool:
    """Return whether a search came to its own end far from its bound: another route may come nearer."""
    wide = WIDE if ROUTES[made.route].is_exact else 0.0
    return made.gap > max(wide, task.gap) and not made.interrupted and not is_late()


def _instead(
    tried: _Tried, failed: Chosen, solver: str | Sequence[str] | None, *, others: bool
) -> tuple[Chosen, Design]:
    """Return another route with its design, or the best known mechanism, where every solver of a route failed.

    Raises
    ------
    SolverError
        No route does, and no known mechanism; or the solvers named were none that could be tried.
    CertificateError
        No other answer, and a matrix passed its own bound; at once where the route was named.
    """
    error = tried.error(failed.route)
    refuted = tried.refuted is not None and not others
    if refuted or all(failure.status in NOT_TRIED for failure in tried.failures):
        raise error
    for other in others_in_order(tried.task, failed.name) if others else ():
        try:
            made = tried.best_of(other, solver)
        except UnsupportedError:
            # It does not use the solvers that were named, or has too many outputs.
            continue
        if made is not None:
            return other, made
    last = last_resort(tried.task, f"{failed.name} failed; the best known mechanism is private all the same")
    if last is None:
        raise error
    try:
        with at_least(GRACE / 2.0):
            made = tried.best_of(last, None)
    except UnsupportedError:
        made = None
    if made is None:
        raise error
    return last, made


@dataclass
class _Tried:
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
        """Return the error that says how each solver of the route failed, or that of a false bound."""
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


def asked(problem: Any, notion: Any, objective: Any, outputs: int | None) -> Question:
    """Return the question that they make, which have to be of their kinds."""
    required("problem", problem, Problem)
    required("notion", notion, Notion)
    required("objective", objective, Objective)
    require_dataclass("notion", notion)
    require_dataclass("objective", objective)
    return Question(problem, notion, objective, outputs)


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
