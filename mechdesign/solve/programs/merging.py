"""Merging outputs: post-processing, so never less private; done where it costs next to nothing."""

from __future__ import annotations

import numpy as np

from mechdesign.domains import Array
from mechdesign.objectives import Ratio, RatioType, Separable
from mechdesign.problem import Problem
from mechdesign.tolerances import MERGE_LOSS


def merge_alike(columns: Array, objective: Separable, problem: Problem, share: float = MERGE_LOSS) -> Array:
    """Merge columns whose union costs in all less than this share of the utility, cheapest first.

    Columns of ratio type are compared along their ratio, others all with all.
    """
    kept = columns[:, columns.max(axis=0) > 0]
    if isinstance(objective, RatioType):
        return _merged_in_order(kept, objective.ratio(problem), share)
    worth = objective.column_utility(kept, problem)
    left = share * max(float(np.abs(worth).sum()), 1e-300)
    while kept.shape[1] > 1:
        first, second = np.triu_indices(kept.shape[1], 1)
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


def _merged_in_order(columns: Array, ratio: Ratio, share: float) -> Array:
    """Return neighbours along the ratio merged: all that counts of a column are ``a . v`` and ``b . v``."""
    columns = columns[:, np.argsort(ratio.at(columns), kind="stable")]
    first, second = np.asarray(ratio.a @ columns), np.asarray(ratio.b @ columns)
    starts = np.arange(columns.shape[1])
    worth = ratio.utility(first, second)
    left = share * max(float(np.abs(worth).sum()), 1e-300)
    together = ratio.utility(first[:-1] + first[1:], second[:-1] + second[1:])
    while len(starts) > 1:
        losses = worth[:-1] + worth[1:] - together
        i = int(losses.argmin())
        left -= max(float(losses[i]), 0.0)
        if left < 0:
            break
        first[i], second[i], worth[i] = first[i] + first[i + 1], second[i] + second[i + 1], together[i]
        first, second, worth = (np.delete(part, i + 1) for part in (first, second, worth))
        starts = np.delete(starts, i + 1)
        together = np.delete(together, i)
        near = slice(max(i - 1, 0), i + 1)
        together[near] = ratio.utility((first[:-1] + first[1:])[near], (second[:-1] + second[1:])[near])
    return np.asarray(np.add.reduceat(columns, starts, axis=1))
