"""A matrix as a user gives it: read exactly, with the names of its rows and columns where it has some."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.exact import Integers, dyadic, integer_rows, scaled_rows
from mechdesign.parameters.checks import Array, beyond_floats, one_form_of_each
from mechdesign.problem import Problem
from mechdesign.tolerances import SUM_TO_ONE

#: The libraries whose tables are read as matrices; neither is imported for that.
TABLES = ("pandas", "polars")


@dataclass(frozen=True)
class GivenMatrix:
    """Integers in the proportions of each row, all rows of one sum, and the floats nearest to them."""

    numerators: Integers
    floats: Array
    #: The names of the rows and of the columns, where the matrix has some.
    rows: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None


def given_matrix(matrix: Any, problem: Problem | None) -> GivenMatrix:
    """Return a stochastic matrix exactly, its rows in the order of the problem's labels where they have labels too.

    Raises
    ------
    DomainError
        No matrix of finite numbers, a negative entry, a row that does not sum to one within 1e-9, other labels of the
        rows than the problem's.
    """
    if type(matrix).__module__.partition(".")[0] not in TABLES or not hasattr(matrix, "columns"):
        return GivenMatrix(*_exact(matrix))
    entries, columns = matrix.to_numpy(), tuple(map(str, matrix.columns))
    rows = _labels(matrix)
    if rows is not None and problem is not None and problem.labels is not None and len(rows) == problem.n:
        entries, rows = entries[_places(rows, problem.labels)], problem.labels
    return GivenMatrix(*_exact(entries), rows, columns)


def _labels(table: Any) -> tuple[str, ...] | None:
    """Return the labels of a table's rows, None where they are just counted."""
    index = getattr(table, "index", None)
    if index is None or list(index) == list(range(len(table))):
        return None
    return tuple(map(str, index))


def _places(rows: tuple[str, ...], labels: tuple[str, ...]) -> list[int]:
    """Return the row of each label."""
    rows, labels = tuple(one_form_of_each(rows)), tuple(one_form_of_each(labels))
    other = [name for name in rows if name not in labels]
    if other or len(set(rows)) < len(rows):
        what = f"has a row {other[0]!r}" if other else "has a row twice"
        rule = f"the index {what}, and the problem's labels are {', '.join(labels[:4])}{', ...' * (len(labels) > 4)}"
        raise DomainError(
            "matrix", "a table of other rows", rule, "rename them, or reset_index(drop=True) to count them"
        )
    return [rows.index(label) for label in labels]


def _exact(matrix: Any) -> tuple[Integers, Array]:
    """Return the integers in the proportions of each row, and the nearest floats."""
    if isinstance(matrix, str | PurePath):
        rule, remedy = "it has to be a matrix of finite numbers", "give md.audit(md.load(path), notion) for a file"
        raise DomainError("matrix", str(matrix), rule, remedy)
    known = _quickly(matrix)
    if known is not None:
        return known, np.asarray(matrix)
    try:
        rows: list[list[Fraction]] = [
            [_fraction(entry, f"matrix[{x}, {y}]") for y, entry in enumerate(row)] for x, row in enumerate(matrix)
        ]
    except DomainError:
        raise
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise DomainError(
            "matrix", type(matrix).__name__, "it has to be a matrix of finite numbers", "give floats or fractions"
        ) from None
    if not rows or not rows[0] or len({len(row) for row in rows}) != 1:
        raise DomainError("matrix", "empty or ragged", "rows have to be of one length", "give an (n, m) matrix")
    for x, row in enumerate(rows):
        for y, entry in enumerate(row):
            if entry < 0:
                raise DomainError(f"matrix[{x}, {y}]", float(entry), "probabilities are not negative", "correct it")
        total = sum(row, Fraction())
        if abs(total - 1) > Fraction(SUM_TO_ONE):
            raise DomainError(
                f"matrix[{x}]",
                f"a row that sums to {float(total)!r}" if total < 10**300 else "a row that sums to more than 1e300",
                "it has to sum to 1 within 1e-9",
                "correct it",
            )
    return integer_rows(rows), np.array([[float(entry) for entry in row] for row in rows])


def _quickly(matrix: Any) -> Integers | None:
    """Return the integers of an array of floats that is clearly stochastic, all at once; None for anything else."""
    if not isinstance(matrix, np.ndarray) or matrix.dtype != np.float64 or matrix.ndim != 2 or not matrix.size:
        return None
    known = dyadic(matrix)
    return scaled_rows(matrix) if known is None else known


def _fraction(entry: Any, place: str) -> Fraction:
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
