"""How often the bounds of each input's lift are counted, so that the bound on an information design is largest."""

from __future__ import annotations

import numpy as np

from mechdesign.objectives import InformationDesign
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.certificate.squared_entries import of_lifts
from mechdesign.solve.pricing.bounded_lift import Lifts

#: Steps at most; what stands for a bound where the slope is not positive.
STEPS, NONE = 300, 1e6


def best_shares(objective: InformationDesign, problem: Problem, bounds: Lifts) -> Array:
    """Return the shares of the inputs for the largest bound of the criterion "A" or "D", shape (n,).

    By quasi-Newton steps in their logarithms: the root of the slope's size is concave in them.
    """
    from scipy.optimize import minimize

    n, theta = problem.n, objective.theta_of(problem)
    room = (bounds.high - 1.0) * (1.0 - bounds.low)
    basis = contrasts(n)
    loading = None if objective.criterion == "D" else objective.loading_root(problem)

    def bound(logs: Array) -> tuple[float, Array]:
        """Return the negative size of the slope at a limit of one, and its gradient, by logarithms of shape (n,)."""
        shares = np.exp(logs - logs.max())
        shares = shares / float(shares @ room)
        slope, _ = of_lifts(bounds, shares).slope(theta)
        if loading is None:
            sizes, vectors = np.linalg.eigh(slope)
        else:
            sizes, vectors = np.linalg.eigh(loading.T @ slope @ loading)
        if not sizes[0] > 1e-12 * sizes[-1]:
            return NONE, np.zeros(n)
        if loading is None:
            value, inner = float(np.log(sizes).sum()), (vectors / sizes) @ vectors.T
        else:
            value = float(np.sqrt(sizes).sum())
            inner = loading @ (vectors * (0.5 / np.sqrt(sizes))) @ vectors.T @ loading.T
        gradient = shares * _of_shares(basis @ inner @ basis.T, theta, bounds)
        return -value, -(gradient - float(gradient.sum()) * shares * room)

    starts = [np.log(each) for each in (bounds.prior, theta, np.ones(n), bounds.prior + theta)]
    best = max(starts, key=lambda logs: -bound(logs)[0])
    if bound(best)[0] >= NONE:
        return np.ones(n)
    found = minimize(bound, best, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    logs = found.x if found.fun <= bound(best)[0] else best
    return np.asarray(np.exp(logs - logs.max()))


def _of_shares(inner: Array, theta: Array, bounds: Lifts) -> Array:
    """Return by how much ``trace(inner G)`` grows with each share, shape (n,)."""
    low, high, prior = bounds.low, bounds.high, bounds.prior
    by_theta, by_prior = inner @ theta, inner @ prior
    ends, product = low + high, low * high

    def across(vector: Array) -> Array:
        """Return the inner product of a vector with b of each share, shape (n,)."""
        return np.asarray(0.5 * (product * float(vector @ prior) - ends * vector))

    def along(vector: Array) -> Array:
        """Return the inner product of a vector with a of each share, shape (n,)."""
        total = 0.5 * (product - ends)
        sums = -0.5 * (1.0 + 2.0 * total)
        return np.asarray(-vector - across(vector) - sums * float(vector @ theta) - total * float(vector @ prior))

    return np.asarray(np.diag(inner) + 2.0 * along(by_theta) + 2.0 * across(by_prior))
