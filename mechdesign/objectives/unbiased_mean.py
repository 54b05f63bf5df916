"""Variance of an unbiased estimate of a mean, whatever number a person holds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.drawn import random_pairs, random_problem
from mechdesign.errors import DomainError
from mechdesign.objectives.decisions import datum_of_input
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.objectives.magnitudes import check_magnitude
from mechdesign.parameters import Truth
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_VALUE, SMALLEST_VALUE


@dataclass(frozen=True)
class UnbiasedMean(EstimatorVariance):
    r"""max_x sum_y Q[x, y] t_y^2 - v_x^2, the variance of an unbiased estimate t of the value; in squared units.

    Output y has an estimate t_y such that ``sum_y Q[x, y] t_y = v_x`` for every input x: the mean of the estimates of N
    reports is an unbiased estimate of the mean of N people's values, whoever they are, with a variance of at most the
    value over N beyond their own. The t are the ones of least variance: at its largest over the inputs, or on average
    under the prior. Over an interval (`Problem.from_interval`) it is the largest of all its numbers. Minimised;
    infinite if no unbiased estimate exists.

    Parameters
    ----------
    worst : bool
        Whether the largest variance counts, over all inputs; otherwise the average under the prior.

    Raises
    ------
    DomainError
        A problem without values, or whose values are all equal; without a prior if `worst` is False; a `worst` that is
        neither True nor False.

    Notes
    -----
    By minimax theorem the least worst variance is the largest, over distributions theta of the inputs, of the least
    average at theta, which is the variance of one figure (`InformationDesign`, criterion "c", the values as direction)
    less the variance of the values at theta. Any theta and any direction bound it, so that those of a solver do.

    References
    ----------
    J. Duchi, M. Jordan, M. Wainwright, "Minimax Optimal Procedures for Locally Private Estimation", Journal of the
    American Statistical Association 113 (2018).

    Examples
    --------
    Two values: randomised response, whose variance is ``1 / (4 sinh(epsilon / 2)^2)``.

    >>> import mechdesign as md
    >>> survey = md.Problem(values=[0, 1])
    >>> response = [[0.75, 0.25], [0.25, 0.75]]
    >>> round(md.UnbiasedMean().value(response, survey), 9)
    0.75
    >>> md.UnbiasedMean().estimates(response, survey).round(9).tolist()
    [-0.5, 1.5]
    """

    card = Card(
        "variance of an unbiased estimate of the value",
        latex=r"\max_x \sum_y Q_{xy} \, t_y^2 - v_x^2 \quad \text{with} \quad \sum_y Q_{xy} \, t_y = v_x",
        means="Variance of the estimated mean, times the number of reports, for whatever numbers people hold.",
        usual="for a mean of numbers",
        search=("mean", "mean estimation", "average", "piecewise mechanism", "hybrid mechanism", "minimax", "variance"),
        works=("duchi2018",),
        examples=(
            lambda rng: (UnbiasedMean(), random_problem(4, rng, skew=2.0)),
            lambda rng: (UnbiasedMean(worst=False), random_problem(4, rng, skew=2.0)),
            lambda rng: (UnbiasedMean(), random_pairs(rng)),
        ),
        anchor=lambda: Anchor(UnbiasedMean(), 3.0, "the estimates -1 and 3, 3/4 + 9/4"),
    )

    worst: bool = True
    domains = {"worst": Truth()}

    needs_values = True

    @property
    def needs_prior(self) -> bool:  # type: ignore[override] # of an instance
        """Whether the variance is an average over the inputs."""
        return not self.worst

    @property
    def holds_over_intervals(self) -> bool:  # type: ignore[override] # of an instance
        """Whether the variance is the largest of all numbers."""
        return self.worst

    @property
    def in_words(self) -> str:
        """What is measured, within a sentence."""
        of = "largest" if self.worst else "average"
        return f"{of} variance of an unbiased estimate of the value, times the number of reports"

    def check(self, problem: Problem) -> None:
        """Refuse equal values, and values whose squares overflow or underflow."""
        super().check(problem)
        values = problem.required_values
        check_magnitude("values", values, SMALLEST_VALUE, LARGEST_VALUE)
        if not float(np.ptp(values)) > 0.0:
            rule = "their mean is known without asking anybody where all are equal"
            raise DomainError("values", f"{values[0]} for each input", rule, "give values that differ")

    def figure(self, problem: Problem) -> Array:
        """Return the value of each input."""
        return np.asarray(problem.required_values[np.asarray(datum_of_input(problem), dtype=np.intp)], dtype=float)

    def population(self, problem: Problem) -> Array | None:
        """Return the prior, which adds up to 1; None for the largest variance."""
        return None if self.worst else np.asarray(problem.required_prior / math.fsum(problem.required_prior))

    def __str__(self) -> str:
        return self.name if self.worst else f"{self.name}(worst=False)"
