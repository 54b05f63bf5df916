"""Criteria of the covariance of estimated frequencies, from the columns of a matrix."""

from __future__ import annotations

import math

import numpy as np

from mechdesign.parameters.checks import Array

#: Information that is singular but for this share is taken for singular: a determinant of zero bounds nothing.
SINGULAR = 1e-14
#: Of more inputs the value is found from the n x n information, where its condition is less than this: singular values
#: of all columns take minutes at n = 1000.
LARGE, REGULAR = 64, 1e4
#: An estimator of one figure whose bias is below this share of the direction's length counts as unbiased.
NO_BIAS = 1e-10


def criterion_of(columns: Array, theta: Array, criterion: str, weights: Array) -> float:
    """Return the criterion "A", "D" or "E" of the covariance of one report; infinite where the information is singular.

    Parameters
    ----------
    columns : ndarray, shape (n, m)
        The matrix.
    theta : ndarray, shape (n,)
        Frequencies that add up to 1.
    criterion : {"A", "D", "E"}
        As in `InformationDesign`.
    weights : ndarray, shape (n,)
        Of "A".

    Examples
    --------
    >>> criterion_of(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.5, 0.5]), "A", np.ones(2))
    2.0
    """
    mass = theta @ columns
    # Columns are centred first: of a column without information only the rounding of a difference is left.
    scaled = (columns - columns.mean(axis=0))[:, mass > 0] / np.sqrt(mass[mass > 0])
    if scaled.shape[1] < len(theta) - 1:
        return math.inf
    found = _of_gram(scaled @ scaled.T, criterion, weights) if len(theta) > LARGE else None
    return _of_columns(scaled, columns[:, mass > 0], mass[mass > 0], criterion, weights) if found is None else found


def _of_gram(gram: Array, criterion: str, weights: Array) -> float | None:
    """Return the criterion from the information of all columns, centred; None where that is next to singular."""
    n = len(gram)
    # Ones have the eigenvalue 0, in whose place the mean of the others is put: it is never the least.
    level = float(np.trace(gram)) / (n - 1)
    if not level > 0:
        return None
    regular = gram + level / n
    try:
        inverse = np.linalg.inv(regular)
    except np.linalg.LinAlgError:
        return None
    if not np.linalg.norm(regular, 1) * np.linalg.norm(inverse, 1) < REGULAR:
        return None
    if criterion == "E":
        return 1.0 / float(np.linalg.eigvalsh(regular)[0])
    if criterion == "D":
        return math.log(level) - float(np.linalg.slogdet(regular)[1])
    return float(np.diag(inverse) @ weights) - float(weights.sum()) / (n * level)


def _of_columns(scaled: Array, columns: Array, mass: Array, criterion: str, weights: Array) -> float:
    """Return the criterion by singular values, which distinguish a contrast without information from rounding."""
    n = len(scaled)
    root = contrasts(n).T @ scaled
    sizes = np.linalg.svd(root, compute_uv=False)
    noise = 8.0 * np.finfo(float).eps * n * math.sqrt(float((columns**2 / mass).sum()))
    if sizes[-1] <= max(noise, SINGULAR * sizes[0]):
        return math.inf
    if criterion == "D":
        return -2.0 * float(np.log(sizes).sum())
    if criterion == "E":
        return float(sizes[-1]) ** -2
    covariance = np.linalg.pinv(root) @ contrasts(n).T
    return float((covariance**2).sum(axis=0) @ weights)


def covariance_of(columns: Array, theta: Array) -> Array:
    """Return the covariance of the best unbiased estimate of all frequencies from one report, shape (n, n).

    Examples
    --------
    >>> covariance_of(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.5, 0.5])).round(9).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    mass = theta @ columns
    scaled = (columns - columns.mean(axis=0))[:, mass > 0] / np.sqrt(mass[mass > 0])
    basis = contrasts(len(theta))
    root = np.linalg.pinv(basis.T @ scaled) @ basis.T
    return np.asarray(root.T @ root)


def variance_of(columns: Array, theta: Array, direction: Array) -> float:
    """Return the variance of the best unbiased estimator of ``direction . frequencies`` from one report.

    Infinite where none exists. Information along which the direction has next to no part may be singular.

    Parameters
    ----------
    columns : ndarray, shape (n, m)
        The matrix.
    theta, direction : ndarray, shape (n,)
        Frequencies that add up to 1, and a number for each input.

    Examples
    --------
    >>> one = np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
    >>> round(variance_of(one, np.full(3, 1 / 3), np.array([0.0, 1.0, 2.0])), 9)
    4.0
    >>> variance_of(one, np.full(3, 1 / 3), np.array([0.0, 1.0, 0.0]))
    inf
    """
    n, mass = len(theta), theta @ columns
    used = mass > 0
    root = contrasts(n).T @ ((columns - columns.mean(axis=0))[:, used] / np.sqrt(mass[used]))
    wanted = contrasts(n).T @ (direction - direction.mean())
    axes, sizes, _ = np.linalg.svd(root, full_matrices=True)
    along, sizes = np.abs(axes.T @ wanted), np.append(sizes, np.zeros(max(n - 1 - len(sizes), 0)))
    # Least information first: what the figure has next to no part in is left out.
    missed = np.sqrt(np.cumsum(along[::-1] ** 2))[::-1]
    counted = missed > NO_BIAS * float(np.linalg.norm(wanted))
    noise = 8.0 * np.finfo(float).eps * n * math.sqrt(float((columns[:, used] ** 2 / mass[used]).sum()))
    if np.any(sizes[counted] <= noise):
        return math.inf
    return float(((along[counted] / sizes[counted]) ** 2).sum())


def contrasts(n: int) -> Array:
    """Return an orthonormal basis of the vectors that sum to zero, shape (n, n - 1): Helmert's.

    Examples
    --------
    >>> contrasts(2).round(6).tolist()
    [[0.707107], [-0.707107]]
    """
    k = np.arange(1, n)
    basis = np.where(np.arange(n)[:, None] < k, 1.0, 0.0)
    basis[k, k - 1] = -k
    return np.asarray(basis / np.sqrt(k * (k + 1.0)))
