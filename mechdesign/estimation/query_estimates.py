"""Estimates of linear queries of the frequencies, such as prefix sums and marginals, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.displays import Block, Displayed, Table
from mechdesign.estimation.intervals import confidence
from mechdesign.estimation.linear import Linear
from mechdesign.files.tables import Tabular
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen
from mechdesign.parameters.labels import carried
from mechdesign.problem import Problem
from mechdesign.queries import named

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: The columns of the table, whose intervals have this level.
COLUMNS = ("query", "estimate", "standard_error", "low", "high")
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class QueryEstimates(Tabular, Displayed):
    """Estimates of linear queries, rows of ``W theta``, as `Estimate.queries` returns them.

    Attributes
    ----------
    names : tuple of str
        What each query is called: the index of a table, or numbers from 0.
    values : ndarray, shape (p,)
        The estimate of each query.
    standard_errors : ndarray, shape (p,)
        The standard error of each query; exactly 0 for a constant row.
    reports : int
        How many people reported.
    confidence : callable
        Takes a level, whether intervals hold together, and how they are made, and returns their ends, shape (p, 2).
    """

    names: tuple[str, ...]
    values: Array
    standard_errors: Array
    reports: int
    confidence: Callable[[float, bool, str | None], Array] = field(repr=False)

    def interval(self, level: float = LEVEL, simultaneous: bool = False, *, how: str | None = None) -> Array:
        """Return a confidence interval of each query, shape (p, 2).

        Parameters
        ----------
        level : float
            Above 0 and below 1.
        simultaneous : bool
            Whether all of them hold at once with that probability (by Bonferroni's inequality).
        how : {"score", "delta", "profile", "exact"}, optional
            As for `Estimate.interval`; of a mechanism without a matrix "delta" alone.

        Raises
        ------
        DomainError
            A level outside of its range, another `how`.
        UnsupportedError
            "exact" of more than two outputs.

        Examples
        --------
        >>> import mechdesign as md
        >>> found = md.baselines.randomised_response(md.Problem(n=3), 2.0).estimate(counts=[300, 400, 300])
        >>> found.queries(md.queries.prefix(3)).interval().shape
        (3, 2)
        """
        return frozen(self.confidence(level, domains.truth("simultaneous", simultaneous), how))

    def plot(self, ax: Axes | Figure | None = None, **options: Any) -> Figure:
        """Draw the estimates in their order with a band of their intervals, and return the figure.

        As `mechdesign.plotting.queries` does, which says what the options are.
        """
        from mechdesign.plotting import queries

        return queries(self, ax, **options)

    def __len__(self) -> int:
        return len(self.names)

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def _records(self) -> list[dict[str, Any]]:
        numbers = np.column_stack([self.values, self.standard_errors, self.interval()]).tolist()
        return [dict(zip(COLUMNS, (name, *row), strict=True)) for name, row in zip(self.names, numbers, strict=True)]

    def __repr__(self) -> str:
        return f"QueryEstimates({len(self.names)} queries, {self.reports} reports)"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return a table of the queries with their standard errors and intervals."""
        records = self._records()

        def row(k: int) -> tuple[str, ...]:
            return (str(records[k]["query"]), *(f"{records[k][name]:z.6f}" for name in COLUMNS[1:]))

        heads = ("query", "estimate", "standard error", "95 % from", "to")
        return (Table.of("Queries", heads, len(self.names), row, ("query",), "queries"),)


def estimated_queries(names: tuple[str, ...], weights: Array, linear: Linear, within: Array | None) -> QueryEstimates:
    """Return estimates of the rows of weights, shape (p, n), about a linear estimate.

    Parameters
    ----------
    within : ndarray, shape (n,), or None
        The likeliest population, if values are its own and intervals stay within what populations can have.
    """
    # What the weights of a row have in common is known.
    spread = weights - weights.mean(axis=1, keepdims=True)
    values = linear.unbiased(weights) if within is None else weights @ within
    errors = linear.unbiased_errors(spread) if within is None else linear.errors(spread)

    def ends(level: float, simultaneous: bool, how: Any) -> Array:
        return np.asarray(confidence(linear, weights, level, how, within=within, simultaneous=simultaneous))

    return QueryEstimates(names, frozen(values), frozen(errors), round(linear.reports), ends)


def rows_of_queries(queries: Any, problem: Problem) -> tuple[tuple[str, ...], Array]:
    """Return the name and the weights of each query, in the order of the problem's inputs, shape (p, n).

    Raises
    ------
    DomainError
        Another number of columns than inputs, labels that no input has, entries that are no finite numbers, a word
        that names no workload.
    """
    found = carried("queries", named("queries", queries, problem.n) if isinstance(queries, str) else queries, 2)
    rows = list(domains.numbers("queries", found.plain, 2))
    names = found.rows if found.rows is not None else tuple(map(str, range(len(rows))))
    if found.columns is None:
        lines = np.array([problem.in_order(f"queries[{k}]", row) for k, row in enumerate(rows)])
    else:
        lines = np.array([problem.in_order("queries", dict(zip(found.columns, row, strict=True))) for row in rows])
    return names, lines
