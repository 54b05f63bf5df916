"""Results that are rows: as frames of pandas and polars, and as files; libraries are loaded when asked for."""

from __future__ import annotations

import csv
import importlib
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from mechdesign.errors import DomainError, UnsupportedError, nearest
from mechdesign.files.atomic_writes import write
from mechdesign.files.kinds import FileKind
from mechdesign.files.table_formats import FORMATS, format_of, tabular

Rows = Sequence[Mapping[str, Any]]
Row = TypeVar("Row")
#: How a text starts that spreadsheets take for a formula (OWASP, "CSV Injection"), and the mark that they do not show.
EXECUTED = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20", "'")


class Tabular(ABC):
    """A result that is a table: for pandas, for polars and as CSV; a subclass says what its columns and rows are."""

    @abstractmethod
    def _columns(self) -> tuple[str, ...]:
        """Return the names of the columns, in order."""

    @abstractmethod
    def _records(self) -> Rows:
        """Return the rows as plain values by column."""

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame (needs the extra ``tables``)."""
        return _library("pandas").DataFrame(list(self._records()), columns=list(self._columns()))

    def to_polars(self) -> Any:
        """Return a polars DataFrame (needs the extra ``tables``)."""
        rows = self._records()
        data = {name: [row[name] for row in rows] for name in self._columns()}
        return _library("polars").DataFrame(data, strict=False)

    def to_latex(self, columns: str | Sequence[str] | None = None, *, digits: int = 4) -> str:
        r"""Return the table as a ``tabular`` of LaTeX with the rules of the package booktabs.

        Parameters
        ----------
        columns : str or sequence of str, optional
            Those that are wanted, in this order; by default all.
        digits : int
            Significant ones of each float, at least 1.

        Raises
        ------
        DomainError
            A column that the table does not have, or none; fewer digits.

        Examples
        --------
        >>> import mechdesign as md
        >>> curve = md.frontier(md.Problem(prior=[0.5, 0.5]), md.LDP, md.HammingLoss(), [0.5, 1.0])
        >>> print(curve.to_latex(["epsilon", "value"]).split("\n", 2)[2])
        \toprule
        epsilon & value \\
        \midrule
        0.5 & 0.3775 \\
        1 & 0.2689 \\
        \bottomrule
        \end{tabular}
        <BLANKLINE>
        """
        known = self._columns()
        wanted = known if columns is None else (columns,) if isinstance(columns, str) else tuple(columns)
        for name in wanted:
            if name not in known:
                raise DomainError("columns", name, "the table has no such column", nearest(str(name), known))
        if not wanted:
            raise DomainError("columns", columns, "there has to be a column", f"give {', '.join(known)}")
        if isinstance(digits, bool) or not isinstance(digits, int) or digits < 1:
            raise DomainError("digits", digits, "it has to be a whole number from 1 on", "give 4, say")
        return tabular(self._records(), wanted, digits)

    def _file_kind(self) -> FileKind:
        """Return the kind of file that the table is written to: CSV with the columns of this one."""
        return table_of(self._columns())

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the rows as the name's end says, by default as CSV, and return the path.

        A table of the same kind that is there is replaced, a workbook only with `overwrite`. In CSV a text that a
        spreadsheet would execute stands behind an apostrophe: drop one from the start of a text to have it back.

        Parameters
        ----------
        path : str or Path
            Where it goes: a name that ends in ``.html``, ``.tex`` or ``.xlsx`` (which needs openpyxl), else CSV.
        overwrite : bool
            Whether a file of another kind may be replaced.

        Raises
        ------
        DomainError
            A file of another kind is there, or the name promises another format.
        UnsupportedError
            A workbook is asked for, and openpyxl is not installed.
        WriteError
            The file cannot be written; what it held before is as it was.
        """
        kind = (
            replace(self._file_kind(), also=tuple(FORMATS))
            if format_of(path) is None
            else kind_of(path, self._columns())
        )
        kind.require_place(path, overwrite=overwrite)
        return save_table(self._records(), self._columns(), path)


class OfRows(Tabular, Sequence[Row]):
    """A table that is a sequence of its `rows`; a subclass is a dataclass that holds them."""

    rows: tuple[Row, ...]

    def _records(self) -> Rows:
        return [asdict(row) for row in self.rows]  # type: ignore[call-overload] # rows are dataclasses

    def __getitem__(self, index: int) -> Row:  # type: ignore[override] # slices are not offered
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)


def table_of(columns: Sequence[str], what: str = "the table") -> FileKind:
    """Return the kind of CSV files that have those columns."""
    return FileKind(what, (".csv",), (rf"{re.escape(_line(columns))}\r?\n",))


def kind_of(path: str | Path, columns: Sequence[str]) -> FileKind:
    """Return the kind of the files with those columns that the end of a name promises: CSV where it says nothing."""
    other = format_of(path)
    return replace(table_of(columns), also=tuple(FORMATS)) if other is None else other.kind(columns)


def save_table(rows: Rows, columns: Sequence[str], path: str | Path) -> Path:
    """Write the rows as the end of the name says, by default as CSV, and return the path."""
    other = format_of(path)
    return save_csv(rows, columns, path) if other is None else write(path, other.write(rows, columns))


def _line(cells: Sequence[str]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="").writerow(map(harmless, cells))
    return text.getvalue()


def save_csv(rows: Rows, columns: Sequence[str], path: str | Path) -> Path:
    """Write the rows with a header, floats so that they read back to the last bit, and return the path.

    A spreadsheet executes a cell of text that starts like a formula, so such a text stands behind an apostrophe, which
    spreadsheets do not show; so does one that starts with an apostrophe itself. Whoever reads the file by other means
    has every text back by dropping one apostrophe from its start, where there is one. Numbers are as they are.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(harmless(name) for name in columns)
    writer.writerows([harmless(row[name]) for name in columns] for row in rows)
    return write(path, text.getvalue())


def harmless(cell: Any) -> Any:
    """Return the cell, behind an apostrophe where it is a text that a spreadsheet might execute.

    Examples
    --------
    >>> harmless("=cmd"), harmless("LDP"), harmless("'a'"), harmless(-1.0)
    ("'=cmd", 'LDP', "''a'", -1.0)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(EXECUTED) else cell


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UnsupportedError(f"{name} is not installed: pip install 'mechdesign[tables]', or save as CSV.") from None


def plain(cell: str) -> str:
    """Return a cell without the apostrophe that `harmless` puts before a text that a spreadsheet might execute.

    Examples
    --------
    >>> plain("'=cmd"), plain("LDP"), plain("''a'"), plain("'s Gravenhage")
    ('=cmd', 'LDP', "'a'", "'s Gravenhage")
    """
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(EXECUTED) else cell
