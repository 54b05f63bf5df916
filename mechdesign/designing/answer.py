"""A question's answer: the route that is chosen for it, its solvers in order, and the best design of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from mechdesign.designing.by_related_notion import no_worse_than_related, related
from mechdesign.designing.finish import WIDE, TooManyOutputs
from mechdesign.designing.own_theorems import ruled_on
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings
from mechdesign.designing.tries import GRACE, Tries
from mechdesign.designing.without_matrix import designed, is_asked
from mechdesign.errors import UnsupportedError
from mechdesign.many_inputs import in_words
from mechdesign.notions import Notion
from mechdesign.objectives import Linear, Objective
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.parameters.base import require_dataclass
from mechdesign.problem import Problem
from mechdesign.problem.interval import points_for
from mechdesign.question import Question
from mechdesign.question.given import require_over_interval, required
from mechdesign.runtime.deadline import at_least, available, is_late, now, until
from mechdesign.runtime.learned import learning
from mechdesign.runtime.logs import sayer
from mechdesign.runtime.threads import limited
from mechdesign.solve.choose import ROUTES, Chosen, choose, last_resort, others_in_order, unanswered
from mechdesign.solve.pricing.support import has_formula
from mechdesign.solve.resources.measurements import seconds_of
from mechdesign.solve.resources.memory import beyond_memory, pairs_beyond_memory
from mechdesign.solve.routes import known
from mechdesign.solve.task import Task, WarmStart

#: The most of a time limit that a route is to leave to what comes after it.
OF_LIMIT = 0.5
#: Statuses of solvers that were named but could not be tried.
NOT_TRIED = ("not installed", "not offered")
#: The gap of a design that finds how many points an interval needs, and its share of the time.
COARSE, OF_POINTS = 0.05, 0.2
#: Designs at most that find it, and the least seconds that one counts for.
MOST_TRIALS, SHORTEST = 3, 1e-3
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
        if problem.chooses_points:
            problem = _with_points(question, settings)
            question = replace(question, problem=problem)
        # With their labels in the order of the problem.
        notion, objective = question.notion, question.objective
        inputs = notion.inputs(problem)
        objective.check(inputs)
        if is_asked(question, inputs, settings):
            with until(None if limit is None else started + limit):
                return designed(question, inputs, settings)
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
        pairs = pairs_beyond_memory(task)
        if pairs is not None:
            raise UnsupportedError(f"No route answers {objective} under {notion}: {pairs}. {_without_matrix()}")
        if isinstance(objective, Linear):
            objective.check_cost(inputs)
        with until(None if limit is None else started + limit - _finishing(limit, task)):
            try:
                return _routed(question, task, settings.route, settings.solver)
            except UnsupportedError as error:
                raise UnsupportedError(f"{error}{_same_as(question, task, ' ({})')}") from None
            except MemoryError:
                rule = f"{inputs.n} inputs take more memory than there is; merge inputs into fewer categories"
                raise UnsupportedError(f"{objective} under {notion}: {rule}. {_without_matrix()}") from None


def _without_matrix() -> str:
    """Return the sentence of what is answered for any number of inputs."""
    return f"Without a matrix, under LDP, {in_words()} are answered."


def _with_points(question: Question, settings: Settings) -> Problem:
    """Return the problem with the number of points that the gap needs, found by a design for a few points."""
    low, high = question.problem.values_in_order()[[0, -1]].tolist()
    # A copy does not choose points again.
    few = replace(question.problem)
    limit = None if settings.time_limit is None else OF_POINTS * settings.time_limit
    coarse = replace(settings, outputs=None, gap=max(settings.gap, COARSE), time_limit=limit, subject_to=None)
    prior: Literal["uniform"] | None = None if few.prior is None else "uniform"
    for _ in range(MOST_TRIALS):
        started = now()
        found, steps = answered(few, question.notion, question.objective, coarse), few.n - 1
        if isinstance(question.objective, EstimatorVariance):
            # Whatever the search leaves, rounding costs at most the square of half the distance between two points.
            cost = (0.5 * (high - low) / steps) ** 2
            return Problem.from_interval(low, high, points_for(cost, steps, found.value, settings.gap), prior)
        if found.gap <= settings.gap:
            break
        needed = points_for(found.value - found.bound, steps, found.value, settings.gap)
        if settings.time_limit is not None:
            # A program over n points and n decisions takes about n^3; the design itself is still to come.
            room = OF_LIMIT * settings.time_limit / max(now() - started, SHORTEST)
            needed = min(needed, max(few.n, 2 * int(0.5 * few.n * room ** (1.0 / 3.0)) + 1))
        few = Problem.from_interval(low, high, max(needed, few.n), prior)
        if needed <= steps + 1 or is_late():
            break
    return few


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
    others_to_ask = related(task) if route == "auto" else ()
    chosen = choose(task, route)
    reason, refusals = chosen.reason, chosen.refusals
    tried = Tries(question, task)
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
    if best is not None:
        best = no_worse_than_related(question, task, best, others_to_ask, _otherwise)
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
    tried: Tries, failed: Chosen, solver: str | Sequence[str] | None, *, others: bool
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


def asked(problem: Any, notion: Any, objective: Any, outputs: int | None) -> Question:
    """Return the question that they make, which have to be of their kinds."""
    required("problem", problem, Problem)
    required("notion", notion, Notion)
    required("objective", objective, Objective)
    require_dataclass("notion", notion)
    require_dataclass("objective", objective)
    require_over_interval(problem, notion, objective)
    return Question(problem, notion, objective, outputs)
