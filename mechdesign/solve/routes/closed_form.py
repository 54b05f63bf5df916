"""Route `closed_form`: a theorem's mechanism inside its confirmed domain, with multipliers that owe it nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Linear, PiecewiseLinear, RatioType
from mechdesign.objectives.base import gains_of, is_separable
from mechdesign.parameters.checks import Array
from mechdesign.question import Question
from mechdesign.runtime.deadline import now
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.routes import columns, rays
from mechdesign.solve.search.guessed_multipliers import by_slackness
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram, SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, used, without_solver
from mechdesign.tolerances import ROUNDING

if TYPE_CHECKING:
    from mechdesign.theorems import Theorem


def plan(task: Task) -> Plan | Refusal:
    """Return how a theorem answers, or why none does: none of this form, or the condition that fails."""
    chosen = _chosen(task)
    if isinstance(chosen, str):
        return Refusal(chosen)
    count = used(_matrix(task, chosen)).shape[1]
    if task.outputs is not None and count > task.outputs:
        return Refusal(f"the mechanism of {chosen.name} has {count} outputs, more than the {task.outputs} allowed")
    budget = task.columns.budget()
    finite = gains_of(task.objective, task.problem) is not None
    by_functionals = finite or (isinstance(task.objective, RatioType) and not len(budget))
    if not by_functionals and all_rays(task.notion, task.problem) is None:
        return Refusal(
            f"the certificate needs the extreme rays of {task.notion.name}, too many for {task.problem.n} inputs"
        )
    return Plan(partial(_by_formula, chosen), by=chosen.name)


def _by_formula(chosen: Theorem, task: Task, solver: str) -> Candidate:
    """Return the theorem's mechanism, with multipliers from complementary slackness or a linear program."""
    stages, started = Stages(), now()
    matrix = _matrix(task, chosen)
    stats = SolverStats("closed form", "formula", now() - started, 0)
    stages.lap("build")
    multipliers = _multipliers(task, chosen)
    stages.lap("solve")
    return Candidate(matrix, multipliers, stats, stages.timings, chosen.described(_question(task)))


def _formula(task: Task, chosen: Theorem) -> Array:
    return chosen.mechanism(_question(task)).matrix


def _question(task: Task) -> Question:
    return Question(task.problem, task.notion, task.objective)


def _matrix(task: Task, chosen: Theorem) -> Array:
    """Return the theorem's mechanism, its outputs taken as decisions where the objective has them."""
    formula = _formula(task, chosen)
    return task.objective.by_decision(formula, task.problem) if isinstance(task.objective, Linear) else formula


def published() -> dict[str, Theorem]:
    """Return the confirmed theorems, loaded when first asked for: other routes need none."""
    from mechdesign.theorems import published as confirmed

    return confirmed()


def _chosen(task: Task) -> Theorem | str:
    """Return the first theorem whose form and confirmed domain contain the question, or why none does."""
    question = _question(task)
    failures: dict[str, str] = {}
    for theorem, refused in task.theorems:
        why = refused or _not_of(theorem, question)
        if why is not None:
            failures[theorem.key] = f"{theorem.name}: {why}"
    own = [theorem for theorem, _ in task.theorems if theorem.key not in failures]
    # Who names theorems asks for those.
    for theorem in own if task.theorems else published().values():
        if _not_of(theorem, question) is not None:
            continue
        outside = theorem.domain(question)
        if outside is None:
            return theorem
        said = outside + _as_printed(task, theorem.printed(question).matrix)
        # Two claims of one formula say the same.
        failures.setdefault(said, f"{theorem.name}: {said}")
    if failures:
        return "; ".join(failures.values())
    return f"no theorem speaks of {task.objective} under {task.notion} with {task.problem.n} inputs"


def _as_printed(task: Task, matrix: Array) -> str:
    """Return what is wrong with a mechanism outside of its domain, as the end of a sentence; mostly its level."""
    if matrix.min() < 0:
        return "; as printed it would have negative probabilities"
    level, asked = task.notion.level(matrix, task.problem).value, task.notion.parameter
    if level <= asked * (1.0 + ROUNDING):
        return ""
    return f"; as printed its {task.notion.level_name} would be {level:.6g}, not {asked:.6g}"


def _not_of(theorem: Theorem, question: Question) -> str | None:
    if theorem.form is None:
        return "it has no form, so that it gives no mechanism"
    return theorem.form.refusal(question)


def _multipliers(task: Task, chosen: Theorem) -> Multipliers:
    if isinstance(task.objective, PiecewiseLinear):
        return _of_pieces(task, task.objective)
    assert is_separable(task.objective), "theorems are about sums over columns or maxima of pieces"
    # Before outputs are taken as decisions: there are more columns to fix the multipliers by.
    matrix = used(_formula(task, chosen))
    guess = by_slackness(task, matrix, task.objective.column_utility(matrix, task.problem))
    reached = float(task.objective.column_utility(matrix, task.problem).sum())
    if _is_tight(task, guess, reached):
        return guess
    # Too few columns to fix the multipliers: those of a program over rays or decisions, theorem or not.
    unsolved = replace(task, solver=None)
    for route in (rays.ROUTE, columns.ROUTE):
        found = route.asked(unsolved)
        if isinstance(found, Plan):
            return found.run(unsolved, route.preferred(found)).multipliers
    return guess


def _is_tight(task: Task, multipliers: Multipliers, reached: float) -> bool:
    asked = task.asked(reached, 0.1)
    bound = utility_bound(task.notion, task.objective, task.problem, multipliers, asked)
    return bound.utility - reached <= 2 * bound.rounding + 5 * asked


def _of_pieces(task: Task, objective: PiecewiseLinear) -> Multipliers:
    """Minimise ``sum(lam)`` over weights w of the pieces: ``(C_y(w) + lam) . r >= 0`` for each output y and ray r."""
    from scipy.sparse import csr_array

    found = all_rays(task.notion, task.problem)
    assert found is not None, "plan() refuses where there is no list of rays"
    n = task.problem.n
    pieces = objective.pieces(task.problem).toarray()
    costs = pieces.reshape(len(pieces), n, -1)
    on_weights = np.einsum("kxy,xr->yrk", costs, found.columns).reshape(-1, len(pieces))
    on_rows = np.tile(found.columns.T, (costs.shape[2], 1))
    total = np.concatenate([np.ones(len(pieces)), np.zeros(2 * n)])
    rows = np.vstack([np.hstack([on_weights, on_rows, -on_rows]), total])
    cost = np.concatenate([np.zeros(len(pieces)), np.ones(n), -np.ones(n)])
    low = np.concatenate([np.zeros(len(rows) - 1), [1.0]])
    high = np.concatenate([np.full(len(rows) - 1, np.inf), [1.0]])
    point = solve_linear(LinearProgram(cost, csr_array(rows), low, high)).point
    lam = point[len(pieces) : len(pieces) + n] - point[len(pieces) + n :]
    return Multipliers(lam, weights=point[: len(pieces)])


def size(task: Task) -> Size:
    """Return none: its arrays follow the size of the matrix."""
    return Size()


ROUTE = Route("closed_form", without_solver, plan, size)
