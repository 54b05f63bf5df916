"""The picture of a recomputed figure: published, feasible and bound, and which points no private mechanism has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.plotting.canvas import GREY, axes_in, finished, legend, look, with_grid
from mechdesign.plotting.text import shown

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: Points of a line's width and of a marker's size, and how much is added where a curve has others drawn over it.
WIDTH, MARKER, MORE, LARGER = 1.4, 4.5, 1.6, 2.2
#: So many at most are drawn one over the other in different sizes.
DEEPEST = 3
#: Curves coincide where they are this near, as a share of the height of all, at this share of the points.
NEAR, ALIKE = 0.004, 0.3


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
        axes.plot(curve.x, curve.y, linewidth=WIDTH, color=GREY, linestyle=":", zorder=1.5)
    drawn = [curve for curve in figure.curves if not _is_beside(curve)]
    looks = [look(place, marked=curve.kind != "bound") for place, curve in enumerate(drawn)]
    # What is private and optimal lies below: what is published is drawn over it, thinner.
    order = sorted(range(len(drawn)), key=lambda place: drawn[place].kind != "feasible")
    depths = dict(zip(order, _depths([drawn[place] for place in order], log_y=figure.log_y), strict=True))
    for place in order:
        _draw(axes, drawn[place], looks[place], depths[place])
    for curve, style in zip(drawn, looks, strict=True):
        axes.plot([], [], linewidth=WIDTH, markersize=MARKER, label=_named(curve), **style)
    if figure.log_y:
        axes.set_yscale("log")
    if any(map(_is_beside, figure.curves)):
        axes.plot([], [], linewidth=WIDTH, color=GREY, linestyle=":", label="bounds of the best")
    legend(axes)
    return finished(axes, [figure.title], *figure.axes)


def _draw(axes: Axes, curve: Any, style: dict[str, Any], depth: int) -> None:
    """Draw a curve, wider and with larger markers the more other curves lie over it."""
    plain = {name: value for name, value in style.items() if name != "marker"}
    axes.plot(curve.x, curve.y, linewidth=WIDTH + MORE * depth, **plain)
    for private, face in ((True, style["color"]), (False, "white")) if "marker" in style else ():
        points = np.asarray(curve.private, dtype=bool) == private
        axes.plot(
            *(np.asarray(part)[points] for part in (curve.x, curve.y)),
            marker=style["marker"],
            linestyle="none",
            markersize=MARKER + LARGER * depth,
            markerfacecolor=face,
            markeredgecolor=style["color"],
        )


def _depths(curves: Sequence[Any], *, log_y: bool) -> list[int]:
    """Return for each curve, in the order of drawing, how many lie one over the other on it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        heights = [np.log(curve.y) if log_y else curve.y for curve in curves]
    finite = np.concatenate([each[np.isfinite(each)] for each in heights] or [np.zeros(0)])
    near = NEAR * float(np.ptp(finite)) if len(finite) else 0.0
    depths = [0] * len(curves)
    for lower in reversed(range(len(curves))):
        over = [k for k in range(lower + 1, len(curves)) if _coincide(curves, heights, lower, k, near)]
        depths[lower] = min(max((depths[k] + 1 for k in over), default=0), DEEPEST)
    return depths


def _coincide(curves: Sequence[Any], heights: Sequence[Any], one: int, other: int, near: float) -> bool:
    """Return whether two curves over the same points lie one over the other at some share of them."""
    if len(curves[one].x) != len(curves[other].x) or not np.allclose(curves[one].x, curves[other].x):
        return False
    return bool(np.mean(np.abs(heights[one] - heights[other]) <= near) >= ALIKE)


def _is_beside(curve: Any) -> bool:
    """Return whether the curve is the bound of another one, which mostly hides it."""
    return bool(curve.kind == "bound" and curve.beside)


def _named(curve: Any) -> str:
    """Return the curve's name, with a word if some of its points are not private."""
    drawn = np.asarray(curve.private, dtype=bool)[~np.isnan(curve.y)]
    some = (
        "" if drawn.all() or curve.kind == "bound" else ", NOT PRIVATE" if not drawn.any() else ", hollow: not private"
    )
    return f"{shown(curve.name, 40)}{some}"
