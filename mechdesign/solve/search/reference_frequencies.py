"""The reference frequencies whose bound on an information design under LDP is the largest, and the information there.

The bound of reference frequencies nu is that of the slope G of `certificate.reference_frequencies`, concave in nu. It
is maximised over the logarithms of nu, for the criterion "worst" together with the weights of the queries, from the
best mixture of the frequencies themselves with equal ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.reference_frequencies import slope_at, stretch

#: Steps at most; shares of equal frequencies that are tried first; what stands for the bound of no positive slope.
STEPS, SHARES, NONE = 200, (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97), 1e3
#: How much the logarithm of G's determinant counts beside "E", whose bound alone needs no positive definite G.
BARRIER = 1e-3
#: What queries are raised by, as a share of their mean, so that every contrast has some information.
LEAST = 1e-6


@dataclass(frozen=True)
class Reference:
    """Reference frequencies nu, shape (n,), and the information on contrasts of which their bound is the criterion."""

    nu: Array
    information: Array


class _Bound:
    """The logarithm of the bound, as a function of the logarithms of nu and of the weights of the queries."""

    def __init__(self, objective: Any, problem: Problem, epsilon: float) -> None:
        self.criterion, self.theta = objective.criterion, objective.theta_of(problem)
        self.stretched, self.basis = stretch(epsilon), contrasts(problem.n)
        rows = objective.rows_on_contrasts(problem)
        if len(rows) < problem.n - 1:
            level = float((rows**2).sum()) / (problem.n - 1)
            rows = np.vstack([rows, np.sqrt(LEAST * level) * np.eye(problem.n - 1)])
        self.rows = rows
        self.weighed = len(rows) if self.criterion == "worst" else 0

    def first(self) -> Array:
        """Return the best mixture of the frequencies with equal ones."""
        n = len(self.theta)
        even = [0.0] if float(np.ptp(self.theta)) == 0.0 else SHARES
        mixtures = [np.append(np.log((1.0 - b) * self.theta + b / n), np.zeros(self.weighed)) for b in even]
        return min(mixtures, key=lambda point: self.at(point)[0])

    def at(self, point: Array) -> tuple[float, Array]:
        """Return the negative logarithm of the bound and its gradient, at a point of shape (n + queries,)."""
        n = len(self.theta)
        nu, weights = _shares(point[:n]), _shares(point[n:])
        inner = self._information(nu, weights)
        if inner is None:
            return NONE, np.zeros(len(point))
        value, root, by_weight = inner
        seen = self.basis @ root
        by_nu = self.stretched * ((seen**2).sum(axis=1) - 2.0 * seen @ (seen.T @ nu))
        by_nu -= 2.0 * seen @ (seen.T @ (nu - self.theta))
        parts = (share * (slope - share @ slope) for share, slope in ((nu, by_nu), (weights, by_weight)))
        return -value, -np.concatenate(list(parts))

    def _information(self, nu: Array, weights: Array) -> tuple[float, Array, Array] | None:
        """Return the value, T with ``T T'`` the derivative by the slope on contrasts, and that by the weights."""
        size = len(self.basis.T)
        try:
            factor = np.linalg.cholesky(self.basis.T @ slope_at(nu, self.theta, self.stretched) @ self.basis)
        except np.linalg.LinAlgError:
            return None
        inverse = np.linalg.inv(factor).T
        volume = 2.0 * float(np.log(np.diag(factor)).sum()) / size
        if self.criterion == "D":
            return volume, inverse / np.sqrt(size), np.zeros(0)
        seen = self.rows @ factor
        if self.criterion == "E":
            total = float((seen**2).sum())
            root = np.hstack([self.rows.T / np.sqrt(total), inverse * np.sqrt(BARRIER / size)])
            return float(np.log(total)) + BARRIER * volume, root, np.zeros(0)
        weighed = seen if self.criterion != "worst" else np.sqrt(weights)[:, None] * seen
        sizes, axes = np.linalg.eigh(weighed.T @ weighed)
        roots = np.sqrt(np.maximum(sizes, np.finfo(float).eps * sizes[-1]))
        whole = float(roots.sum())
        by_weight = ((seen @ axes) ** 2 / roots).sum(axis=1) / whole if self.weighed else np.zeros(0)
        return 2.0 * float(np.log(whole)), (inverse @ axes) * np.sqrt(roots / whole), by_weight

    def reference(self, point: Array) -> Reference:
        """Return nu and the information at a point of shape (n + queries,); its inner product with the slope is 1."""
        n = len(self.theta)
        nu, inner = _shares(point[:n]), self._information(_shares(point[:n]), _shares(point[n:]))
        root = self.basis.T if inner is None else inner[1]
        information = root @ root.T
        slope = self.basis.T @ slope_at(nu, self.theta, self.stretched) @ self.basis
        return Reference(nu, information / float((information * slope).sum()))


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
