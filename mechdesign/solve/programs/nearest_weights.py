"""Weights of given columns that make a mechanism of them, nearest to weights that nearly do."""

from __future__ import annotations

import numpy as np

from mechdesign.parameters.checks import Array

#: Newton steps, halvings of each, and by how much rows may miss 1.
STEPS, HALVINGS, COMPLETE = 40, 12, 1e-13
#: Added to the diagonal, as a share of its mean; how much of what a step promises it has to keep.
RIDGE, KEPT = 1e-12, 1e-4
#: What rounding may add to a value, as a share of it: near the end no step lowers it by more.
ROUNDED = 1e-15


def nearest_weights(columns: Array, weights: Array) -> Array | None:
    """Return the weights ``w >= 0`` with ``columns @ w = 1`` that are nearest to given ones, by Newton's method.

    The dual of ``min |w - weights|^2 / 2`` is smooth but for kinks: ``w = max(weights + y columns, 0)`` at the y of
    the rows where ``columns @ w = 1``.

    Parameters
    ----------
    columns : ndarray, shape (n, m)
        Columns of a mechanism, but for their weights.
    weights : ndarray, shape (m,)
        Weights with which the rows nearly sum to 1.

    Returns
    -------
    ndarray or None
        None where no weights are found, as there may be none.

    Examples
    --------
    >>> nearest_weights(np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 1.0]]), np.array([0.3, 0.4, 0.4])).round(3).tolist()
    [0.317, 0.317, 0.367]
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    def at(dual: Array) -> tuple[Array, float]:
        found = np.maximum(weights + dual @ columns, 0.0)
        return found, float(0.5 * found @ found - dual.sum())

    dual = np.zeros(len(columns))
    found, value = at(dual)
    for _ in range(STEPS):
        missing = 1.0 - columns @ found
        if np.abs(missing).max() <= COMPLETE:
            return found
        within = columns[:, found > 0]
        curvature = within @ within.T
        curvature[np.diag_indices_from(curvature)] += RIDGE * float(np.trace(curvature)) / len(columns)
        try:
            step = cho_solve(cho_factor(curvature), missing)
        except LinAlgError:
            return None
        for halving in range(HALVINGS):
            share = 0.5**halving
            tried, lower = at(dual + share * step)
            if lower <= value - KEPT * share * float(missing @ step) + ROUNDED * abs(value):
                break
        else:
            return None
        dual, found, value = dual + share * step, tried, lower
    return None
