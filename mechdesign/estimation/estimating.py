"""Frequencies, means and totals of a population from the reports of its members, with intervals."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.blocks import MOST_ROWS, chosen
from mechdesign.errors import DomainError, FitWarning
from mechdesign.estimation import differences, quantiles
from mechdesign.estimation.differences import Difference
from mechdesign.estimation.functional import Functional
from mechdesign.estimation.goodness_of_fit import GoodnessOfFit, goodness_of_fit
from mechdesign.estimation.identifiability import Identifiability, require_identifiable
from mechdesign.estimation.intervals import How, confidence
from mechdesign.estimation.likelihood import Likeliest, likeliest
from mechdesign.estimation.linear import Linear
from mechdesign.estimation.quantiles import Quantile
from mechdesign.estimation.remarks import remarks
from mechdesign.estimation.sampling import Indices
from mechdesign.exact import Integers
from mechdesign.files.tables import Tabular
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

Method = Literal["likelihood", "unbiased"]

#: The log-likelihood of all reports together is this near to the largest one, in nats, or as near as floats go.
LIKELIHOOD = 1e-6
#: Nearer than this per report is beyond the rounding of sums of a thousand terms.
LEAST_GAP = 1e-12

#: The columns of an estimate's table, whose intervals have this level.
COLUMNS = ("label", "estimate", "standard_error", "low", "high")
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Estimate(Tabular, Displayed):
    """Estimates of a population's frequencies from the reports of a mechanism, as `Mechanism.estimate` returns them.

    The population is that from which the people who reported were drawn at random. Intervals count both that draw and
    the mechanism's noise; where everybody reported they are wider than need be.

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

    @property
    def reports(self) -> int:
        """How many reports there are."""
        return int(self.counts.sum())

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
        """Return a confidence interval of each frequency, shape (n, 2).

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
            they are about the linear estimate, and may leave that range.

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies; "exact" of more than two outputs.
        DomainError
            A level outside of its range, another `how`.
        """
        rows = np.eye(self.problem.n)
        self._require(rows, "the frequencies")
        every = domains.truth("simultaneous", simultaneous)
        return frozen(confidence(self.linear, rows, level, how, within=self._within, simultaneous=every))

    def functional(self, weights: npt.ArrayLike) -> Functional:
        """Return ``sum_x weights[x] frequencies[x]`` with its standard error and interval.

        Raises
        ------
        UnsupportedError
            The reports do not identify it.
        DomainError
            Weights that are not n finite numbers.
        """
        line = self.problem.in_order("weights", weights)
        return self._functional(line, "this functional", self.method)

    def mean(self, values: npt.ArrayLike | None = None, *, method: Method = "unbiased") -> Functional:
        """Return the population's mean of `values`, those of the problem by default, in their unit.

        Parameters
        ----------
        values : array_like, shape (n,), optional
            The number of each input.
        method : {"unbiased", "likelihood"}
            The best linear estimate, right on average, whatever `self.method` is; or that of the likeliest population,
            which is biased where there are few reports for many categories.

        Raises
        ------
        UnsupportedError
            The reports do not identify it.
        DomainError
            No values, or others than n finite numbers; another method.
        """
        line = self.problem.values_in_order(values)
        return self._functional(line, "the mean", _known(method))

    def total(self, size: int, values: npt.ArrayLike | None = None, *, method: Method = "unbiased") -> Functional:
        """Return ``size`` times the mean: the total of the values in a population of `size` people.

        Parameters
        ----------
        size : int
            People in the population.
        values, method
            As in `mean`.

        Raises
        ------
        UnsupportedError
            The reports do not identify it.
        DomainError
            A size below the number of reports, or what `mean` refuses.
        """
        people = domains.whole("size", size, 1)
        if people < self.reports:
            rule = f"it has to be at least the {self.reports} reports"
            raise DomainError("size", people, rule, "give the number of people in the population")
        weights = frozen(people * self.mean(values).weights)
        return self._functional(weights, "the total", _known(method))

    def quantile(self, share: float = 0.5, level: float = 0.95) -> Quantile:
        """Return the population's quantile of an ordered answer: the first whose cumulative share is at least `share`.

        Answers are in the order of their values, or in that of the problem where they have none. The interval holds
        each answer that is not refuted by the intervals of the cumulative shares up to it and before it.

        Parameters
        ----------
        share : float
            Above 0 and below 1: 0.5 for the median.
        level : float
            Of the interval, above 0 and below 1.

        Returns
        -------
        Quantile

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies.
        DomainError
            A share or a level outside of its range.

        References
        ----------
        R. S. Woodruff, "Confidence Intervals for Medians and Other Position Measures", Journal of the American
        Statistical Association 47 (1952).

        Examples
        --------
        >>> import mechdesign as md
        >>> survey = md.Problem(labels=["never", "rarely", "often"])
        >>> response = md.baselines.randomised_response(survey, 2.0)
        >>> print(response.estimate(counts=[300, 400, 300]).quantile())
          median rarely (95 % interval rarely to rarely)
        """
        return quantiles.quantile(self, share, level)

    def difference(self, other: Estimate) -> Difference:
        """Return what this group's frequencies and mean differ from another's by, with intervals.

        Parameters
        ----------
        other : Estimate
            Of other people, over the same inputs in the same order; by the same mechanism or another.

        Returns
        -------
        Difference
            ``self - other``.

        Raises
        ------
        UnsupportedError
            The reports of one group do not identify all frequencies.
        DomainError
            What is no estimate, or one over other inputs.

        Examples
        --------
        >>> import mechdesign as md
        >>> response = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 1.0)
        >>> rural, urban = (response.estimate(counts=counts) for counts in ([600, 400], [500, 500]))
        >>> [round(float(each), 3) for each in rural.difference(urban).interval()[1]]
        [-0.311, -0.121]
        """
        return differences.difference(self, other)

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
        return Linear(
            self.matrix, self.counts / self.reports, self.reports, self.theta, self.identifiability.directions
        )

    @cached_property
    def fit(self) -> GoodnessOfFit:
        """Whether the reports can come from the mechanism, whatever the population: a test with its p-value."""
        found = Likeliest(self.theta, self.gap)
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
        return np.asarray(np.sqrt(self.linear.variances(lines)))

    @property
    def _within(self) -> Array | None:
        """The distribution that intervals have to hold, where they are to stay within what a population can have."""
        return self.theta if self.method == "likelihood" else None

    def _functional(self, weights: Array, what: str, method: Method) -> Functional:
        self._require(weights, what)
        if method == "likelihood":
            return Functional(weights, float(weights @ self.theta), self.linear, self.theta)
        return Functional(weights, float(self.linear.unbiased(weights[None, :])[0]), self.linear, None)

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
        return f"Estimate({self.reports} reports, n={self.problem.n}, method={self.method!r}{remark})"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the frequencies with their intervals where the reports identify them, and what to know before use."""
        return self.shown()

    def shown(self, level: float = LEVEL, size: int | None = None) -> tuple[Block, ...]:
        """Return what is printed: frequencies, mean and, for a population of `size`, the total, with intervals."""
        head = Lines("Estimate", (f"{self.reports} reports, method {self.method}.", *remarks(self, level)))
        if not self.identifiable.all():
            return (head,)
        shown = chosen(self.problem.n, MOST_ROWS)
        rows = dict(zip(shown, self.rows(level, shown), strict=True))

        def row(x: int) -> tuple[str, ...]:
            return (str(rows[x]["label"]), *(f"{rows[x][name]:z.6f}" for name in COLUMNS[1:]))

        heads = ("input", "frequency", "standard error", f"{100 * level:.4g} % from", "to")
        blocks: list[Block] = [head, Table.of("", heads, self.problem.n, row, ("input",), "inputs")]
        if self.problem.values is not None:
            said = [f"mean {self.mean().written(level)}"]
            said += [] if size is None else [f"total of {size} people {self.total(size).written(level)}"]
            blocks.append(Lines("", tuple(said)))
        return tuple(blocks)


def _known(method: Any) -> Method:
    if method not in get_args(Method):
        raise DomainError("method", method, 'it has to be "likelihood" or "unbiased"', "choose one of them")
    found: Method = method
    return found


def estimated(numerators: Integers, counts: Indices, problem: Problem, method: Any, known: Identifiability) -> Estimate:
    """Return the estimate from the reports of each output of a matrix of integers whose rows have one sum.

    Raises
    ------
    DomainError
        Another method; reports of an output that the matrix never gives.
    """
    _known(method)
    impossible = (counts > 0) & ~(numerators > 0).any(axis=0)
    if impossible.any():
        y = int(np.argmax(impossible))
        rule = "this mechanism never gives that output"
        raise DomainError("reports", f"{counts[y]} of output {y}", rule, "check which mechanism they belong to")
    matrix = numerators.astype(float) / float(sum(numerators[0].tolist()))
    total = int(counts.sum())
    found = likeliest(matrix, counts / total, max(LIKELIHOOD / total, LEAST_GAP))
    kept = counts.copy()
    kept.setflags(write=False)
    made = Estimate(frozen(matrix), kept, problem, method, found.theta, found.gap, known)
    if not made.fit.fits:
        warnings.warn(made.fit.sentence(), FitWarning, stacklevel=3)
    return made
