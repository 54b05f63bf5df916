"""From a question to a certified, exactly private design; and back from its file."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mechdesign.auditing import audit
from mechdesign.designs import Attempt, Design
from mechdesign.domains import Array, frozen, real, whole
from mechdesign.errors import CertificateError, DomainError, GapWarning, SolverError, UnsupportedError
from mechdesign.exact import dyadic
from mechdesign.mechanism import Mechanism, read
from mechdesign.notions import Notion
from mechdesign.objectives import Linear, Objective, RatioType
from mechdesign.objectives.base import is_separable
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.solve.backends import solver_name
from mechdesign.solve.bounds.revealing import output_names
from mechdesign.solve.programs.merging import merge_alike
from mechdesign.solve.prove import prove, span
from mechdesign.solve.repair import equalised, repair
from mechdesign.solve.routes import ROUTES, choose
from mechdesign.solve.task import Candidate, Clock, Memory, Route, Task, used
from mechdesign.solve.telling import all_told
from mechdesign.threads import limited
from mechdesign.tolerances import GAP, SPAN_SHARE


def design(
    problem: Problem,
    notion: Notion,
    objective: Objective,
    *,
    route: str = "auto",
    outputs: int | None = None,
    solver: str | Sequence[str] | None = None,
    gap: float = GAP,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    subject_to: Callable[[Any], list[Any]] | None = None,
    verbose: bool = False,
    solver_verbose: bool = False,
    threads: int | None = None,
) -> Design:
    """Return the best mechanism for `objective` under `notion`, exactly private and certified.

    Parameters
    ----------
    problem : Problem
        Who may hold what.
    notion : Notion
        What has to stay private.
    objective : Objective
        What has to stay useful: together, the question.
    route : str
        "auto", or one of "rays", "quantised", "subsets", "columns", "lifts", "directions", "orders", "weights",
        "convex", "few_outputs", "closed_form".
        How to find the optimum; `auto` chooses by kind and size and says why in ``design.reason``.
    outputs : int, optional
        At most how many outputs the mechanism may have: the optimum and the bound are over those. Where the optimum
        over all mechanisms has more, `few_outputs` searches the decisions that so many outputs can stand for.
    solver : str or sequence of str, optional
        One solver in any case, or an explicit order: the next is tried only when one fails or misses the gap.
    gap : float
        The relative gap that is asked for, in (0, 1].
    time_limit : float, optional
        Seconds.
    memory_limit : float, optional
        Gigabytes that a program may take by our estimate, which is made before the program is; 4 without it, or half
        of what is free where that is less.
    subject_to : callable, optional
        ``lambda Q: [...]``, further cvxpy constraints of your own (route convex); they hold to solver tolerance.
    verbose, solver_verbose : bool
        Print what we do, or what the solver says.
    threads : int, optional
        How many threads each solver and BLAS may use (ECOS and SCS have one). Without it solvers have one, and BLAS
        what it has by default.

    Returns
    -------
    Design
        With `matrix`, `value`, `bound`, `gap`, `mechanism` and the story of how they were found.

    Raises
    ------
    DomainError, InfeasibleError, UnsupportedError, SolverError
        Bad input, no such mechanism, no route for it, no solver that answered.

    Warns
    -----
    GapWarning
        The certified gap is wider than asked.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
    >>> result = md.design(problem, md.LIP(epsilon=1.0), md.MMSE())
    >>> result.gap <= 1e-6, result.audit.holds
    (True, True)
    """
    made = answered(
        problem,
        notion,
        objective,
        route=route,
        outputs=outputs,
        solver=solver,
        gap=gap,
        time_limit=time_limit,
        memory_limit=memory_limit,
        subject_to=subject_to,
        verbose=verbose,
        solver_verbose=solver_verbose,
        threads=threads,
    )
    if not made.gap <= gap:
        warnings.warn(made.shortfall(gap), GapWarning, stacklevel=2)
    return made


def answered(
    problem: Problem,
    notion: Notion,
    objective: Objective,
    *,
    threads: int | None = None,
    **keywords: Any,
) -> Design:
    """Return the design that `design` returns, and leave it to the caller to say that its gap is wider than asked.

    `keywords` are those of `design`, and `memory`: what the last level of a frontier left.
    """
    with limited(None if threads is None else whole("threads", threads, 1)):
        return _answered(problem, notion, objective, **keywords)


def _answered(
    problem: Problem,
    notion: Notion,
    objective: Objective,
    *,
    route: str = "auto",
    outputs: int | None = None,
    solver: str | Sequence[str] | None = None,
    gap: float = GAP,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    subject_to: Callable[[Any], list[Any]] | None = None,
    verbose: bool = False,
    solver_verbose: bool = False,
    memory: Memory | None = None,
) -> Design:
    allowed = None if outputs is None else whole("outputs", outputs, 1)
    question = _asked(problem, notion, objective, allowed)
    inputs = notion.inputs(problem)
    objective.check(inputs)
    deadline = None if time_limit is None else time.perf_counter() + real("time_limit", time_limit, 0.0)
    task = Task(
        inputs,
        notion,
        objective,
        outputs=allowed,
        gap=real("gap", gap, 0.0, 1.0),
        deadline=deadline,
        subject_to=subject_to,
        solver_verbose=solver_verbose,
        memory=memory,
        memory_limit=None if memory_limit is None else real("memory_limit", memory_limit, 0.0),
    )
    say = print if verbose else _silent
    chosen, reason, refusals = choose(task, route)
    try:
        best, attempts = _answer(question, task, chosen, reason, solver, say)
    except _TooManyOutputs as error:
        if route != "auto":
            raise
        first, told = chosen, {chosen.name: error.why}
        try:
            chosen, reason, _ = choose(task, "few_outputs")
        except UnsupportedError as refused:
            raise UnsupportedError(f"Route {first.name}: {error.why}. {refused}") from None
        reason, refusals = f"{first.name}: {error.why}", refusals.but(told, chosen.name)
        best, attempts = _answer(question, task, chosen, reason, solver, say)
    return replace(best, reason=reason, refusals=refusals, attempts=tuple(attempts))


class _TooManyOutputs(UnsupportedError):
    """The optimum over all mechanisms has more outputs than are allowed."""

    def __init__(self, route: str, taken: int, allowed: int) -> None:
        self.why = f"the optimum over all mechanisms has {taken} outputs, more than the {allowed} allowed"
        super().__init__(
            f"Route {route}: {self.why}; leave outputs out, raise it, or take the route few_outputs, which searches "
            "for the best mechanism of so few."
        )


def _answer(
    question: Question,
    task: Task,
    chosen: Route,
    reason: str,
    solver: str | Sequence[str] | None,
    say: Callable[[str], None],
) -> tuple[Design, list[Attempt]]:
    """Return the best design of a route's solvers, tried in order until one meets the gap, and what each did."""
    say(f"route {chosen.name}: {reason}")
    best: Design | None = None
    attempts: list[Attempt] = []
    failures: list[SolverError] = []
    for name in _order(solver, chosen, task):
        started = time.perf_counter()
        try:
            candidate = chosen.solve(replace(task, solver=name))
            made = _finish(question, task, chosen, candidate)
        except SolverError as error:
            failures.append(error)
            attempts.append(Attempt(chosen.name, name, f"failed: {error}", time.perf_counter() - started))
            say(attempts[-1].outcome)
            continue
        attempts.append(Attempt(chosen.name, name, f"gap {made.gap:.1e}", time.perf_counter() - started))
        say(f"{name}: value {made.value:.9g}, bound {made.bound:.9g}, gap {made.gap:.1e}")
        best = made if best is None or not best.gap <= made.gap else best
        if best.gap <= task.gap:
            break
    if best is None:
        tried = "; ".join(f"{a.solver} {a.outcome}" for a in attempts)
        last, within = failures[-1], " within the time limit" if task.late else ""
        raise SolverError(
            f"Route {chosen.name}: no solver answered{within} ({tried}). Name another with solver=...",
            status=last.status,
            log=last.log,
            iterate=last.iterate,
        )
    return best, attempts


def load(path: str | Path) -> Mechanism:
    """Return the mechanism in a file, with every claim derived again.

    Parameters
    ----------
    path : str or Path
        A file that ``Mechanism.save`` or the command wrote.

    Returns
    -------
    Mechanism
        As it was saved; constraints of your own are not in the file, so its bound is the one without them.

    Raises
    ------
    CertificateError
        The file was truncated or edited, its matrix no longer passes its own notion or has more outputs than its
        question allows, or a claim is not confirmed.
    DomainError
        The file holds no question that this version knows.

    Examples
    --------
    >>> import tempfile
    >>> import mechdesign as md
    >>> made = md.design(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LIP(1.0), md.MMSE())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     md.load(made.mechanism.save(f"{folder}/a.json")) == made.mechanism
    True
    """
    mechanism = read(path)
    question = mechanism.question
    inputs = question.notion.inputs(question.problem)
    numerators = dyadic(mechanism.matrix)
    if numerators is None or len(numerators) != inputs.n:
        raise CertificateError(f"{path} holds no stochastic matrix for its {inputs.n} inputs; design it again.")
    if not question.notion.holds_exactly(numerators, inputs):
        raise CertificateError(f"The matrix in {path} does not satisfy {question.notion}; design it again.")
    taken = int(np.count_nonzero(mechanism.matrix.max(axis=0)))
    if question.outputs is not None and taken > question.outputs:
        raise CertificateError(
            f"The matrix in {path} has {taken} outputs, its question allows {question.outputs}; design it again."
        )
    claimed = mechanism.certificate
    if claimed.route not in ROUTES:
        raise CertificateError(f"{path} names the route {claimed.route!r}, which there is none of; design it again.")
    try:
        question.objective.check(inputs)
        names = output_names(mechanism.matrix, question.objective, question.notion, inputs)
        proved = prove(question, inputs, mechanism.matrix, claimed.multipliers, claimed.route)
        # Constraints of the user's own are not in the file: what holds without them is all that can be said of it.
        alone = replace(claimed.multipliers, own_cost=None, own_constant=0.0)
        free = claimed.multipliers.own_cost is None
        derived = proved if free else prove(question, inputs, mechanism.matrix, alone, claimed.route)
    except (ValueError, IndexError, TypeError) as error:
        raise CertificateError(
            f"{path} holds parts whose shapes do not belong together ({error}); design it again."
        ) from None
    if names != mechanism.outputs:
        raise CertificateError(f"{path} names its outputs otherwise than its question does; design it again.")
    scale = max(abs(proved.value), abs(proved.bound), SPAN_SHARE * span(question.objective, inputs))
    for name in ("value", "bound", "gap"):
        said, follows = getattr(claimed, name), getattr(proved, name)
        same = said == follows or abs(said - follows) <= GAP * (1.0 if name == "gap" else scale)
        if not same:
            raise CertificateError(
                f"{path} claims {name} {said!r}, but {follows!r} follows from its matrix and multipliers; "
                "design it again."
            )
    return replace(mechanism, certificate=derived)


def _asked(problem: Any, notion: Any, objective: Any, outputs: int | None) -> Question:
    for name, given, kind in (
        ("problem", problem, Problem),
        ("notion", notion, Notion),
        ("objective", objective, Objective),
    ):
        if not isinstance(given, kind):
            hint = f"call it: {given.__name__}(...)" if isinstance(given, type) else f"give a {kind.__name__}"
            raise DomainError(name, given, f"it has to be a {kind.__name__}", hint)
    return Question(problem, notion, objective, outputs)


def _order(solver: str | Sequence[str] | None, route: Route, task: Task) -> list[str]:
    if solver is None:
        return [route.preferred(task) if route.preferred is not None else route.solvers[0]]
    names = [solver_name(name) for name in _listed(solver)]
    for name in names:
        if name not in route.solvers:
            raise UnsupportedError(
                f"The route {route.name} does not use {name}: choose one of {', '.join(route.solvers)}, "
                'or another route (route="convex" uses them all).'
            )
    return names


def _listed(solver: Any) -> list[Any]:
    given = [solver] if isinstance(solver, str) else list(solver) if isinstance(solver, list | tuple) else []
    if not given:
        raise DomainError("solver", solver, "it has to be a name or a list of names", 'give "HIGHS", or leave it out')
    return given


def _finish(question: Question, task: Task, route: Route, candidate: Candidate) -> Design:
    clock = Clock()
    objective, inputs = task.objective, task.problem
    usable = candidate.matrix.shape[0] == inputs.n and np.all(np.isfinite(candidate.matrix))
    if not usable or not np.any(candidate.matrix > 0):
        raise SolverError(
            f"{candidate.stats.name} returned no matrix for {inputs.n} inputs.",
            status=candidate.stats.status,
            iterate=candidate.matrix,
        )
    matrix = _merged(candidate.matrix, task)
    if isinstance(objective, RatioType):
        kept = matrix[:, matrix.max(axis=0) > 0]
        with np.errstate(all="ignore"):
            matrix = kept[:, np.argsort(objective.ratio(inputs).at(kept), kind="stable")]
    keep = objective.outputs(inputs) is not None
    single = _best_decision(objective, inputs) if isinstance(objective, Linear) else None

    def mended(given: Array) -> Array:
        return frozen(repair(given, task.notion, inputs, keep_outputs=keep, constant=single).matrix)

    repaired = mended(matrix)
    taken = int(np.count_nonzero(repaired.max(axis=0)))
    if task.outputs is not None and taken > task.outputs:
        raise _TooManyOutputs(route.name, taken, task.outputs)
    clock.lap("repair")
    proof = prove(question, inputs, repaired, candidate.multipliers, route.name)
    if not proof.gap <= task.gap:
        alike = equalised(matrix, inputs)
        for other in (all_told(task), None if alike is None else mended(alike)):
            if other is None or (task.outputs is not None and used(other).shape[1] > task.outputs):
                continue
            again = prove(question, inputs, other, candidate.multipliers, route.name)
            repaired, proof = (other, again) if again.gap < proof.gap else (repaired, proof)
    clock.lap("certify")
    mechanism = Mechanism(repaired, output_names(repaired, objective, task.notion, inputs), question, proof)
    checked = audit(mechanism)
    if not checked.holds:
        raise CertificateError(f"The repaired matrix does not satisfy {task.notion}; please report this question.")
    clock.lap("audit")
    return Design(
        mechanism,
        proof.value,
        proof.bound,
        proof.gap,
        route.name,
        "",
        {},
        (),
        {**dict.fromkeys(("build", "compile", "solve"), 0.0), **candidate.timings, **clock.timings},
        candidate.stats,
        checked,
        candidate.note,
    )


def _merged(matrix: Array, task: Task) -> Array:
    """Return the matrix with outputs merged where that costs next to nothing, if there are more than are allowed."""
    objective, kept = task.objective, used(matrix)
    if task.outputs is None or kept.shape[1] <= task.outputs or not is_separable(objective):
        return matrix
    free = objective.outputs(task.problem) is None and not task.notion.revealed(task.problem)
    return merge_alike(np.maximum(kept, 0.0), objective, task.problem) if free else matrix


def _best_decision(objective: Linear, problem: Problem) -> Array:
    total = objective.cost(problem).sum(axis=0)
    return np.asarray(np.eye(len(total))[int(total.argmin())])


def _silent(_: str) -> None:
    return None
