"""A matrix as a user gives it: read exactly, with the names of its rows and columns where it has some."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, wraps
from pathlib import PurePath
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.exact import ONE, Integers, dyadic, float_above, integer_rows, nearest_rows, scaled_rows
from mechdesign.parameters.checks import Array, beyond_floats
from mechdesign.parameters.labels import Carried, carried, in_order_of
from mechdesign.problem.problem import Problem
from mechdesign.tolerances import DENOMINATOR_BITS, SUM_TO_ONE


@dataclass(frozen=True)
class GivenMatrix:
    """Integers in the proportions of each row, all rows of one sum, and the floats nearest to them."""

    numerators: Integers
    floats: Array
    #: The names of the rows and of the columns, where the matrix has some.
    rows: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None
    #: The entries as they were given, whose rows may miss 1 by rounding: an array of floats, or rows of fractions.
    plain: Array | list[list[Fraction]] | None = None

    @property
    def on_grid(self) -> Integers:
        """The nearest rows of multiples of ``2**-53``, as integers: `numerators` themselves where these are such."""
        known = self.numerators.dtype != object and int(self.numerators[0].sum()) == ONE
        return self.numerators if known else nearest_rows(self.numerators)

    def moved(self, numerators: Integers) -> tuple[float, float]:
        """Return how far integers over ``2**53`` are from the matrix as it was given, rounded up.

        A row that does not sum to exactly 1 was moved when it was divided by its sum, too.

        Returns
        -------
        entry, row : float
            The largest change of an entry, and the largest total variation of a row.
        """
        entry, row, total = 0, 0, 1
        # Row by row: Python's integers take room.
        for x, kept in enumerate(numerators):
            held, total = self._as_given(x)
            apart = abs(held * ONE - kept.astype(object) * total)
            entry, row = max(entry, int(apart.max())), max(row, int(apart.sum()))
        return float_above(Fraction(entry, total * ONE)), float_above(Fraction(row, 2 * total * ONE))

    @cached_property
    def _denominator(self) -> int:
        """The common denominator of the entries as they were given."""
        if isinstance(self.plain, np.ndarray):
            _, exponents = np.frexp(self.plain[self.plain > 0])
            return 1 << (DENOMINATOR_BITS - int(exponents.min()))
        if self.plain is not None:
            return math.lcm(*(entry.denominator for row in self.plain for entry in row))
        return int(self.numerators[0].astype(object).sum())

    def _as_given(self, x: int) -> tuple[Integers, int]:
        """Return a row as it was given, as integers over a denominator that all rows have."""
        common = self._denominator
        if self.plain is None:
            return self.numerators[x].astype(object), common
        row = self.plain[x].tolist() if isinstance(self.plain, np.ndarray) else self.plain[x]
        ratios = (entry.as_integer_ratio() for entry in row)
        return np.array([top * (common // bottom) for top, bottom in ratios], dtype=object), common


def given_matrix(matrix: Any, problem: Problem | None) -> GivenMatrix:
    """Return a stochastic matrix exactly, its rows in the order of the problem's labels where they have labels too.

    Raises
    ------
    DomainError
        No matrix of finite numbers, a negative entry, a row that does not sum to one within 1e-9, other labels of the
        rows than the problem's.
    """
    found = in_order_of_inputs(matrix, problem)
    numerators, floats, plain = _exact(found.plain)
    return GivenMatrix(numerators, floats, found.rows, found.columns, plain)


def in_order_of_inputs(matrix: Any, problem: Problem | None) -> Carried:
    """Return a matrix as it was given, its rows in the order of the problem's inputs where they have labels."""
    found = carried("matrix", matrix, 2)
    if found.rows is None or problem is None:
        return found
    order = problem.names_along("inputs")
    places = in_order_of("matrix", found.rows, order, "problem")
    return Carried(np.asarray(found.plain, dtype=object)[places], order, found.columns)


def floats_of(matrix: Any, problem: Problem) -> Array:
    """Return a matrix as floats, of which nothing else is asked: strings of fractions and tables with labels too.

    Examples
    --------
    >>> floats_of([["1/2", "1/2"], ["0", 1]], Problem(n=2)).tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    plain = in_order_of_inputs(matrix, problem).plain
    try:
        return np.asarray(plain, dtype=float)
    except (TypeError, ValueError):
        entries = np.asarray(plain, dtype=object)
    if entries.ndim != 2:
        raise DomainError("matrix", type(matrix).__name__, "it has to be a matrix of numbers", "give an (n, m) matrix")
    rows = [
        [float(exact_number(entry, f"matrix[{x}, {y}]")) for y, entry in enumerate(row)]
        for x, row in enumerate(entries)
    ]
    return np.array(rows)


def read_first(method: Any) -> Any:
    """Return a method of a matrix and a problem that takes the matrix as `floats_of` does.

    Lists of fractions and tables are read; arrays of floats, which are what most calls give, are passed on.
    """

    @wraps(method)
    def reading(self: Any, matrix: Any, problem: Problem) -> Any:
        plain = matrix if isinstance(matrix, np.ndarray) and matrix.dtype == np.float64 else floats_of(matrix, problem)
        return method(self, plain, problem)

    return reading


def _exact(matrix: Any) -> tuple[Integers, Array, Array | list[list[Fraction]]]:
    """Return the integers in the proportions of each row, the nearest floats, and the entries as they are."""
    if isinstance(matrix, str | PurePath):
        rule, remedy = "it has to be a matrix of finite numbers", "give md.audit(md.load(path), notion) for a file"
        raise DomainError("matrix", str(matrix), rule, remedy)
    known = _quickly(matrix)
    if known is not None:
        return known, np.asarray(matrix), np.asarray(matrix)
    try:
        rows: list[list[Fraction]] = [
            [exact_number(entry, f"matrix[{x}, {y}]") for y, entry in enumerate(row)] for x, row in enumerate(matrix)
        ]
    except DomainError:
        raise
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise DomainError(
            "matrix", type(matrix).__name__, "it has to be a matrix of finite numbers", "give floats or fractions"
        ) from None
    if not rows or not rows[0] or len({len(row) for row in rows}) != 1:
        raise DomainError("matrix", "empty or ragged", "rows have to be of one length", "give an (n, m) matrix")
    _require_distributions(rows)
    return integer_rows(rows), np.array([[float(entry) for entry in row] for row in rows]), rows


def _require_distributions(rows: list[list[Fraction]]) -> None:
    for x, row in enumerate(rows):
        for y, entry in enumerate(row):
            if entry < 0:
                raise DomainError(f"matrix[{x}, {y}]", float(entry), "probabilities are not negative", "correct it")
        total = sum(row, Fraction())
        if not _is_one(total):
            said = f"a row that sums to {float(total)!r}" if total < 10**300 else "a row that sums to more than 1e300"
            raise DomainError(f"matrix[{x}]", said, "it has to sum to 1 within 1e-9", _remedy(rows, total))


def _remedy(rows: list[list[Fraction]], total: Fraction) -> str:
    """Return what makes distributions of rows of which one sums to `total`."""
    if all(_is_one(sum(column, Fraction())) for column in zip(*rows, strict=True)):
        return "its columns sum to 1, but rows are inputs here and columns are outputs: transpose it"
    if all(_is_one(sum(row, Fraction()) / 100) for row in rows):
        return "divide percentages by 100"
    if abs(total - 1) < Fraction(1, 100):
        return 'give more digits, or fractions as texts: "1/3"'
    return "correct it"


def _is_one(total: Fraction) -> bool:
    return abs(total - 1) <= Fraction(SUM_TO_ONE)


def _quickly(matrix: Any) -> Integers | None:
    """Return the integers of an array of floats that is clearly stochastic, all at once; None for anything else."""
    if not isinstance(matrix, np.ndarray) or matrix.dtype != np.float64 or matrix.ndim != 2 or not matrix.size:
        return None
    known = dyadic(matrix)
    return scaled_rows(matrix) if known is None else known


def exact_number(entry: Any, place: str) -> Fraction:
    """Return a float, a fraction or a text of one exactly, or raise with its place.

    Examples
    --------
    >>> exact_number("5/6", "p"), exact_number(0.75, "p")
    (Fraction(5, 6), Fraction(3, 4))
    """
    # Before it is made: of an exponent of nine digits Fraction writes out as many.
    written = str(entry) if isinstance(entry, str | Decimal) else ""
    lost = any(beyond_floats(part) for part in written.split("/"))
    # numpy's scalars are no numbers to Fraction; those wider than a float are refused rather than rounded.
    entry = entry.item() if isinstance(entry, np.generic) else entry
    try:
        given = Fraction(0 if lost else entry)
        lost = lost or bool(given and float(given) == 0)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise DomainError(place, entry, "it has to be a finite number", "give a float or a fraction") from None
    if lost:
        rule = "the level is searched in floats, which hold sizes from 5e-324 to 1.8e308, and 0"
        raise DomainError(place, str(entry), rule, "give 0, or a larger probability")
    return given
