"""Tables for people: a page of HTML, a tabular of TeX and a workbook of Excel; CSV and frames are for programs.

Numbers have six significant digits on the page and in TeX, and all of them in the workbook.
"""

from __future__ import annotations

import importlib
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mechdesign.displays.html import element
from mechdesign.displays.visible import printable
from mechdesign.errors import UnsupportedError
from mechdesign.files.kinds import FileKind

Rows = Sequence[Mapping[str, Any]]

#: The column that holds formulas of LaTeX.
FORMULAS = "latex"
#: Significant digits of floats in tables for people.
DIGITS = 6
#: What TeX would take for a command, and how it is written.
TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    # After a rule or the end of a row a bracket would begin an option; the others are other signs in TeX's own fonts.
    **{character: f"{{{character}}}" for character in "[]"},
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


@dataclass(frozen=True)
class TableFormat:
    """A way of writing a table.

    Parameters
    ----------
    suffix : str
        How the file's name ends.
    start : callable or None
        Returns how a file with those columns starts; without it a file that is there is never taken for a table.
    write : callable
        Returns the file's content from rows and columns.
    """

    suffix: str
    start: Callable[[Sequence[str]], str] | None
    write: Callable[[Rows, Sequence[str]], str | bytes]

    def kind(self, columns: Sequence[str]) -> FileKind:
        """Return the kind of files with those columns, which says what may be written over."""
        starts = () if self.start is None else (re.escape(self.start(columns)),)
        return FileKind("the table", (self.suffix,), starts)


def format_of(path: object) -> TableFormat | None:
    """Return the format that a file's name promises, None where that is CSV or nothing.

    Examples
    --------
    >>> format_of("shares.tex").suffix, format_of("shares.csv")
    ('.tex', None)
    """
    return FORMATS.get(Path(path).suffix.casefold()) if isinstance(path, str | Path) else None


def page(rows: Rows, columns: Sequence[str]) -> str:
    """Return a page of HTML with the table, which needs no network and runs no script.

    Examples
    --------
    >>> "<td>&lt;b&gt;</td>" in page([{"label": "<b>"}], ["label"])
    True
    """
    head = element("tr", *(element("th", _said(name)) for name in columns))
    body = (element("tr", *(element("td", _written(row[name])) for name in columns)) for row in rows)
    table = element("table", element("thead", head), element("tbody", *body))
    return f"{_start_of_page(columns)}</head>\n<body>{table}</body></html>\n"


def tabular(rows: Rows, columns: Sequence[str], digits: int = DIGITS) -> str:
    r"""Return the table as a ``tabular`` of LaTeX with the rules of the package booktabs, for ``\input``.

    Parameters
    ----------
    digits : int
        Significant ones of each float.

    Examples
    --------
    >>> print(tabular([{"label": "50 %", "share": 0.25}], ["label", "share"]))
    % table of label, share
    \begin{tabular}{lr}
    \toprule
    label & share \\
    \midrule
    50 \% & 0.25 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    sides = "".join("r" if rows and _is_number(rows[0][name]) else "l" for name in columns)
    head, *body = _cells(rows, columns, digits)
    written = [
        list(map(_tex, head)),
        *([_as_tex(*cell) for cell in zip(columns, cells, strict=True)] for cells in body),
    ]
    lines = [" & ".join(cells) + r" \\" for cells in written]
    parts = (
        f"{_start_of_tex(columns)}\\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        lines[0],
        r"\midrule",
        *lines[1:],
        r"\bottomrule",
    )
    return "\n".join((*parts, r"\end{tabular}", ""))


def workbook(rows: Rows, columns: Sequence[str]) -> bytes:
    """Return the table as a workbook of Excel; no text is a formula in it.

    Raises
    ------
    UnsupportedError
        The library openpyxl is not installed.
    """
    try:
        library = importlib.import_module("openpyxl")
    except ImportError:
        said = "openpyxl is not installed: pip install openpyxl, or save as CSV, which spreadsheets read."
        raise UnsupportedError(said) from None
    book = library.Workbook()
    sheet = book.active
    for line, cells in enumerate([list(columns), *([row[name] for name in columns] for row in rows)], start=1):
        for place, entry in enumerate(cells, start=1):
            number = _is_number(entry) and math.isfinite(entry)
            cell = sheet.cell(line, place, entry if number else _said(entry))
            if not number:
                cell.data_type = "s"
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _cells(rows: Rows, columns: Sequence[str], digits: int) -> list[list[str]]:
    """Return the head and the rows of a table as they are written for people."""
    return [list(map(_said, columns)), *([_written(row[name], digits) for name in columns] for row in rows)]


def _as_tex(column: str, cell: str) -> str:
    """Return a cell of a tabular; a formula of LaTeX is set as one."""
    return f"${cell}$" if column == FORMULAS and cell else _tex(cell)


def _is_number(entry: Any) -> bool:
    return isinstance(entry, int | float) and not isinstance(entry, bool)


def _written(entry: Any, digits: int = DIGITS) -> str:
    return f"{entry:z.{digits}g}" if isinstance(entry, float) else _said(entry)


def _said(entry: Any) -> str:
    return "" if entry is None else printable(entry)


def _tex(text: str) -> str:
    return "".join(TEX.get(character, character) for character in text)


def _start_of_page(columns: Sequence[str]) -> str:
    title = element("title", f"Table of {', '.join(map(printable, columns))}")
    return f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">{title}'


def _start_of_tex(columns: Sequence[str]) -> str:
    return f"% table of {', '.join(map(printable, columns))}\n"


FORMATS = {
    made.suffix: made
    for made in (
        TableFormat(".html", _start_of_page, page),
        TableFormat(".tex", _start_of_tex, tabular),
        # All workbooks start alike, so that none is written over unasked.
        TableFormat(".xlsx", None, workbook),
    )
}
