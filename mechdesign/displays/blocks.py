"""What a display consists of: sentences, tables and matrices, each with its title; large ones are summarised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

#: Rows of a table that a display shows, of many alike and of results of their own.
MOST_ROWS, MOST_RESULTS = 20, 100
#: Stands between the first and the last entries, where those between them are left out.
ELLIPSIS = "..."


@dataclass(frozen=True)
class Lines:
    """A title with sentences."""

    title: str
    lines: tuple[str, ...]
    #: Whether a page shows them only where its reader unfolds them.
    folded: bool = False


@dataclass(frozen=True)
class Table:
    """A title with rows of text; what is not shown is said in `left_out`."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    #: The headings of the columns that hold words: they wrap, and stand at the left.
    words: tuple[str, ...] = ()
    left_out: str = ""

    @classmethod
    def of(
        cls,
        title: str,
        headings: Sequence[str],
        count: int,
        row: Callable[[int], Sequence[str]],
        words: Sequence[str] = (),
        what: str = "rows",
        most: int = MOST_ROWS,
    ) -> Table:
        """Return the table of `count` rows, the first and the last of them where there are more than `most`.

        Examples
        --------
        >>> table = Table.of("Squares", ("x", "square"), 1000, lambda x: (f"{x}", f"{x * x}"))
        >>> len(table.rows), table.rows[-1], table.left_out
        (21, ('999', '998001'), '980 of 1000 rows are not shown.')
        """
        shown = chosen(count, most)
        rows = [tuple(row(k)) for k in shown]
        if len(shown) < count:
            rows.insert((most + 1) // 2, (ELLIPSIS,) * len(headings))
        return cls(title, tuple(headings), tuple(rows), tuple(words), not_shown(count, len(shown), what))


@dataclass(frozen=True, eq=False)
class Grid:
    """A matrix with names for its rows and columns, whose entries are shaded from 0 to the largest one."""

    title: str
    entries: npt.NDArray[np.float64]
    #: What the rows are, as a word ("input"), and the name of each by its number.
    row: str
    row_name: Callable[[int], str]
    column: str
    column_name: Callable[[int], str]
    #: What stands above the names of the rows, where it is not the words for a row and a column.
    heading: str = ""

    def part(self, rows: int, columns: int) -> tuple[tuple[int, ...], tuple[int, ...], str]:
        """Return which rows and columns to show in a limited space, and which are left out."""
        n, m = self.entries.shape
        shown = chosen(n, rows), chosen(m, columns)
        said = not_shown(n, len(shown[0]), f"{self.row}s"), not_shown(m, len(shown[1]), f"{self.column}s")
        return *shown, " ".join(sentence for sentence in said if sentence)


Block = Lines | Table | Grid


def chosen(count: int, most: int) -> tuple[int, ...]:
    """Return the numbers of the entries that are shown: all, or the first and the last.

    Examples
    --------
    >>> chosen(3, 4), chosen(1000, 4)
    ((0, 1, 2), (0, 1, 998, 999))
    """
    if count <= most:
        return tuple(range(count))
    head = (most + 1) // 2
    return (*range(head), *range(count - (most - head), count))


def not_shown(count: int, shown: int, what: str) -> str:
    """Return the sentence of how many are left out; empty where none is."""
    return "" if shown == count else f"{count - shown} of {count} {what} are not shown."


def listed(entries: Sequence[Any], most: int = 4) -> str:
    """Return a sequence on one line, its first entries where there are many.

    Examples
    --------
    >>> listed([0.1, 0.2]), listed(range(9))
    ('[0.1, 0.2]', '[0, 1, 2, 3, ...]')
    """
    texts = [f"{e:.6g}" if isinstance(e, float) else repr(e) for e in list(entries[:most])]
    return f"[{', '.join(texts)}{', ...' if len(entries) > most else ''}]"
