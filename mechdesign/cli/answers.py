"""A column of answers in a CSV file: counted, binned, and refused with the line."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from mechdesign.cli.counts import rows_of
from mechdesign.cli.headers import column as place_of
from mechdesign.errors import DataWarning, DomainError
from mechdesign.problem import Problem
from mechdesign.problem.columns_of_data import as_number
from mechdesign.problem.records import Tally, tally

Result = TypeVar("Result")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_RECORD = re.compile(r"records\[([0-9]+)\]")


def read_records(path: Path, column: str, **keywords: Any) -> Problem:
    r"""Return the problem whose prior is the shares of the answers in a column of a CSV file with a header.

    Parameters
    ----------
    path : Path
        UTF-8, comma separated.
    column : str
        The column of the answers; they are numbers where all of them are.
    **keywords
        Those of `Problem.from_records`.

    Raises
    ------
    DomainError
        With file and line: no such column, an empty cell, an answer outside of the bins, real numbers without bins.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "answers.csv")
    ...     _ = file.write_text("age\n19\n40\n43\n61\n")
    ...     read_records(file, "age", bins=[18, 30, 65])
    Problem(n=2, prior=[0.25, 0.75], values=[24, 47.5], labels=['[18, 30)', '[30, 65]'])
    """
    return _in_file(path, column, partial(Problem.from_records, **keywords))


def count_records(path: Path, column: str, bins: Any, by: str) -> Tally:
    """Return the counts of the answers, or of their bins, in a column of a CSV file."""
    return _in_file(path, column, lambda records: tally(records, None, bins, by, stacklevel=2))


def _in_file(path: Path, column: str, make: Callable[[list[Any]], Result]) -> Result:
    """Return ``make(records)``; errors name the line of the file, and warnings go to stderr as sentences."""
    header, rows = rows_of(path)
    at = place_of(f"{path.name} line 1", header, column)
    lines, texts = [line for line, _ in rows], [row[at].strip() for _, row in rows]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", DataWarning)
        try:
            found = make(_as_numbers(texts))
        except DomainError as error:
            wrong = _RECORD.fullmatch(error.argument)
            place = f"{path.name} line {lines[int(wrong[1])]}, {column}" if wrong else error.argument
            raise DomainError(place, error.value, error.rule, error.remedy) from None
    for warning in seen:
        click.echo(f"mechdesign: {path.name}, {column}: {warning.message}", err=True)
    return found


def _as_numbers(texts: list[str]) -> list[Any]:
    """Return the texts as numbers where all of them are: 07 and 7 are one age, and a code with letters is a text."""
    if all(map(_WHOLE.fullmatch, texts)):
        # Python makes no integer of some thousand digits.
        return [int(text) for text in texts] if max(map(len, texts)) < 19 else texts
    numbers = [as_number(text) for text in texts]
    return numbers if all(map(math.isfinite, numbers)) else texts
