"""Frequencies of a population from how many reports cover each input: by transforms, without a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.blocks import MOST_ROWS
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.estimation.functional import Figure, counting
from mechdesign.estimation.intervals import clopper_pearson, each_level, probability, quantile, wilson
from mechdesign.estimation.query_estimates import QueryEstimates, rows_of_queries
from mechdesign.estimation.top_inputs import TopInputs, top_inputs
from mechdesign.families import Family
from mechdesign.families.family import Reports
from mechdesign.files.tables import Tabular
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem

#: How estimates are made: linear ones, or their nearest distribution.
CoverMethod = Literal["unbiased", "nonnegative"]
#: The columns of an estimate's table, whose intervals have this level.
COLUMNS = ("label", "estimate", "standard_error", "low", "high")
LEVEL = 0.95
#: Entries of a covariance, and of the inputs that each report covers, beyond which they are not made.
MOST_ENTRIES = 1 << 26
#: Reports from which the sum of all frequencies is taken for normal, and a standard error of it that is rounding.
ENOUGH, SMALLEST = 30, 1e-9
#: A p-value below this is a report of another mechanism.
UNLIKELY = 1e-3


@dataclass(frozen=True, eq=False)
class CoverFit:
    """A test of whether the reports can come from the mechanism; ``estimate.fit`` returns it.

    Attributes
    ----------
    p_value : float
        Of the least and the largest number of covers, which are binomial at frequencies of 0 and 1, and from 30 reports
        on of the sum of all frequencies, which is 1: by Bonferroni's inequality, and a normal approximation of the sum,
        if reports cover about as many inputs each.
    """

    p_value: float

    @property
    def fits(self) -> bool:
        """Whether the p-value is at least 0.001."""
        return self.p_value >= UNLIKELY

    def sentence(self) -> str:
        """Return what was found, as a sentence."""
        verdict = "fit" if self.fits else "do not fit"
        return f"The reports {verdict} the mechanism (p = {self.p_value:.2g}): check which one they were drawn from."


@dataclass(frozen=True, eq=False)
class CoverEstimate(Tabular, Displayed):
    """Estimates of a population's frequencies from the reports of a mechanism without a matrix.

    With c_x of N reports covering input x, ``(c_x / N - other) / (own - other)`` is its frequency without bias, `own`
    and `other` being the probabilities that a report covers the person's input and another one; with reports of several
    kinds it is ``sum_k (slope_k c_kx + offset_k N_k) / N``. The population is where the people who reported were drawn
    at random: errors count both that draw and the mechanism's noise.

    Attributes
    ----------
    family : Family
        The mechanism's formulas.
    problem : Problem
        The inputs, with the labels and values that they have.
    seen : ndarray of int, shape (k,) or (k, bytes)
        The distinct outputs that were reported, or rows of bits.
    times : ndarray, shape (k,)
        How many reports there are of each.
    method : {"unbiased", "nonnegative"}
        "unbiased" for the linear estimates, some of which may be negative; "nonnegative" for the distribution nearest
        to them.
    """

    family: Family
    problem: Problem
    seen: Reports
    times: Array
    method: CoverMethod = "unbiased"

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each input, in order."""
        return self.problem.answers

    @property
    def reports(self) -> int:
        """How many reports there are."""
        return int(self.times.sum())

    @cached_property
    def covers(self) -> Array:
        """How many of the reports cover each input, shape (n,)."""
        return frozen(self.covers_by_kind.sum(axis=0))

    @cached_property
    def covers_by_kind(self) -> Array:
        """How many of the reports of each kind cover each input, shape (kinds, n)."""
        kinds = self.family.kind_of(self.seen)
        chosen = [kinds == kind for kind in range(len(self.family.law.kinds))]
        return frozen(np.rint([self.family.covers_of(self.seen[of], self.times[of]) for of in chosen]))

    @cached_property
    def kinds(self) -> Array:
        """How many reports there are of each kind, shape (kinds,)."""
        kinds = self.family.kind_of(self.seen)
        return np.bincount(kinds, self.times, minlength=len(self.family.law.kinds)).astype(float)

    @cached_property
    def unbiased(self) -> Array:
        """The unbiased estimate of each frequency, shape (n,); some may be negative."""
        law, groups, shares = self.family.law, self.family.groups, self.covers_by_kind / self.reports
        constant = law.offsets.T @ self.kinds / self.reports
        return frozen(constant[groups] + (law.slopes[:, groups] * shares).sum(axis=0))

    @property
    def frequencies(self) -> Array:
        """The estimated frequency of each input by the estimate's method, shape (n,)."""
        return self.unbiased if self.method == "unbiased" else frozen(nearest_distribution(self.unbiased))

    @property
    def standard_errors(self) -> Array:
        """The standard error of each unbiased frequency, shape (n,), from the shares of reports that cover it."""
        law, groups = self.family.law, self.family.groups
        squares = np.zeros(self.problem.n)
        for kind, count in enumerate(self.kinds / self.reports):
            slope, offset = law.slopes[kind][groups], law.offsets[kind][groups]
            share = self.covers_by_kind[kind] / self.reports
            squares += (slope + offset) ** 2 * share + offset**2 * (count - share)
        return frozen(np.sqrt(np.maximum(squares - self.unbiased**2, 0.0) / self.reports))

    @property
    def covariance(self) -> Array:
        """The covariance of the unbiased frequencies, shape (n, n).

        Raises
        ------
        UnsupportedError
            Too many inputs or reports for a matrix; `functional` has the standard error of any figure.
        """
        n = self.problem.n
        if n * max(n, len(self.seen)) > MOST_ENTRIES:
            rule = f"A covariance of {n} frequencies has {n * n:.3g} numbers"
            raise UnsupportedError(f"{rule}; functional(weights) has the standard error of any figure of them.")
        inside = self.family.incidence(self.seen)
        law, groups, kinds = self.family.law, self.family.groups, self.family.kind_of(self.seen)
        counted = law.slopes[kinds][:, groups].T * inside + law.offsets[kinds][:, groups].T
        both = (counted * (self.times / self.reports)) @ counted.T
        return frozen((both - np.outer(self.unbiased, self.unbiased)) / self.reports)

    def interval(self, level: float = LEVEL, simultaneous: bool = False, *, how: str | None = None) -> Array:
        """Return a confidence interval of each frequency, shape (n, 2).

        The number of reports that cover an input is binomial, so that intervals of its probability are moved to the
        frequency. Estimates from reports of two kinds have normal intervals.

        Parameters
        ----------
        level : float
            Above 0 and below 1.
        simultaneous : bool
            Whether all of them hold at once with that probability (by Bonferroni's inequality).
        how : {"score", "exact"}, optional
            Wilson's interval, by default, or Clopper and Pearson's.

        Raises
        ------
        DomainError
            A level outside of its range, another `how`.
        UnsupportedError
            "exact" intervals from reports of two kinds.
        """
        share = each_level(probability(level), domains.truth("simultaneous", simultaneous), self.problem.n)
        if how not in (None, "score", "exact"):
            raise DomainError("how", how, 'it has to be "score" or "exact"', "choose one of them")
        found = self._ends(share, how)
        if self.method == "nonnegative":
            shown = self.frequencies[:, None]
            found = np.clip(np.hstack([np.minimum(found[:, :1], shown), np.maximum(found[:, 1:], shown)]), 0.0, 1.0)
        return frozen(found)

    def _ends(self, share: float, how: str | None) -> Array:
        """Return intervals of each frequency of the level `share`, shape (n, 2)."""
        if len(self.kinds) == 1:
            covers, law = self.covers, self.family.law
            ends = clopper_pearson if how == "exact" else wilson
            return np.asarray(law.slopes[0, 0] * ends(covers, self.reports, share) + law.offsets[0, 0])
        if how == "exact":
            raise UnsupportedError("Estimates from reports of two kinds have no exact intervals: leave how= out.")
        half = quantile(share) * self.standard_errors
        return np.column_stack([self.unbiased - half, self.unbiased + half])

    def functional(self, weights: Any) -> Figure:
        """Return ``sum_x weights[x] frequencies[x]``, unbiased, with its standard error.

        Parameters
        ----------
        weights : array_like, shape (n,); or str or sequence of str
            What each frequency counts for; or the names of the answers whose share is wanted.

        Raises
        ------
        DomainError
            Weights that are not n finite numbers; names that no answer has.
        """
        return self._figure(counting(self.problem, "weights", weights))

    def mean(self, values: npt.ArrayLike | None = None) -> Figure:
        """Return the population's mean of `values`, by default the values of the problem, in their unit.

        Raises
        ------
        DomainError
            No values, or others than n finite numbers.
        """
        return self._figure(self.problem.values_in_order(values))

    def total(self, size: int, values: npt.ArrayLike | None = None) -> Figure:
        """Return the total of `values` over a population of `size` people: size times their mean.

        Raises
        ------
        DomainError
            A size below the number of reports; no values, or others than n finite numbers.
        """
        people = domains.whole("size", size, 1, domains.MOST_PEOPLE)
        if people < self.reports:
            rule = f"it has to be at least the {self.reports} reports"
            raise DomainError("size", people, rule, "give the number of people in the population")
        one = self.mean(values)
        return Figure(people * one.value, people * one.standard_error)

    def queries(self, queries: Any) -> QueryEstimates:
        """Return the estimate of each linear query of the frequencies, with standard errors and intervals.

        Parameters
        ----------
        queries : array_like or DataFrame of shape (p, n), or {"prefix", "ranges"}
            A row for each query; columns of a table are the problem's answers.

        Raises
        ------
        DomainError
            Another number of columns than inputs, labels that no input has, a word that names no workload.
        """
        names, lines = rows_of_queries(queries, self.problem)
        found = [self._figure(line) for line in lines]
        values, errors = (np.array([getattr(one, name) for one in found]) for name in ("value", "standard_error"))

        def ends(level: float, simultaneous: bool, how: str | None) -> Array:
            if how not in (None, "delta"):
                raise DomainError("how", how, 'without a matrix it has to be "delta"', "leave it out")
            half = quantile(each_level(probability(level), simultaneous, len(names))) * errors
            return np.column_stack([values - half, values + half])

        return QueryEstimates(names, frozen(values), frozen(errors), self.reports, ends)

    def top(self, k: int, level: float = LEVEL) -> TopInputs:
        """Return the k inputs of the largest frequencies, with intervals that hold for all inputs at once.

        Raises
        ------
        DomainError
            k below 1; a level outside of its range.
        """
        ends = self.interval(level, simultaneous=True)
        return top_inputs(k, self.frequencies, ends, level, self.problem.named)

    @cached_property
    def fit(self) -> CoverFit:
        """Whether the reports can come from the mechanism, whatever the population: a test with its p-value."""
        from scipy.special import bdtr, ndtr

        law, groups = self.family.law, self.family.groups
        tails = []
        # Covers of an input that nobody or everybody has are binomial, and lie between those of any other.
        for kind, group in product(range(len(law.kinds)), range(law.kinds.shape[1])):
            covers = self.covers_by_kind[kind][groups == group]
            least, most = law.other[kind, group].min(), max(law.own[kind, group], law.other[kind, group].max())
            tails.append(float(bdtr(covers.min(), self.reports, least)))
            tails.append(1.0 - float(bdtr(covers.max() - 1.0, self.reports, most)))
        whole = self._linear(np.ones(self.problem.n))
        apart = abs(whole.value - 1.0) / max(whole.standard_error, SMALLEST)
        of_sum = 2.0 * float(ndtr(-apart)) if self.reports >= ENOUGH and self.family.covers_evenly else 1.0
        return CoverFit(min(1.0, 2.0 * min(self.problem.n * len(tails) * min(tails), of_sum)))

    def _figure(self, weights: Array) -> Figure:
        """Return a linear figure; what all weights have in common is known, as frequencies sum to one."""
        common = float(weights.mean())
        found = self._linear(weights - common)
        return Figure(common + found.value, found.standard_error)

    def _linear(self, weights: Array) -> Figure:
        """Return the mean of what each report counts for in a figure, with its standard error."""
        if not weights.any():
            return Figure(0.0, 0.0)
        counted = self.family.figure_of(weights, self.seen)
        value = float(counted @ self.times / self.reports)
        spread = float(((counted - value) ** 2 * self.times).sum())
        return Figure(value, float(np.sqrt(spread) / self.reports))

    def rows(self, level: float = LEVEL, inputs: Any = None) -> list[dict[str, Any]]:
        """Return a row for each input, or of those given: label, estimate, standard error, ends of the interval."""
        wanted = np.arange(self.problem.n) if inputs is None else np.asarray(inputs)
        columns = (self.frequencies, self.standard_errors, *self.interval(level).T)
        numbers = np.column_stack([column[wanted] for column in columns]).tolist()
        names = map(self.problem.named, wanted.tolist())
        return [dict(zip(COLUMNS, (name, *row), strict=True)) for name, row in zip(names, numbers, strict=True)]

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def _records(self) -> list[dict[str, Any]]:
        return self.rows()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.reports} reports, n={self.problem.n}, method={self.method!r})"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the frequencies with their intervals, of many inputs the most frequent ones."""
        return self.shown()

    def shown(self, level: float = LEVEL) -> tuple[Block, ...]:
        """Return what is printed of an estimate whose intervals have this level."""
        said = [f"{self.reports} reports of {self.problem.n} inputs ({self.family.name}), method {self.method}."]
        said += [] if self.fit.fits else [self.fit.sentence()]
        head = Lines("Estimate", tuple(said))
        if self.problem.n > MOST_ROWS:
            return (head, *self.top(MOST_ROWS, level).display())
        records = self.rows(level)

        def row(x: int) -> tuple[str, ...]:
            return (str(records[x]["label"]), *(f"{records[x][name]:z.6f}" for name in COLUMNS[1:]))

        heads = ("input", "frequency", "standard error", f"{100 * level:.4g} % from", "to")
        return (head, Table.of("", heads, self.problem.n, row, ("input",), "inputs"))


def known_cover_method(method: Any) -> CoverMethod:
    """Return how estimates are made without a matrix, or raise DomainError."""
    if method == "likelihood":
        rule = "without a matrix there is no likelihood"
        raise DomainError("method", method, rule, 'give "nonnegative" for a distribution, or "unbiased"')
    if method not in get_args(CoverMethod):
        raise DomainError("method", method, 'it has to be "unbiased" or "nonnegative"', "choose one of them")
    found: CoverMethod = method
    return found


def nearest_distribution(numbers: Array) -> Array:
    """Return the distribution of least squared distance, shape (n,): all numbers are lowered alike, and cut at 0.

    References
    ----------
    T. Wang, M. Lopuhaa-Zwakenberg, Z. Li, B. Skoric, N. Li, "Locally Differentially Private Frequency Estimation with
    Consistency", NDSS 2020, Section 4 (Norm-Sub).

    Examples
    --------
    >>> nearest_distribution(np.array([0.7, 0.5, -0.2])).round(9).tolist()
    [0.6, 0.4, 0.0]
    """
    ordered = np.sort(numbers)[::-1]
    lowered = (np.cumsum(ordered) - 1.0) / np.arange(1, len(ordered) + 1)
    kept = int(np.count_nonzero(ordered > lowered))
    found = np.maximum(numbers - lowered[kept - 1], 0.0)
    return np.asarray(found / found.sum())
