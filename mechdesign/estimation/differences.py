"""Differences of two groups of people that were asked apart: of each frequency, and of the mean, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.blocks import MOST_ROWS, chosen
from mechdesign.errors import DomainError
from mechdesign.estimation.identifiability import require_identifiable
from mechdesign.estimation.intervals import confidence
from mechdesign.estimation.linear import in_proportion
from mechdesign.files.tables import Tabular
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen

if TYPE_CHECKING:
    from mechdesign.estimation.estimating import Estimate

#: The columns of the table, whose intervals have this level.
COLUMNS = ("label", "difference", "standard_error", "low", "high")
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Difference(Tabular, Displayed):
    """Differences of two groups' frequencies and means with intervals, as `Estimate.difference` returns them.

    The two groups are different people, drawn and asked independently, or two groups of one survey, which may share
    clusters; the mechanisms may be two. All numbers are from the best linear unbiased estimates. The interval of
    ``a - b`` has the ends

    ``a - b - (u^2 - 2 r u v + v^2)^(1/2)``, ``u = a - a_low``, ``v = b_high - b``, and on the other side the same with
    ``u = a_high - a``, ``v = b - b_low``

    of the intervals of a and of b, whose estimates have the correlation r (0 if they are independent): that keeps their
    coverage where they are not symmetric.

    Attributes
    ----------
    first, second : Estimate
        Of the two groups, over the same inputs.

    References
    ----------
    R. G. Newcombe, "Interval Estimation for the Difference between Independent Proportions: Comparison of Eleven
    Methods", Statistics in Medicine 17 (1998), method 10.
    """

    first: Estimate
    second: Estimate

    @property
    def frequencies(self) -> Array:
        """The difference of each input's frequency, shape (n,): they sum to zero."""
        return frozen(self._values(np.eye(self._n)))

    @property
    def standard_errors(self) -> Array:
        """The standard error of each, shape (n,)."""
        return frozen(self._errors(np.eye(self._n)))

    def interval(self, level: float = LEVEL, simultaneous: bool = False) -> Array:
        """Return a confidence interval of each difference, shape (n, 2).

        Parameters
        ----------
        level : float
            Above 0 and below 1.
        simultaneous : bool
            Whether all of them hold at once with that probability (by Bonferroni's inequality).

        Raises
        ------
        DomainError
            A level outside of its range.
        """
        every = domains.truth("simultaneous", simultaneous)
        return frozen(self._ends(np.eye(self._n), level, every))

    def mean(self, values: npt.ArrayLike | None = None, level: float = LEVEL) -> dict[str, float]:
        """Return the difference of the means of `values`, with its standard error and the ends of an interval.

        Parameters
        ----------
        values : array_like, shape (n,), optional
            The number of each input; those of the first group's problem by default.
        level : float
            Of the interval.

        Returns
        -------
        dict
            With "difference", "standard_error", "low" and "high", in the unit of the values.

        Raises
        ------
        DomainError
            No values, or others than n finite numbers.
        """
        line = self.first.problem.values_in_order(values)[None, :]
        numbers = (self._values(line)[0], self._errors(line)[0], *self._ends(line, level, False)[0])
        return dict(zip(COLUMNS[1:], map(float, numbers), strict=True))

    @property
    def _n(self) -> int:
        return self.first.problem.n

    def _values(self, lines: Array) -> Array:
        return np.asarray(self.first.linear.unbiased(lines) - self.second.linear.unbiased(lines))

    def _errors(self, lines: Array) -> Array:
        # What the weights of a line have in common is known.
        spread = lines - lines.mean(axis=1, keepdims=True)
        a, b = (group.linear.unbiased_errors(spread) for group in (self.first, self.second))
        return _apart(a, b, self._correlations(spread, a, b))

    def _correlations(self, lines: Array, a: Array, b: Array) -> Array:
        """Return the correlation of the two groups' estimates of each line, from their standard errors a and b."""
        first, second = self.first.linear, self.second.linear
        if first.survey is None or second.survey is None:
            return np.zeros(len(lines))
        sizes, lines = in_proportion(lines)
        shared = first.survey.shared(second.survey, first.centred(lines), second.centred(lines))
        product = (a / sizes) * (b / sizes)
        found = np.divide(shared, product, out=np.zeros_like(shared), where=product > 0.0)
        return np.clip(found, -1.0, 1.0)

    def _ends(self, lines: Array, level: float, simultaneous: bool) -> Array:
        groups = (self.first.linear, self.second.linear)
        a, b = (group.unbiased(lines) for group in groups)
        (a_low, a_high), (b_low, b_high) = (
            confidence(group, lines, level, None, simultaneous=simultaneous).T for group in groups
        )
        spread = lines - lines.mean(axis=1, keepdims=True)
        together = self._correlations(spread, *(group.unbiased_errors(spread) for group in groups))
        below, above = _apart(a - a_low, b_high - b, together), _apart(a_high - a, b - b_low, together)
        return np.column_stack([a - b - below, a - b + above])

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def rows(self, level: float = LEVEL) -> list[dict[str, Any]]:
        """Return a row for each input: its label, the difference, its standard error and the ends of its interval.

        Parameters
        ----------
        level : float
            Of the intervals, above 0 and below 1.

        Raises
        ------
        DomainError
            A level outside of its range.
        """
        return self._rows(range(self._n), level)

    def _records(self) -> list[dict[str, Any]]:
        return self.rows()

    def _rows(self, inputs: Sequence[int], level: float) -> list[dict[str, Any]]:
        wanted = list(inputs)
        lines = np.eye(self._n)[wanted]
        numbers = np.column_stack([self._values(lines), self._errors(lines), self._ends(lines, level, False)]).tolist()
        names = map(self.first.problem.named, wanted)
        return [dict(zip(COLUMNS, (name, *row), strict=True)) for name, row in zip(names, numbers, strict=True)]

    def __repr__(self) -> str:
        return f"Difference(of {self.first.reports} and {self.second.reports} reports, n={self._n})"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the difference of each frequency with its interval, and of the means if the inputs have values."""
        return self.shown()

    def shown(self, level: float = LEVEL) -> tuple[Block, ...]:
        """Return what is printed, with intervals of a level."""
        shown = chosen(self._n, MOST_ROWS)
        rows = dict(zip(shown, self._rows(shown, level), strict=True))

        def row(x: int) -> tuple[str, ...]:
            return (str(rows[x]["label"]), *(f"{rows[x][name]:z.6f}" for name in COLUMNS[1:]))

        heads = ("input", "difference", "standard error", f"{100 * level:.4g} % from", "to")
        head = Lines("Difference", (f"{self.first.reports} reports against {self.second.reports}, unbiased.",))
        blocks: list[Block] = [head, Table.of("", heads, self._n, row, ("input",), "inputs")]
        if self.first.problem.values is not None:
            found = self.mean(level=level)
            ends = f"{100 * level:.4g} % interval {found['low']:z.6g} to {found['high']:z.6g}"
            said = f"mean {found['difference']:z.6g} (standard error {found['standard_error']:.3g}, {ends})"
            blocks.append(Lines("", (said,)))
        return tuple(blocks)


def _apart(a: Array, b: Array, together: Array) -> Array:
    """Return ``(a^2 - 2 r a b + b^2)^(1/2)``, the spread of a difference of two numbers with the correlation r."""
    if not together.any():
        return np.hypot(a, b)
    # By the larger one, so that squares stay within floats.
    size = np.maximum(np.maximum(np.abs(a), np.abs(b)), np.finfo(float).tiny)
    left, right = a / size, b / size
    return np.asarray(size * np.sqrt(np.maximum(left**2 + right**2 - 2.0 * together * left * right, 0.0)))


def difference(first: Estimate, second: Estimate) -> Difference:
    """Return the difference of two estimates over the same inputs, as `Estimate.difference` says."""
    ours, theirs = first.problem, second.problem
    if ours.n != theirs.n or ours.labels != theirs.labels:
        rule = f"the two groups were not asked for the same {ours.n} values"
        raise DomainError("other", f"over {theirs.n} values", rule, "estimate both over the same labels, in one order")
    for estimate in (first, second):
        require_identifiable(estimate.identifiability, np.eye(ours.n), "the frequencies", estimate.problem)
    return Difference(first, second)
