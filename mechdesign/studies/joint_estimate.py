"""The estimate of several questions at once, and tables of two of them: joint and conditional shares with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.errors import DomainError
from mechdesign.estimation import Estimate
from mechdesign.estimation.intervals import probability
from mechdesign.estimation.ratio import ZERO
from mechdesign.files.tables import Tabular
from mechdesign.parameters.checks import Array, truth
from mechdesign.parameters.labels import Names, listed
from mechdesign.problem import Problem

Within = Literal["all", "rows", "columns"]

#: What a row or column of totals is called.
ALL = "(all)"
NUMBERS = ("share", "standard_error", "low", "high")
LEVEL = 0.95


@dataclass(frozen=True, eq=False, repr=False)
class JointEstimate(Estimate):
    """Estimates of the joint table of several questions, as `BudgetSplit.estimate_jointly` returns them.

    Attributes
    ----------
    matrix, counts, problem, method, theta, gap, identifiability, survey
        Those of an `Estimate` whose inputs are tuples of answers.
    questions : tuple of Problem
        The questions, whose tuples of answers are the inputs, the last question changing first.
    names : tuple of str, optional
        Their names; without them they are called by their numbers.

    Examples
    --------
    >>> import mechdesign as md
    >>> smokes, drinks = md.Problem(labels=["no", "yes"]), md.Problem(labels=["never", "often"])
    >>> split = md.split_budget({"smokes": smokes, "drinks": drinks}, md.LDP(4.0), md.InformationDesign("A"))
    >>> reports = [[0, 0]] * 50 + [[0, 1]] * 25 + [[1, 0]] * 15 + [[1, 1]] * 30
    >>> table = split.estimate_jointly(reports).crosstab("smokes", "drinks", within="rows", margins=False)
    >>> [round(row["share"], 2) for row in table.rows()]
    [0.76, 0.24, 0.15, 0.85]
    """

    questions: tuple[Problem, ...] = field(default=(), kw_only=True)
    names: Names | None = field(default=None, kw_only=True)

    @classmethod
    def of(cls, found: Estimate, questions: tuple[Problem, ...], names: Names | None) -> JointEstimate:
        """Return an estimate over tuples of answers as one of its questions."""
        held = {each.name: getattr(found, each.name) for each in fields(Estimate)}
        return cls(**held, questions=questions, names=names)

    def crosstab(self, rows: Any, columns: Any, *, within: Within = "all", margins: bool = True) -> Crosstab:
        """Return the table of two questions, of shares with standard errors and intervals; all others are added up.

        Parameters
        ----------
        rows, columns : str or int
            The two questions, by name or number from 0.
        within : {"all", "rows", "columns"}
            Shares of everybody, or of the people in each row or column: those are ratios.
        margins : bool
            Whether totals of rows and columns are there too.

        Raises
        ------
        DomainError
            No such question, one question twice, another `within`.
        UnsupportedError
            The reports do not identify all frequencies.
        """
        if within not in ("all", "rows", "columns"):
            raise DomainError("within", within, 'it has to be "all", "rows" or "columns"', "choose one of them")
        down, across = self._question("rows", rows), self._question("columns", columns)
        if down == across:
            rule = "a table has two questions"
            raise DomainError("columns", columns, rule, "give another question, or take the estimate of one by itself")
        # Refused here, and not when the table is printed.
        _ = self.frequencies
        return Crosstab(self, down, across, within, truth("margins", margins))

    def named_question(self, place: int) -> str:
        """Return the name of a question, or its number."""
        return str(place) if self.names is None else self.names[place]

    def _question(self, argument: str, given: Any) -> int:
        """Return the number of a question that is given by name or number."""
        known = tuple(map(self.named_question, range(len(self.questions))))
        if not isinstance(given, bool) and str(given) in known:
            return known.index(str(given))
        if isinstance(given, int | np.integer) and not isinstance(given, bool) and 0 <= given < len(known):
            return int(given)
        rule = f"the questions are {listed(known)}"
        raise DomainError(argument, given, rule, "give the name of one, or its number from 0")


@dataclass(frozen=True, eq=False)
class Crosstab(Tabular, Displayed):
    """A table of two questions: a share for each pair of answers, as `JointEstimate.crosstab` returns it.

    A conditional share is a ratio with the variance of its linear part. If so few people are estimated to be in a row
    or column that their share is not above 0, nothing is known of the shares within it: they are NaN.

    Attributes
    ----------
    joint : JointEstimate
        The estimate.
    down, across : int
        The questions of the rows and of the columns, by their numbers.
    within : {"all", "rows", "columns"}
        Of whom shares are.
    margins : bool
        Whether totals are there too.
    """

    joint: JointEstimate
    down: int
    across: int
    within: Within
    margins: bool

    def rows(self, level: float = LEVEL) -> list[dict[str, Any]]:
        """Return a row for each pair of answers: row, column, share, standard error and the ends of its interval.

        Parameters
        ----------
        level : float
            Of the intervals, above 0 and below 1.
        """
        return [
            {"row": row, "column": column, **dict(zip(NUMBERS, self._numbers(part, whole, level), strict=True))}
            for row, column, part, whole in self._cells()
        ]

    def _numbers(self, part: Array, whole: Array | None, level: float) -> tuple[float, float, float, float]:
        if whole is None:
            share = self.joint.functional(part)
            return float(share), share.standard_error, *share.interval(level)
        if float(self.joint.functional(whole)) <= ZERO:
            probability(level)
            return (np.nan,) * 4
        ratio = self.joint.ratio(part, whole)
        return float(ratio), ratio.standard_error, *ratio.interval(level)

    def _cells(self) -> Iterator[tuple[str, str, Array, Array | None]]:
        """Yield the names of each cell's row and column, what it adds up, and of whom it is a share."""
        rows, columns = self._answers(self.down), self._answers(self.across)
        for row, in_row in rows:
            for column, in_column in columns:
                whole = {"all": None, "rows": in_row, "columns": in_column}[self.within]
                everybody = whole is None or bool(whole.all())
                yield row, column, in_row * in_column, None if everybody else whole

    def _answers(self, question: int) -> list[tuple[str, Array]]:
        """Return each answer to a question with the inputs that have it, and the total if there are margins."""
        asked = self.joint.questions[question]
        sizes = tuple(each.n for each in self.joint.questions)
        answer = np.unravel_index(np.arange(self.joint.problem.n), sizes)[question]
        found = [(asked.named(x), (answer == x).astype(float)) for x in range(asked.n)]
        return found + [(ALL, np.ones(self.joint.problem.n))] * self.margins

    def _columns(self) -> tuple[str, ...]:
        return ("row", "column", *NUMBERS)

    def _records(self) -> list[dict[str, Any]]:
        return self.rows()

    def __repr__(self) -> str:
        down, across = (self.joint.named_question(place) for place in (self.down, self.across))
        return f"Crosstab({down!r} by {across!r}, within={self.within!r})"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the share of each pair of answers with its interval."""
        down, across = (self.joint.named_question(place) for place in (self.down, self.across))
        if down.isdecimal():
            down, across = f"question {down}", f"question {across}"
        of = {"all": "everybody", "rows": f"the people with each {down}", "columns": f"the people with each {across}"}
        rows = self.rows()

        def row(k: int) -> tuple[str, ...]:
            return (rows[k]["row"], rows[k]["column"], *(f"{rows[k][name]:z.6f}" for name in NUMBERS))

        heads = (down, across, "share", "standard error", "95 % from", "to")
        table = Table.of("", heads, len(rows), row, (down, across), "cells", most=100)
        return (Lines("Table", (f"{self.joint.reports} reports, shares of {of[self.within]}.",)), table)
