"""Where a picture is drawn, its colours and its style; matplotlib is loaded when the first one is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.plotting.text import LITERAL, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # noqa: PLC0414 - other modules take the types from here
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414 - likewise

#: Okabe and Ito's palette, which colour-blind readers can distinguish; yellow is left out, as too faint.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BLUE, RED, GREY, INK = COLOURS[0], COLOURS[1], "#777777", "#222222"
#: Beside colours, for print in grey.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1)))
#: Its lightness grows evenly, seen by anyone, and in print.
COLOURMAP = "cividis"

#: Sizes of text in points; letters of a title to an inch.
TITLE, LABEL, SMALL = 10.0, 9.5, 8.5
LETTERS = 13.8
#: More entries than this stand beside the axes rather than in them.
INSIDE = 4

MISSING = "Pictures need matplotlib, which is not installed: pip install 'mechdesign[plot]'."


def axes_in(ax: Any, size: tuple[float, float] = (6.0, 4.0)) -> Axes:
    """Return the axes to draw in: `ax` itself, axes made in the figure `ax`, or axes of a new figure.

    Parameters
    ----------
    ax : matplotlib.axes.Axes, matplotlib.figure.Figure or None
        With None a figure is made that belongs to no window and that pyplot does not know of.
    size : tuple of float
        Inches of such a figure.

    Raises
    ------
    UnsupportedError
        matplotlib is not installed.
    DomainError
        `ax` is something else, or has other than two straight axes.
    """
    try:
        from matplotlib.axes import Axes
        from matplotlib.figure import FigureBase

        from mechdesign.plotting.picture import Picture
    except ImportError:
        raise UnsupportedError(MISSING) from None
    if ax is None:
        return Picture(figsize=size, layout="constrained").add_subplot()
    if isinstance(ax, FigureBase):
        return ax.add_subplot()
    if not isinstance(ax, Axes):
        several = hasattr(ax, "shape") or isinstance(ax, list | tuple)
        remedy = "give one of them, ax=axes[0]" if several else "leave it out, or give axes of matplotlib"
        raise DomainError("ax", f"of type {type(ax).__name__}", "it has to be matplotlib's Axes or Figure", remedy)
    if ax.name != "rectilinear":
        rule = "the picture has two straight axes"
        raise DomainError("ax", f"of projection {ax.name}", rule, "leave the projection out")
    return ax


def finished(axes: Axes, title: Iterable[str], horizontal: str, vertical: str) -> Figure:
    """Write title and labels, and return the figure that the axes are in."""
    axes.set_xlabel(horizontal, fontsize=LABEL, color=INK, **LITERAL)
    axes.set_ylabel(vertical, fontsize=LABEL, color=INK, **LITERAL)
    axes.tick_params(labelsize=SMALL, color=GREY, labelcolor=INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_color(GREY)
    _write_numbers_in_full(axes)
    figure = figure_of(axes)
    text = wrapped(list(title), int(LETTERS * _room(axes, figure)))
    axes.set_title(text, loc="left", fontsize=TITLE, color=INK, linespacing=1.35, pad=8.0, **LITERAL)
    return figure


def _write_numbers_in_full(axes: Axes) -> None:
    """Write each number of a straight axis as it is: a factor or an offset above the axis is easily missed."""
    from matplotlib.ticker import FuncFormatter, ScalarFormatter

    for axis in (axes.xaxis, axes.yaxis):
        if isinstance(axis.get_major_formatter(), ScalarFormatter):
            axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:.9g}".replace("-", "\u2212")))


def _room(axes: Axes, figure: Figure) -> float:
    """Return inches for a title: from the left of the axes to the right of a figure of its own, or of the axes."""
    from mechdesign.plotting.picture import Picture

    if not isinstance(figure, Picture):
        return float(axes.get_window_extent().width / figure.dpi)
    # How far to the right the axes begin is known when the labels beside them have been laid out.
    figure.draw_without_rendering()
    return float((figure.bbox.width - axes.get_window_extent().x0) / figure.dpi) - 0.1


def figure_of(axes: Axes) -> Figure:
    """Return the outermost figure that the axes are in."""
    found: Any = axes.figure
    while getattr(found, "figure", found) is not found:
        found = found.figure
    figure: Figure = found
    return figure


def look(place: int, *, marked: bool = True) -> dict[str, Any]:
    """Return colour, dashes and marker of the line at a place among others."""
    # From the eighth line on colours come again, with other dashes and markers.
    turn = place + place // len(COLOURS)
    found = {"color": COLOURS[place % len(COLOURS)], "linestyle": DASHES[turn % len(DASHES)]}
    return {**found, "marker": MARKERS[turn % len(MARKERS)]} if marked else found


def with_grid(axes: Axes) -> None:
    """Draw a faint grid behind everything else."""
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def legend(axes: Axes, title: str = "", handles: Sequence[Any] | None = None, most_inside: int = INSIDE) -> None:
    """Name the curves that have names: in the axes, or beside the axes if they are crowded."""
    known = axes.get_legend_handles_labels()[0] if handles is None else list(handles)
    count = len(known)
    if not count:
        return
    beside: Mapping[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
    placed = beside if count > most_inside else {"loc": "best"}
    made = axes.legend(
        handles=known, fontsize=SMALL, frameon=count <= most_inside, framealpha=0.9, edgecolor="#dddddd", **placed
    )
    if title:
        made.set_title(title)
        made.get_title().set_fontsize(SMALL)
    for text in (*made.get_texts(), made.get_title()):
        text.set_parse_math(False)
        text.set_usetex(False)


def ticks(axes: Axes, which: str, names: Sequence[str], most: int = 40) -> None:
    """Name the places 0, 1, ... of an axis; where there are more than `most`, every second, third, ... of them."""
    step = -(-len(names) // most)
    places, labels = list(range(0, len(names), step)), [names[i] for i in range(0, len(names), step)]
    if which == "y":
        axes.set_yticks(places, labels, **LITERAL)
        return
    # Letters that stand side by side: some six to an inch for each label.
    room = axes.get_window_extent().width / figure_of(axes).dpi * 9.0
    slanted = sum(len(label) + 2 for label in labels) > room
    turned: dict[str, Any] = {"rotation": 45.0, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
    axes.set_xticks(places, labels, **turned, **LITERAL)
