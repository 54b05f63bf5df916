"""What becomes of each answer, as a picture: a bar for each answer, or a shaded grid where there are many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mechdesign.displays.html import Html, element, shade
from mechdesign.displays.visible import printable
from mechdesign.mechanism import Mechanism
from mechdesign.reports.subjects import subject_of

#: Answers and outputs that are drawn as bars; of more a grid is drawn.
MOST_BARS = 12
#: Rows and columns of a grid; of more, neighbours share a cell.
MOST_CELLS = 40
#: The picture's width in its own units, of which a bar has all; heights of a line of text and of a bar.
WIDTH, LINE, BAR = 440, 18, 24
#: About the width of a letter, and the letters of a name that are shown.
LETTER, MOST_LETTERS = 7.2, 26
#: Shades of a grid: entries of 0 are left white.
SHADES = 8
#: Neighbours in this order differ most; a text on each has a contrast of at least 4.5.
COLOURS = (
    *("#084594", "#fdd0a2", "#6baed6", "#7f2704", "#c7e9c0", "#54278f", "#fee391", "#006d2c"),
    *("#dadaeb", "#99000d", "#deebf7", "#525252"),
)
DARK = frozenset(("#084594", "#7f2704", "#54278f", "#006d2c", "#99000d", "#525252"))


def picture(mechanism: Mechanism) -> Html:
    """Return the picture of a mechanism's matrix: a drawing within the page, which needs no program to be seen."""
    n, m = mechanism.matrix.shape
    row = subject_of(mechanism).each
    if max(n, m) <= MOST_BARS:
        title = f"What becomes of each {row}"
        said = f"A bar for each {row}; its parts are the probabilities of the {_outputs(m)}, in the order of the key."
        return _drawing(title, said, *_bars(mechanism))
    title = f"What becomes of each {row}, from white (never) to blue (the most probable)"
    shared = "; neighbours share a cell, which is shaded by their mean" if max(n, m) > MOST_CELLS else ""
    said = (
        f"A row for each of {n} inputs, a column for each of {m} outputs{shared}. The first ones are at the top left."
    )
    return _drawing(title, said, *_grid(mechanism.matrix))


def _outputs(m: int) -> str:
    return "one report" if m == 1 else f"{m} reports"


def _drawing(title: str, said: str, height: float, parts: Sequence[Html]) -> Html:
    known = [element("title", title, id="picture-title"), element("desc", said, id="picture-said")]
    drawn = element(
        "svg",
        *known,
        *parts,
        viewBox=f"0 0 {WIDTH} {_short(height)}",
        role="img",
        aria_labelledby="picture-title picture-said",
    )
    return element("figure", drawn, element("figcaption", f"{title}. {said}"), class_="picture")


def _bars(mechanism: Mechanism) -> tuple[float, list[Html]]:
    """Return the height and the parts of a drawing of bars with the key of the outputs below them."""
    parts, top = [], 0.0
    for x, row in enumerate(mechanism.matrix):
        parts.append(_text(0, top + LINE - 5, _name(mechanism.inputs.named(x))))
        left = 0.0
        for y, entry in enumerate(row.tolist()):
            parts += _part(left, top + LINE, WIDTH * entry, y, entry, mechanism.outputs[y])
            left += WIDTH * entry
        top += LINE + BAR + 8
    top += 6
    used = [y for y in range(mechanism.matrix.shape[1]) if mechanism.matrix[:, y].any()]
    for place, y in enumerate(used):
        left, line = WIDTH / 2 * (place % 2), top + LINE * (place // 2)
        parts += [_box(left, line, 12, 12, COLOURS[y]), _text(left + 18, line + 10.5, _name(mechanism.outputs[y]))]
    return top + LINE * ((len(used) + 1) // 2), parts


def _part(left: float, top: float, width: float, y: int, entry: float, name: str) -> list[Html]:
    """Return a part of a bar, with its name and percentage where they fit into it."""
    if not entry:
        return []
    share = _percent(entry)
    shown = next((text for text in (f"{_name(name)} {share}", share) if LETTER * len(text) + 6 <= width), "")
    box = _box(left, top, width, BAR, COLOURS[y], element("title", f"{_name(name)}: {share}"))
    fill = "#ffffff" if COLOURS[y] in DARK else "#1b2733"
    return [box, _text(left + width / 2, top + BAR / 2 + 4.5, shown, fill)] if shown else [box]


def _grid(matrix: npt.NDArray[np.float64]) -> tuple[float, list[Html]]:
    """Return the height and the parts of a drawing of cells, one path for each shade."""
    cells = _merged(_merged(matrix).T).T
    n, m = cells.shape
    largest = float(cells.max()) or 1.0
    side = WIDTH / max(n, m)
    levels = np.ceil(SHADES * cells / largest).astype(int)
    parts = [_box(0, 0, m * side, n * side, "#ffffff")]
    for level in range(1, SHADES + 1):
        drawn = "".join(f"M{y} {x}h1v1h-1z" for x, y in np.argwhere(levels == level).tolist())
        if drawn:
            fill = shade(level / SHADES).partition(";")[0].removeprefix("background:")
            # Markup already: as a text it would be cut where it is long.
            parts.append(element("path", d=Html(drawn), fill=fill, transform=f"scale({_short(side)})"))
    return n * side, parts


def _merged(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the rows, or the means of neighbours where there are more than fit."""
    if len(matrix) <= MOST_CELLS:
        return matrix
    return np.array([part.mean(axis=0) for part in np.array_split(matrix, MOST_CELLS)])


def _percent(entry: float) -> str:
    """Return a probability in percent, never 0 or 100 where it is neither."""
    shown = round(100 * entry)
    if shown == 0:
        return "<1 %"
    return ">99 %" if shown == 100 and entry < 1 else f"{shown} %"


def _name(name: str) -> str:
    """Return a name with control characters made visible, shortened to the room that there is."""
    seen = printable(name[:MOST_LETTERS])
    return seen if len(seen) <= MOST_LETTERS and len(name) <= MOST_LETTERS else f"{seen[: MOST_LETTERS - 3]}..."


def _box(left: float, top: float, width: float, height: float, fill: str, *inside: Html) -> Html:
    place = {"x": left, "y": top, "width": width, "height": height}
    return element("rect", *inside, fill=fill, **{key: _short(value) for key, value in place.items()})


def _text(left: float, top: float, text: str, fill: str = "") -> Html:
    """Return a text: of a part of a bar in its colour and about its middle, of a name from its left end."""
    inside = {"fill": fill, "class_": "inside"} if fill else {}
    return element("text", text, x=_short(left), y=_short(top), **inside)


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
