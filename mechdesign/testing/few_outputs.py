"""The best mechanism of at most m outputs by brute force: every subset of decisions, or every corner of a polygon."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from mechdesign.errors import UnsupportedError
from mechdesign.objectives import RatioType
from mechdesign.objectives.base import gains_of, is_separable
from mechdesign.parameters.checks import Array
from mechdesign.solve.task import Task

#: What the judging solver is asked for; its answers are compared with 1e-6 and wider.
JUDGE = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
#: A corner further out than this is another corner.
APART = 1e-8


def best_of_few(task: Task) -> float:
    """Return the largest utility of a private matrix of at most ``task.outputs`` outputs."""
    objective, problem, outputs = task.objective, task.problem, task.outputs
    assert outputs is not None, "any number of outputs is another question"
    decisions = objective.outputs(problem)
    if is_separable(objective):
        gains = objective.gains(problem)
        decisions = None if gains is None else len(gains)
    if decisions is not None:
        subsets = combinations(range(decisions), min(outputs, decisions))
        return max(_over_subset(task, decisions, kept) for kept in subsets)
    if isinstance(objective, RatioType) and outputs == 2:
        return _over_two_columns(task, objective)
    raise UnsupportedError(f"The contract cannot judge {outputs} outputs of {objective.name}; ask for 2.")


def _over_subset(task: Task, decisions: int, kept: tuple[int, ...]) -> float:
    import cvxpy as cp

    objective, problem = task.objective, task.problem
    Q = cp.Variable((problem.n, decisions))
    others = [d for d in range(decisions) if d not in kept]
    rules = [*task.notion.constraints(Q, problem), cp.sum(Q, axis=1) == 1]
    if others:
        rules.append(Q[:, others] == 0)
    gains = gains_of(objective, problem)
    utility: Any = cp.sum(cp.multiply(gains.T, Q)) if gains is not None else objective.utility_expression(Q, problem)
    return float(cp.Problem(cp.Maximize(utility), rules).solve(solver="CLARABEL", **JUDGE))


def _over_two_columns(task: Task, objective: RatioType) -> float:
    """Return the largest ``mu(q) + mu(1 - q)``: convex in ``(a . q, b . q)``, so largest at a corner there."""
    import cvxpy as cp

    ratio, n = objective.ratio(task.problem), task.problem.n
    plane = np.array([ratio.a / np.abs(ratio.a).max(), ratio.b / np.abs(ratio.b).max()])
    Q, direction = cp.Variable((n, 2)), cp.Parameter(2)
    rules = [*task.notion.constraints(Q, task.problem), cp.sum(Q, axis=1) == 1]
    program = cp.Problem(cp.Maximize(direction @ (plane @ Q[:, 0])), rules)

    def furthest(towards: Array) -> Array:
        direction.value = towards / np.abs(towards).max()
        program.solve(solver="CLARABEL", **JUDGE)
        return np.asarray(np.clip(np.asarray(Q.value)[:, 0], 0.0, 1.0))

    def between(first: Array, second: Array) -> list[Array]:
        along = plane @ (second - first)
        if np.abs(along).max() < APART:
            return []
        outward = np.array([along[1], -along[0]])
        found = furthest(outward)
        if outward @ (plane @ (found - first)) <= APART * np.abs(outward).max():
            return []
        return [*between(first, found), found, *between(found, second)]

    ends = [furthest(np.array(towards)) for towards in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))]
    corners = list(ends)
    for first, second in zip(ends, [*ends[1:], ends[0]], strict=True):
        corners += between(first, second)
    pairs = (np.stack([q, 1.0 - q], axis=1) for q in corners)
    used = (pair[:, pair.max(axis=0) > APART] for pair in pairs)
    return max(float(objective.column_utility(pair, task.problem).sum()) for pair in used)
