r"""The covariance of a regression's coefficients in a survey: scores added up by cluster, within strata.

With H the Hessian and ``u_hj`` the sum of ``w_i s_i`` over the people i of cluster j of stratum h, s_i the gradient of
the log-likelihood of one report, it is ``H^-1 M H^-1``, where
``M = sum_h n_h / (n_h - 1) sum_j (u_hj - mean_h u) (u_hj - mean_h u)'``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.estimation.sampling import Indices
from mechdesign.estimation.surveys.columns import labelled
from mechdesign.estimation.surveys.strata import Strata, strata_of
from mechdesign.parameters.checks import Array


@dataclass(frozen=True, eq=False)
class SurveyScores:
    """The weights, strata and clusters of a regression's people, by which their scores are added up.

    Parameters
    ----------
    weights : ndarray, shape (people,)
        Of the mean 1.
    strata : Strata, optional
        Strata and clusters; without them people were drawn one by one.
    """

    weights: Array
    strata: Strata | None = None

    @property
    def words(self) -> str:
        """How people were drawn, as it is printed."""
        return "" if self.strata is None else self.strata.words

    def middle(self, kinds: Indices, scores: Array) -> Array:
        """Return M, shape (d, d).

        Parameters
        ----------
        kinds : ndarray of int, shape (people,)
            Which kind each person is of: people with the same covariates and report have the same score.
        scores : ndarray, shape (kinds, d)
            The gradient of one report of each kind.
        """
        from scipy.sparse import coo_array

        people = len(self.weights)
        unit = np.arange(people) if self.strata is None or self.strata.cluster is None else self.strata.cluster
        count = int(unit.max()) + 1
        sums = coo_array((self.weights, (unit, kinds)), shape=(count, len(scores))).tocsr() @ scores
        stratum, factors = np.zeros(count, dtype=np.int64), np.array([count / max(count - 1, 1)])
        if self.strata is not None:
            stratum[unit], factors = self.strata.of_person, self.strata.factors
        size = np.bincount(stratum, minlength=len(factors))
        means = np.zeros((len(factors), scores.shape[1]))
        np.add.at(means, stratum, sums)
        apart = sums - (means / np.maximum(size, 1)[:, None])[stratum]
        return np.asarray((factors[stratum][:, None] * apart).T @ apart)


def survey_scores(strata: Any, clusters: Any, reports: Any, present: Any, weights: Array) -> SurveyScores:
    """Return the sampling design that columns of strata and clusters state, one entry for each person asked.

    Weights are of the people who reported; `present` says who they are.

    Raises
    ------
    DomainError
        Columns of another length or with missing entries; a stratum of which one cluster was drawn.
    """
    if strata is None and clusters is None:
        return SurveyScores(weights)
    everybody = len(weights) if present is None else len(present)
    read = [
        None if column is None else labelled(name, column, reports, everybody)
        for name, column in (("strata", strata), ("clusters", clusters))
    ]
    if present is not None:
        read = [None if each is None else each.among(present) for each in read]
    return SurveyScores(weights, strata_of(read[0], read[1], None, len(weights)))
