"""The reference frequencies whose bound on an information design under LDP is the largest, and the information there.

The slope of reference frequencies nu (`certificate.reference_frequencies`) is concave in nu, in the order of matrices.
Its bound is maximised over the logarithms of nu, for the criterion "worst" together with the weights of the queries,
from the best mixture of the frequencies themselves with equal ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.reference_frequencies import of_reference, slope_of
from mechdesign.solve.search.value_of_slope import ValueOfSlope

#: Steps at most; shares of equal frequencies that are tried first; what stands for the bound of no positive slope.
STEPS, SHARES, NONE = 200, (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97), 1e3


@dataclass(frozen=True)
class Reference:
    """Reference frequencies, and the information of which their bound is the criterion.

    Attributes
    ----------
    nu : ndarray, shape (n,)
    information : ndarray, shape (n - 1, n - 1)
        On contrasts.
    weights : ndarray, shape (queries,)
        Of the queries of the criterion "worst"; empty otherwise.
    """

    nu: Array
    information: Array
    weights: Array


class _Bound:
    """The logarithm of the bound, as a function of the logarithms of nu and of the weights of the queries."""

    def __init__(self, objective: Any, problem: Problem, epsilon: float) -> None:
        self.theta = objective.theta_of(problem)
        self.criterion = ValueOfSlope.of(objective, problem)
        self.epsilon, self.beyond = epsilon, of_reference(self.theta, epsilon).beyond

    def first(self) -> Array:
        """Return the best mixture of the frequencies with equal ones, shape (n + queries,)."""
        n = len(self.theta)
        even = [0.0] if float(np.ptp(self.theta)) == 0.0 else SHARES
        weights = np.zeros(self.criterion.weighed)
        mixtures = [np.append(np.log((1.0 - b) * self.theta + b / n), weights) for b in even]
        return min(mixtures, key=lambda point: self.at(point)[0])

    def slope(self, nu: Array) -> Array:
        """Return G on contrasts at a total of one, of nu of shape (n,)."""
        form, basis = of_reference(nu, self.epsilon), self.criterion.basis
        return np.asarray(basis.T @ slope_of(form, self.theta) @ basis) / form.total

    def at(self, point: Array) -> tuple[float, Array]:
        """Return the negative logarithm of the bound and its gradient, at a point of shape (n + queries,)."""
        n = len(self.theta)
        nu, weights = _shares(point[:n]), _shares(point[n:])
        inner = self.criterion.at(self.slope(nu), weights)
        if inner is None:
            return NONE, np.zeros(len(point))
        seen = self.criterion.basis @ inner.root
        # On distributions G is (diag(nu) - nu nu') / beyond - (nu - theta) (nu - theta)'.
        by_nu = ((seen**2).sum(axis=1) - 2.0 * seen @ (seen.T @ nu)) / self.beyond
        by_nu -= 2.0 * seen @ (seen.T @ (nu - self.theta))
        parts = (share * (slope - share @ slope) for share, slope in ((nu, by_nu), (weights, inner.by_weight)))
        return -inner.value, -np.concatenate(list(parts))

    def reference(self, point: Array) -> Reference:
        """Return nu and the information at a point of shape (n + queries,)."""
        n = len(self.theta)
        nu, weights = _shares(point[:n]), _shares(point[n:])
        slope = self.slope(nu)
        inner = self.criterion.at(slope, weights)
        root = np.eye(n - 1) if inner is None else inner.root
        information = root @ root.T
        return Reference(nu, information / float((information * slope).sum()), weights)


def best_reference(objective: Any, problem: Problem, epsilon: float) -> Reference:
    """Return the reference frequencies of the largest bound found, while there is time.

    Parameters
    ----------
    objective : InformationDesign
        A criterion of the information about all frequencies.
    problem : Problem
        Of at least two inputs.
    epsilon : float
        The level of LDP, above 0.
    """
    from scipy.optimize import minimize

    def stop(_: Any) -> None:
        if is_late():
            raise StopIteration

    bound = _Bound(objective, problem, epsilon)
    options = {"maxiter": STEPS, "maxcor": 30, "ftol": 1e-12, "gtol": 1e-9}
    found = minimize(bound.at, bound.first(), jac=True, method="L-BFGS-B", callback=stop, options=options)
    return bound.reference(found.x)


def _shares(logs: Array) -> Array:
    """Return the distribution of given logarithms, up to a factor."""
    if not len(logs):
        return logs
    sizes = np.exp(logs - logs.max())
    return np.asarray(sizes / sizes.sum())
