"""Frequencies, means and totals of a population from the reports of its members, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.displays import Block, Displayed
from mechdesign.estimation import printed
from mechdesign.estimation.goodness_of_fit import GoodnessOfFit, goodness_of_fit
from mechdesign.estimation.identifiability import Identifiability, require_identifiable
from mechdesign.estimation.intervals import How, confidence
from mechdesign.estimation.likelihood import Likeliest
from mechdesign.estimation.linear import Linear
from mechdesign.estimation.numbers_of_people import LEVEL, Method, Numbers
from mechdesign.estimation.remarks import remarks
from mechdesign.estimation.sampling import Indices
from mechdesign.estimation.surveys.survey import Survey
from mechdesign.estimation.top_inputs import TopInputs, top_inputs
from mechdesign.files.tables import Tabular
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: The columns of an estimate's table.
COLUMNS = ("label", "estimate", "standard_error", "low", "high")


@dataclass(frozen=True, eq=False)
class Estimate(Numbers, Tabular, Displayed):
    """Estimates of a population's frequencies from the reports of a mechanism, as `Mechanism.estimate` returns them.

    The population is that from which the people who reported were drawn at random. Intervals count both that draw and
    the mechanism's noise; where everybody reported they are wider than need be.

    With survey weights, strata, clusters or replicate weights estimates are the best linear ones: with w_i the weight
    of person i and a(y) what a report of y counts for, ``e = sum_i w_i a(y_i) / sum_i w_i``. Their variance is the one
    of the sampling design, and intervals are Wilson's at the number of reports that the survey is worth. A weight must
    not depend on the answer.

    Attributes
    ----------
    matrix : ndarray, shape (n, m)
        The mechanism's matrix.
    counts : ndarray of int, shape (m,)
        Reports of each output.
    problem : Problem
        The inputs, with the labels and values that they have.
    method : {"likelihood", "unbiased"}
        How it was made.
    theta : ndarray, shape (n,)
        A maximum-likelihood distribution of the inputs; not unique where the reports do not identify all frequencies.
    gap : float
        The log-likelihood of the likeliest population, per report in nats, is proved to be this near to the largest.
    identifiability : Identifiability
        Which linear functionals of the frequencies are identified by reports of the matrix, and which are not.
    survey : Survey, optional
        The weights of the reports and how people were drawn; without it all reports count alike.

    References
    ----------
    C. A. Pinzón, E. ElSalamouny, L. Massot, A. Miller, H. H. Arcolezi, C. Palamidessi, "Estimating the True
    Distribution of Data Collected with Randomized Response", AAAI 2026, for the likelihood under randomised response.
    """

    matrix: Array
    counts: Indices
    problem: Problem
    method: Method
    theta: Array
    gap: float
    identifiability: Identifiability
    survey: Survey | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each input, in order."""
        return tuple(map(self.problem.named, range(self.problem.n)))

    @property
    def reports(self) -> int:
        """How many reports there are."""
        return int(self.counts.sum())

    @property
    def effective_reports(self) -> float:
        """Kish's effective number of reports of equal weights: ``(sum of weights)^2 / sum of squared weights``."""
        return float(self.reports) if self.survey is None else self.survey.effective_reports

    @property
    def design_effect(self) -> float:
        """By what factor unequal weights raise variances: the reports over those that they are worth."""
        return self.reports / self.effective_reports

    @property
    def identifiable(self) -> npt.NDArray[np.bool_]:
        """Whether the frequency of each input is identified by the reports, shape (n,)."""
        return self.identifiability.identifies(np.eye(self.problem.n))

    @property
    def frequencies(self) -> Array:
        """The estimated frequency of each input, shape (n,): they sum to one.

        By "likelihood" they are a distribution; by "unbiased" some may be negative.

        Raises
        ------
        UnsupportedError
            The reports do not identify them all; with what to design instead. See ``functional(weights)`` for the rest.
        """
        self._require(np.eye(self.problem.n), "the frequencies")
        return frozen(self._centre)

    @property
    def standard_errors(self) -> Array:
        """The standard error of each frequency, shape (n,): the roots of the covariance's diagonal.

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies.
        """
        rows = np.eye(self.problem.n)
        self._require(rows, "the frequencies")
        return frozen(self._errors(rows - 1.0 / self.problem.n))

    @property
    def covariance(self) -> Array:
        """The covariance of the frequencies, shape (n, n).

        By "likelihood" it is the inverse of the Fisher information of all reports at the likeliest population, by
        "unbiased" the covariance of the linear estimates, from the shares of outputs that were observed.

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies.
        """
        self._require(np.eye(self.problem.n), "the frequencies")
        if self.method == "unbiased":
            return frozen(self.linear.unbiased_covariance())
        return frozen(self.linear.covariance / self.reports)

    def interval(self, level: float = 0.95, simultaneous: bool = False, *, how: How | None = None) -> Array:
        """Return a confidence interval of each frequency, shape (n, 2), true with the probability `level`.

        Parameters
        ----------
        level : float
            Above 0 and below 1: the probability, before the reports are drawn, that an interval holds the truth.
        simultaneous : bool
            Whether that is the probability that all of them do at once (by Bonferroni's inequality).
        how : {"score", "delta", "profile", "exact"}, optional
            "score" is Wilson's interval for any matrix; "delta" the estimate plus and minus normal quantiles of its
            standard error; "profile" the populations that a likelihood-ratio test keeps; "exact", for mechanisms of two
            outputs, Clopper and Pearson's. By default "exact" where there are two outputs and "score" elsewhere. By the
            method "likelihood" intervals are cut to 0 and 1 and reach beyond the estimate to both sides; by "unbiased"
            they are about the linear estimate, and may leave that range. In a survey "score" counts as many reports as
            the variance of the survey leaves, or Kish's number of them if that is less, and "delta" is the estimate
            plus and minus Student's quantiles of its standard error; the others count reports of a simple sample.

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies; "exact" of more than two outputs; others in a survey.
        DomainError
            A level outside of its range, another `how`.
        """
        rows = np.eye(self.problem.n)
        self._require(rows, "the frequencies")
        every = domains.truth("simultaneous", simultaneous)
        return frozen(confidence(self.linear, rows, level, how, within=self._within, simultaneous=every))

    def top(self, k: int, level: float = LEVEL) -> TopInputs:
        """Return the k inputs of the largest frequencies, with intervals that hold for all inputs at once.

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies.
        DomainError
            k below 1; a level outside of its range.
        """
        return top_inputs(k, self.frequencies, self.interval(level, True), level, self.problem.named)

    def plot(
        self,
        ax: Axes | Figure | None = None,
        *,
        truth: npt.ArrayLike | None = None,
        level: float = 0.95,
        **options: Any,
    ) -> Figure:
        """Draw the frequencies with their intervals, beside the truth where it is given, and return the figure.

        As `mechdesign.plotting.estimate` does, which says what the parameters are, `options` among them.
        """
        from mechdesign.plotting import estimate

        return estimate(self, ax, truth=truth, level=level, **options)

    @cached_property
    def linear(self) -> Linear:
        """The best linear estimate, which intervals are taken about."""
        shares = self.counts / self.reports if self.survey is None else self.survey.shares
        known = self.identifiability.directions
        return Linear(self.matrix, shares, self.reports, self.theta, known, self.survey)

    @cached_property
    def fit(self) -> GoodnessOfFit:
        """Whether the reports can come from the mechanism, whatever the population: a test with its p-value.

        It is the test of the counts, on which weights and the way of drawing people have no bearing.
        """
        found = Likeliest(self.theta, self.gap) if self.survey is None else None
        return goodness_of_fit(self.matrix, self.counts, self.identifiability.rank, found)

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known before the numbers are used, as sentences."""
        return remarks(self, LEVEL)

    @property
    def _centre(self) -> Array:
        return self.theta if self.method == "likelihood" else self.linear.unbiased(np.eye(self.problem.n))

    def _errors(self, lines: Array) -> Array:
        if self.method == "unbiased":
            return self.linear.unbiased_errors(lines)
        return self.linear.errors(lines)

    @property
    def _within(self) -> Array | None:
        """The distribution that intervals have to hold, where they are to stay within what a population can have."""
        return self.theta if self.method == "likelihood" else None

    def _require(self, weights: Array, what: str) -> None:
        require_identifiable(self.identifiability, weights, what, self.problem)

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def _records(self) -> list[dict[str, Any]]:
        return self.rows()

    def rows(self, level: float = LEVEL, inputs: Sequence[int] | None = None) -> list[dict[str, Any]]:
        """Return a row for each input: label, estimate, standard error and the ends of its interval.

        Parameters
        ----------
        level : float
            Of the intervals.
        inputs : sequence of int, optional
            Those whose rows are wanted; all by default.

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies.
        """
        wanted = list(range(self.problem.n) if inputs is None else inputs)
        shares, lines = self.frequencies[wanted].tolist(), np.eye(self.problem.n)[wanted]
        errors = self._errors(lines - 1.0 / self.problem.n).tolist()
        ends = confidence(self.linear, lines, level, None, within=self._within, simultaneous=False).tolist()
        columns = zip([self.problem.named(x) for x in wanted], shares, errors, ends, strict=True)
        return [dict(zip(COLUMNS, (name, *row, *interval), strict=True)) for name, *row, interval in columns]

    def __repr__(self) -> str:
        remark = "" if self.identifiable.all() else ", frequencies not identified"
        worth = "" if self.survey is None else f", design_effect={self.design_effect:.4g}"
        return (
            f"{type(self).__name__}({self.reports} reports, n={self.problem.n}, method={self.method!r}{worth}{remark})"
        )

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the frequencies with their intervals where the reports identify them, and what to know before use."""
        return self.shown()

    def shown(self, level: float = LEVEL, size: int | None = None) -> tuple[Block, ...]:
        """Return what is printed: frequencies, mean and, for a population of `size`, the total, with intervals."""
        return printed.blocks(self, level, size)
