r"""Newton's method for a likelihood that is not concave, which stops by a bound on the distance to a maximum.

With g the gradient and ``A = -Hessian`` positive definite, Newton's step has the length ``l = (g' A^-1 g)^(1/2)`` in
the norm ``(v' A v)^(1/2)``. If the third derivative is at most M in that norm and ``h = M l <= 1/2``, the theorem of
Newton and Kantorovich says that a stationary point is within ``2 l / (1 + (1 - 2 h)^(1/2))``; it is a maximum, as the
Hessian is negative definite within ``1 / M``. No coefficient is farther from it than by so many standard errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mechdesign.estimation.regression.likelihood import Likelihood
from mechdesign.parameters.checks import Array

#: Steps of expectation and maximisation before Newton's.
EM_STEPS = 3
#: Newton's steps: some ten where there is a maximum; a coefficient that runs to infinity moves by one with each.
STEPS = 100
#: The distance at which Newton's method stops, in standard errors.
NEAR = 1e-9
#: A step moves no score by more than this.
LONGEST = 5.0
#: Curvatures are taken as at least this share of the largest one.
LEAST_CURVATURE = 1e-12
#: A curvature below this is none: its inverse would overflow in products.
SMALLEST = 1e-200
#: Halvings of a step that does not raise the likelihood.
HALVINGS = 40
#: The rounding of a log-likelihood, as a share of it.
ROUNDING = 4.0 * float(np.finfo(float).eps)
#: Steps without a smaller bound after which none will come.
PATIENCE = 3


@dataclass(frozen=True, eq=False)
class Reached:
    """Where Newton's method ended.

    Attributes
    ----------
    coefficients : ndarray, shape (n - 1, k)
    value : float
        The log-likelihood there, in nats.
    covariance : ndarray, shape (d, d), or None
        The inverse of minus the Hessian; None if the Hessian is not negative definite.
    gap : float
        A bound on the distance to a maximum, in standard errors; infinite if there is none.
    direction : ndarray, shape (n - 1, k)
        The last step.
    concave : bool
        Whether the Hessian was negative definite at every step.
    """

    coefficients: Array
    value: float
    covariance: Array | None
    gap: float
    direction: Array
    concave: bool


def maximised(likelihood: Likelihood, start: Array) -> Reached:
    """Return the maximum that steps from `start` lead to, and how near it is proved to be."""
    at = start
    for _ in range(EM_STEPS):
        gradient, _, complete = likelihood.derivatives(at)
        at = at + _raised(likelihood, at, _step(gradient, complete), gradient)
    best, concave, failures, reached = math.inf, True, 0, None
    for _ in range(STEPS):
        gradient, hessian, _ = likelihood.derivatives(at)
        covariance = inverse(-hessian)
        concave = concave and covariance is not None
        gap = math.inf if covariance is None else distance(likelihood, gradient, covariance)
        step = _step(gradient, hessian).reshape(at.shape)
        if reached is None or gap < best or not math.isfinite(best):
            reached = Reached(at, likelihood.value(at), covariance, gap, step, concave)
        failures = failures + 1 if gap >= best / 2.0 and math.isfinite(best) else 0
        best = min(best, gap)
        if best <= NEAR or failures > PATIENCE:
            break
        # Near a maximum the likelihood itself is too coarse to show that a step is one to the better.
        moved = step if math.isfinite(gap) else _raised(likelihood, at, step, gradient)
        if not moved.any():
            break
        at = at + moved
    assert reached is not None
    return reached


def distance(likelihood: Likelihood, gradient: Array, covariance: Array) -> float:
    """Return a bound on the distance to a maximum, in the norm of the Hessian; infinite without a maximum."""
    third, rounding = likelihood.third(covariance)
    length = math.sqrt(max(float(gradient @ covariance @ gradient), 0.0)) + rounding
    product = third * length
    return 2.0 * length / (1.0 + math.sqrt(1.0 - 2.0 * product)) if product <= 0.5 else math.inf


def inverse(matrix: Array) -> Array | None:
    """Return the inverse of a positive definite matrix, None of another one."""
    diagonal = np.diag(matrix)
    if not diagonal.min() > SMALLEST:
        return None
    scale = 1.0 / np.sqrt(diagonal)
    scaled = matrix * scale * scale[:, None]
    sizes, vectors = np.linalg.eigh(scaled)
    if sizes[0] <= LEAST_CURVATURE * sizes[-1]:
        return None
    found = (vectors / sizes) @ vectors.T
    return np.asarray(found * scale * scale[:, None])


def _step(gradient: Array, hessian: Array) -> Array:
    """Return Newton's step, every curvature taken as negative: it leads up, from a saddle too."""
    sizes, vectors = np.linalg.eigh(-hessian)
    floor = max(float(np.abs(sizes).max()) * LEAST_CURVATURE, float(np.finfo(float).tiny))
    return np.asarray(vectors @ ((vectors.T @ gradient) / np.maximum(np.abs(sizes), floor)))


def _raised(likelihood: Likelihood, at: Array, step: Array, gradient: Array) -> Array:
    """Return the part of a step that raises the likelihood: none if nothing does."""
    whole = step.reshape(at.shape)
    longest = float(np.abs(likelihood.predictor(whole)).max())
    share = min(1.0, LONGEST / longest) if longest > 0.0 else 0.0
    before, slope = likelihood.value(at), float(gradient @ whole.reshape(-1))
    for _ in range(HALVINGS):
        if likelihood.value(at + share * whole) >= before + 1e-4 * share * slope - ROUNDING * abs(before):
            return np.asarray(share * whole)
        share /= 2.0
    return np.zeros_like(whole)
