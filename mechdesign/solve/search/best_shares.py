"""How often the bounds of each input's lift are counted, so that the bound on an information design is largest."""

from __future__ import annotations

import numpy as np

from mechdesign.objectives import InformationDesign
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.certificate.squared_entries import of_lifts
from mechdesign.solve.pricing.bounded_lift import Lifts
from mechdesign.solve.search.value_of_slope import ValueOfSlope

#: Steps at most; what stands for a bound where the slope is not positive.
STEPS, NONE = 300, 1e6


def best_shares(objective: InformationDesign, problem: Problem, bounds: Lifts) -> Array:
    """Return the shares of the inputs for the largest bound, shape (n,).

    By quasi-Newton steps in their logarithms: the root of the slope's size is concave in them. The queries of "worst"
    have equal weights.
    """
    from scipy.optimize import minimize

    n, theta = problem.n, objective.theta_of(problem)
    room = (bounds.high - 1.0) * (1.0 - bounds.low)
    criterion = ValueOfSlope.of(objective, problem)
    weights = np.full(criterion.weighed, 1.0 / max(criterion.weighed, 1))

    def bound(logs: Array) -> tuple[float, Array]:
        """Return the negative logarithm of the bound and its gradient, by logarithms of shape (n,)."""
        shares = np.exp(logs - logs.max())
        shares = shares / float(shares @ room)
        slope, _ = of_lifts(bounds, shares).slope(theta)
        inner = criterion.at(slope, weights)
        if inner is None:
            return NONE, np.zeros(n)
        seen = criterion.basis @ inner.root
        gradient = shares * _of_shares(seen @ seen.T, theta, bounds)
        return -inner.value, -(gradient - float(gradient.sum()) * shares * room)

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
