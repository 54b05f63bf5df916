"""The least total variance over weights of sets that are given by their counts: a primal-dual interior point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, null_space

from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.input_groups import GroupedSlope, InputGroups

#: Steps at most, the share of the value at which complementarity ends, what rows may miss, and slopes as a share.
STEPS, ENOUGH, ROWS, SLOPES = 100, 1e-7, 1e-9, 1e-6
#: How far a step goes towards the boundary, and the centring of the first and the later steps.
TOWARDS, FIRST, LATER = 0.95, 0.5, 0.1


@dataclass(frozen=True)
class Weighted:
    """Probabilities of the sets, the total variance that they reach, and the slope that certifies it."""

    probabilities: Array
    value: float
    slope: GroupedSlope
    #: By how much the rows of a group miss one, the largest of them.
    missed: float


def best_weights(groups: InputGroups, counts: Array, frequency: Array) -> Weighted:
    r"""Return the probabilities of least variance.

    .. math::

        \min_p \sum_b \frac{(n_b - 1)^2}{(a p)_b} + \operatorname{trace}\Bigl(\sum_y p_y t_y t_y'\Bigr)^{-1}
        \quad\text{where every group's rows sum to one and}\quad \sum_y p_y = 1.

    Parameters
    ----------
    counts, frequency : ndarray, shapes (m, b) and (m,)
        The sets.

    Raises
    ------
    LinAlgError
        The sets distinguish too little for the matrices to be inverted.
    """
    sizes, big = groups.sizes, groups.sizes > 1
    _, features, inside = groups.features(counts, frequency)
    rows = np.column_stack([features / np.sqrt(sizes), np.ones(len(features))])
    basis = null_space(np.sqrt(sizes)[None])
    features, inside = features @ basis, inside[:, big]
    squares = (sizes[big] - 1.0) ** 2
    p, y, value = least_variance(inside, squares, rows, features, np.full(len(counts), 1.0 / len(counts)))
    within = np.zeros(len(sizes))
    within[big] = squares / (inside.T @ p) ** 2
    covariance = basis @ np.linalg.inv((features.T * p) @ features) @ basis.T
    made = GroupedSlope(within, covariance @ covariance, -y[:-1] / sizes, float(-y[-1]))
    return Weighted(p, value, made, float(np.abs(1.0 - rows.T @ p).max()))


def least_variance(
    inside: Array, squares: Array, rows: Array, features: Array, start: Array, enough: float = ENOUGH
) -> tuple[Array, Array, float]:
    r"""Return the p >= 0 of least variance whose rows sum to one, the multipliers of the rows, and the value.

    .. math::

        \min_p \sum_b \frac{squares_b}{(inside' p)_b} + \operatorname{trace}\Bigl(\sum_y p_y f_y f_y'\Bigr)^{-1}
        \quad\text{where}\quad rows' p = 1.

    Parameters
    ----------
    inside, rows, features : ndarray, a row for each entry of p
        What it adds to each group's information, to each row, and the vector f, which may have no entries.
    squares : ndarray, shape (b,)
        What the inverse information of each group counts for.
    start : ndarray
        Positive.
    enough : float
        The share of the value at which complementarity ends; a larger one gives multipliers that are more central.

    Raises
    ------
    LinAlgError
        The features do not span their space.
    """
    p, y, z, value = start, np.zeros(rows.shape[1]), np.zeros(0), np.inf
    for step in range(STEPS):
        own, covariance = inside.T @ p, np.linalg.inv((features.T * p) @ features)
        value, spread = float((squares / own).sum() + np.trace(covariance)), features @ covariance
        slope = -(spread**2).sum(axis=1) - inside @ (squares / own**2)
        z = z if step else np.full(len(p), 0.3 * value)
        primal, dual, mean = 1.0 - rows.T @ p, slope - z - rows @ y, float(p @ z) / len(p)
        near = np.abs(primal).max() < ROWS and np.abs(dual).max() < SLOPES * np.abs(slope).max()
        if near and mean * len(p) < enough * value:
            break
        curved = 2.0 * (spread @ features.T) * (spread @ spread.T) + 2.0 * (inside * (squares / own**3)) @ inside.T
        # No nearer to the boundary than is asked for, though rows may still miss: multipliers stay central.
        centre = max((LATER if step else FIRST) * mean, 0.5 * enough * value / len(p))
        dp, dy, dz = _direction(curved, rows, p, z, primal, dual, centre)
        along_p, along_z = _length(p, dp), _length(z, dz)
        while (inside.T @ (p + along_p * dp)).min() <= 0.0:
            along_p /= 2.0
        p, z, y = p + along_p * dp, z + along_z * dz, y + along_z * dy
    return p, y, value


def _direction(
    curved: Array, rows: Array, p: Array, z: Array, primal: Array, dual: Array, centre: float
) -> tuple[Array, Array, Array]:
    """Return the Newton steps of the probabilities, of the rows' multipliers and of the slacks."""
    regular = 1e-13 * float(np.diag(curved).mean())
    try:
        factor = cho_factor(curved + np.diag(z / p + regular))
    except LinAlgError:
        factor = cho_factor(curved + np.diag(z / p + 1e4 * regular))
    solved = cho_solve(factor, np.column_stack([rows, -dual - z + centre / p]))
    schur = rows.T @ solved[:, :-1]
    small = 1e-12 * np.trace(schur) / len(schur) * np.eye(len(schur))
    dy = np.linalg.solve(schur + small, primal - rows.T @ solved[:, -1])
    dp = solved[:, -1] + solved[:, :-1] @ dy
    return dp, dy, centre / p - z - z / p * dp


def _length(at: Array, step: Array) -> float:
    """Return how far to go along a step, at most 1, so that all stays positive."""
    return float(min(1.0, TOWARDS / max(1e-300, float((-step / at).max()))))
