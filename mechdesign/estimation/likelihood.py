r"""The population that makes reports likeliest: ``max sum_y f_y ln (theta Q)_y`` over distributions, with its gap.

With the shares f of the outputs and ``g_x = sum_y f_y Q[x, y] / (theta Q)_y``, concavity bounds the likelihood of every
other population: per report, in nats, theta is within ``max_x g_x - 1`` of the largest one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.estimation.k_ary_response import KaryResponse
from mechdesign.parameters.checks import Array, frozen
from mechdesign.runtime.threads import blas_limited

#: Steps of expectation and maximisation before Newton's: they bring any start near.
EM_STEPS = 20

#: Newton steps take some 15; more help nobody.
NEWTON_STEPS = 200

#: Steps go this share of the way to the nearest boundary.
STEP = 0.995


@dataclass(frozen=True, eq=False)
class Likeliest:
    """A population, and how far its log-likelihood may be from the largest, in nats per report."""

    theta: Array
    gap: float


@blas_limited(1)
def likeliest(matrix: Array, shares: Array, gap: float) -> Likeliest:
    """Return a distribution whose log-likelihood per report is within `gap` of the largest, or as near as floats go.

    Parameters
    ----------
    matrix : ndarray, shape (n, m)
        ``Q[x, y] = Pr(y | x)``; each output with a positive share has to have a positive entry.
    shares : ndarray, shape (m,)
        Of the outputs among the reports; they sum to one.
    gap : float
        In nats per report.

    Examples
    --------
    >>> likeliest(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.5, 0.5]), 1e-12).theta
    array([0.5, 0.5])
    """
    response = KaryResponse.of(np.asarray(matrix))
    if response is not None:
        return _rated(matrix, shares, response.likeliest(shares))
    seen = shares > 0
    columns, weights = np.asarray(matrix, dtype=float)[:, seen], shares[seen] / shares[seen].sum()
    best = _rated(columns, weights, expectation_maximisation(columns, weights, EM_STEPS))
    theta = 0.5 * best.theta + 0.5 / len(columns)
    slack = np.maximum(1.0 - _slopes(columns, weights, theta), 0.0) + 0.1
    for _ in range(NEWTON_STEPS):
        if best.gap <= gap:
            break
        theta, slack = _newton(columns, weights, theta, slack)
        best = min(best, *_candidates(columns, weights, theta, slack), key=lambda found: found.gap)
        if not np.isfinite(theta).all() or theta @ slack < 1e-18:
            break
    return best


def certified_gap(matrix: Array, shares: Array, theta: Array) -> float:
    """Return a number of nats per report that no population beats the distribution `theta` by, rounded up.

    Examples
    --------
    >>> gap = certified_gap(np.eye(2), np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    >>> round(gap, 9)  # the truth is ln 2 - ln 3 / 2 = 0.144
    1.0
    """
    seen = shares > 0
    rounding = 4.0 * np.finfo(float).eps * sum(np.shape(matrix))
    return float(_slopes(matrix[:, seen], shares[seen], theta).max() * (1.0 + rounding) - 1.0 + rounding)


def expectation_maximisation(matrix: Array, shares: Array, steps: int) -> Array:
    """Return where a number of steps ``theta_x <- theta_x g_x`` lead from equal frequencies."""
    theta = np.full(len(matrix), 1.0 / len(matrix))
    for _ in range(steps):
        theta = theta * _slopes(matrix, shares, theta)
        theta /= theta.sum()
    return theta


def _slopes(matrix: Array, shares: Array, theta: Array) -> Array:
    return np.asarray(matrix @ (shares / (theta @ matrix)))


def _rated(matrix: Array, shares: Array, theta: Array) -> Likeliest:
    found = frozen(theta / theta.sum())
    return Likeliest(found, certified_gap(matrix, shares, found))


def _candidates(matrix: Array, shares: Array, theta: Array, slack: Array) -> list[Likeliest]:
    """Return the point itself, and the one on the boundary that it goes to."""
    kept = np.where(theta > slack, theta, 0.0)
    there = kept.any() and bool(np.all(kept @ matrix > 0))
    return [_rated(matrix, shares, point) for point in ([theta, kept] if there else [theta])]


def _newton(matrix: Array, shares: Array, theta: Array, slack: Array) -> tuple[Array, Array]:
    """Return the next point of the primal-dual method for ``min sum(theta) - sum_y f_y ln (theta Q)_y``, theta >= 0.

    Its optimum sums to one by itself. At the optimum ``slack_x = 1 - g_x >= 0``, and 0 where ``theta_x > 0``.
    """
    mass = theta @ matrix
    target = 0.1 * float(theta @ slack) / len(theta)
    # Scaled by the root of theta, or frequencies near 0 would swamp the others.
    root = np.sqrt(theta)
    scaled = root[:, None] * matrix * (np.sqrt(shares) / mass)
    toward = root * (matrix @ (shares / mass) - 1.0) + target / root
    step = root * np.linalg.solve(scaled @ scaled.T + np.diag(slack), toward)
    change = (target - slack * step) / theta - slack
    return theta + share_inside(theta, step) * step, slack + share_inside(slack, change) * change


def share_inside(point: Array, step: Array, most: float = STEP) -> float:
    """Return the share of the step, at most 1, that goes at most this share of the way to an entry of 0."""
    down = step < 0
    return min(1.0, most * float(np.min(point[down] / -step[down], initial=np.inf)))
