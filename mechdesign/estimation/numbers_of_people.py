"""Numbers of a population that follow from estimated frequencies: means, totals, ratios, quantiles and differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.estimation import differences, quantiles
from mechdesign.estimation import ratio as ratios
from mechdesign.estimation.differences import Difference
from mechdesign.estimation.functional import Functional, counting, require_within_floats
from mechdesign.estimation.linear import Linear
from mechdesign.estimation.quantiles import Quantile
from mechdesign.estimation.query_estimates import QueryEstimates, estimated_queries, rows_of_queries
from mechdesign.estimation.ratio import Ratio
from mechdesign.estimation.surveys.survey import Survey
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem

if TYPE_CHECKING:
    from mechdesign.estimation.estimating import Estimate

Method = Literal["likelihood", "unbiased"]

#: The level of intervals where no other is asked for.
LEVEL = 0.95


class Numbers:
    """What an `Estimate` says of a population beside its frequencies."""

    problem: Problem
    method: Method
    theta: Array
    survey: Survey | None

    @property
    def reports(self) -> int:
        """How many reports there are."""
        # `Estimate` has them.
        raise NotImplementedError

    @property
    def linear(self) -> Linear:
        """The best linear estimate."""
        # Likewise.
        raise NotImplementedError

    def rows(self, level: float = LEVEL, inputs: Sequence[int] | None = None) -> list[dict[str, Any]]:
        """Return a row for each input."""
        raise NotImplementedError

    @property
    def _estimate(self) -> Estimate:
        return cast("Estimate", self)

    def _require(self, weights: Array, what: str) -> None:
        raise NotImplementedError

    def functional(self, weights: Any) -> Functional:
        """Return ``sum_x weights[x] frequencies[x]`` with its standard error and interval.

        Parameters
        ----------
        weights : array_like, shape (n,); or str or sequence of str
            What each frequency counts for; or the names of the answers whose share is wanted.

        Raises
        ------
        UnsupportedError
            The reports do not identify it.
        DomainError
            Weights that are not n finite numbers; names that no answer has.

        Examples
        --------
        >>> import mechdesign as md
        >>> survey = md.Problem(labels=["never", "rarely", "often"])
        >>> found = md.baselines.randomised_response(survey, 2.0).estimate(counts=[300, 400, 300])
        >>> bool(float(found.functional(["rarely", "often"])) == float(found.functional([0, 1, 1])))
        True
        """
        line = counting(self.problem, "weights", weights)
        return self._functional(line, "this functional", self.method)

    def queries(self, queries: Any, *, method: Method = "unbiased") -> QueryEstimates:
        """Return the estimate of each linear query of the frequencies, with standard errors and intervals.

        Parameters
        ----------
        queries : array_like or DataFrame of shape (p, n), or {"prefix", "ranges"}
            A row for each query, such as `mechdesign.queries` makes; columns of a table are the problem's answers.
        method : {"unbiased", "likelihood"}
            As for `functional`.

        Returns
        -------
        QueryEstimates
            ``values``, ``standard_errors``, ``interval(level, simultaneous)`` and ``to_pandas()``.

        Raises
        ------
        UnsupportedError
            The reports do not identify one of them.
        DomainError
            Another number of columns than inputs, labels that no input has, entries that are no finite numbers, a word
            that names no workload; another method.

        Examples
        --------
        >>> import mechdesign as md
        >>> found = md.baselines.randomised_response(md.Problem(n=3), 2.0).estimate(counts=[300, 400, 300])
        >>> found.queries("prefix").values.round(3).tolist()
        [0.284, 0.716, 1.0]
        """
        names, lines = rows_of_queries(queries, self.problem)
        for name, line in zip(names, lines, strict=True):
            self._require(line, f"the query {name}")
        wanted = self._method(method)
        return estimated_queries(names, lines, self.linear, self.theta if wanted == "likelihood" else None)

    def mean(self, values: npt.ArrayLike | None = None, *, method: Method = "unbiased") -> Functional:
        """Return the population's mean of `values`, by default the values of the problem, in their unit.

        Parameters
        ----------
        values : array_like, shape (n,), optional
            The number of each input.
        method : {"unbiased", "likelihood"}
            The best linear estimate, right on average, whatever `self.method` is; or that of the likeliest population,
            which is biased where there are few reports for many categories, and unknown in a survey.

        Raises
        ------
        UnsupportedError
            The reports do not identify it.
        DomainError
            No values, or others than n finite numbers; another method; "likelihood" in a survey.
        """
        line = self.problem.values_in_order(values)
        return self._functional(line, "the mean", self._method(method))

    def total(self, size: float, values: npt.ArrayLike | None = None, *, method: Method = "unbiased") -> Functional:
        """Return ``size`` times the mean: the total of the values in a population of `size` people.

        Parameters
        ----------
        size : int, or float in a survey
            People in the population, taken as known: the sum of the weights if they are counts of people.
        values, method
            As in `mean`.

        Raises
        ------
        UnsupportedError
            The reports do not identify it.
        DomainError
            A size below the number of reports, or what `mean` refuses.
        """
        weights = frozen(self._people(size) * self.mean(values).weights)
        return self._functional(weights, "the total", self._method(method))

    def totals(self, size: float, level: float = LEVEL) -> list[dict[str, Any]]:
        """Return how many of `size` people have each answer: a row for each input, as in `rows`.

        Parameters
        ----------
        size : int, or float in a survey
            People in the population, taken as known.
        level : float
            Of the intervals, above 0 and below 1.

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies.
        DomainError
            A size below the number of reports; a level outside of its range.
        """
        people = self._people(size)
        return [
            {name: entry if name == "label" else people * entry for name, entry in row.items()}
            for row in self.rows(level)
        ]

    def ratio(self, numerator: Any, denominator: Any) -> Ratio:
        """Return ``functional(numerator) / functional(denominator)``, with its standard error to first order.

        Of a numerator that is part of the denominator this is a conditional share.

        Parameters
        ----------
        numerator, denominator : array_like, shape (n,); or str or sequence of str
            What each frequency counts for; or the names of the answers whose share is wanted.

        Raises
        ------
        UnsupportedError
            The reports do not identify one of them.
        DomainError
            Weights that are not n finite numbers; names that no answer has; a denominator that is estimated to be 0.

        Examples
        --------
        >>> import mechdesign as md
        >>> survey = md.Problem(labels=["never", "rarely", "often"])
        >>> response = md.baselines.randomised_response(survey, 2.0)
        >>> print(response.estimate(counts=[300, 400, 300]).ratio([0, 0, 1], [0, 1, 1]))
        0.397328 (standard error 0.0269, 95 % interval 0.345353 to 0.450422)
        """
        return ratios.ratio(self._estimate, numerator, denominator)

    def quantile(self, share: float = 0.5, level: float = 0.95) -> Quantile:
        """Return the population's quantile of an ordered answer: the first whose cumulative share is at least `share`.

        Answers are in the order of their values, or in that of the problem where they have none. The interval holds
        each answer that is not refuted by the intervals of the cumulative shares up to it and before it. Of numbers of
        an interval it is the quantile of the points that they were rounded to, and the interval of it, which reaches a
        point further on both sides, holds the quantile of the numbers.

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
        return quantiles.quantile(self._estimate, share, level)

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
        _require_estimate(other)
        return differences.difference(self._estimate, other)

    def _people(self, size: Any) -> float:
        """Return how many people there are: a whole number, but in a survey, whose weights may add up to a fraction."""
        people = (
            domains.whole("size", size, 1, domains.MOST_PEOPLE)
            if self.survey is None
            else domains.real("size", size, 0.0)
        )
        if people < self.reports:
            rule = f"it has to be at least the {self.reports} reports"
            raise DomainError("size", people, rule, "give the number of people in the population")
        return people

    def _method(self, method: Any) -> Method:
        found = known_method(method)
        if found == "likelihood" and self.survey is not None:
            rule = "weights, strata and clusters have no likelihood"
            raise DomainError("method", method, rule, 'leave it out: estimates of a survey are "unbiased"')
        return found

    def _functional(self, weights: Array, what: str, method: Method) -> Functional:
        self._require(weights, what)
        require_within_floats("weights", weights)
        if method == "likelihood":
            return Functional(weights, float(weights @ self.theta), self.linear, self.theta)
        return Functional(weights, float(self.linear.unbiased(weights[None, :])[0]), self.linear, None)


def _require_estimate(other: Any) -> None:
    if not isinstance(other, Numbers):
        remedy = "give what mechanism.estimate returned for the other group"
        raise DomainError("other", other, "it has to be an Estimate", remedy)


def known_method(method: Any) -> Method:
    """Return how estimates are made, or raise DomainError."""
    if method not in get_args(Method):
        raise DomainError("method", method, 'it has to be "likelihood" or "unbiased"', "choose one of them")
    found: Method = method
    return found
