"""A matrix in a CSV file: bare numbers, or with a header and names of rows as pandas, R and spreadsheets write them."""

from __future__ import annotations

import math
from pathlib import Path

from mechdesign.cli.counts import lines_of, number
from mechdesign.cli.delimiters import delimiter_of
from mechdesign.cli.printing import complain
from mechdesign.errors import DomainError
from mechdesign.parameters.labels import Carried
from mechdesign.parameters.written_numbers import as_number, decimal_comma

Line = tuple[int, list[str]]


def read_matrix(path: Path, *, transpose: bool = False) -> Carried:
    r"""Return a matrix of probabilities, each as its text: nothing is rounded on the way.

    The first line is a header if a cell behind its first one is no number, if its first one is empty or the only text
    of a first column of numbers, or if its cells are 1, 2 and so on, which are codes of reports. The first column names
    the rows if its head is empty or that text, if the header is one cell short, as R writes it, or if a cell is no
    number. A first line of 0 and 1 is a row, and that is said.

    Parameters
    ----------
    path : Path
        UTF-8, separated by commas, semicolons, tabs or single blanks.
    transpose : bool
        Whether the file has a column for each input.

    Returns
    -------
    Carried
        The rows, and the names of rows and columns that the file has.

    Raises
    ------
    DomainError
        With the file and the line: a row of another length, an entry that is no probability, two equal names.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "die.csv")
    ...     _ = file.write_text(",agree,disagree\nyes,5/6,1/6\nno,1/6,5/6\n")
    ...     read_matrix(file)
    Carried(plain=[['5/6', '1/6'], ['1/6', '5/6']], rows=('yes', 'no'), columns=('agree', 'disagree'))
    """
    lines = lines_of(path, _delimiter(path))
    (_, first), *rest = lines
    # A first cell that is no number may be the name of the first row.
    named_index, codes = _names_numbers(first, rest), _counts_up(first) or _counts_up(first[1:])
    texts = any(not _is_number(cell) for cell in first[1:])
    header = bool(rest) and (not first[0] or named_index or codes or texts)
    rows = rest if header else lines
    short = header and len(first) == len(rows[0][1]) - 1
    named = (header and (short or named_index or not first[0])) or any(
        row[0] and not _is_number(row[0]) for _, row in rows
    )
    heads = first[0 if short else int(named) :] if header else None
    _require_entries(path, rows, int(named), heads)
    names = [row[0] for _, row in rows] if named else None
    entries = [row[int(named) :] for _, row in rows]
    if rest and not header and sorted(entries[0]) == ["0", "1"]:
        said = "is taken for probabilities; if it names the reports, begin it with an empty cell and name the rows"
        complain(f"{path.name}: its first line, {', '.join(entries[0])}, {said}.")
    if transpose:
        entries, names, heads = [list(column) for column in zip(*entries, strict=True)], heads, names
    for each in (names, heads):
        _require_distinct(path, each or [])
    return Carried(entries, None if names is None else tuple(names), None if heads is None else tuple(heads))


def _delimiter(path: Path) -> str:
    """Return the delimiter of a file, by the lines below the first one if its header is one cell short."""
    found = delimiter_of(path, header=False)
    try:
        rows = path.read_text(encoding="utf-8-sig").splitlines()[1:]
    except (OSError, UnicodeDecodeError):
        return found
    if found != "," or any("," in row for row in rows):
        return found
    return next((sign for sign in ("\t", ";", " ") if rows and all(sign in row for row in rows)), found)


def _names_numbers(first: list[str], rest: list[Line]) -> bool:
    """Return whether a first line of numbers begins with the name of a column of numbers, as pandas names an index."""
    if not rest or len(first) < 2 or _is_number(first[0]):
        return False
    return all(map(_is_number, first[1:])) and all(len(row) == len(first) and _is_number(row[0]) for _, row in rest)


def _is_number(text: str) -> bool:
    """Return whether a cell was meant as a number, be it one that is refused."""
    parts = text.split("/")
    return all(part.casefold() == "nan" or decimal_comma(part) or not math.isnan(as_number(part)) for part in parts)


def _counts_up(cells: list[str]) -> bool:
    """Return whether the cells are 1, 2 and so on."""
    return len(cells) > 1 and cells == [str(place) for place in range(1, len(cells) + 1)]


def _require_entries(path: Path, rows: list[Line], skipped: int, heads: list[str] | None) -> None:
    """Raise unless all rows have one length and their entries are numbers of at least 0."""
    width = len(rows[0][1]) if heads is None else len(heads) + skipped
    for line, row in rows:
        if len(row) != width:
            rule = f"the {'first row' if heads is None else 'header'} has {width}"
            raise DomainError(f"{path.name} line {line}", f"of {len(row)} cells", rule, "correct it")
        for at, text in enumerate(row[skipped:], start=1 + skipped):
            place = f"{path.name} line {line}, column {at}"
            top, _, bottom = text.partition("/")
            if number(place, top) < 0 or (bottom and number(place, bottom) <= 0):
                raise DomainError(place, text, "probabilities are not negative", "correct it")


def _require_distinct(path: Path, names: list[str]) -> None:
    if len(set(names)) < len(names):
        again = next(name for place, name in enumerate(names) if name in names[:place])
        raise DomainError(path.name, f'with two names "{again}"', "names have to be distinct", "rename one of them")
