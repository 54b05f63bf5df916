r"""Linear estimates from shares of outputs, by the covariance at a population near the truth, and their covariance.

With p = theta Q, and T the directions that reports identify (`identifiability`), ``J = T' Q diag(1/p) Q' T`` is the
Fisher information of one report: ``C = T J^-1 T'`` is the covariance of the best unbiased estimate of theta.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mechdesign.estimation.k_ary_response import KaryResponse
from mechdesign.parameters.checks import Array
from mechdesign.runtime.threads import blas_limited

if TYPE_CHECKING:
    from mechdesign.estimation.surveys.survey import Survey

#: Reports of each input that are added to the counts where a covariance is taken, so that no output has none.
ADDED = 0.5

#: Outputs count alike if what they count for differs by less than this share of the most.
ALIKE = 1e-12

#: Rounding of the sums of an estimate, as a share of the sum of the sizes of their terms.
ROUNDED = 16.0 * float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Linear:
    """The best linear estimate about the population `theta`.

    Parameters
    ----------
    matrix : ndarray, shape (n, m)
    shares : ndarray, shape (m,)
        Of the outputs among the reports.
    reports : int
        How many there are.
    theta : ndarray, shape (n,)
        The likeliest population.
    directions : ndarray, shape (n, k)
        Orthonormal directions that the reports identify.
    survey : Survey, optional
        How the shares vary over samples; without it reports are independent and alike.
    """

    matrix: Array
    shares: Array
    reports: float
    theta: Array
    directions: Array
    survey: Survey | None = None

    @cached_property
    def near(self) -> Array:
        """The population at which covariances are taken: `theta` with half a report of each input added."""
        inputs = len(self.theta)
        return np.asarray((self.reports * self.theta + ADDED) / (self.reports + ADDED * inputs))

    @cached_property
    def mass(self) -> Array:
        """The law of the reports of `near`; an output of no mass weighs nothing."""
        return np.asarray(self.near @ self.matrix)

    @cached_property
    def _weighing(self) -> Array:
        """``1 / sqrt(p)`` of each output."""
        return np.divide(1.0, np.sqrt(self.mass), out=np.zeros_like(self.mass), where=self.mass > 0)

    @cached_property
    def _response(self) -> KaryResponse | None:
        """The form of the matrix where estimates and variances have formulas."""
        return KaryResponse.of(self.matrix)

    @cached_property
    @blas_limited(1)
    def _factors(self) -> tuple[Array, Array]:
        """Q and R of ``diag(1/p)^(1/2) Q' T``: information is never squared."""
        orthogonal, triangle = np.linalg.qr(self._weighing[:, None] * (self.matrix.T @ self.directions))
        return np.asarray(orthogonal), np.asarray(triangle)

    @cached_property
    @blas_limited(1)
    def spread(self) -> Array:
        """``T R^-1``: the covariance's root."""
        return np.asarray(np.linalg.solve(self._factors[1].T, self.directions.T).T)

    @cached_property
    def covariance(self) -> Array:
        """``C``, shape (n, n): of one report. That of N reports is ``C / N``."""
        if self._response is not None:
            return self._response.covariance(self.mass)
        return np.asarray(self.spread @ self.spread.T)

    def moved(self, weights: Array) -> Array:
        """Return the derivatives of the estimates of the lines of `weights` in the outputs' shares, shape (k, m).

        Their mean under the law of the reports is 0, their variance that of one report.
        """
        if self._response is not None:
            outputs = self._response.inverse_times(weights)
            return np.asarray(outputs - (outputs @ self.mass)[:, None])
        # The weights first: what hardly shows in reports has large entries in the spread, which they cancel.
        return np.asarray((weights @ self.spread) @ self._factors[0].T * self._weighing)

    def unbiased(self, weights: Array) -> Array:
        """Return the best linear estimate ``weights . theta`` of each line; of unit weights it may be negative.

        An estimate within its rounding of 0 is 0.
        """
        moved, law = self.moved(weights), self.theta @ self.matrix
        found = weights @ self.theta + moved @ (self.shares - law)
        rounding = ROUNDED * (np.abs(weights) @ self.theta + np.abs(moved) @ (self.shares + law))
        return np.where(np.abs(found) <= rounding, 0.0, found)

    def unbiased_errors(self, weights: Array) -> Array:
        """Return the standard error of the best linear estimate of each line, from the shares that were observed."""
        sizes, lines = in_proportion(weights)
        if self.survey is not None:
            return np.asarray(sizes * np.sqrt(self.survey.variances(self.centred(lines))))
        return np.asarray(sizes * np.sqrt(self.centred(lines) ** 2 @ self.shares / self.reports))

    def errors(self, weights: Array) -> Array:
        """Return the standard error of ``weights . theta`` of each line, the root of its variance."""
        sizes, lines = in_proportion(weights)
        return np.asarray(sizes * np.sqrt(self.variances(lines)))

    def unbiased_covariance(self) -> Array:
        """Return the covariance of the best linear estimates of all frequencies, shape (n, n), of N reports."""
        lines = np.eye(len(self.theta))
        # What all frequencies have in common is known.
        centred = self.centred(lines - 1.0 / len(lines))
        if self.survey is not None:
            return self.survey.covariance(centred)
        return np.asarray((centred * self.shares) @ centred.T / self.reports)

    def centred(self, weights: Array) -> Array:
        """Return what a report of each output counts for, less the mean over the reports, shape (k, m)."""
        moved = self.moved(weights)
        centred = moved - (moved @ self.shares)[:, None]
        # All reports may be of one output, whose error is then exactly 0.
        return np.where(np.abs(centred) <= ALIKE * np.abs(moved).max(axis=1, initial=0.0)[:, None], 0.0, centred)

    def variances(self, weights: Array) -> Array:
        """Return the variance of ``weights . theta`` of each line, of N reports."""
        if self._response is not None:
            return np.asarray(self.moved(weights) ** 2 @ self.mass / self.reports)
        return np.asarray(((weights @ self.spread) ** 2).sum(axis=1) / self.reports)


def in_proportion(weights: Array) -> tuple[Array, Array]:
    """Return the size of each line, a power of two, and the lines by their sizes: squares then stay within floats."""
    _, exponents = np.frexp(np.abs(weights).max(axis=1, initial=0.0))
    # Twice, as a size itself may be beyond floats.
    lines = np.ldexp(np.ldexp(weights, -(exponents // 2)[:, None]), -(exponents - exponents // 2)[:, None])
    return np.ldexp(1.0, exponents - 1) * 2.0, lines
