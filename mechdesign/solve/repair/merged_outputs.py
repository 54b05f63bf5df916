"""Merging outputs: post-processing, so never less private; done if it costs almost nothing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mechdesign.objectives import Ratio, RatioType, Separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.tolerances import MERGE_LOSS

#: Entries of columns that are compared at most where all are compared with all, and at once.
MOST_COMPARED, AT_ONCE = 1 << 30, 1 << 20
#: Columns that differ by no more than this, as shares of their largest entries, are proportional.
SAME = 1e-12


def merge_proportional(columns: Array) -> Array:
    """Return columns, shape (n, m), none of them zero, with those that are proportional up to rounding added up.

    Examples
    --------
    >>> merge_proportional(np.array([[0.1, 0.2, 0.7], [0.3, 0.6, 0.1]])).round(12).tolist()
    [[0.3, 0.7], [0.9, 0.1]]
    """
    tops = columns.max(axis=0)
    # Columns that say the same have the same weighted sum.
    key = (np.random.default_rng(0).random(len(columns)) @ columns) / tops
    order = np.argsort(key, kind="stable")
    near = np.flatnonzero(np.diff(key[order]) <= SAME * len(columns))
    one, other = order[near], order[near + 1]
    apart = np.ones(len(order) - 1, dtype=bool)
    apart[near] = np.abs(columns[:, one] / tops[one] - columns[:, other] / tops[other]).max(axis=0, initial=0.0) > SAME
    group = np.empty(len(order), dtype=np.intp)
    group[order] = np.concatenate([[0], np.cumsum(apart)])
    # In the order in which they first came.
    _, first, of_column = np.unique(group, return_index=True, return_inverse=True)
    merged = np.zeros((len(columns), len(first)))
    np.add.at(merged.T, np.argsort(np.argsort(first))[of_column], columns.T)
    return merged


def merge_alike(columns: Array, objective: Separable, problem: Problem, share: float = MERGE_LOSS) -> Array:
    """Merge columns, shape (n, m), whose union costs in all less than this share of the utility, cheapest first.

    Columns of ratio type are compared along their ratio, others all with all.
    """
    kept = columns[:, columns.max(axis=0) > 0]
    if isinstance(objective, RatioType):
        return _merged_in_order(kept, objective.ratio(problem), share)
    return _merged_in_pairs(kept, objective, problem, share)


def _merged_in_pairs(columns: Array, objective: Separable, problem: Problem, share: float) -> Array:
    """Return columns merged of all pairs, where there are not too many, and as far as there is time."""
    n, m = columns.shape
    if m * (m - 1) // 2 * n > MOST_COMPARED:
        return columns
    columns = columns.copy()
    first, second = np.triu_indices(m, 1)
    worth, together = objective.column_utility(columns, problem), np.empty(len(first))
    for start in range(0, len(first), max(1, AT_ONCE // n)):
        if is_late():
            return columns
        part = slice(start, start + max(1, AT_ONCE // n))
        together[part] = objective.column_utility(columns[:, first[part]] + columns[:, second[part]], problem)
    left = share * max(float(np.abs(worth).sum()), 1e-300)
    alive = np.ones(m, dtype=bool)
    while len(first) and not is_late():
        losses = worth[first] + worth[second] - together
        cheapest = int(losses.argmin())
        left -= max(float(losses[cheapest]), 0.0)
        if left < 0:
            break
        i, j = first[cheapest], second[cheapest]
        columns[:, i] += columns[:, j]
        worth[i], alive[j] = together[cheapest], False
        others = (first != j) & (second != j)
        first, second, together = first[others], second[others], together[others]
        changed = (first == i) | (second == i)
        both = columns[:, first[changed]] + columns[:, second[changed]]
        together[changed] = objective.column_utility(both, problem)
    return np.asarray(columns[:, alive])


def _merged_in_order(columns: Array, ratio: Ratio, share: float) -> Array:
    """Return neighbours along the ratio merged: all that counts of a column are ``a . v`` and ``b . v``."""
    columns = columns[:, np.argsort(ratio.at(columns), kind="stable")]
    parts = list(ratio.parts(columns))
    starts = np.arange(columns.shape[1])
    worth = ratio.utility(*parts)
    left = share * max(float(np.abs(worth).sum()), 1e-300)
    while len(starts) > 1:
        together = ratio.utility(*(part[:-1] + part[1:] for part in parts))
        chosen, lost = _cheapest(np.maximum(worth[:-1] + worth[1:] - together, 0.0), left)
        if not len(chosen):
            break
        left -= lost
        worth[chosen] = together[chosen]
        worth, starts = np.delete(worth, chosen + 1), np.delete(starts, chosen + 1)
        firsts = np.delete(np.arange(len(parts[0])), chosen + 1)
        parts = [np.add.reduceat(part, firsts) for part in parts]
    return np.asarray(np.add.reduceat(columns, starts, axis=1))


def _cheapest(losses: Array, left: float) -> tuple[npt.NDArray[np.intp], float]:
    """Return which pairs of neighbours are merged at once, and their loss in all: none where none costs so little.

    Of pairs that cost less than both pairs beside them none changes what another costs: those of which there is enough
    for as many as there are pairs would all be merged, in whatever order. Otherwise the cheapest.
    """
    around = np.concatenate([[np.inf], losses, [np.inf]])
    few = losses <= left / len(losses)
    least = np.flatnonzero(few & (losses < around[:-2]) & (losses <= around[2:]))
    if not len(least):
        least = np.array([losses.argmin()])
    lost = float(losses[least].sum())
    return (least, lost) if lost <= left else (least[:0], 0.0)
