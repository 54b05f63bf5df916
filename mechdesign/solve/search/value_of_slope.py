"""The least criterion of an information design along a slope, with its derivative: what a bound is maximised by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: How much the logarithm of the slope's determinant counts beside "E", whose bound alone needs no positive slope.
BARRIER = 1e-3
#: What queries are raised by, as a share of their mean, so that every contrast has some information.
LEAST = 1e-6


@dataclass(frozen=True)
class Valued:
    """The logarithm of the value, T with ``T T'`` its derivative by the slope, and that by the weights of queries."""

    value: float
    root: Array
    by_weight: Array


@dataclass(frozen=True)
class ValueOfSlope:
    """The least criterion of any information M with ``trace(B M) <= 1``, as a function of the slope B on contrasts.

    Up to the logarithm of a power: of "D" the determinant's root, of "A" the sum of variances, of "E" the largest, of
    "worst" the mean of variances with given weights.
    """

    criterion: str
    basis: Array
    rows: Array

    @classmethod
    def of(cls, objective: Any, problem: Problem) -> ValueOfSlope:
        """Return the value for an information design."""
        rows = objective.rows_on_contrasts(problem)
        if len(rows) < problem.n - 1:
            level = float((rows**2).sum()) / (problem.n - 1)
            rows = np.vstack([rows, np.sqrt(LEAST * level) * np.eye(problem.n - 1)])
        return cls(objective.criterion, contrasts(problem.n), rows)

    @property
    def weighed(self) -> int:
        """How many queries have weights."""
        return len(self.rows) if self.criterion == "worst" else 0

    def at(self, slope: Array, weights: Array) -> Valued | None:
        """Return the value at a positive slope, shape (n - 1, n - 1), and weights, shape (weighed,); None at others."""
        try:
            factor = np.linalg.cholesky(slope)
        except np.linalg.LinAlgError:
            return None
        size, inverse = len(slope), np.linalg.inv(factor).T
        volume = 2.0 * float(np.log(np.diag(factor)).sum()) / size
        if self.criterion == "D":
            return Valued(volume, inverse / np.sqrt(size), np.zeros(0))
        seen = self.rows @ factor
        if self.criterion == "E":
            total = float((seen**2).sum())
            root = np.hstack([self.rows.T / np.sqrt(total), inverse * np.sqrt(BARRIER / size)])
            return Valued(float(np.log(total)) + BARRIER * volume, root, np.zeros(0))
        weighed = np.sqrt(weights)[:, None] * seen if self.weighed else seen
        sizes, axes = np.linalg.eigh(weighed.T @ weighed)
        roots = np.sqrt(np.maximum(sizes, np.finfo(float).eps * sizes[-1]))
        whole = float(roots.sum())
        by_weight = ((seen @ axes) ** 2 / roots).sum(axis=1) / whole if self.weighed else np.zeros(0)
        return Valued(2.0 * float(np.log(whole)), (inverse @ axes) * np.sqrt(roots / whole), by_weight)
