"""Estimated frequencies with their confidence intervals, beside the truth where that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import distribution
from mechdesign.plotting.canvas import BLUE, GREY, RED, axes_in, finished, legend, ticks, with_grid
from mechdesign.plotting.selecting import chosen, largest_of, require_few
from mechdesign.plotting.subjects import require
from mechdesign.plotting.text import distinct
from mechdesign.plotting.titles import ldp_level_in_words

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: Inputs that a picture can show.
MOST = 100


def estimate(
    estimated: Any,
    ax: Axes | Figure | None = None,
    *,
    truth: npt.ArrayLike | None = None,
    level: float = 0.95,
    simultaneous: bool = False,
    rows: Any = None,
    largest: Any = None,
) -> Figure:
    """Draw the estimated frequency of each input with its confidence interval, and the truth beside it.

    Parameters
    ----------
    estimated : Estimate
        As `Mechanism.estimate` returns it.
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.
    truth : array_like, shape (n,), optional
        The true frequencies, which sum to one; diamonds.
    level : float
        The intervals' probability, above 0 and below 1.
    simultaneous : bool
        Whether it is that of all intervals at once.
    rows : sequence of int or str, optional
        The inputs to draw, by index or label; by default all of them.
    largest : int, optional
        In place of them: so many inputs of the largest estimated frequency.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in.

    Raises
    ------
    UnsupportedError
        The reports do not identify all frequencies; matplotlib is not installed.
    DomainError
        More than 100 inputs, with what to pass; a truth that is no distribution over the inputs; another level; no
        estimate.

    Examples
    --------
    >>> import mechdesign as md
    >>> made = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 1.0)
    >>> picture = estimate(made.estimate(counts=[700, 300]), truth=[0.9, 0.1])
    >>> picture.axes[0].get_xlabel()
    'frequency (share of the population)'
    """
    rule = "it has to be an Estimate"
    attributes = ("frequencies", "interval", "problem")
    if not hasattr(type(estimated), "frequencies"):
        require("estimated", estimated, attributes, rule, "give mechanism.estimate(reports)")
    problem, frequencies = estimated.problem, estimated.frequencies
    known = None if truth is None else distribution("truth", problem.in_order("truth", truth))
    intervals = estimated.interval(level, simultaneous)
    if largest is not None and rows is not None:
        raise DomainError("largest", largest, "rows say what to draw", "give one or the other")
    names = [problem.named(x) for x in range(problem.n)]
    picked = chosen("rows", rows, names) if largest is None else largest_of(frequencies, largest)
    require_few("estimated", len(picked), MOST, "inputs", "pass largest=40 for the most frequent, or rows=[...]")
    axes = axes_in(ax, (7.2, min(max(1.9 + 0.32 * len(picked), 3.0), 11.0)))
    with_grid(axes)
    down = np.arange(len(picked))
    low, high = intervals[picked].T
    axes.hlines(down, low, high, color=BLUE, linewidth=2.2, label=f"{100 * level:g} % interval")
    axes.plot(frequencies[picked], down, "o", color=BLUE, markersize=6, label="estimate", zorder=3)
    if known is not None:
        hollow: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": RED, "markeredgewidth": 1.6}
        axes.plot(known[picked], down, "D", markersize=5.5, label="truth", zorder=4, linestyle="none", **hollow)
    axes.axvline(0.0, color=GREY, linewidth=0.8)
    ticks(axes, "y", distinct([names[x] for x in picked]), most=MOST)
    axes.set_ylim(len(picked) - 0.5, -0.5)
    legend(axes, most_inside=0)
    return finished(axes, _title(estimated, len(picked), simultaneous), "frequency (share of the population)", "input")


def _title(estimated: Any, drawn: int, simultaneous: bool) -> list[str]:
    n = estimated.problem.n
    how = "all at once" if simultaneous else "each by itself"
    first = f"Estimate from {estimated.reports:,} reports, method {estimated.method}, intervals {how}"
    second = f"n = {n}, LDP level {ldp_level_in_words(estimated.matrix)} nats, no prior is used"
    return [first, second + (f", {drawn} of {n} inputs" if drawn < n else "")]
