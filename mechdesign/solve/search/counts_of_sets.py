"""Which sets to report where few inputs are frequent: the frequent ones by themselves, and how many of the others."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError

from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.input_groups import GroupedSlope, InputGroups
from mechdesign.solve.programs.over_grouped_sets import best_weights

#: Values of a count that are tried of each of several groups, and how often each group has its turn.
TRIED, TURNS = 49, 3
#: Rounds of the program, the excess at which it ends as a share of the value, and the mass of columns that stay in it.
ROUNDS, NEAR, STAY = 60, 1e-4, 1e-7
#: Columns lighter than this are dropped, and more while the value grows by this share or there are more than so many.
LIGHT, LOSS, MOST = 1e-6, 1e-3, 24
#: What the rows of a group may miss, as a share, where a column is dropped.
FEASIBLE = 1e-7


@dataclass(frozen=True)
class CountedSets:
    """Counts of sets, shape (m, b), their probabilities, and the total variance at the groups' mean frequencies."""

    counts: Array
    probabilities: Array
    value: float


def best_counts(groups: InputGroups) -> CountedSets | None:
    """Return the counts of the sets of least variance; None where no program is solved.

    The frequencies of a group count as their mean.
    """
    choices = np.array(list(itertools.product((0.0, 1.0), repeat=groups.alone)))
    counts, solved = _start(groups, choices), None
    for _ in range(ROUNDS):
        if is_late():
            break
        counts = np.unique(counts, axis=0)
        try:
            found = best_weights(groups, counts, counts @ groups.means)
        except LinAlgError:
            break
        solved = CountedSets(counts, found.probabilities, found.value)
        best, over = _best_of_each(groups, found.slope, choices)
        if over.max() < NEAR * found.value:
            break
        entering = best[over > 0.1 * NEAR * found.value]
        counts = np.vstack([counts[found.probabilities > STAY], entering])
    return None if solved is None else _fewer(groups, solved)


def _best_of_each(groups: InputGroups, slope: GroupedSlope, choices: Array) -> tuple[Array, Array]:
    """Return the best counts found for each choice of those alone, and their excess: one group after the other."""
    share = 1.0 / (2.0 + groups.rise)
    best = np.hstack([choices, np.tile(np.round(share * groups.others), (len(choices), 1))])
    over, several = np.zeros(len(choices)), len(groups.others) > 1
    for group in np.tile(np.arange(groups.alone, len(groups.sizes)), TURNS if several else 1):
        size = groups.sizes[group]
        values = np.arange(size + 1.0) if not several else np.unique(np.round(np.linspace(0.0, size, TRIED)))
        every = np.repeat(best, len(values), axis=0)
        every[:, group] = np.tile(values, len(best))
        found = slope.excess(groups, every, every @ groups.means).reshape(len(best), -1)
        best[:, group], over = values[found.argmax(axis=1)], found.max(axis=1)
    return best, over


def _start(groups: InputGroups, choices: Array) -> Array:
    """Return some columns of about the best size, and few that keep the program feasible."""
    share, others = 1.0 / (2.0 + groups.rise), groups.others
    shares = np.array([0.02, 0.5 * share, share, min(0.98, 2.0 * share)])
    sizes = np.unique(np.round(shares[:, None] * others).clip(1, others - 1), axis=0)
    taken = sizes if groups.alone < 5 else sizes[[min(2, len(sizes) - 1)]]
    some = np.hstack([np.repeat(choices, len(taken), axis=0), np.tile(taken, (len(choices), 1))])
    none, halves = np.zeros(len(groups.sizes)), np.diag(np.floor(others / 2.0))
    return np.vstack([some, none, groups.sizes, np.hstack([np.zeros((len(others), groups.alone)), halves])])


def _fewer(groups: InputGroups, solved: CountedSets) -> CountedSets:
    """Drop the lightest columns while the value grows little: half of those that are too many, then one by one."""
    kept = solved.probabilities > LIGHT
    counts, probabilities, value, first = solved.counts[kept], solved.probabilities[kept], solved.value, None
    while len(counts) > len(groups.sizes) and not is_late():
        dropped = max(1, (len(counts) - MOST) // 2)
        fewer = counts[np.argsort(-probabilities, kind="stable")[:-dropped]]
        try:
            found = best_weights(groups, fewer, fewer @ groups.means)
        except LinAlgError:
            break
        first = found.value if first is None else first
        if found.missed > FEASIBLE or (found.value > first * (1.0 + LOSS) and len(counts) <= MOST):
            break
        kept = found.probabilities > LIGHT
        counts, probabilities, value = fewer[kept], found.probabilities[kept], found.value
    return CountedSets(counts, probabilities, value)
