"""Strata and clusters from columns of labels, and the sizes of a finite population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.estimation.sampling import Indices
from mechdesign.estimation.surveys.columns import Labelled
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.parameters.columns import has_labels, is_table
from mechdesign.parameters.labels import aligned


@dataclass(frozen=True, eq=False)
class Strata:
    """How many units of each stratum were drawn, and which stratum each person is in.

    Parameters
    ----------
    of_person : ndarray of int, shape (N,)
        The number of each person's stratum.
    units : ndarray of int, shape (H,)
        How many units of each stratum were drawn: clusters, or people if there are no clusters.
    fractions : ndarray, shape (H,)
        The share of its units in the population that was drawn; 0 without a finite population.
    cluster : ndarray of int, shape (N,), optional
        The number of each person's cluster, over all strata.
    words : str
        How many strata and clusters there are, as it is printed.
    """

    of_person: Indices
    units: Indices
    fractions: Array
    cluster: Indices | None
    words: str

    @property
    def factors(self) -> Array:
        """Return ``(1 - f_h) n_h / (n_h - 1)`` of each stratum, 0 for a stratum that was drawn completely."""
        return np.where(self.fractions < 1.0, (1.0 - self.fractions) * self.units / np.maximum(self.units - 1, 1), 0.0)


def strata_of(strata: Labelled | None, clusters: Labelled | None, population: Any, count: int) -> Strata:
    """Return the strata and clusters of `count` people.

    Parameters
    ----------
    strata : Labelled, optional
        The stratum of each person; all are in one without it.
    clusters : Labelled, optional
        The cluster of each person, numbered within strata: the same label in two strata means two clusters.
    population : number, mapping or Series, optional
        How many units there are in the population: a number without strata, a size for each stratum's label with them.
    count : int
        How many people reported.

    Raises
    ------
    DomainError
        A stratum of which one unit was drawn, but more were there; a population that is smaller than the sample, or of
        other strata.

    Examples
    --------
    >>> from mechdesign.estimation.surveys.columns import labelled
    >>> people = labelled("strata", ["urban", "rural", "urban", "rural"], [0, 1, 1, 0], 4)
    >>> strata_of(people, None, {"urban": 20, "rural": 4}, 4).factors.round(6).tolist()
    [1.0, 1.8]
    """
    names = None if strata is None else strata.names
    of_person = np.zeros(count, dtype=np.int64) if strata is None else strata.codes
    cluster, of_unit = None, of_person
    if clusters is not None:
        pairs = of_person * len(clusters.labels) + clusters.codes
        _, first, cluster = np.unique(pairs, return_index=True, return_inverse=True)
        of_unit = of_person[first]
    units = np.bincount(of_unit, minlength=1 if names is None else len(names)).astype(np.int64)
    sizes = _sizes(population, names, units)
    _require_pairs(names, units, sizes, "cluster" if cluster is not None else "report")
    said = [] if names is None else [f"{len(names)} strata"]
    said += [] if cluster is None else [f"{units.sum()} clusters"]
    said += [] if population is None else ["a finite population"]
    return Strata(of_person, units, units / sizes, cluster, ", ".join(said))


def _sizes(population: Any, names: tuple[str, ...] | None, units: Indices) -> Array:
    """Return the number of units of each stratum in the population; infinite if it is not given."""
    if population is None:
        return np.full(len(units), np.inf)
    if names is None:
        if has_labels(population) or is_table(population):
            rule, remedy = "there are no strata whose sizes it could be", "give strata, or one number"
            raise DomainError("population", "of several sizes", rule, remedy)
        sizes = np.array([domains.real("population", population, 1.0)])
    else:
        if not (has_labels(population) or is_table(population)):
            rule = "every stratum has a size of its own"
            raise DomainError("population", population, rule, "give a mapping of strata to their sizes")
        sizes = aligned("population", population, names, len(names), whose="sample")
    small = np.flatnonzero(sizes < units)
    if small.size:
        at = int(small[0])
        where = "population" if names is None else f"population[{names[at]!r}]"
        rule = f"{units[at]} were drawn, which cannot be more than there are"
        remedy = "give the number of clusters if clusters were drawn, else of people"
        raise DomainError(where, float(sizes[at]), rule, remedy)
    return sizes


def _require_pairs(names: tuple[str, ...] | None, units: Indices, sizes: Array, unit: str) -> None:
    """Raise if one unit of several was drawn of a stratum: nothing shows how much such units differ."""
    single = np.flatnonzero((units == 1) & (sizes > 1.0))
    if single.size:
        argument = "clusters" if names is None else "strata"
        shown = "one cluster" if names is None else f"with one {unit} in {names[int(single[0])]!r}"
        rule = "a variance takes two of them at least"
        remedy = "merge the stratum with a similar one, or give population= 1 for it if it was drawn with certainty"
        if names is None:
            remedy = "give the units that were drawn first, such as schools and not classes"
        raise DomainError(argument, shown, rule, remedy)
