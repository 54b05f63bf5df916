"""What separates the cells of a CSV file: a comma, a semicolon or a tab, as its header and its first rows say."""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from pathlib import Path

from mechdesign.parameters.written_numbers import decimal_comma

#: In the order in which they are preferred.
DELIMITERS = (",", ";", "\t")
#: Characters and rows of a file that are looked at.
LOOKED_AT, ROWS = 1 << 16, 100


def delimiter_of(path: Path, wanted: Collection[str] = (), *, header: bool = True) -> str:
    """Return the delimiter of a file; a comma where it has one column, cannot be read or agrees with none.

    Parameters
    ----------
    path : Path
        The file.
    wanted : collection of str
        Columns that are asked for: of several delimiters that fit, one whose header has them is taken.
    header : bool
        Whether the first row names the columns.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read(LOOKED_AT)
            whole = not file.read(1)
    except (OSError, UnicodeDecodeError):
        # Whoever reads the whole file says what is wrong.
        return ","
    return delimiter_in(text if whole else text[: text.rfind("\n") + 1], wanted, header=header)


def delimiter_in(text: str, wanted: Collection[str] = (), *, header: bool = True) -> str:
    r"""Return the delimiter with which all rows of a text have the same number of cells, at least two.

    Examples
    --------
    >>> delimiter_in("id;income\n1;20,5\n2;31,0\n"), delimiter_in("id,likes\n1,a;b\n"), delimiter_in("age\n20\n")
    (';', ',', ',')
    """
    read = {each: _rows(text, each) for each in DELIMITERS}
    fitting = [each for each, rows in read.items() if _fits(rows)]
    known = [each for each in fitting if read[each] and set(wanted) <= _names(read[each][0])]
    if wanted and not known:
        # One column, or rows of another length, which are refused later with their line.
        known = [each for each in DELIMITERS if read[each] and set(wanted) <= _names(read[each][0])][:1]
    choice = known or fitting or list(DELIMITERS)
    # Commas that are left inside of cells are decimal ones in a file that is separated otherwise.
    decimal = [each for each in choice if each != "," and _decimal(read[each][header:])]
    return (decimal or choice)[0]


def _names(row: Sequence[str]) -> set[str]:
    return {cell.strip() for cell in row}


def _fits(rows: Sequence[Sequence[str]]) -> bool:
    return bool(rows) and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows)


def _decimal(rows: Sequence[Sequence[str]]) -> bool:
    commas = [cell.strip() for row in rows for cell in row if "," in cell]
    return bool(commas) and all(map(decimal_comma, commas))


def _rows(text: str, delimiter: str) -> list[list[str]]:
    """Return the first rows that are not blank; none where the text is no CSV of that delimiter."""
    rows: list[list[str]] = []
    try:
        for row in csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True):
            if row:
                rows.append(row)
            if len(rows) == ROWS:
                break
    except csv.Error:
        # A quoted cell may be cut at the end of what is looked at.
        return rows
    return rows
