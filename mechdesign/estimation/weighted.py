"""Estimates from reports of a sample with survey weights: linear, with the variance that unequal weights have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.blocks import MOST_ROWS, chosen
from mechdesign.errors import DomainError
from mechdesign.estimation.goodness_of_fit import GoodnessOfFit, goodness_of_fit
from mechdesign.estimation.identifiability import Identifiability, require_identifiable
from mechdesign.estimation.likelihood import Likeliest, likeliest
from mechdesign.estimation.linear import ADDED, Linear
from mechdesign.estimation.remarks import unbounded
from mechdesign.estimation.sampling import Indices
from mechdesign.files.tables import Tabular
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem

#: The columns of the table, whose intervals have this level.
COLUMNS = ("label", "estimate", "standard_error", "low", "high")
LEVEL = 0.95
#: The gap of the likelihood, in nats per report: the population it is taken at need only be near.
NEAR = 1e-9
#: Reports that the weights are worth below which intervals are doubtful, and are said to be.
FEW = 30.0
#: From this on the variance is estimated with the weights.
MANY = 60.0
#: Below this a few reports decide all.
VERY_FEW = 5.0


@dataclass(frozen=True, eq=False)
class WeightedEstimate(Tabular, Displayed):
    """Estimates of a population from weighted reports, as ``Mechanism.estimate(reports, weights=...)`` returns them.

    A weight is how many people of the population a person stands for, up to one factor; it must not depend on the
    answer. With w_i the weights and a(y) the best linear estimate from one report, an estimate is
    ``e = sum_i w_i a(y_i) / sum_i w_i``, and its variance ``n / (n - 1) sum_i w_i^2 (a(y_i) - e)^2 / (sum_i w_i)^2``,
    as for a sample with replacement: of a stratified one it is less. Intervals are Student's, with Satterthwaite's
    degrees of freedom ``2 (sum_i v_i)^2 / sum_i v_i^2``, v_i the terms of the variance: a few heavy weights leave few.

    If the weights are worth fewer than 60 reports, few terms decide that variance, and it is too small most of the
    time. The variance is then ``s^2 / k``, k the effective number of reports: as weights do not depend on answers, all
    reports show the variance s^2 of a(y), whatever their weight. It is taken with half a report of each input added,
    so that reports which agree do not make it 0, and intervals are Student's with n - 1 degrees of freedom.

    Attributes
    ----------
    matrix : ndarray, shape (n, m)
        The mechanism's matrix.
    counts : ndarray of int, shape (m,)
        Reports of each output.
    sums, squares, fourths : ndarray, shape (m,)
        The sum of the weights of each output's reports, of their squares and of their fourth powers.
    problem : Problem
        The inputs, with the labels and values that they have.
    identifiability : Identifiability
        Which linear functionals of the frequencies are identified by reports of the matrix, and which are not.

    References
    ----------
    L. Kish, "Survey Sampling", Wiley 1965.

    F. E. Satterthwaite, "An Approximate Distribution of Estimates of Variance Components", Biometrics Bulletin 2
    (1946).
    """

    matrix: Array
    counts: Indices
    sums: Array
    squares: Array
    fourths: Array
    problem: Problem
    identifiability: Identifiability

    @property
    def reports(self) -> int:
        """How many reports there are."""
        return int(self.counts.sum())

    @property
    def effective_reports(self) -> float:
        """Kish's effective number of reports of equal weights: ``(sum of weights)^2 / sum of squared weights``."""
        return float(self.sums.sum() ** 2 / self.squares.sum())

    @cached_property
    def fit(self) -> GoodnessOfFit:
        """Whether the reports can come from the mechanism: the test of the counts, on which weights have no bearing."""
        return goodness_of_fit(self.matrix, self.counts, self.identifiability.rank, self._unweighted)

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known before the numbers are used, as sentences."""
        return self._remarks(LEVEL)

    @property
    def design_effect(self) -> float:
        """By what factor unequal weights raise variances: the reports over those that they are worth."""
        return self.reports / self.effective_reports

    @property
    def frequencies(self) -> Array:
        """The estimated frequency of each input, shape (n,): they sum to one, and may be negative.

        Raises
        ------
        UnsupportedError
            The reports do not identify them all.
        """
        return frozen(self._values(np.eye(self.problem.n), "the frequencies"))

    @property
    def standard_errors(self) -> Array:
        """The standard error of each frequency, shape (n,).

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies.
        """
        rows = np.eye(self.problem.n)
        self._require(rows, "the frequencies")
        return frozen(self._errors(rows))

    def interval(self, level: float = LEVEL, simultaneous: bool = False) -> Array:
        """Return a confidence interval of each frequency, shape (n, 2): Student's quantiles of its standard error.

        Parameters
        ----------
        level : float
            Above 0 and below 1.
        simultaneous : bool
            Whether all of them hold at once with that probability (by Bonferroni's inequality).

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies.
        DomainError
            A level outside of its range.
        """
        rows = np.eye(self.problem.n)
        every = domains.truth("simultaneous", simultaneous)
        return frozen(self._ends(rows, "the frequencies", level, self.problem.n if every else 1))

    def mean(self, values: npt.ArrayLike | None = None, level: float = LEVEL) -> dict[str, float]:
        """Return the mean of `values` with its standard error and the ends of an interval.

        Parameters
        ----------
        values : array_like, shape (n,), optional
            The number of each input; those of the problem by default.
        level : float
            Of the interval.

        Returns
        -------
        dict
            With "estimate", "standard_error", "low" and "high", in the unit of the values.

        Raises
        ------
        UnsupportedError
            The reports do not identify it.
        DomainError
            No values, or others than n finite numbers; a level outside of its range.
        """
        line = self.problem.values_in_order(values)[None, :]
        found = self._values(line, "the mean")[0], self._errors(line)[0], *self._ends(line, "the mean", level, 1)[0]
        return dict(zip(COLUMNS[1:], map(float, found), strict=True))

    def total(self, size: float, values: npt.ArrayLike | None = None, level: float = LEVEL) -> dict[str, float]:
        """Return ``size`` times the mean: the total of the values in a population of `size` people.

        Parameters
        ----------
        size : float
            People in the population, taken as known; the sum of the weights where they are counts of people.
        values, level
            As in `mean`.

        Raises
        ------
        UnsupportedError, DomainError
            A size that is not positive, and what `mean` refuses.
        """
        people = domains.real("size", size, 0.0)
        return {name: people * number for name, number in self.mean(values, level).items()}

    @cached_property
    def _linear(self) -> Linear:
        shares = self.sums / self.sums.sum()
        theta = likeliest(self.matrix, shares, NEAR).theta
        return Linear(self.matrix, shares, self.reports, theta, self.identifiability.directions)

    @cached_property
    def _unweighted(self) -> Likeliest:
        """The likeliest population of the reports themselves, whatever their weights."""
        return likeliest(self.matrix, self.counts / self.reports, NEAR)

    @property
    def _heavy(self) -> bool:
        """Whether too few weights count for the spread of their own reports to be known."""
        return self.effective_reports < MANY

    def _remarks(self, level: float) -> tuple[str, ...]:
        said = []
        if self.effective_reports < VERY_FEW:
            said.append(
                f"The weights are worth fewer than {VERY_FEW:g} reports: a few heavy ones decide the estimate. "
                "Intervals hold if weights do not depend on answers."
            )
        elif self.effective_reports < FEW:
            said.append("These are few: intervals are approximate.")
        if not self.identifiability.identifies(np.eye(self.problem.n)).all():
            said.append("The reports do not identify all frequencies.")
        else:
            said += unbounded(self.problem, self.frequencies, self.interval(level))
        return (*said, *([] if self.fit.fits else [self.fit.sentence()]))

    def _values(self, lines: Array, what: str) -> Array:
        self._require(lines, what)
        return self._linear.unbiased(lines)

    def _errors(self, lines: Array) -> Array:
        count = self.reports
        if count == 1:
            return np.full(len(lines), np.inf)
        if self._heavy:
            return np.asarray(np.sqrt(self._variance_of_one(lines) / self.effective_reports))
        spread = self._centred(lines) ** 2 @ self.squares
        return np.asarray(np.sqrt(count / (count - 1.0) * spread) / self.sums.sum())

    def _variance_of_one(self, lines: Array) -> Array:
        """Return the variance of a(y) of one report, by all reports and half a report of each input."""
        moved = self._linear.moved(lines - lines.mean(axis=1, keepdims=True))
        law = self.counts + ADDED * self.matrix.sum(axis=0)
        law = law / law.sum()
        return np.asarray((moved - (moved @ law)[:, None]) ** 2 @ law)

    def _centred(self, lines: Array) -> Array:
        """Return ``a(y) - e`` of each line and output, shape (k, m)."""
        # What the weights of a line have in common is known.
        moved = self._linear.moved(lines - lines.mean(axis=1, keepdims=True))
        return np.asarray(moved - (moved @ self._linear.shares)[:, None])

    def _reach(self, lines: Array, level: float) -> Array:
        """Return how far an interval reaches to either side of each line's estimate."""
        # Loaded here: nothing else of a mechanism needs it.
        from scipy.special import stdtrit

        errors, centred = self._errors(lines), self._centred(lines)
        if self._heavy:
            return np.asarray(stdtrit(max(self.reports - 1, 1), (1.0 + level) / 2.0) * errors)
        terms = centred**4 @ self.fourths
        freedom = np.divide(2.0 * (centred**2 @ self.squares) ** 2, terms, out=np.ones(len(lines)), where=terms > 0)
        # With less than one degree of freedom nothing is known of the variance's own error.
        return np.asarray(stdtrit(np.maximum(freedom, 1.0), (1.0 + level) / 2.0) * errors)

    def _ends(self, lines: Array, what: str, level: float, together: int) -> Array:
        near = domains.real("level", level, 0.0, 1.0)
        if not 0.0 < near < 1.0:
            raise DomainError("level", level, "it has to be between 0 and 1", "give 0.95, say")
        values, reach = self._values(lines, what), self._reach(lines, 1.0 - (1.0 - near) / together)
        return np.column_stack([values - reach, values + reach])

    def _require(self, lines: Array, what: str) -> None:
        require_identifiable(self.identifiability, lines, what, self.problem)

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def _records(self) -> list[dict[str, Any]]:
        return self.rows()

    def rows(self, level: float = LEVEL, inputs: Sequence[int] | None = None) -> list[dict[str, Any]]:
        """Return a row for each input, or for those named: label, estimate, standard error, ends of its interval.

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies.
        """
        wanted = list(range(self.problem.n) if inputs is None else inputs)
        lines = np.eye(self.problem.n)[wanted]
        ends = self._ends(lines, "the frequencies", level, 1)
        numbers = np.column_stack([self._values(lines, ""), self._errors(lines), ends]).tolist()
        return [
            dict(zip(COLUMNS, (name, *row), strict=True))
            for name, row in zip(map(self.problem.named, wanted), numbers, strict=True)
        ]

    def __repr__(self) -> str:
        return f"WeightedEstimate({self.reports} reports, n={self.problem.n}, design_effect={self.design_effect:.4g})"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the frequencies with their intervals, the mean where there are values, and what the weights cost."""
        return self.shown()

    def shown(self, level: float = LEVEL, size: float | None = None) -> tuple[Block, ...]:
        """Return what is printed: frequencies, mean and, for a population of `size`, the total, with intervals."""
        worth = f"they are worth {self.effective_reports:.1f} of equal weights (design effect {self.design_effect:.4g})"
        head = [f"{self.reports} weighted reports: {worth}.", *self._remarks(level)]
        if not self.identifiability.identifies(np.eye(self.problem.n)).all():
            return (Lines("Estimate", tuple(head)),)
        shown = chosen(self.problem.n, MOST_ROWS)
        rows = dict(zip(shown, self.rows(level, shown), strict=True))

        def row(x: int) -> tuple[str, ...]:
            return (str(rows[x]["label"]), *(f"{rows[x][name]:z.6f}" for name in COLUMNS[1:]))

        heads = ("input", "frequency", "standard error", f"{100 * level:.4g} % from", "to")
        table = Table.of("", heads, self.problem.n, row, ("input",), "inputs")
        blocks: list[Block] = [Lines("Estimate", tuple(head)), table]
        if self.problem.values is not None:
            said = [_said("mean", self.mean(level=level), level)]
            said += [] if size is None else [_said(f"total of {size:g} people", self.total(size, level=level), level)]
            blocks.append(Lines("", tuple(said)))
        return tuple(blocks)


def _said(what: str, found: dict[str, float], level: float) -> str:
    """Return a number with its standard error and interval, as it is printed."""
    ends = f"{100 * level:.4g} % interval {found['low']:z.6g} to {found['high']:z.6g}"
    return f"{what} {found['estimate']:z.6g} (standard error {found['standard_error']:.3g}, {ends})"
