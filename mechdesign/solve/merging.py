"""Merging outputs: post-processing, so never less private; done where it costs next to nothing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mechdesign.domains import Array
from mechdesign.objectives import RatioType, Separable
from mechdesign.problem import Problem
from mechdesign.tolerances import MERGE_LOSS


def merge_alike(columns: Array, objective: Separable, problem: Problem) -> Array:
    """Merge columns whose union costs in all less than MERGE_LOSS of the utility, cheapest first.

    Columns of ratio type are compared along their ratio, others all with all.
    """
    kept = columns[:, columns.max(axis=0) > 0]
    if isinstance(objective, RatioType):
        kept = kept[:, np.argsort(objective.ratio(problem).at(kept), kind="stable")]
    worth = objective.column_utility(kept, problem)
    left = MERGE_LOSS * max(float(np.abs(worth).sum()), 1e-300)
    while kept.shape[1] > 1:
        first, second = _pairs(kept.shape[1], isinstance(objective, RatioType))
        together = objective.column_utility(kept[:, first] + kept[:, second], problem)
        losses = worth[first] + worth[second] - together
        cheapest = int(losses.argmin())
        left -= max(float(losses[cheapest]), 0.0)
        if left < 0:
            break
        i, j = first[cheapest], second[cheapest]
        kept[:, i] += kept[:, j]
        worth[i] = together[cheapest]
        kept, worth = np.delete(kept, j, axis=1), np.delete(worth, j)
    return kept


def _pairs(count: int, in_order: bool) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    if in_order:
        return np.arange(count - 1), np.arange(1, count)
    return np.triu_indices(count, 1)
