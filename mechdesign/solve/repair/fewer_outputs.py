"""Fewer outputs at negligible cost: merge nearly equal ones, and the negligible ones that interior points leave."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.objectives import Objective, RatioType, Separable
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.revealing_outputs import reveals
from mechdesign.solve.repair.merged_outputs import merge_alike, merge_proportional
from mechdesign.solve.task import Task, used
from mechdesign.tolerances import MERGE_LOSS, NEGLIGIBLE

#: Outputs that no input makes more often are merged as long as that costs next to nothing; where the cost is not known,
#: those that are made less often than `NEGLIGIBLE` and than the gap asked for.
SMALL = 1e-4
#: The share of the gap asked for that merging small outputs may cost in all.
OF_GAP = 0.1
#: How near what two outputs say has to be before they are compared.
ALIKE = 1e-4
#: Entries of pairs of outputs that are compared, so that it takes milliseconds.
MOST_PAIRED = 1 << 22
#: Entries of a matrix whose small outputs are moved: among more, each takes a tenth of a second and more.
MOST_MOVED = 1 << 20


def lean(matrix: Array, task: Task) -> Array:
    """Return the matrix, shape (n, m), with fewer outputs if that costs almost nothing; else `matrix` itself.

    Merging outputs is post-processing and discloses no more. The cost is estimated here, and certified by the caller.
    """
    objective, problem = task.objective, task.problem
    if task.subject_to is not None or is_late():
        return matrix
    clean = _without_negligible(matrix, task)
    kept = used(clean)
    free = objective.outputs(problem) is None and not len(task.notion.columns(problem).revealed)
    if not free:
        return clean
    if not is_separable(objective):
        merged = merge_proportional(kept)
        return merged if merged.shape[1] < kept.shape[1] else clean
    if not _some_alike(kept, objective, problem):
        return clean
    if kept.shape[1] ** 2 // 2 * len(kept) > MOST_PAIRED:
        return clean
    worth, whole = _gained(kept, objective, problem)
    share = MERGE_LOSS * worth / max(whole, 1e-300)
    if share <= 64 * np.finfo(float).eps:
        return clean
    merged = merge_alike(kept, objective, problem, share)
    return merged if merged.shape[1] < kept.shape[1] else clean


def _some_alike(columns: Array, objective: Objective, problem: Problem) -> bool:
    """Return whether two outputs may say the same: then all that follows from their posterior is the same."""
    if isinstance(objective, RatioType):
        with np.errstate(all="ignore"):
            said = objective.ratio(problem).at(columns)
    else:
        weights: Array = np.random.default_rng(0).random(len(columns))
        said = weights @ columns / columns.sum(axis=0)
    said = np.sort(said[np.isfinite(said)])
    return bool(np.any(np.diff(said) <= ALIKE * np.abs(said[1:])))


def _gained(matrix: Array, objective: Separable, problem: Problem) -> tuple[float, float]:
    """Return what counts of the utility, the value or what is gained if that is less, and the size of its terms."""
    worth = objective.column_utility(used(matrix), problem)
    whole, total = float(np.abs(worth).sum()), float(worth.sum())
    value = objective.from_utility(total, problem)
    if not np.isfinite(value):
        return 0.0, whole
    # Where little can be disclosed, what is gained is far smaller than the value.
    gained = abs(total - objective.to_utility(objective.uninformative(problem), problem))
    return min(abs(value) * objective.steepness(value, problem), gained), whole


def _without_negligible(matrix: Array, task: Task) -> Array:
    """Return the matrix with each output of negligible mass moved to where it does least harm, its column empty."""
    objective, problem = task.objective, task.problem
    tops = matrix.max(axis=0)
    small = (tops > 0) & (tops < (SMALL if is_separable(objective) else min(NEGLIGIBLE, task.gap)))
    if not small.any() or matrix.size > MOST_MOVED:
        return matrix
    given, own = matrix, reveals(matrix, task.notion.columns(problem).revealed)
    matrix = np.maximum(matrix, 0.0)
    small &= ~own
    targets = np.flatnonzero((tops > 0) & ~small & ~own)
    if not small.any() or not len(targets):
        return given
    others = matrix[:, targets]
    directions = others / np.linalg.norm(others, axis=0)
    left = OF_GAP * task.gap * _gained(matrix, objective, problem)[0] if is_separable(objective) else np.inf
    result = matrix.copy()
    for place in np.flatnonzero(small)[np.argsort(tops[small], kind="stable")]:
        column = matrix[:, place]
        target, cost = _cheapest(column, others, targets, objective, problem) or (_nearest(column, directions), 0.0)
        if cost > left:
            break
        left -= cost
        result[:, targets[target]] += column
        result[:, place] = 0.0
    return given if np.array_equal(result, matrix) else result


def _cheapest(
    column: Array, others: Array, targets: Any, objective: Objective, problem: Problem
) -> tuple[int, float] | None:
    """Return with which of the `others` a column is merged at the least cost, and that cost; None where none is known.

    Parameters
    ----------
    column : array of shape (n,)
    others : array of shape (n, k)
    targets : array of shape (k,)
        The places of the others in the matrix.
    """
    if not is_separable(objective):
        return None
    gains = objective.gains(problem)
    if objective.outputs(problem) is not None and gains is not None and len(gains) > targets.max():
        worth = gains @ column
        best = int(worth[targets].argmax())
        return best, float(worth.max() - worth[targets[best]])
    if objective.outputs(problem) is not None:
        return None
    # At one size, as a change of the utility by one part in 1e8 would be rounding: it is homogeneous.
    sizes = others.sum(axis=0) / column.sum()
    with np.errstate(all="ignore"):
        own = objective.column_utility(column[:, None], problem)[0]
        alone = sizes * objective.column_utility(others / sizes, problem)
        costs = own + alone - objective.column_utility(others + column[:, None], problem)
    return (int(costs.argmin()), max(float(costs.min()), 0.0)) if np.isfinite(costs).all() else None


def _nearest(column: Array, directions: Array) -> int:
    """Return the direction, shape (n, k), of length one, that is nearest to the posterior of the column."""
    return int((directions.T @ column).argmax())
