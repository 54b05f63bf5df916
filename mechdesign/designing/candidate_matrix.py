"""The matrix of a route's candidate before it is repaired: checked, ordered, merged into as few outputs as allowed."""

from __future__ import annotations

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.objectives import Linear, RatioType
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.repair.merged_outputs import merge_alike
from mechdesign.solve.task import Candidate, Task, used


def require_matrix(candidate: Candidate, inputs: int) -> None:
    """Raise SolverError unless the candidate has a finite matrix of `inputs` rows with a positive entry."""
    usable = candidate.matrix.shape[0] == inputs and np.all(np.isfinite(candidate.matrix))
    if not usable or not np.any(candidate.matrix > 0):
        raise SolverError(
            f"{candidate.stats.name} returned no matrix for {inputs} inputs.",
            status=candidate.stats.status,
            iterate=candidate.matrix,
        )


def in_order(matrix: Array, task: Task) -> Array:
    """Return the matrix with its outputs in the order of their ratios, if the objective has one."""
    if not isinstance(task.objective, RatioType):
        return matrix
    kept = used(matrix)
    with np.errstate(all="ignore"):
        return np.asarray(kept[:, np.argsort(task.objective.ratio(task.problem).at(kept), kind="stable")])


def merged_to_limit(matrix: Array, task: Task) -> Array:
    """Return the matrix with outputs merged, at nearly no cost, if it has more outputs than are allowed."""
    objective, kept = task.objective, used(matrix)
    if task.outputs is None or kept.shape[1] <= task.outputs or not is_separable(objective):
        return matrix
    free = objective.outputs(task.problem) is None and not task.columns.revealed
    return merge_alike(np.maximum(kept, 0.0), objective, task.problem) if free else matrix


def best_decision(objective: Linear, problem: Problem) -> Array:
    """Return the decision that is best without any report, as a unit vector over the decisions."""
    total = objective.cost(problem).sum(axis=0)
    return np.asarray(np.eye(len(total))[int(total.argmin())])
