"""Estimated queries in their order, such as a distribution function, with their confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.labels import aligned
from mechdesign.plotting.canvas import BLUE, GREY, RED, axes_in, finished, legend, ticks, with_grid
from mechdesign.plotting.selecting import require_few
from mechdesign.plotting.subjects import require
from mechdesign.plotting.text import distinct

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: Queries that a picture can show.
MOST = 400


def queries(
    estimated: Any,
    ax: Axes | Figure | None = None,
    *,
    truth: npt.ArrayLike | None = None,
    level: float = 0.95,
    simultaneous: bool = True,
    steps: bool = True,
) -> Figure:
    """Draw the estimates of queries from left to right, with a band of their confidence intervals.

    Of prefix sums it is the distribution function: where the band crosses 0.5 is the interval of the median.

    Parameters
    ----------
    estimated : QueryEstimates
        As `Estimate.queries` returns it.
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.
    truth : array_like, shape (p,), optional
        The true answers, put in order by the queries' names if they have labels; diamonds.
    level : float
        The intervals' probability, above 0 and below 1.
    simultaneous : bool
        Whether it is the probability of all intervals at once.
    steps : bool
        Whether the estimates are the steps of a function, or points with bars.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in.

    Raises
    ------
    UnsupportedError
        Matplotlib is not installed.
    DomainError
        More than 400 queries; another number of true answers; another level; no estimates of queries.

    Examples
    --------
    >>> import mechdesign as md
    >>> made = md.baselines.randomised_response(md.Problem(labels=["low", "middle", "high"]), 2.0)
    >>> picture = queries(made.estimate(counts=[300, 400, 300]).queries("prefix"))
    >>> picture.axes[0].get_ylabel()
    'answer'
    """
    rule = "it has to be estimates of queries"
    remedy = 'give mechanism.estimate(reports).queries("prefix")'
    require("estimated", estimated, ("names", "values", "standard_errors", "interval"), rule, remedy)
    count = len(estimated.names)
    known = None if truth is None else aligned("truth", truth, estimated.names, count, whose="estimate")
    low, high = estimated.interval(level, simultaneous).T
    require_few("estimated", count, MOST, "queries", "ask for fewer, queries[:400] of the rows")
    axes = axes_in(ax, (7.2, 4.2))
    with_grid(axes)
    across, named = np.arange(count), f"{100 * level:g} % interval"
    if steps:
        axes.fill_between(across, low, high, step="mid", color=BLUE, alpha=0.25, linewidth=0, label=named)
        axes.step(across, estimated.values, where="mid", color=BLUE, label="estimate")
    else:
        axes.vlines(across, low, high, color=BLUE, linewidth=2.2, label=named)
        axes.plot(across, estimated.values, "o", color=BLUE, markersize=5, label="estimate", zorder=3)
    if known is not None:
        hollow: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": RED, "markeredgewidth": 1.4}
        axes.plot(across, known, "D", markersize=4.5, label="truth", zorder=4, linestyle="none", **hollow)
    axes.axhline(0.0, color=GREY, linewidth=0.8)
    ticks(axes, "x", distinct(list(estimated.names)), most=MOST)
    legend(axes, most_inside=0)
    how = "all at once" if simultaneous else "each by itself"
    title = [f"{count} queries from {estimated.reports:,} reports", f"intervals {how}"]
    return finished(axes, title, "query", "answer")
