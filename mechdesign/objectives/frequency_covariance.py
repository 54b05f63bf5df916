"""Criteria of the covariance of estimated frequencies, from the columns of a matrix."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array

#: Information that is singular but for this share is taken for singular: a determinant of zero bounds nothing.
SINGULAR = 1e-14
#: Of more inputs the value is found from the n x n information, where its condition is less than this: singular values
#: of all columns take minutes at n = 1000.
LARGE, REGULAR = 64, 1e4
#: An estimator of one figure whose bias is below this share of the direction's length counts as unbiased.
NO_BIAS = 1e-10


def criterion_of(columns: Array, theta: Array, criterion: str, gram: Array) -> float:
    """Return the criterion "A", "D" or "E" of the covariance of one report; infinite where the information is singular.

    Parameters
    ----------
    columns : ndarray, shape (n, m)
        The matrix.
    theta : ndarray, shape (n,)
        Frequencies that add up to 1.
    criterion : {"A", "D", "E"}
        As in `InformationDesign`.
    gram : ndarray, shape (n, n)
        ``W' W`` of the queries of "A": the identity for all frequencies alike.

    Examples
    --------
    >>> criterion_of(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.5, 0.5]), "A", np.eye(2))
    2.0
    """
    mass = theta @ columns
    # Columns are centred first: of a column without information only the rounding of a difference is left.
    scaled = (columns - columns.mean(axis=0))[:, mass > 0] / np.sqrt(mass[mass > 0])
    if scaled.shape[1] < len(theta) - 1:
        return math.inf
    found = _of_information(scaled @ scaled.T, criterion, gram) if len(theta) > LARGE else None
    return _of_columns(scaled, columns[:, mass > 0], mass[mass > 0], criterion, gram) if found is None else found


def _of_information(information: Array, criterion: str, gram: Array) -> float | None:
    """Return the criterion from the information of all columns, centred; None if the information is nearly singular."""
    n = len(information)
    # Ones have the eigenvalue 0, in whose place the mean of the others is put: it is never the least.
    level = float(np.trace(information)) / (n - 1)
    if not level > 0:
        return None
    regular = information + level / n
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
    return float((inverse * gram).sum()) - float(gram.sum()) / (n * level)


def _of_columns(scaled: Array, columns: Array, mass: Array, criterion: str, gram: Array) -> float:
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
    return float((covariance * (covariance @ gram)).sum())


def variances_of_shares(theta: Array) -> Array:
    """Return ``theta (1 - theta)``, shape (n,): of the largest share the sum of the others has the digits.

    Examples
    --------
    >>> variances_of_shares(np.array([1.0, 1e-20])).tolist()
    [1e-20, 1e-20]
    """
    rest, likeliest = 1.0 - theta, int(theta.argmax())
    rest[likeliest] = math.fsum(np.delete(theta, likeliest))
    return np.asarray(theta * rest)


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
    return float(variances_of(columns, theta, direction[None, :])[0])


def variances_of(columns: Array, theta: Array, queries: Array) -> Array:
    """Return the variance of the best unbiased estimator of each query from one report, shape (p,), likewise.

    Parameters
    ----------
    columns : ndarray, shape (n, m)
        The matrix.
    theta : ndarray, shape (n,)
        Frequencies that add up to 1.
    queries : ndarray, shape (p, n)
        A number for each input, a row for each query; a constant one has the variance 0.

    Examples
    --------
    >>> one = np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
    >>> queries = np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0]])
    >>> variances_of(one, np.full(3, 1 / 3), queries).round(9).tolist()
    [4.0, 0.0, inf]
    """
    found, unknown = _whitened(columns, theta, queries)
    return np.where(unknown, math.inf, (found**2).sum(axis=0))


def largest_variance(columns: Array, theta: Array, queries: Array) -> float:
    """Return the largest eigenvalue of the covariance of the best unbiased estimators of queries, from one report.

    Parameters
    ----------
    columns, theta, queries : ndarray
        As for `variances_of`.

    Examples
    --------
    >>> response = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> round(largest_variance(response, np.full(2, 0.5), np.eye(2)), 9)
    2.0
    """
    found, unknown = _whitened(columns, theta, queries)
    return math.inf if unknown.any() else float(np.linalg.norm(found, 2)) ** 2


def _whitened(columns: Array, theta: Array, queries: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return F, shape (n - 1, p), for which ``F' F`` is the queries' covariance, and which queries have no estimate."""
    n, mass = len(theta), theta @ columns
    used = mass > 0
    root = contrasts(n).T @ ((columns - columns.mean(axis=0))[:, used] / np.sqrt(mass[used]))
    wanted = contrasts(n).T @ (queries - queries.mean(axis=1, keepdims=True)).T
    axes, sizes, _ = np.linalg.svd(root, full_matrices=root.shape[1] < n - 1)
    along, sizes = axes.T @ wanted, np.append(sizes, np.zeros(max(n - 1 - len(sizes), 0)))[:, None]
    # Least information first: a negligible part of a query is left out.
    missed = np.sqrt(np.cumsum(along[::-1] ** 2, axis=0))[::-1]
    counted = missed > NO_BIAS * np.linalg.norm(wanted, axis=0)
    noise = 8.0 * np.finfo(float).eps * n * math.sqrt(float((columns[:, used] ** 2 / mass[used]).sum()))
    found = np.divide(along, sizes, out=np.zeros_like(along), where=counted & (sizes > noise))
    return found, np.any(counted & (sizes <= noise), axis=0)


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
