"""Rows of a solver's matrix as probabilities."""

from __future__ import annotations

import numpy as np

from mechdesign.parameters.checks import Array


def stochastic_rows(matrix: Array) -> Array:
    """Return the matrix without negative entries, each row divided by its sum, shape (n, m)."""
    clipped = np.maximum(matrix, 0.0)
    totals = clipped.sum(axis=1, keepdims=True)
    # A row without mass says nothing: it gets the mean of the others.
    usable = clipped[totals[:, 0] > 0].mean(axis=0) if np.any(totals > 0) else np.ones(matrix.shape[1])
    filled = np.where(totals > 0, clipped, usable)
    return np.asarray(filled / filled.sum(axis=1, keepdims=True))
