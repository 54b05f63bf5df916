"""Rows made equal for secrets between which a notion allows no difference."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.repair.stochastic_rows import stochastic_rows

#: Secrets whose outputs differ by no more than this are taken for ones that a notion wants alike.
ALIKE = 1e-7


def equalised(matrix: Array, problem: Problem) -> Array | None:
    """Return the nearest matrix, shape (n, m), with equal rows of nearly equal secrets; None if there are none.

    Where a notion wants them alike there is no room for a solver's tolerance, nor for the rounding of an output of
    negligible mass: these are emptied.
    """
    stochastic = stochastic_rows(matrix)
    small = stochastic.max(axis=0) < ALIKE
    stochastic[:, stochastic.sum(axis=0).argmax()] += stochastic[:, small].sum(axis=1)
    stochastic[:, small] = 0.0
    seen = problem.seen_by_secret(stochastic)
    groups = _alike(seen)
    apart = np.flatnonzero(groups != np.arange(len(seen)))
    if not len(apart):
        return None
    if not problem.is_hidden:
        # Rows that are the same to the last bit.
        firsts, place = np.unique(groups, return_inverse=True)
        return np.array([stochastic[groups == first].mean(axis=0) for first in firsts])[place]
    differences = problem.channel[apart] - problem.channel[groups[apart]]
    nearest = stochastic - np.linalg.pinv(differences) @ (differences @ stochastic)
    # Constants keep what they see the same.
    lifts = np.maximum(-nearest.min(axis=0), 0.0)
    return np.asarray((nearest + lifts) / (1.0 + lifts.sum()))


def _alike(seen: Array) -> Any:
    """For each row, return the index of the first row equal to it within tolerance."""
    groups = np.arange(len(seen))
    # A random mixture of the columns distinguishes most of them: a table of all pairs would be n times the matrix.
    shares: Array = np.random.default_rng(0).random((seen.shape[1],))
    mixed, room = seen @ shares, ALIKE * float(shares.sum()) + np.finfo(float).eps
    for s, row in enumerate(seen):
        maybe = np.flatnonzero((np.abs(mixed[:s] - mixed[s]) <= room) & (groups[:s] == np.arange(s)))
        same = maybe[np.abs(seen[maybe] - row).max(axis=1) <= ALIKE]
        groups[s] = same[0] if len(same) else s
    return groups
