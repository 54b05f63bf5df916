"""Convex weights, of the pieces of a maximum or of priors, from any numbers that a certificate has in their place."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array


def convex_shares(weights: npt.ArrayLike | None, count: int) -> Array:
    """Return weights clipped at 0 and scaled to the sum one, shape (count,); equal ones for None or nothing above 0.

    Examples
    --------
    >>> convex_shares([3.0, -1.0, 1.0], 3).tolist(), convex_shares(None, 2).tolist()
    ([0.75, 0.0, 0.25], [0.5, 0.5])
    """
    clipped = np.ones(count) if weights is None else np.maximum(np.asarray(weights, dtype=float), 0.0)
    if clipped.shape != (count,) or not clipped.sum() > 0:
        clipped = np.ones(count)
    return np.asarray(clipped / clipped.sum())


def into_box(weights: Array, lower: Array, upper: Array) -> Array:
    """Return the convex weights within the bounds that are nearest to `weights`: moved by one shift, then cut.

    Examples
    --------
    >>> into_box(np.array([0.9, 0.1]), np.array([0.0, 0.0]), np.array([0.6, 1.0])).tolist()
    [0.6, 0.4]
    """
    shifts = np.sort(np.concatenate([lower - weights, upper - weights]))
    sums = np.clip(weights + shifts[:, None], lower, upper).sum(axis=1)
    # The sum is linear in the shift between two of these.
    moved = np.clip(weights + np.interp(1.0, sums, shifts), lower, upper)
    return np.asarray(moved / moved.sum())
