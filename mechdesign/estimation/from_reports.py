"""Estimates from counts of reports, of all people or of a survey's."""

from __future__ import annotations

import warnings
from typing import Any, Protocol, TypeVar

import numpy as np

from mechdesign.errors import DomainError, FitWarning
from mechdesign.estimation.estimating import Estimate
from mechdesign.estimation.identifiability import Identifiability
from mechdesign.estimation.likelihood import likeliest
from mechdesign.estimation.numbers_of_people import known_method
from mechdesign.estimation.sampling import Indices
from mechdesign.estimation.surveys.sample import NEAR
from mechdesign.estimation.surveys.survey import Survey
from mechdesign.exact import Integers
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem


class Fit(Protocol):
    """A test of whether reports can come from a mechanism."""

    @property
    def fits(self) -> bool:
        """Whether they can."""

    def sentence(self) -> str:
        """Return what was found."""


class WithFit(Protocol):
    """An estimate whose reports are tested."""

    @property
    def fit(self) -> Fit:
        """The test."""


Tested = TypeVar("Tested", bound=WithFit)

#: The log-likelihood of all reports together is this near to the largest one, in nats, or as near as floats go.
LIKELIHOOD = 1e-6
#: Nearer than this per report is beyond the rounding of sums of a thousand terms.
LEAST_GAP = 1e-12


def estimated(numerators: Integers, counts: Indices, problem: Problem, method: Any, known: Identifiability) -> Estimate:
    """Return the estimate from the reports of each output of a matrix of integers whose rows have one sum.

    Raises
    ------
    DomainError
        Another method; reports of an output that the matrix never gives.
    """
    wanted = known_method(method)
    require_possible(numerators, counts)
    matrix = matrix_of(numerators)
    total = int(counts.sum())
    found = likeliest(matrix, counts / total, max(LIKELIHOOD / total, LEAST_GAP))
    kept = counts.copy()
    kept.setflags(write=False)
    return Estimate(matrix, kept, problem, wanted, found.theta, found.gap, known)


def surveyed(matrix: Array, counts: Indices, problem: Problem, known: Identifiability, survey: Survey) -> Estimate:
    """Return the linear estimate from the weighted shares of outputs of a survey, with the variance of its design."""
    found = likeliest(matrix, survey.shares, NEAR)
    return Estimate(matrix, counts, problem, "unbiased", found.theta, found.gap, known, survey)


def matrix_of(numerators: Integers) -> Array:
    """Return a matrix of integers whose rows have one sum as floats whose rows sum to one."""
    return frozen(numerators.astype(float) / float(sum(numerators[0].tolist())))


def require_possible(numerators: Integers, counts: Indices) -> None:
    """Raise if there are reports of an output that the matrix never gives."""
    impossible = (counts > 0) & ~(numerators > 0).any(axis=0)
    if impossible.any():
        y = int(np.argmax(impossible))
        rule = "this mechanism never gives that output"
        raise DomainError("reports", f"{counts[y]} of output {y}", rule, "check which mechanism they belong to")


def with_warning(made: Tested, group: str = "", stacklevel: int = 3) -> Tested:
    """Return the estimate, and warn if its reports do not fit the mechanism.

    Warns
    -----
    FitWarning
        The reports do not fit, named by their group if there are several.
    """
    if not made.fit.fits:
        # By default the caller's caller is the one who asked for an estimate.
        warnings.warn(f"{group}{made.fit.sentence()}", FitWarning, stacklevel=stacklevel)
    return made
