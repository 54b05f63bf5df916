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


def read_joint(path: Path) -> tuple[tuple[str, ...], Array]:
    r"""Return the data's labels and the counts of a joint table: its header names the data, its first column secrets.

    Raises
    ------
    DomainError
        With the file and the line: a row of another length, a label that is there twice, a number that is none or is
        negative, a secret or a datum that nobody has.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "joint.csv")
    ...     _ = file.write_text("illness,cough,none\nyes,3,1\nno,2,8\n")
    ...     read_joint(file)[1].tolist()
    [[3.0, 1.0], [2.0, 8.0]]
    """
    header, rows = _rows(path)
    if len(header) < 2:
        rule = "it needs a column of secrets and one for each datum"
        raise DomainError(f"{path.name} line 1", ",".join(header), rule, "add them")
    _labels(path, header[0], [(line, row[0]) for line, row in rows])
    counts = np.array(
        [
            [number(f"{path.name} line {line}, {name}", text) for name, text in zip(header[1:], row[1:], strict=True)]
            for line, row in rows
        ]
    )
    if (counts < 0).any():
        secret, datum = (int(place) for place in np.argwhere(counts < 0)[0])
        place = f"{path.name} line {rows[secret][0]}, {header[datum + 1]}"
        raise DomainError(place, rows[secret][1][datum + 1], "counts are not negative", "correct it")
    for axis, words in ((1, "every secret has to occur"), (0, "every datum has to occur")):
        empty = np.flatnonzero(counts.sum(axis=axis) == 0)
        if len(empty):
            place = f"line {rows[empty[0]][0]}" if axis else f"line 1, {header[empty[0] + 1]}"
            raise DomainError(f"{path.name} {place}", "all zero", words, f"drop the {'row' if axis else 'column'}")
    return tuple(header[1:]), counts


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
