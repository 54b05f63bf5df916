r"""A sample of people with their weights, strata and clusters, and the variance that the way of drawing them gives.

``V(e) = sum_h (1 - f_h) n_h / (n_h - 1) sum_j (z_hj - mean_h z)^2``, z_hj the sum of ``w_i (a(y_i) - e) / sum w`` over
the people i of cluster j of stratum h: n_h of N_h clusters were drawn, ``f_h = n_h / N_h``. People are clusters of one
if there are no others. What a mechanism adds by chance is there even if everybody was drawn:
``sum_h f_h sum_i w_i^2 V(a(y_i) | x_i) / (sum w)^2`` is added, at the likeliest answers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mechdesign.estimation.likelihood import likeliest
from mechdesign.estimation.linear import ADDED
from mechdesign.estimation.sampling import Indices
from mechdesign.estimation.surveys.replicates import ReplicateWeights
from mechdesign.estimation.surveys.strata import Strata
from mechdesign.estimation.surveys.survey import IndependentReports, Part, Survey
from mechdesign.parameters.checks import Array

#: The gap of the likelihood, in nats per report: the population it is taken at need only be near.
NEAR = 1e-9


@dataclass(frozen=True, eq=False)
class Sample:
    """The reports of a sample, each with a weight, and how the people were drawn.

    Parameters
    ----------
    matrix : ndarray, shape (n, m)
        The mechanism's matrix.
    outputs : ndarray of int, shape (N,)
        The report of each person.
    weights : ndarray, shape (N,)
        How many people each one stands for, as a share of the heaviest.
    strata : Strata, optional
        Strata and clusters; without them people were drawn one by one.
    replicates : ReplicateWeights, optional
        Weights of replicates, which take the place of strata and clusters.
    """

    matrix: Array
    outputs: Indices
    weights: Array
    strata: Strata | None = None
    replicates: ReplicateWeights | None = None
    #: Stands for the sample in its estimates, which do not hold anybody's report.
    token: object = field(default_factory=object)

    def survey(self, members: Any = slice(None)) -> Survey:
        """Return how the shares of outputs vary, among all people or among some of them by their numbers."""
        reports, weights = self.outputs[members], self.weights[members]
        sums = self._summed(reports, weights)
        effective = float(weights.sum() ** 2 / (weights @ weights))
        if self.replicates is not None:
            parts, degrees = self.replicates.parts(reports, sums, members)
            return Survey(sums, effective, parts, degrees, self.replicates.count, self.replicates.words, self.token)
        if self.strata is not None:
            return self._stratified(self.strata, members, sums, effective)
        return self._independent(reports, weights, sums, effective)

    def counts(self, members: Any = slice(None)) -> Indices:
        """Return the number of reports of each output."""
        found = np.bincount(self.outputs[members], minlength=self.matrix.shape[1]).astype(np.int64)
        found.setflags(write=False)
        return found

    def _summed(self, reports: Indices, numbers: Array) -> Array:
        return np.bincount(reports, numbers, minlength=self.matrix.shape[1]).astype(float)

    def _independent(self, reports: Indices, weights: Array, sums: Array, effective: float) -> Survey:
        count, total = len(reports), sums.sum()
        squares, fourths = (self._summed(reports, weights**power) for power in (2, 4))
        if effective < IndependentReports.MANY:
            law = np.bincount(reports, minlength=len(sums)) + ADDED * self.matrix.sum(axis=0)
            law = law / law.sum()
            parts = [_of_outputs(law / effective), Part(law[None, :], np.array([-1.0 / effective]))]
        else:
            parts = [_of_outputs(count / (count - 1.0) * squares / total**2)]
        return IndependentReports(
            sums=sums,
            effective_reports=effective,
            parts=tuple(parts),
            degrees=count - 1.0,
            units=count,
            words="",
            sample=self.token,
            squares=squares,
            fourths=fourths,
        )

    def _stratified(self, strata: Strata, members: Any, sums: Array, effective: float) -> Survey:
        reports, weights, total = self.outputs[members], self.weights[members], sums.sum()
        stratum, factors = strata.of_person[members], strata.factors
        there, place = np.unique(stratum, return_inverse=True)
        held = _table(place, reports, weights / total, (len(there), len(sums)))
        means = Part(held, -factors[there] / strata.units[there], there)
        if strata.cluster is None:
            units, inner = len(reports), _of_outputs(self._summed(reports, factors[stratum] * weights**2) / total**2)
        else:
            cluster, first, row = np.unique(strata.cluster[members], return_index=True, return_inverse=True)
            units = len(cluster)
            rows = _table(row, reports, weights / total, (units, len(sums)))
            inner = Part(rows, factors[stratum[first]], cluster)
        noise = self._noise(reports, strata.fractions[stratum] * weights**2 / total**2)
        complete = bool((strata.fractions[there] >= 1.0).all())
        degrees = float(units - len(there))
        least = 1.0 - float(strata.fractions[there].max())
        parts = (inner, means, *noise)
        return Survey(sums, effective, parts, degrees, units, strata.words, self.token, complete, least)

    def _noise(self, reports: Indices, fixed: Array) -> tuple[Part, ...]:
        """Return the variance of the mechanism's own chance among people who are not drawn by chance."""
        squares = self._summed(reports, fixed)
        much = squares.sum()
        if much == 0.0:
            return ()
        theta = likeliest(self.matrix, squares / much, NEAR).theta
        return _of_outputs(much * (theta @ self.matrix)), Part(self.matrix, -much * theta)


def _of_outputs(factors: Array) -> Part:
    """Return the part in which every output stands for itself."""
    from scipy.sparse import eye_array

    return Part(eye_array(len(factors), format="csr"), np.asarray(factors))


def _table(rows: Indices, columns: Indices, numbers: Array, shape: tuple[int, int]) -> Any:
    """Return the sums of `numbers` by row and column, as a sparse array."""
    from scipy.sparse import coo_array

    return coo_array((numbers, (rows, columns)), shape=shape).tocsr()
