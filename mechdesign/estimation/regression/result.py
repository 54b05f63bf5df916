"""What a regression of hidden answers found: coefficients with intervals and tests, odds ratios and predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.estimation.goodness_of_fit import GoodnessOfFit
from mechdesign.estimation.regression.covariates import Covariates
from mechdesign.estimation.regression.hypotheses import HypothesisTest, wald
from mechdesign.estimation.regression.prediction import Prediction, predicted, quantile_of
from mechdesign.estimation.sampling import Indices
from mechdesign.files.tables import Tabular
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen
from mechdesign.parameters.labels import listed
from mechdesign.problem import Problem

Family = Literal["logistic", "multinomial"]
#: The columns of the table, whose intervals have this level.
COLUMNS = ("input", "term", "coefficient", "standard_error", "low", "high", "p_value")
LEVEL = 0.95
#: A log-likelihood is as large as another that differs by less than this share.
ROUNDED = 1e-9


@dataclass(frozen=True, eq=False)
class Regression(Tabular, Displayed):
    """A regression of the answers behind randomised reports on covariates, as `Mechanism.regression` returns it.

    A person with the covariates z has the answer x with probability ``exp(z'b_x) / sum_v exp(z'b_v)``, b_x being 0 for
    the reference, and reports y with probability ``sum_x Pr(x | z) Q[x, y]``. The coefficients b maximise the
    likelihood of the reports. Covariances are from the observed information; in a survey they are the sandwich of
    Hessian and scores, added up by cluster within strata, which holds for weights that do not depend on answers.
    Intervals take normal quantiles: of few clusters they are too short.

    Attributes
    ----------
    problem : Problem
        The answers, which are the mechanism's inputs.
    family : {"logistic", "multinomial"}
        Whether there are two answers, or any number.
    reference : int
        The answer whose coefficients are 0.
    covariates : Covariates
        The covariates by name, with the levels of those that are categories.
    coefficients : ndarray, shape (n - 1, k)
        A row for each answer but the reference, in the order of `inputs`, and a column for each of `terms`: how much
        the logarithm of the odds against the reference grows with the term.
    covariance : ndarray, shape (d, d), d = (n - 1) k
        Of the coefficients, row by row.
    log_likelihood : float
        Of all reports, in nats; of weighted ones, with weights that have the mean 1.
    gap : float
        Every coefficient is within so many of its standard errors of a maximum of the likelihood (theorem of Newton
        and Kantorovich). If the likelihood is not concave there may be a higher one: see `starts`.
    counts : ndarray of int, shape (m,)
        Reports of each output.
    starts : int
        From how many starting points the maximum was sought: 1 if there is no other maximum, as reports are the
        answers, or if people are many and the likelihood was concave on the way.
    unbounded : bool
        Whether another start led to a higher likelihood, with a coefficient that runs to infinity.
    weighted : bool
        Whether reports have survey weights, or strata or clusters.
    fit : GoodnessOfFit
        Whether the reports can come from the mechanism, whatever the population.
    drawn : str
        From how many strata and clusters people were drawn; empty if nothing is said of it.

    References
    ----------
    G. Blair, K. Imai, Y.-Y. Zhou, "Design and Analysis of the Randomized Response Technique", Journal of the American
    Statistical Association 110 (2015).

    A. van den Hout, P. G. M. van der Heijden, R. Gilchrist, "The Logistic Regression Model with Response Variables
    Subject to Randomized Response", Computational Statistics & Data Analysis 51 (2007).
    """

    problem: Problem
    family: Family
    reference: int
    covariates: Covariates
    coefficients: Array
    covariance: Array
    log_likelihood: float
    gap: float
    counts: Indices
    starts: int
    unbounded: bool
    weighted: bool
    fit: GoodnessOfFit
    drawn: str = ""

    @property
    def terms(self) -> tuple[str, ...]:
        """The names of the columns of `coefficients`: the intercept, covariates, and levels as "region=south"."""
        return self.covariates.terms

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the rows of `coefficients`: all answers but the reference."""
        return tuple(self.problem.named(x) for x in range(self.problem.n) if x != self.reference)

    @property
    def reports(self) -> int:
        """How many reports there are."""
        return int(self.counts.sum())

    @property
    def standard_errors(self) -> Array:
        """The standard error of each coefficient, shape (n - 1, k)."""
        return frozen(np.sqrt(np.diag(self.covariance)).reshape(self.coefficients.shape))

    @property
    def odds_ratios(self) -> Array:
        """By what factor each term raises the odds of an answer against the reference, shape (n - 1, k)."""
        return frozen(np.exp(self.coefficients))

    def interval(self, level: float = LEVEL) -> Array:
        """Return a confidence interval of each coefficient, shape (n - 1, k, 2); its exponential is one of odds ratios.

        Parameters
        ----------
        level : float
            Above 0 and below 1.

        Raises
        ------
        DomainError
            A level outside of its range.
        """
        reach = quantile_of(level) * self.standard_errors
        return frozen(np.stack([self.coefficients - reach, self.coefficients + reach], axis=-1))

    def wald(self, term: str | Sequence[str] | npt.ArrayLike) -> HypothesisTest:
        """Return Wald's test that terms have no effect on any answer, or that combinations of coefficients are 0.

        Parameters
        ----------
        term : str, sequence of str, or array_like of shape (q, d)
            Names of terms or of covariates, of which all coefficients are then 0; or lines of weights of all
            coefficients, row by row.

        Returns
        -------
        HypothesisTest

        Raises
        ------
        DomainError
            A name that is none, a matrix of another width, lines that depend on each other.

        Examples
        --------
        >>> import mechdesign as md
        >>> response = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 4.0)
        >>> ages = [20, 30, 40, 50] * 100
        >>> reports = response.simulate([0, 0, 0, 1, 0, 1, 1, 1] * 50, seed=1, by="index")
        >>> response.regression(reports, {"age": ages}).wald("age").p_value < 0.001
        True
        """
        if isinstance(term, str) or (isinstance(term, list | tuple) and all(isinstance(each, str) for each in term)):
            wanted = [term] if isinstance(term, str) else list(dict.fromkeys(term))
            places = [j for name in wanted for j in self.covariates.named(str(name))]
            if not places:
                raise DomainError("term", term, "a test is of at least one term", "name one")
            rows = np.eye(len(self.covariance)).reshape(*self.coefficients.shape, -1)
            lines = rows[:, places].reshape(-1, len(self.covariance))
            hypothesis = f"no effect of {listed(tuple(map(str, wanted)))}"
        else:
            lines = np.asarray(domains.finite("term", np.atleast_2d(domains.matrix("term", term))))
            hypothesis = f"{len(lines)} combinations of coefficients are 0"
        if lines.shape[1] != len(self.covariance):
            rule = f"a line has a weight for each of the {len(self.covariance)} coefficients, row by row"
            raise DomainError("term", f"of {lines.shape[1]} columns", rule, "give lines of that length, or names")
        return wald(hypothesis, lines, self.coefficients.reshape(-1), self.covariance)

    def likelihood_ratio(self, other: Regression) -> HypothesisTest:
        """Return the likelihood-ratio test of two regressions of the same reports, one having terms that both have.

        Parameters
        ----------
        other : Regression
            With fewer terms, or with more.

        Returns
        -------
        HypothesisTest
            That the coefficients of all terms that only one has are 0.

        Raises
        ------
        DomainError
            What is no regression; other reports or answers; terms of which neither are all among the others.
        UnsupportedError
            Reports of a survey, for which the ratio has another law.
        """
        if not isinstance(other, Regression):
            raise DomainError("other", other, "it has to be a Regression", "give what mechanism.regression returned")
        if self.weighted or other.weighted:
            raise UnsupportedError(
                "A survey's reports have no likelihood-ratio test: use regression.wald(term) instead."
            )
        if not np.array_equal(self.counts, other.counts) or self.problem.answers != other.problem.answers:
            rule = "both regressions have to be of the same reports"
            raise DomainError("other", f"of {other.reports} other reports", rule, "fit both to the same reports")
        small, large = sorted((self, other), key=lambda each: len(each.terms))
        if not set(small.terms) < set(large.terms):
            rule = f"the terms of one have to be among the terms of the other: {listed(self.terms)}"
            remedy = "leave covariates out of one of the two"
            raise DomainError("other", f"with the terms {listed(other.terms)}", rule, remedy)
        more = tuple(term for term in large.terms if term not in small.terms)
        statistic = 2.0 * (large.log_likelihood - small.log_likelihood)
        if statistic < -ROUNDED * max(abs(large.log_likelihood), 1.0):
            rule = "the one with more terms has a smaller likelihood: people are in another order, or it is no maximum"
            raise DomainError("other", f"of log-likelihood {other.log_likelihood:.6g}", rule, "fit both to one table")
        statistic = max(statistic, 0.0)
        degrees = large.coefficients.size - small.coefficients.size
        return HypothesisTest(f"no effect of {listed(more)}", statistic, degrees)

    def predict(self, covariates: Any) -> Prediction:
        """Return the probability of each answer of people with given covariates, with standard errors.

        Parameters
        ----------
        covariates : array_like, column, table or mapping
            The covariates that were fitted, by their names where they had some, for any number of people.

        Returns
        -------
        Prediction
            ``probabilities``, ``standard_errors``, ``interval(level)``, in the order of the problem's answers.

        Raises
        ------
        DomainError
            Other covariates than those that were fitted, levels that were not there, missing entries.
        """
        columns = self.covariates.read(covariates)
        order = np.argsort([self.reference, *(x for x in range(self.problem.n) if x != self.reference)])
        found = predicted(columns, self.coefficients, self.covariance)
        names = tuple(map(self.problem.named, range(self.problem.n)))
        return Prediction(names, *(frozen(each[:, order]) for each in found))

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known before the numbers are used, as sentences."""
        categories = [each for each in self.covariates.each if each.levels is not None]
        said = [f'Coefficients of {each.name} are against "{(each.levels or ("",))[0]}".' for each in categories]
        if self.starts > 1:
            said.append(f"The likelihood may have several maxima: this is the highest from {self.starts} starts.")
        if self.unbounded:
            said.append("Coefficients that run to infinity make the reports likelier still: take more reports.")
        return (*said, *([] if self.fit.fits else [self.fit.sentence()]))

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def _records(self) -> list[dict[str, Any]]:
        return self.rows()

    def rows(self, level: float = LEVEL) -> list[dict[str, Any]]:
        """Return a row for each coefficient: its answer and term, standard error, interval, and p-value of being 0."""
        from scipy.special import ndtr

        errors = self.standard_errors
        sides = 2.0 * ndtr(-np.abs(self.coefficients / errors))
        numbers = np.stack([self.coefficients, errors, *np.moveaxis(self.interval(level), -1, 0), sides], axis=-1)
        return [
            dict(zip(COLUMNS, (name, term, *numbers[x, j].tolist()), strict=True))
            for x, name in enumerate(self.inputs)
            for j, term in enumerate(self.terms)
        ]

    def __repr__(self) -> str:
        return f"Regression({self.reports} reports, n={self.problem.n}, terms={list(self.terms)})"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the coefficients with their intervals and p-values, and what has to be known of them."""
        rows = self.rows()

        logistic = self.problem.n == 2

        def row(k: int) -> tuple[str, ...]:
            numbers = (f"{rows[k][name]:z.4g}" for name in COLUMNS[2:-1])
            return (
                *([] if logistic else [str(rows[k]["input"])]),
                str(rows[k]["term"]),
                *numbers,
                f"{rows[k]['p_value']:.2g}",
            )

        of = f'Odds of "{self.inputs[0]}"' if logistic else "Odds of each input"
        weighted = " weighted" if self.weighted else ""
        head = f'{of} against "{self.problem.named(self.reference)}", {self.reports}{weighted} reports.'
        near = f"coefficients within {self.gap:.0e} standard errors of a maximum"
        heads = (
            *([] if logistic else ["input"]),
            "term",
            "coefficient",
            "standard error",
            "95 % from",
            "to",
            "p-value",
        )
        head += f" Drawn from {self.drawn}." if self.drawn else ""
        lines = (head, f"Log-likelihood {self.log_likelihood:.6g}; {near}.", *self.notes)
        table = Table.of("", heads, len(rows), row, ("input", "term"), "coefficients")
        return (Lines("Regression", lines), table)
