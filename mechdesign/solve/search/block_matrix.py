"""From counts of sets to a matrix: each becomes sets of the rare inputs with all their cyclic shifts."""

from __future__ import annotations

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.input_groups import InputGroups
from mechdesign.solve.search.cyclic_blocks import Bits, flat_blocks


def block_matrix(groups: InputGroups, counts: Array, probabilities: Array, blocks: int) -> Array | None:
    """Return the matrix, rows in the order of the inputs; None where its rows cannot be made to sum to one.

    Parameters
    ----------
    groups : InputGroups
        Those that stand alone, and one group of all others.
    counts : ndarray, shape (m, alone + 1)
        Of each column which of those alone are in it, and how many others.
    probabilities : ndarray, shape (m,)
        Of each column.
    blocks : int
        Sets of the others altogether, at least one for each column; the likeliest columns get more than one.
    """
    copies = np.ones(len(counts), dtype=int)
    while copies.sum() < blocks:
        copies[int(np.argmax(probabilities / copies))] += 1
    counts, shares = np.repeat(counts, copies, axis=0), np.repeat(probabilities / copies, copies)
    mass = 1.0 + groups.rise * (counts @ groups.means)
    chosen = flat_blocks(int(groups.others[0]), counts[:, -1].astype(int), shares / mass**2)
    sorted_rows = _shifted(groups, counts[:, :-1], chosen, shares / mass)
    if sorted_rows is None:
        return None
    matrix = np.empty_like(sorted_rows)
    matrix[groups.order] = sorted_rows
    return matrix


def _shifted(groups: InputGroups, alone: Array, sets: Bits, weights: Array) -> Array | None:
    """Return ``weight (1 + rise 1_S)`` of all shifts of all sets, each row summing to one up to rounding.

    Shifts cover the others evenly, so a least-norm correction of the weights makes every row sum right.
    """
    count = sets.shape[1]
    cover = 1.0 + groups.rise * np.column_stack([alone, sets.sum(axis=1) / count])
    for _ in range(2):
        weights = weights + np.linalg.lstsq(cover.T, 1.0 - cover.T @ weights, rcond=None)[0]
    if weights.min() < 0.0 or np.abs(cover.T @ weights - 1.0).max() > 1e-9:
        return None
    places = (np.arange(count)[:, None] - np.arange(count)) % count
    parts = [
        weight / count * (1.0 + groups.rise * np.vstack([np.repeat(own[:, None], count, axis=1), block[places]]))
        for weight, own, block in zip(weights, alone, sets, strict=True)
        if weight > 0.0
    ]
    return np.hstack(parts)
