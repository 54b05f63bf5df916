"""The picture of a recomputed figure: published, feasible and bound, and which points no private mechanism has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.plotting.canvas import GREY, axes_in, finished, legend, look, with_grid
from mechdesign.plotting.text import shown

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: Points of a line's width: what is published is thin, so that what lies under it is seen.
WIDTHS = {"published": 1.2, "feasible": 1.9, "bound": 1.2}


def paper_figure(figure: Any, ax: Axes | Figure | None = None) -> Figure:
    """Draw the curves of a figure of a paper; points that are not private have hollow markers, bounds have none.

    Parameters
    ----------
    figure : mechdesign.figures.PaperFigure
        What is drawn.
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in.

    Raises
    ------
    UnsupportedError
        matplotlib is not installed.
    DomainError
        `ax` is something else.

    Examples
    --------
    >>> from mechdesign.figures import recomputed
    >>> picture = recomputed("jiang_lip/fig5").plot()
    >>> picture.axes[0].get_xlabel()
    'epsilon, nats'
    """
    axes = axes_in(ax)
    with_grid(axes)
    for curve in (curve for curve in figure.curves if _is_beside(curve)):
        axes.plot(curve.x, curve.y, linewidth=WIDTHS["bound"], color=GREY, linestyle=":", zorder=1.5)
    for place, curve in enumerate(curve for curve in figure.curves if not _is_beside(curve)):
        style: dict[str, Any] = look(place, marked=curve.kind != "bound")
        marker = style.pop("marker", None)
        axes.plot(curve.x, curve.y, linewidth=WIDTHS[curve.kind], label=_named(curve), **style)
        for private, face in ((True, style["color"]), (False, "white")) if marker else ():
            points = np.asarray(curve.private, dtype=bool) == private
            axes.plot(
                *(np.asarray(part)[points] for part in (curve.x, curve.y)),
                marker=marker,
                linestyle="none",
                markersize=5,
                markerfacecolor=face,
                markeredgecolor=style["color"],
            )
    if figure.log_y:
        axes.set_yscale("log")
    if any(map(_is_beside, figure.curves)):
        axes.plot([], [], linewidth=WIDTHS["bound"], color=GREY, linestyle=":", label="bounds of the best")
    legend(axes)
    return finished(axes, [f"{figure.key}: {figure.shows}", figure.setting], *figure.axes)


def _is_beside(curve: Any) -> bool:
    """Return whether the curve is the bound of another one, which mostly hides it."""
    return bool(curve.kind == "bound" and curve.beside)


def _named(curve: Any) -> str:
    """Return the curve's name, with a word where points of it are not private."""
    drawn = np.asarray(curve.private, dtype=bool)[~np.isnan(curve.y)]
    some = (
        "" if drawn.all() or curve.kind == "bound" else ", NOT PRIVATE" if not drawn.any() else ", hollow: not private"
    )
    return f"{shown(curve.name, 40)}{some}"
