r"""Matrices ``Q = s I + b 11'`` of k-ary randomised response: their inverse and the likeliest population by formula.

With ``s > 0`` and ``s + n b = 1``, ``Q^-1 = (I - b 11') / s``, and ``theta_x = max(f_x / l - b / s, 0)`` makes shares f
of the outputs likeliest, with the l for which theta sums to one. Each takes some n or n^2 operations, in place of n^3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.tolerances import ROUNDING


@dataclass(frozen=True)
class KaryResponse:
    """The matrix of `inputs` rows with one number on the diagonal and another, a lower one, everywhere else.

    Examples
    --------
    >>> response = KaryResponse.of(np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]))
    >>> response.inverse_times(np.eye(3)).tolist()
    [[3.0, -1.0, -1.0], [-1.0, 3.0, -1.0], [-1.0, -1.0, 3.0]]
    >>> response.likeliest(np.array([0.25, 0.3, 0.45])).round(12).tolist()
    [0.0, 0.2, 0.8]
    """

    inputs: int
    #: What the diagonal has more than the rest.
    more: float
    rest: float

    @classmethod
    def of(cls, matrix: Array) -> Self | None:
        """Return the form of `matrix`, None where its entries are others or too near to each other to count."""
        inputs = len(matrix)
        if inputs < 2 or matrix.shape != (inputs, inputs):
            return None
        same, rest = float(matrix[0, 0]), float(matrix[0, 1])
        if same - rest <= ROUNDING or not np.all(np.diagonal(matrix) == same):
            return None
        alike = np.count_nonzero(matrix == rest) == inputs * (inputs - 1)
        return cls(inputs, same - rest, rest) if alike else None

    def inverse_times(self, weights: Array) -> Array:
        """Return ``Q^-1 w`` for each line w of `weights`: what each output counts for in its estimate."""
        share = self.rest / (self.more + self.inputs * self.rest)
        return np.asarray((weights - share * weights.sum(axis=1, keepdims=True)) / self.more)

    def covariance(self, mass: Array) -> Array:
        """Return the covariance of ``f Q^-1`` where one report has the law `mass`, shape (n, n)."""
        # The covariance of one report, multiplied from both sides.
        of_reports = np.diag(mass) - np.outer(mass, mass)
        return self.inverse_times(self.inverse_times(of_reports).T)

    def likeliest(self, shares: Array) -> Array:
        """Return the population that makes `shares` of the outputs likeliest."""
        least = self.rest / self.more
        sizes = np.sort(shares)[::-1]
        # The one over l with which the k largest are positive and sum to one.
        levels = (1.0 + least * np.arange(1, self.inputs + 1)) / np.cumsum(sizes)
        positive = int(np.count_nonzero(sizes * levels > least))
        theta = np.maximum(shares * levels[positive - 1] - least, 0.0)
        return np.asarray(theta / theta.sum())

    def directions(self) -> Array:
        """Return orthonormal vectors that sum to zero, shape (n, n - 1): all of these are identified."""
        # The reflection that takes the first unit vector to equal entries.
        across = np.full(self.inputs, -1.0 / np.sqrt(self.inputs))
        across[0] += 1.0
        return np.asarray((np.eye(self.inputs) - np.outer(across, across) * (2.0 / (across @ across)))[:, 1:])
