"""Criteria of an information design as functions of the inverse information C, smooth ones for "E" and "worst".

A maximum of variances has no gradient. By the method of multipliers for minimax problems, which is a proximal point
method in the weights mu of the variances, it is minimised by a sequence of smooth functions: the largest of ``mu .
variances - tau KL(mu, mu0)`` over mu, ``tau ln sum_k mu0_k exp(variance_k / tau)``, with mu0 the last weights. For the
largest eigenvalue mu is a density matrix, and its divergence von Neumann's.

References
----------
R. T. Rockafellar, "Augmented Lagrangians and Applications of the Proximal Point Algorithm in Convex Programming",
Mathematics of Operations Research 1 (1976).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: tau, as a share of the largest variance.
TEMPERATURE = 0.3


class SmoothCriterion(Protocol):
    """A criterion, or a smooth function below it that comes nearer each time `settle` is called."""

    #: Whether there is more than one such function.
    is_smoothed: bool

    def at(self, inverse: Array) -> tuple[float, Array]:
        """Return the value at C and the slope B, shape (n - 1, n - 1) both: it falls by ``trace(B dM)``."""

    def settle(self, inverse: Array) -> float:
        """Take the weights of the variances at C, shape (n - 1, n - 1), as mu0, and return the criterion itself."""


@dataclass(frozen=True)
class Fixed:
    """The inner product of C with a fixed loading K: the criterion "A"."""

    loading: Array
    is_smoothed = False

    def at(self, inverse: Array) -> tuple[float, Array]:
        """Return ``trace(K C)`` and ``C K C`` of C, shape (n - 1, n - 1)."""
        return float((self.loading * inverse).sum()), inverse @ self.loading @ inverse

    def settle(self, inverse: Array) -> float:
        """Return ``trace(K C)`` of C, shape (n - 1, n - 1)."""
        return self.at(inverse)[0]


@dataclass(frozen=True)
class Volume:
    """The logarithm of the determinant of C: the criterion "D"."""

    is_smoothed = False

    def at(self, inverse: Array) -> tuple[float, Array]:
        """Return ``ln det C`` and C, shape (n - 1, n - 1)."""
        return float(np.linalg.slogdet(inverse)[1]), inverse

    def settle(self, inverse: Array) -> float:
        """Return ``ln det C`` of C, shape (n - 1, n - 1)."""
        return self.at(inverse)[0]


class WorstQuery:
    """The largest entry of the diagonal of ``R C R'``, R of shape (p, n - 1): the criterion "worst"."""

    is_smoothed = True

    def __init__(self, rows: Array) -> None:
        self.rows, self.logs, self.temperature = rows, np.full(len(rows), -np.log(len(rows))), 0.0

    def at(self, inverse: Array) -> tuple[float, Array]:
        """Return the smooth maximum and its slope at C, shape (n - 1, n - 1)."""
        seen = self.rows @ inverse
        value, logs = self._weighed((seen * self.rows).sum(axis=1))
        return value, (seen.T * np.exp(logs)) @ seen

    def settle(self, inverse: Array) -> float:
        """Take the weights at C, shape (n - 1, n - 1), and return the largest variance."""
        variances = ((self.rows @ inverse) * self.rows).sum(axis=1)
        if self.temperature > 0.0:
            self.logs = self._weighed(variances)[1]
        self.temperature = TEMPERATURE * float(variances.max())
        return float(variances.max())

    def _weighed(self, variances: Array) -> tuple[float, Array]:
        """Return the smooth maximum of variances, and the logarithms of their weights."""
        return _soft_maximum(self.logs, variances, self.temperature or TEMPERATURE * float(variances.max()))


class WorstCombination:
    """The largest eigenvalue of ``R C R'``: the criterion "E"; mu is a density matrix, the exponential of `logs`."""

    is_smoothed = True

    def __init__(self, rows: Array) -> None:
        self.rows, self.logs, self.temperature = rows, -np.log(len(rows)) * np.eye(len(rows)), 0.0

    def at(self, inverse: Array) -> tuple[float, Array]:
        """Return the smooth largest eigenvalue and its slope at C, shape (n - 1, n - 1)."""
        seen = self.rows @ inverse
        value, weights, axes, _ = self._weighed(seen @ self.rows.T)
        turned = axes.T @ seen
        return value, (turned.T * weights) @ turned

    def settle(self, inverse: Array) -> float:
        """Take the density matrix at C, shape (n - 1, n - 1), and return the largest eigenvalue."""
        covariance = self.rows @ inverse @ self.rows.T
        largest = float(np.linalg.eigvalsh(covariance)[-1])
        if self.temperature > 0.0:
            self.logs = self._weighed(covariance)[3]
        self.temperature = TEMPERATURE * largest
        return largest

    def _weighed(self, covariance: Array) -> tuple[float, Array, Array, Array]:
        """Return the smooth largest eigenvalue, the weights of the axes, the axes, and the matrix's logarithm."""
        tau = self.temperature or TEMPERATURE * float(np.linalg.eigvalsh(covariance)[-1])
        inner = self.logs + covariance / tau
        sizes, axes = np.linalg.eigh(inner)
        value, logs = _soft_maximum(sizes, np.zeros(len(sizes)), tau)
        return value, np.exp(logs), axes, inner - (value / tau) * np.eye(len(inner))


def _soft_maximum(logs: Array, numbers: Array, temperature: float) -> tuple[float, Array]:
    """Return ``tau ln sum_k exp(logs_k + numbers_k / tau)``, and the logarithms of its terms' shares."""
    terms = logs + numbers / temperature
    top = float(terms.max())
    whole = top + float(np.log(np.exp(terms - top).sum()))
    return temperature * whole, terms - whole


def smooth_criterion(objective: Any, problem: Problem) -> SmoothCriterion:
    """Return the criterion of a design as a function of the inverse information, a smooth one to begin with.

    Examples
    --------
    >>> import mechdesign as md
    >>> worst = smooth_criterion(md.InformationDesign("worst"), md.Problem(n=3))
    >>> round(worst.settle(np.eye(2)), 6)
    0.666667
    """
    if objective.criterion == "D":
        return Volume()
    if objective.is_of_one_figure or objective.criterion == "A":
        return Fixed(objective.loading(problem))
    rows = objective.rows_on_contrasts(problem)
    return WorstQuery(rows) if objective.criterion == "worst" else WorstCombination(rows)
