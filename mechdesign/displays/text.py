"""Displays as text: wrapped to the terminal, tables that fit or rows below each other, nothing cut."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from mechdesign.displays.blocks import ELLIPSIS, Block, Grid, Lines, Table
from mechdesign.displays.numbers import digits
from mechdesign.displays.visible import MOST_OF_CELL, MOST_OF_SENTENCE, MOST_OF_WORDS, shortened

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod

#: Columns of words wrap, but not below this: the rows are then written as lines below each other.
_LEAST_WORDS = 20
#: Rows and columns of a matrix that a terminal shows.
GRID = 12, 8


def plain(blocks: Iterable[Block]) -> str:
    """Return a display as text without colours, as wide as the terminal (COLUMNS; 80 without a terminal)."""
    from rich.console import Console

    console = Console(color_system=None, markup=False, emoji=False, highlight=False)
    with console.capture() as captured:
        show(console, blocks)
    return captured.get().strip("\n")


def show(console: Console, blocks: Iterable[Block]) -> None:
    """Print a display: the command and Python's `print` share this."""
    for block in blocks:
        if block.title:
            heading(console, block.title)
        if isinstance(block, Lines):
            for line in block.lines:
                say(console, line, 2)
            continue
        table = block if isinstance(block, Table) else _as_table(block, console.width)
        _table(console, table.headings, table.rows, table.words)
        if table.left_out:
            say(console, table.left_out, 2)


def heading(console: Console, title: str) -> None:
    """Print a title with an empty line above it."""
    from rich.text import Text

    console.print()
    console.print(Text(shortened(title, MOST_OF_SENTENCE), style="bold"), soft_wrap=True)


def say(console: Console, sentence: str, indent: int) -> None:
    """Print a sentence between words only: a terminal too narrow for a number wraps it, and nothing is cut."""
    from rich.text import Text

    wrapped = textwrap.wrap(
        shortened(sentence, MOST_OF_SENTENCE),
        max(console.width - indent, 20),
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in wrapped:
        console.print(Text(" " * indent + line), soft_wrap=True)


def _as_table(grid: Grid, width: int) -> Table:
    """Return the part of a matrix that a terminal of that width has room for, of two columns at least."""
    for room in range(GRID[1], 1, -1):
        table = _part(grid, room)
        longest = [max(map(len, column)) for column in zip(table.headings, *table.rows, strict=True)]
        if sum(longest) + 2 * len(longest) <= width:
            break
    return table


def _part(grid: Grid, room: int) -> Table:
    rows, columns, left_out = grid.part(GRID[0], room)
    corner = f"{grid.row} \\ {grid.column}"
    names = [shortened(grid.column_name(y), 16) for y in columns]
    body = [[shortened(grid.row_name(x), 16), *(digits(grid.entries[x, y], 4) for y in columns)] for x in rows]
    if len(columns) < grid.entries.shape[1]:
        middle = (len(columns) + 1) // 2
        names.insert(middle, ELLIPSIS)
        for row in body:
            row.insert(middle + 1, ELLIPSIS)
    if len(rows) < grid.entries.shape[0]:
        body.insert((len(rows) + 1) // 2, [ELLIPSIS] * (len(names) + 1))
    return Table(grid.title, (corner, *names), tuple(map(tuple, body)), (corner,), left_out)


def _table(console: Console, headings: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[str]) -> None:
    """Print a table whose columns of `words` wrap, or, where it does not fit, each row as lines of its own."""
    from rich.cells import cell_len
    from rich.table import Table as RichTable
    from rich.text import Text

    most = [MOST_OF_WORDS if name in words else MOST_OF_CELL for name in headings]
    cells = [[shortened(cell, long) for cell, long in zip(row, most, strict=True)] for row in rows]
    heads = [shortened(name) for name in headings]
    widths = [max(cell_len(row[k]) for row in [heads, *cells]) for k in range(len(heads))]
    least = [min(w, _LEAST_WORDS) if h in words else w for h, w in zip(headings, widths, strict=True)]
    if sum(least) + 2 * len(least) > console.width:
        for row in cells:
            say(console, row[0], 2)
            for name, cell in zip(heads[1:], row[1:], strict=True):
                say(console, f"{name}: {cell}", 4)
        return
    table = RichTable(box=None, padding=(0, 0, 0, 2), pad_edge=True)
    for name, head, width in zip(headings, heads, least, strict=True):
        wraps = name in words
        justify: JustifyMethod = "left" if wraps else "right"
        table.add_column(Text(head, style="italic"), justify=justify, no_wrap=not wraps, min_width=width)
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)
