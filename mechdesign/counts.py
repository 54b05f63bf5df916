"""A table of counts as a CSV file: one row for each symbol, with its label, its value and its count."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mechdesign.domains import Array, beyond_floats
from mechdesign.errors import DomainError, nearest


@dataclass(frozen=True)
class Counts:
    """What a table of counts says: the prior (each count over their sum), and labels and values where it has them."""

    prior: Array
    labels: tuple[str, ...] | None
    values: Array | None


def read_counts(path: Path, count: str, *, label: str | None = None, value: str | None = None) -> Counts:
    r"""Return ``prior[x] = count[x] / sum(count)`` from a CSV file with a header line.

    Parameters
    ----------
    path : Path
        UTF-8, comma separated.
    count : str
        The column of the counts: positive numbers.
    label, value : str, optional
        The columns of the names and of the numbers that the symbols stand for.

    Raises
    ------
    DomainError
        With the file and the line: no such column, a row of another length, a number that is none, a count that is
        not positive, a label that is there twice.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "coin.csv")
    ...     _ = file.write_text("side,count\nheads,3\ntails,1\n")
    ...     read_counts(file, "count", label="side").prior
    array([0.75, 0.25])
    """
    header, rows = _rows(path)
    places = {name: _column(path, header, name) for name in (count, label, value) if name is not None}
    counts = [_count(f"{path.name} line {line}, {count}", row[places[count]]) for line, row in rows]
    labels = None if label is None else _labels(path, label, [(line, row[places[label]]) for line, row in rows])
    values = None
    if value is not None:
        values = np.array([number(f"{path.name} line {line}, {value}", row[places[value]]) for line, row in rows])
    try:
        total = math.fsum(counts)
    except OverflowError:
        raise DomainError(path.name, "too large", "the sum of its counts has to be finite", "scale them") from None
    return Counts(np.array(counts) / total, labels, values)


def read_matrix(path: Path) -> list[list[str]]:
    """Return a CSV file of numbers without a header, each as its text: nothing is rounded on the way."""
    rows = _lines(path)
    for line, row in rows:
        for at, text in enumerate(row, start=1):
            place = f"{path.name} line {line}, column {at}"
            top, _, bottom = text.partition("/")
            if number(place, top) < 0 or (bottom and number(place, bottom) <= 0):
                raise DomainError(place, text, "probabilities are not negative", "correct it")
        if len(row) != len(rows[0][1]):
            raise DomainError(
                f"{path.name} line {line}", f"of {len(row)} cells", f"the first row has {len(rows[0][1])}", "correct it"
            )
    return [row for _, row in rows]


def number(place: str, text: str) -> float:
    """Return `text` as a finite number, or raise with its place."""
    try:
        # Python would read 1_000 too, which no spreadsheet writes.
        found = math.nan if "_" in text else float(text)
    except ValueError:
        found = math.nan
    if beyond_floats(text):
        raise DomainError(place, text, "floats hold sizes from 5e-324 to 1.8e308, and 0", "scale it, or write 0")
    if not math.isfinite(found):
        raise DomainError(place, text or "empty", "it has to be a finite number", "correct it")
    return found


def _count(place: str, text: str) -> float:
    found = number(place, text)
    if found == 0:
        raise DomainError(place, text, "every symbol has to have a positive count", "drop the symbol's row")
    if found < 0:
        raise DomainError(place, text, "counts are not negative", "correct it")
    return found


def _labels(path: Path, column: str, cells: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    for line, text in cells:
        if text in seen:
            rule = f"line {seen[text]} has that label too"
            raise DomainError(f"{path.name} line {line}, {column}", text, rule, "merge the rows, or rename one")
        seen[text] = line
    return tuple(seen)


def _column(path: Path, header: list[str], name: str) -> int:
    if name not in header:
        raise DomainError(f"{path.name} line 1", ",".join(header), f'it has no column "{name}"', nearest(name, header))
    return header.index(name)


def _rows(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    (_, header), *rows = _lines(path)
    if len(set(header)) < len(header):
        raise DomainError(f"{path.name} line 1", ",".join(header), "column names have to be distinct", "rename one")
    if not rows:
        raise DomainError(path.name, "without rows", "it needs one row for each symbol", "add them below the header")
    for line, row in rows:
        if len(row) != len(header):
            rule = f"the header has {len(header)} columns"
            raise DomainError(f"{path.name} line {line}", f"of {len(row)} cells", rule, "correct the row")
    return header, rows


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """Return the rows that are not blank, each with its line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            try:
                lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
            except csv.Error as error:
                place = f"{path.name} line {reader.line_num}"
                raise DomainError(place, "broken", f"CSV cannot read it ({error})", "correct the line") from None
    except UnicodeDecodeError as error:
        raise DomainError(path.name, f"not UTF-8 at byte {error.start}", "it has to be text", "save as UTF-8") from None
    except OSError as error:
        raise DomainError(str(path), "not readable", f"it is needed ({error.strerror})", "check the path") from None
    if not lines:
        raise DomainError(path.name, "empty", "it needs rows of cells", "write them")
    return lines
