"""HTML without script: every text that is not markup made here is escaped in one place, `escaped`."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence

import numpy as np

from mechdesign.displays.blocks import ELLIPSIS, Block, Grid, Lines, Table
from mechdesign.displays.numbers import digits
from mechdesign.displays.visible import MOST_OF_CELL, MOST_OF_SENTENCE, MOST_OF_WORDS, shortened

#: Rows and columns of a matrix that a page shows.
GRID = 20, 16
#: Colours of an entry of 0 and of the largest one; the text on them is dark or light, whichever contrasts.
PALE, DEEP = (247, 250, 253), (8, 69, 148)


class Html(str):
    """Text that is markup already; everything else is escaped on its way into an element."""

    __slots__ = ()


def escaped(content: object, most: int = MOST_OF_SENTENCE) -> Html:
    """Return `content` as markup: control characters made visible, the rest escaped, markup as it is.

    Examples
    --------
    >>> escaped("<script>"), escaped(element("b", "a & b"))
    ('&lt;script&gt;', '<b>a &amp; b</b>')
    """
    return content if isinstance(content, Html) else Html(html.escape(shortened(content, most), quote=True))


def element(name: str, *contents: object, **attributes: str) -> Html:
    """Return an element with its contents escaped; ``class_`` is the attribute ``class``, ``data_x`` is ``data-x``."""
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{given}>{''.join(map(escaped, contents))}</{name}>")


def joined(parts: Iterable[Html]) -> Html:
    """Return pieces of markup one after the other."""
    return Html("".join(parts))


def fragment(blocks: Iterable[Block], heading: str = "h4") -> Html:
    """Return a display as HTML that a notebook can hold: tables and lists, no script, no style sheet."""
    return element("div", *(section(block, heading) for block in blocks), class_="mechdesign")


def section(block: Block, heading: str) -> Html:
    """Return one block with its title."""
    if isinstance(block, Lines) and block.folded:
        return element("details", element("summary", block.title), content(block))
    title = element(heading, block.title) if block.title else Html()
    return joined([title, content(block)])


def content(block: Block) -> Html:
    """Return one block without its title."""
    if isinstance(block, Lines):
        return element("ul", *(element("li", line) for line in block.lines))
    if isinstance(block, Table):
        head = [element("th", name, scope="col", style=_aligned(name in block.words)) for name in block.headings]
        body = [
            element("tr", *(_cell(text, name in block.words) for name, text in zip(block.headings, row, strict=True)))
            for row in block.rows
        ]
        return _table(head, body, block.left_out)
    return grid(block)


def grid(block: Grid, room: tuple[int, int] = GRID, places: int = 4) -> Html:
    """Return a matrix as a shaded table, its middle left out if it has too many rows or columns."""
    rows, columns, left_out = block.part(*room)
    n, m = block.entries.shape
    largest = float(np.max(block.entries, where=np.isfinite(block.entries), initial=0.0)) or 1.0
    corner = element("th", block.heading or f"{block.row} \\ {block.column}", scope="col", style=_aligned(words=True))
    head = [corner]
    for y in _gapped(columns, m):
        name = ELLIPSIS if y is None else escaped(block.column_name(y), 24)
        head.append(element("th", name, scope="col", style=_aligned(words=False)))
    body = []
    for x in _gapped(rows, n):
        name = ELLIPSIS if x is None else escaped(block.row_name(x), 24)
        cells = [element("th", name, scope="row", style=_aligned(words=True))]
        for y in _gapped(columns, m):
            if x is None or y is None:
                cells.append(_cell(ELLIPSIS, words=False))
            else:
                entry = float(block.entries[x, y])
                shading = "" if math.isnan(entry) else f";{shade(entry / largest)}"
                cells.append(element("td", digits(entry, places), style=f"{_side(words=False)}{shading}"))
        body.append(element("tr", *cells))
    return _table(head, body, left_out)


def shade(share: float) -> str:
    """Return the style of a cell by its share of the largest entry; the contrast with its text is at least 4.5.

    Examples
    --------
    >>> shade(0.0), shade(1.0)
    ('background:#f7fafd;color:#000', 'background:#084594;color:#fff')
    """
    mixed = [round(a + (b - a) * min(max(share, 0.0), 1.0)) for a, b in zip(PALE, DEEP, strict=True)]
    # Black and white contrast alike with this luminance.
    text = "#000" if _luminance(mixed) > 0.179 else "#fff"
    return f"background:#{''.join(f'{part:02x}' for part in mixed)};color:{text}"


def _luminance(colour: Sequence[int]) -> float:
    """Return the relative luminance of a colour as WCAG 2 defines it."""
    parts = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def _table(head: Sequence[Html], body: Sequence[Html], left_out: str) -> Html:
    table = element("table", element("thead", element("tr", *head)), element("tbody", *body))
    return joined([table, element("p", left_out)]) if left_out else table


def _cell(text: str, words: bool) -> Html:
    return element("td", escaped(text, MOST_OF_WORDS if words else MOST_OF_CELL), style=_side(words))


def _side(words: bool) -> str:
    return _aligned(words) if words else f"{_aligned(words)};white-space:nowrap"


def _aligned(words: bool) -> str:
    return f"text-align:{'left' if words else 'right'};padding:0 .6em"


def _gapped(shown: Sequence[int], count: int) -> list[int | None]:
    """Return the numbers that are shown, with None where some are left out."""
    places: list[int | None] = list(shown)
    if len(shown) < count:
        places.insert((len(shown) + 1) // 2, None)
    return places
