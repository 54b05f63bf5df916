"""How people were drawn, as the arguments of an estimate say: read, or refused if they do not fit together."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, cast

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.estimation.given_reports import GivenReports
from mechdesign.estimation.sampling import Indices
from mechdesign.estimation.surveys.columns import (
    Labelled,
    labelled,
    replicate_weights_of,
    require_one_order_of_all,
    weights_of,
)
from mechdesign.estimation.surveys.replicates import Kind, Replicates, ReplicateWeights
from mechdesign.estimation.surveys.sample import Sample
from mechdesign.estimation.surveys.strata import strata_of
from mechdesign.parameters.checks import Array


@dataclass(frozen=True, eq=False)
class Drawn:
    """How people were drawn, by the arguments of `Mechanism.estimate`.

    Parameters
    ----------
    weights, strata, clusters, population, replicate_weights, replicates : object, optional
        The arguments of those names.
    """

    weights: Any = None
    strata: Any = None
    clusters: Any = None
    population: Any = None
    replicate_weights: Any = None
    replicates: Any = None

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the arguments that were given."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) is not None)

    def require_one_order(self, reports: Any, groups: Any) -> None:
        """Raise if reports, columns beside them and groups are columns of pandas that have several indices."""
        beside = {name: getattr(self, name) for name in self.given if name not in ("population", "replicates")}
        require_one_order_of_all(reports, {**beside, "groups": groups})

    def of(self, read: GivenReports, reports: Any) -> Drawn:
        """Return how the people were drawn whose reports are there, of columns beside all reports."""
        columns = {
            field.name: read.beside(field.name, getattr(self, field.name), reports)
            for field in fields(self)
            if field.name not in ("population", "replicates")
        }
        return replace(self, **columns)

    def sample(self, matrix: Array, reports: Any, outputs: Indices) -> Sample:
        """Return the sample of the reports, or raise if the arguments do not fit together.

        Parameters
        ----------
        matrix : ndarray, shape (n, m)
            The mechanism's matrix.
        reports : object
            The reports as they were given, whose index columns of pandas have to share.
        outputs : ndarray of int, shape (N,)
            The same as numbers of outputs.

        Raises
        ------
        DomainError
            Columns of another length or with missing entries; strata of which one cluster was drawn; a population
            smaller than the sample; replicate weights beside strata, or without weights or their kind.
        """
        count = len(outputs)
        self._require_one_design()
        weights = np.ones(count) if self.weights is None else weights_of("weights", self.weights, reports, count)
        if self.replicate_weights is not None:
            table = replicate_weights_of(self.replicate_weights, reports, count)
            return Sample(matrix, outputs, weights, replicates=ReplicateWeights(table, self._kind(table.shape[1])))
        if self.strata is None and self.clusters is None and self.population is None:
            return Sample(matrix, outputs, weights)
        strata, clusters = (
            None if column is None else labelled(name, column, reports, count)
            for name, column in (("strata", self.strata), ("clusters", self.clusters))
        )
        return Sample(matrix, outputs, weights, strata_of(strata, clusters, self.population, count))

    def _require_one_design(self) -> None:
        if self.replicate_weights is None:
            if self.replicates is not None:
                rule = "there are no replicate weights that it could say something of"
                raise DomainError("replicates", self.replicates, rule, "give replicate_weights, or leave it out")
            return
        beside = [name for name in ("strata", "clusters", "population") if name in self.given]
        if beside:
            rule = "replicate weights already stand for strata, clusters and the population's size"
            raise DomainError(beside[0], "given beside replicate_weights", rule, "give one or the other")
        if self.weights is None:
            rule = "the estimate itself is taken by the weights of the whole sample"
            raise DomainError("weights", None, rule, "give them beside replicate_weights")

    def _kind(self, count: int) -> Replicates:
        """Return how replicate weights were made."""
        found = Replicates(cast("Kind", self.replicates)) if isinstance(self.replicates, str) else self.replicates
        if not isinstance(found, Replicates):
            rule = "what replicates show depends on how they were made"
            remedy = 'give "brr", "jk1" or "bootstrap", or mechdesign.estimation.Replicates("fay", rho=0.5)'
            raise DomainError("replicates", self.replicates, rule, remedy)
        if found.rscales is not None and len(np.asarray(found.rscales)) != count:
            rule = f"there are {count} replicates, and a scale belongs to each"
            raise DomainError("rscales", f"of length {len(np.asarray(found.rscales))}", rule, "give one for each")
        return found


def groups_of(groups: Any, reports: Any, count: int) -> Labelled:
    """Return the group of each of `count` reports.

    Raises
    ------
    DomainError
        Another length or index; missing entries; a group without reports.
    """
    return labelled("groups", groups, reports, count)
