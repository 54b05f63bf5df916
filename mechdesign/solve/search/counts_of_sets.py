"""Which sets to report where few inputs are frequent: the frequent ones by themselves, and how many of the others."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.linalg import LinAlgError

from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.input_groups import InputGroups
from mechdesign.solve.programs.over_grouped_sets import best_weights

#: Rounds of the program, the excess at which it ends as a share of the value, and the mass of columns that stay in it.
ROUNDS, NEAR, STAY = 60, 1e-4, 1e-7
#: Columns lighter than this are dropped, and more while the value grows by this share or there are more than so many.
LIGHT, LOSS, MOST = 1e-6, 2e-3, 24
#: What the rows of a group may miss, as a share, where a column is dropped.
FEASIBLE = 1e-7


def best_counts(groups: InputGroups) -> tuple[Array, Array] | None:
    """Return counts of sets, shape (m, b), and their probabilities; None where no program is solved.

    The groups have all inputs that do not stand alone in one, whose frequencies count as their mean.
    """
    choices = np.array(list(itertools.product((0.0, 1.0), repeat=groups.alone)))
    count = int(groups.others[0])
    every = np.column_stack([np.repeat(choices, count + 1, axis=0), np.tile(np.arange(count + 1.0), len(choices))])
    counts, solved = _start(groups, every, count), None
    for _ in range(ROUNDS):
        if is_late():
            break
        counts = np.unique(counts, axis=0)
        try:
            found = best_weights(groups, counts, counts @ groups.means)
        except LinAlgError:
            break
        solved = counts, found.probabilities
        over = found.slope.excess(groups, every, every @ groups.means)
        if over.max() < NEAR * found.value:
            break
        best = over.reshape(len(choices), count + 1).argmax(axis=1) + np.arange(len(choices)) * (count + 1)
        entering = every[best[over[best] > 0.1 * NEAR * found.value]]
        counts = np.vstack([counts[found.probabilities > STAY], entering])
    return None if solved is None else _fewer(groups, *solved)


def _start(groups: InputGroups, every: Array, count: int) -> Array:
    """Return some columns of about the best size, and three that keep the program feasible."""
    share = 1.0 / (2.0 + groups.rise)
    sizes = np.array([0.02 * count, 0.5 * share * count, share * count, min(0.98, 2.0 * share) * count])
    sizes = np.unique(np.round(sizes)).clip(1, count - 1)
    taken = sizes if groups.alone < 5 else sizes[min(2, len(sizes) - 1)]
    return np.vstack([every[np.isin(every[:, -1], taken)], every[[0, count // 2, -1]]])


def _fewer(groups: InputGroups, counts: Array, probabilities: Array) -> tuple[Array, Array]:
    """Drop the lightest columns one by one while the value grows little."""
    kept = probabilities > LIGHT
    counts, probabilities, first = counts[kept], probabilities[kept], None
    while len(counts) > len(groups.sizes) and not is_late():
        fewer = counts[np.argsort(-probabilities, kind="stable")[:-1]]
        try:
            found = best_weights(groups, fewer, fewer @ groups.means)
        except LinAlgError:
            break
        first = found.value if first is None else first
        if found.missed > FEASIBLE or (found.value > first * (1.0 + LOSS) and len(counts) <= MOST):
            break
        kept = found.probabilities > LIGHT
        counts, probabilities = fewer[kept], found.probabilities[kept]
    return counts, probabilities
