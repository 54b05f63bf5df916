"""Tables of counts and joint tables as CSV files: problems by `Problem.from_counts` and `from_joint`."""

from __future__ import annotations

import csv
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import numpy as np

from mechdesign.cli import headers
from mechdesign.cli.delimiters import delimiter_of
from mechdesign.cli.merged_counts import Counted, cells_of, merged_rows, refuse_zero
from mechdesign.errors import DomainError
from mechdesign.files.tables import plain
from mechdesign.parameters.checks import beyond_floats, one_form
from mechdesign.parameters.written_numbers import as_number, decimal_comma, with_point
from mechdesign.problem import Problem


def read_counts(
    path: Path,
    count: str,
    *,
    label: str | None = None,
    value: str | None = None,
    smoothing: float = 0.0,
    prior_source: str | None = None,
) -> Problem:
    r"""Return the problem with the prior ``count[x] / sum(count)`` from a CSV file with a header line.

    Counts of a label that several rows have are added up, and that is said on stderr.

    Parameters
    ----------
    path : Path
        UTF-8, separated by commas, semicolons or tabs.
    count : str
        The column of the counts: numbers of at least 0.
    label, value : str, optional
        The columns of the names and of the numbers that the symbols stand for.
    smoothing : float
        Added to every count; counts of 0 need it.
    prior_source : str, optional
        Where the counts come from.

    Raises
    ------
    DomainError
        With the file and the line: no such column, a row of another length, a number that is none, a count that is
        negative, or 0 without smoothing, rows of one label with several values.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "coin.csv")
    ...     _ = file.write_text("side,count\nheads,3\ntails,1\n")
    ...     read_counts(file, "count", label="side").prior
    array([0.75, 0.25])
    """
    wanted = [name for name in (count, label, value) if name is not None]
    header, rows = rows_of(path, wanted)
    places = {name: headers.column(f"{path.name} line 1", header, name) for name in wanted}
    counts = [_not_negative(f"{path.name} line {line}, {count}", row[places[count]]) for line, row in rows]
    labels = None if label is None else [row[places[label]] for _, row in rows]
    values = None
    if value is not None:
        values = [number(f"{path.name} line {line}, {value}", row[places[value]]) for line, row in rows]
    counted = [Counted(line, *cells) for (line, _), cells in zip(rows, cells_of(labels, counts, values), strict=True)]
    merged = merged_rows(path, counted, value)
    if not smoothing:
        refuse_zero(path, count, merged)
    with _placed(path, {"counts": ""}):
        return Problem.from_counts(
            np.array([each.count for each in merged]),
            values=None if value is None else [each.value for each in merged],
            labels=None if label is None else [str(each.label) for each in merged],
            smoothing=smoothing,
            prior_source=prior_source,
        )


def read_joint(path: Path) -> Problem:
    r"""Return the problem of a joint table of counts: its header names the data, its first column the secrets.

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
    ...     read_joint(file)
    Problem(n=2, prior=[0.357143, 0.642857], labels=['cough', 'none'], hidden secret of 2 values)
    """
    header, rows = rows_of(path)
    if len(header) < 2:
        rule = "it needs a column of secrets and one for each datum"
        raise DomainError(f"{path.name} line 1", ",".join(header), rule, "add them")
    secrets = _labels(path, header[0], [(line, row[0]) for line, row in rows])
    counts = [
        [
            _not_negative(f"{path.name} line {line}, {name}", text)
            for name, text in zip(header[1:], row[1:], strict=True)
        ]
        for line, row in rows
    ]
    lines = {f"table[{s}, :]": f" line {line}" for s, (line, _) in enumerate(rows)}
    columns = {f"table[:, {x}]": f" line 1, {name}" for x, name in enumerate(header[1:])}
    with _placed(path, {**lines, **columns, "counts": ""}):
        return Problem.from_joint(counts, labels=header[1:], secret_labels=secrets)


def number(place: str, text: str) -> float:
    """Return `text` as a finite number, or raise with its place."""
    found = as_number(text)
    if beyond_floats(text):
        raise DomainError(place, text, "floats hold sizes from 5e-324 to 1.8e308, and 0", "scale it, or write 0")
    if not math.isfinite(found):
        remedy = with_point(text) if decimal_comma(text) else "correct it"
        share = text.rstrip("% ")
        if text.endswith("%") and math.isfinite(as_number(share)):
            remedy = f"write {Decimal(share).scaleb(-2):f}, without the sign"
        raise DomainError(place, text or "empty", "it has to be a finite number", remedy)
    return found


def _not_negative(place: str, text: str) -> float:
    found = number(place, text)
    if found < 0:
        raise DomainError(place, text, "counts are not negative", "correct it")
    return found


@contextmanager
def _placed(path: Path, places: Mapping[str, str]) -> Iterator[None]:
    """Give complaints about the arguments that `places` names the place in the file."""
    try:
        yield
    except DomainError as error:
        if error.argument not in places:
            raise
        place = f"{path.name}{places[error.argument]}"
        raise DomainError(place, error.value, error.rule, error.remedy) from None


def _labels(path: Path, column: str, cells: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    for line, text in cells:
        form = one_form(text)
        if form in seen:
            rule = f"line {seen[form]} has that label too"
            raise DomainError(f"{path.name} line {line}, {column}", text, rule, "merge the rows, or rename one")
        seen[form] = line
    return tuple(text for _, text in cells)


def rows_of(path: Path, wanted: Collection[str] = ()) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the header and the rows below it, each with its line."""
    (_, header), *rows = lines_of(path, delimiter_of(path, wanted))
    if len(set(header)) < len(header):
        raise DomainError(f"{path.name} line 1", ",".join(header), "column names have to be distinct", "rename one")
    if not rows:
        raise DomainError(path.name, "without rows", "it needs one row for each symbol", "add them below the header")
    for line, row in rows:
        if len(row) != len(header):
            rule = f"the header has {len(header)} columns"
            remedy = another_length(len(row), len(header))
            raise DomainError(f"{path.name} line {line}", f"of {len(row)} cells", rule, remedy)
    return header, rows


def another_length(cells: int, columns: int) -> str:
    """Return the remedy for a row of another length than its header."""
    # R's write.table names rows in a first column that has no head.
    return (
        "correct the row"
        if cells != columns + 1
        else "correct the row; if all rows are so, give the header a name more"
    )


@contextmanager
def as_text(path: Path) -> Iterator[None]:
    """Say which byte of the file is no text, if what is read within is not UTF-8."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise DomainError(path.name, f"not UTF-8 at byte {error.start}", "it has to be text", "save as UTF-8") from None


def lines_of(path: Path, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the rows that are not blank, each with its line; texts behind the apostrophe of a saved table are bare."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file, as_text(path):
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            try:
                lines = [(reader.line_num, [plain(cell.strip()) for cell in row]) for row in reader if row]
            except csv.Error as error:
                place = f"{path.name} line {reader.line_num}"
                raise DomainError(place, "broken", f"CSV cannot read it ({error})", "correct the line") from None
    except OSError as error:
        raise DomainError(str(path), "not readable", f"it is needed ({error.strerror})", "check the path") from None
    if not lines:
        raise DomainError(path.name, "empty", "it needs rows of cells", "write them")
    return lines
