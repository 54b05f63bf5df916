"""Reports with a survey weight each: counted by output, or refused with the place and the reason."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from mechdesign.errors import DomainError, FitWarning
from mechdesign.estimation.identifiability import Identifiability
from mechdesign.estimation.records import whole_below
from mechdesign.estimation.sampling import Indices
from mechdesign.estimation.weighted import WeightedEstimate
from mechdesign.exact import Integers
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem
from mechdesign.problem.columns_of_data import array


def weighted(
    numerators: Integers, reports: Any, weights: Any, problem: Problem, known: Identifiability
) -> WeightedEstimate:
    """Return the estimate from reports with a weight each.

    Raises
    ------
    DomainError
        Reports that are missing or of no output; another number of weights than reports, or weights that are negative,
        no finite numbers, or all zero.
    """
    outputs = numerators.shape[1]
    found = whole_below("reports", reports, outputs, "the outputs").reshape(-1)
    scaled = relative(weights, len(found))
    counts = possible(np.bincount(found, minlength=outputs).astype(np.int64), numerators)
    matrix = numerators.astype(float) / float(sum(numerators[0].tolist()))
    sums, squares, fourths = (frozen(np.bincount(found, scaled**power, minlength=outputs)) for power in (1, 2, 4))
    made = WeightedEstimate(frozen(matrix), counts, sums, squares, fourths, problem, known)
    if not made.fit.fits:
        warnings.warn(made.fit.sentence(), FitWarning, stacklevel=3)
    return made


def relative(weights: Any, reports: int) -> Array:
    """Return so many weights relative to the largest, so that squares neither overflow nor vanish.

    Raises
    ------
    DomainError
        Another number of weights than reports; weights that are negative, no finite numbers, or all zero.

    Examples
    --------
    >>> relative([1, 4], 2).tolist()
    [0.25, 1.0]
    """
    given = domains.numbers("weights", array("weights", weights), 1)
    if len(given) != reports:
        rule = f"there are {reports} reports, and a weight belongs to each"
        raise DomainError("weights", f"of length {len(given)}", rule, "give one weight for each report, in their order")
    wrong = np.flatnonzero(~(np.isfinite(given) & (given >= 0.0)))
    if wrong.size:
        rule, remedy = "a weight has to be a finite number of at least 0", "leave out who has none"
        raise DomainError(f"weights[{wrong[0]}]", float(given[wrong[0]]), rule, remedy)
    if not given.any():
        raise DomainError("weights", "all zero", "nobody stands for anybody", "give a positive weight")
    return np.asarray(given / given.max(), dtype=float)


def possible(counts: Indices, numerators: Integers) -> Indices:
    """Return the reports of each output, read-only, all of which the matrix has to be able to give.

    Raises
    ------
    DomainError
        Reports of an output that the matrix never gives.
    """
    impossible = np.flatnonzero((counts > 0) & ~(numerators > 0).any(axis=0))
    if impossible.size:
        rule = "this mechanism never gives that output"
        raise DomainError("reports", f"of output {impossible[0]}", rule, "check which mechanism they belong to")
    counts.setflags(write=False)
    return counts
