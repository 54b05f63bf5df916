"""From counts of sets to a matrix: each becomes sets of the rare inputs with all their cyclic shifts.

Of several groups, the size of each divides that of the next: the shifts of the last group go through the others whole
times.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.input_groups import InputGroups
from mechdesign.solve.search.counts_of_sets import CountedSets
from mechdesign.solve.search.cyclic_blocks import Bits, flat_blocks


def block_matrix(groups: InputGroups, found: CountedSets, blocks: int) -> Array | None:
    """Return the matrix, rows in the order of the inputs; None where its rows cannot be made to sum to one.

    Parameters
    ----------
    groups : InputGroups
        Those that stand alone, and groups of others whose sizes divide each other.
    found : CountedSets
        Of each column which of those alone are in it, how many of each group, and its probability.
    blocks : int
        Sets of the others altogether, at least one for each column; the likeliest columns get more than one.
    """
    counts, probabilities = found.counts, found.probabilities
    copies = np.ones(len(counts), dtype=int)
    while copies.sum() < blocks:
        copies[int(np.argmax(probabilities / copies))] += 1
    counts, shares = np.repeat(counts, copies, axis=0), np.repeat(probabilities / copies, copies)
    mass = 1.0 + groups.rise * (counts @ groups.means)
    chosen: list[Bits] = []
    for place in reversed(range(len(groups.others))):
        asked = counts[:, groups.alone + place].astype(int)
        chosen.insert(0, flat_blocks(int(groups.others[place]), asked, shares / mass**2, beside=chosen))
    sorted_rows = _shifted(groups, counts[:, : groups.alone], chosen, shares / mass)
    if sorted_rows is None:
        return None
    matrix = np.empty_like(sorted_rows)
    matrix[groups.order] = sorted_rows
    return matrix


def _shifted(groups: InputGroups, alone: Array, sets: Sequence[Bits], weights: Array) -> Array | None:
    """Return ``weight (1 + rise 1_S)`` of all shifts of all sets, each row summing to one up to rounding.

    Shifts cover each group evenly, so a least-norm correction of the weights makes every row sum right.
    """
    count = sets[-1].shape[1]
    cover = 1.0 + groups.rise * np.column_stack([alone, *(each.mean(axis=1) for each in sets)])
    for _ in range(2):
        weights = weights + np.linalg.lstsq(cover.T, 1.0 - cover.T @ weights, rcond=None)[0]
    if weights.min() < 0.0 or np.abs(cover.T @ weights - 1.0).max() > 1e-9:
        return None
    places = [(np.arange(each.shape[1])[:, None] - np.arange(count)) % each.shape[1] for each in sets]
    parts = []
    for number in np.flatnonzero(weights > 0.0):
        own = np.repeat(alone[number][:, None], count, axis=1)
        inside = np.vstack([own, *(each[number][at] for each, at in zip(sets, places, strict=True))])
        parts.append(weights[number] / count * (1.0 + groups.rise * inside))
    return np.hstack(parts)
