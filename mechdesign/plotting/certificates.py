"""The certificate: what each decision would gain beyond the multipliers' price, which is 0 where decisions are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.displays.numbers import outward
from mechdesign.plotting.canvas import BLUE, GREY, INSIDE, RED, SMALL, axes_in, finished, legend, ticks, with_grid
from mechdesign.plotting.subjects import require
from mechdesign.plotting.text import LITERAL, distinct, shown
from mechdesign.plotting.titles import in_unit, of_mechanism

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: Decisions up to which each that is made has its output's name beside it, where it has room.
NAMED = 10
#: Points above a decision at which its name may stand, and the width of a letter as a share of the axis.
HEIGHTS, LETTER = (8.0, 19.0), 0.016


def certificate(design: Any, ax: Axes | Figure | None = None) -> Figure:
    """Draw ``max over v of g_t . v - lam . v - nu . beta(v) - rho`` against the decision t: nowhere above 0.

    The maximum is over the columns v that the notion allows, on the slice ``c . v = 1``; ``g_t . v`` is what the column
    is worth where decision t is taken; lam, nu and rho are the certificate's. That it is nowhere above 0 is the proof
    of the bound; at the decisions that the mechanism makes it is as near to 0 as value and bound are to each other.

    Parameters
    ----------
    design : Design
        Of an objective whose decision is one number or one of a list; see `Design.price_curve`.
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in. Utilities are in the objective's unit.

    Raises
    ------
    UnsupportedError
        An objective whose decisions are no numbers and no list (mutual information, histograms, exponents, information
        design), a bound on the number of outputs, a user's own constraints; matplotlib is not installed.
    DomainError
        No design.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
    >>> picture = certificate(md.design(problem, md.LDP(1.0), md.MMSE()))
    >>> picture.axes[0].get_xlabel()
    'estimate (value)'
    """
    rule = "it has to be a Design, which comes with its certificate"
    require("design", design, ("price_curve", "mechanism"), rule, "give md.design(problem, notion, objective)")
    curve = design.price_curve()
    axes = axes_in(ax, (6.4, 4.0))
    with_grid(axes)
    axes.axhline(0.0, color=GREY, linewidth=1.0)
    if curve.names is None:
        axes.plot(curve.decisions, curve.prices, color=BLUE, linewidth=1.6, label="every decision")
    else:
        axes.vlines(curve.decisions, curve.prices, 0.0, color=BLUE, linewidth=1.0)
        axes.plot(curve.decisions, curve.prices, "o", color=BLUE, markersize=5, label="every decision")
        ticks(axes, "x", distinct(curve.names))
    made: dict[str, Any] = {"color": RED, "markersize": 7, "markeredgecolor": "white", "zorder": 4}
    axes.plot(curve.made, curve.prices_of_made, "D", label="decisions that are made", **made)
    _name_outputs(axes, curve, design.mechanism.outputs)
    _leave_room(axes, curve, max(abs(design.value), abs(design.bound)))
    # Those of a list stand all in one row, which a legend would cover.
    legend(axes, most_inside=INSIDE if curve.names is None else 0)
    value, bound = outward(design.value, design.bound, design.mechanism.asked.objective.sense)
    title = of_mechanism(design.mechanism, f"Certificate: value {value}, bound {bound}")
    return finished(
        axes, title, in_unit(curve.quantity, curve.unit), in_unit("utility beyond the price", curve.utility_unit)
    )


def _name_outputs(axes: Axes, curve: Any, outputs: tuple[str, ...]) -> None:
    """Write the output's name above each decision that is made, on two heights, where it has room there."""
    if curve.names is not None or len(curve.made) > NAMED:
        return
    span = float(np.ptp(curve.decisions)) or 1.0
    free = dict.fromkeys(HEIGHTS, -np.inf)
    for index in np.argsort(curve.made):
        at = (float(curve.made[index]), float(curve.prices_of_made[index]))
        name = shown(outputs[curve.outputs[index]], 14)
        half = 0.5 * LETTER * span * len(name)
        height = next((height for height in HEIGHTS if at[0] - half >= free[height]), None)
        if height is None:
            continue
        free[height] = at[0] + half
        look: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": SMALL, "textcoords": "offset points"}
        axes.annotate(name, at, xytext=(0.0, height), **look, **LITERAL)


def _leave_room(axes: Axes, curve: Any, size: float) -> None:
    """Leave a sixth of the height above 0, for the names and to show that nothing is there.

    Where every decision is as good as any other, rounding would fill the picture: less than a billionth is not shown.
    """
    least = float(min(curve.prices.min(), curve.prices_of_made.min()))
    most = float(max(curve.prices.max(), curve.prices_of_made.max(), 0.0))
    height = max(most - least, 1e-9 * size) or 1.0
    least = min(least, most - height)
    axes.margins(x=0.07)
    axes.set_ylim(least - 0.05 * height, most + 0.22 * height)
