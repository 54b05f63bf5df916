"""Route `columns`: a linear program with one column for each decision, and decisions priced with a certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.domains import Array
from mechdesign.notions import Cone
from mechdesign.objectives import Linear, RatioType
from mechdesign.solve.backends import LinearProgram, LinearSolution, solve_linear
from mechdesign.solve.merging import merge_alike
from mechdesign.solve.pricing import Price, price, ratio_range
from mechdesign.solve.support import support
from mechdesign.solve.task import Candidate, Clock, Multipliers, Route, Task

#: Decisions of the first program, spread over the range of the ratio.
FIRST_DECISIONS = 24
#: Rounds of pricing before the route returns what it has.
MOST_ROUNDS = 40


def refusal(task: Task) -> str | None:
    """Return why the route cannot answer, or None."""
    if task.subject_to is not None:
        return "constraints of your own need the convex route"
    if not isinstance(task.objective, Linear | RatioType):
        return f"the decisions of {task.objective.name} are neither finitely many nor one number"
    if task.notion.budget(task.problem) is not None:
        return f"{task.notion.name} bounds a sum over columns, which the pricing of single columns does not see"
    if isinstance(task.objective, RatioType) and np.any(task.objective.ratio(task.problem).b < 0):
        return "the ratio's denominator is negative somewhere"
    return None


def solve(task: Task) -> Candidate:
    """Solve over finitely many decisions at once, over a continuum in rounds."""
    return _finite(task) if isinstance(task.objective, Linear) else _continuum(task)


def decision_program(cone: Cone, gains: Array) -> LinearProgram:
    """Return: maximise ``sum_d gains[d] . q_d`` over columns ``q_d`` of the cone with ``sum_d q_d = 1``.

    Variables are the blocks ``(q_d, t_d)``, one for each decision.
    """
    from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

    decisions, n = gains.shape
    auxiliary = cone.on_auxiliary.shape[1]
    total = hstack([eye_array(n), csr_array((n, auxiliary))])
    block = hstack([csr_array(cone.on_column), csr_array(cone.on_auxiliary)])
    rows: Any = vstack([kron(np.ones((1, decisions)), total), kron(eye_array(decisions), block)])
    cost = np.hstack([-gains, np.zeros((decisions, auxiliary))]).ravel()
    low = np.concatenate([np.ones(n), np.zeros(decisions * len(cone.on_column))])
    high = np.concatenate([np.ones(n), np.full(decisions * len(cone.on_column), np.inf)])
    return LinearProgram(cost, csr_array(rows), low, high)


def _solved(task: Task, cone: Cone, gains: Array, clock: Clock, interior: bool) -> tuple[Array, Array, LinearSolution]:
    scale = max(float(np.abs(gains).max()), 1e-300)
    program = decision_program(cone, gains / scale)
    clock.lap("build")
    found = solve_linear(
        program,
        task.solver or "HIGHS",
        interior=interior,
        time_limit=task.time_left(),
        verbose=task.solver_verbose,
    )
    clock.lap("solve")
    columns = found.point.reshape(len(gains), -1)[:, : task.problem.n].T
    return columns, -found.multipliers[: task.problem.n] * scale, found


def _finite(task: Task) -> Candidate:
    objective = task.objective
    assert isinstance(objective, Linear)
    clock = Clock()
    gains = -objective.cost(task.problem).T
    interior = gains.size > 400
    columns, rows, found = _solved(task, task.notion.cone(task.problem), gains, clock, interior)
    note = f"over {len(gains)} decisions"
    return Candidate(np.maximum(columns, 0.0), Multipliers(rows), found.stats, clock.timings, note)


def _continuum(task: Task) -> Candidate:
    objective = task.objective
    assert isinstance(objective, RatioType)
    clock = Clock()
    ratio, cone, problem = objective.ratio(task.problem), task.notion.cone(task.problem), task.problem

    def sigma(functionals: Array) -> Array:
        return support(task.notion, problem, functionals).values

    low, high = ratio_range(ratio, task.notion, problem)
    decisions = np.linspace(low, high, FIRST_DECISIONS) if high > low else np.array([low])
    best: tuple[float, Array] = (np.inf, np.zeros(problem.n))
    for rounds in range(1, MOST_ROUNDS + 1):
        columns, rows, found = _solved(task, cone, ratio.functionals(decisions), clock, True)
        columns = np.maximum(columns, 0.0)
        reached = float(objective.column_utility(columns, problem).sum())
        asked = 0.1 * task.gap * max(abs(reached), 1e-9)
        priced = price(ratio, sigma, rows, decisions, asked)
        bound = float(rows.sum()) + priced.bound
        best = min(best, (bound, rows), key=lambda pair: pair[0])
        clock.lap("solve")
        if best[0] - reached <= 5 * asked or task.late or len(decisions) == 1:
            break
        decisions = _refined(decisions, ratio.at(columns[:, columns.sum(axis=0) > 1e-7]), priced)
    note = f"over {len(decisions)} decisions, {rounds} rounds"
    merged = merge_alike(columns, objective, problem)
    return Candidate(merged, Multipliers(best[1]), found.stats, clock.timings, note)


def _refined(decisions: Array, means: Array, priced: Price) -> Array:
    """Return the decisions with the local maxima of the price and the means of the present outputs added."""
    order = np.argsort(priced.decisions)
    t, worth = priced.decisions[order], priced.values[order]
    padded = np.concatenate([[-np.inf], worth, [-np.inf]])
    peaks = t[(worth >= padded[:-2]) & (worth >= padded[2:]) & (worth > 0)]
    return np.unique(np.concatenate([decisions, means, peaks]))


ROUTE = Route("columns", ("HIGHS", "CLARABEL"), refusal, solve)
