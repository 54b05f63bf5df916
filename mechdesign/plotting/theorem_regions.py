"""Where a theorem holds: its claimed domain over two of its variables, and the part that was confirmed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.errors import DomainError, MechdesignError, nearest
from mechdesign.parameters.checks import Array, whole
from mechdesign.plotting.canvas import GREY, INK, axes_in, finished, legend
from mechdesign.plotting.subjects import require
from mechdesign.plotting.text import shown
from mechdesign.plotting.theorem_axes import Across, axes_of

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: What becomes of the part of the claimed domain that was confirmed, and of the rest, by the recorded verdict.
WORDS = {
    "holds": ("holds", ""),
    "holds under a narrower condition": ("holds", "claimed, but fails"),
    "misprinted": ("holds as corrected, not as printed", "claimed, but fails"),
    "false": ("", "claimed, but false: it fails somewhere here"),
}
UNDECIDED = ("", "claimed, not decided")
#: Colours that differ in print as well, and the lines across what fails.
HOLDS, FAILS = "#56B4E9", "#E69F00"


def theorem_region(
    theorem: Any,
    ax: Axes | Figure | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    at: Mapping[str, Any] | None = None,
    points: int = 81,
) -> Figure:
    """Draw over two variables of a theorem where it was confirmed, and where it is claimed and fails.

    Parameters
    ----------
    theorem : Theorem
        As ``mechdesign.theorems.theorem(key)`` returns it.
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.
    x, y : str, optional
        Variables of its family that are numbers or distributions; of a distribution the first probability is drawn, and
        the others share the rest alike. By default a distribution across and a number upwards, where there are such.
    at : mapping, optional
        Values of the other variables, by name; by default the plainest ones.
    points : int
        At so many places along each axis.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in; the verdict is the recorded one.

    Raises
    ------
    DomainError
        A variable that the theorem does not have (the nearest is named), or that is no axis; the same one twice; no
        theorem.
    UnsupportedError
        Fewer than two variables that are numbers or distributions; matplotlib is not installed.

    Examples
    --------
    >>> from mechdesign.theorems import theorem
    >>> picture = theorem_region(theorem("jiang_lip/T2"), points=9)
    >>> picture.axes[0].get_xlabel(), picture.axes[0].get_ylabel()
    ('prior[0]', 'epsilon (nats)')
    """
    rule = "it has to be a Theorem"
    attributes = ("family", "claimed", "narrower", "confirmed", "verdict")
    require("theorem", theorem, attributes, rule, 'give mechdesign.theorems.theorem("jiang_lip/T2")')
    fixed = _fixed(theorem, at)
    across, upwards = axes_of(theorem, fixed, x, y)
    count = whole("points", points, 2)
    horizontal, vertical = across.numbers(count), upwards.numbers(count)
    claimed, confirmed = _margins(theorem, fixed, across, upwards, (horizontal, vertical))
    axes = axes_in(ax, (7.4, 4.2))
    inside, outside = WORDS.get(theorem.verdict, UNDECIDED)
    handles = []
    if outside:
        handles.append(_fill(axes, horizontal, vertical, claimed, outside, FAILS, "////"))
    if inside:
        handles.append(_fill(axes, horizontal, vertical, np.minimum(claimed, confirmed), inside, HOLDS, None))
    _draw_edges(axes, horizontal, vertical, [claimed, *([confirmed] if inside else [])])
    axes.set_xlim(across.low, across.high)
    axes.set_ylim(upwards.low, upwards.high)
    for each, scale in ((across, axes.set_xscale), (upwards, axes.set_yscale)):
        if each.log:
            scale("log")
    legend(axes, handles=[handle for handle in handles if handle is not None], most_inside=0)
    return finished(axes, _title(theorem, fixed, {across.name, upwards.name}), across.label, upwards.label)


def conditions_of(theorem: Any) -> tuple[Any, ...]:
    """Return the conditions under which the print, or where that is wrong its correction, was found to hold."""
    if theorem.verdict == "misprinted":
        return tuple(theorem.confirmed)
    narrower = theorem.narrower if theorem.verdict == "holds under a narrower condition" else ()
    return (*theorem.claimed, *narrower)


def _fixed(theorem: Any, at: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a value for each variable: its value in `at`, or the plainest one."""
    variables = theorem.family.variables
    given = dict(at or {})
    for name in given:
        if name not in variables:
            raise DomainError("at", name, "the theorem has no such variable", nearest(str(name), variables))
    known: dict[str, Any] = {}
    for name, variable in variables.items():
        known[name] = given[name] if name in given else variable.corners(known)[0]
    return known


def _margins(
    theorem: Any, fixed: Mapping[str, Any], across: Across, upwards: Across, numbers: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Return the least margin of the claimed conditions, and of the confirmed domain's, at each place."""
    family = theorem.family
    plain = family.corners()[0]
    claimed = np.full((len(numbers[1]), len(numbers[0])), np.nan)
    confirmed = claimed.copy()
    for (row, column), _ in np.ndenumerate(claimed):
        moved = {
            across.name: across.value(float(numbers[0][column])),
            upwards.name: upwards.value(float(numbers[1][row])),
        }
        values = {**fixed, **moved}
        if family.exact:
            values = {name: family.variables[name].exactly(value) for name, value in values.items()}
        try:
            with np.errstate(all="ignore"):
                subject = family.subject(plain.changed(**values))
                claimed[row, column] = _least(theorem.claimed, subject)
                confirmed[row, column] = _least(conditions_of(theorem), subject)
        except (MechdesignError, ArithmeticError):
            # No point of the family: neither claimed nor confirmed.
            continue
    return claimed, confirmed


def _least(conditions: Iterable[Any], subject: Any) -> float:
    """Return the least margin, 1 where there is no condition; what holds up to rounding is not negative."""
    margins = [
        max(found, 0.0) if each.met(subject) else found for each in conditions for found in [each.margin(subject)]
    ]
    return min(margins, default=1.0)


def _fill(
    axes: Axes, horizontal: Array, vertical: Array, margin: Array, name: str, colour: str, hatch: str | None
) -> Any:
    """Fill where the margin is not negative, and return what stands in the legend; None where that is nowhere."""
    from matplotlib.patches import Patch

    if not (margin >= 0).any():
        return None
    top = float(np.nanmax(margin)) * 2.0 + 1.0
    filled = np.ma.masked_invalid(margin)
    made = axes.contourf(horizontal, vertical, filled, levels=[0.0, top], colors=[colour], hatches=[hatch])
    made.set_edgecolor(INK if hatch else "none")
    made.set_linewidth(0.0)
    made.set_label(name)
    return Patch(facecolor=colour, edgecolor=INK if hatch else "none", hatch=hatch, linewidth=0.0, label=name)


def _draw_edges(axes: Axes, horizontal: Array, vertical: Array, margins: list[Array]) -> None:
    for margin in margins:
        if (margin < 0).any() and (margin > 0).any():
            axes.contour(horizontal, vertical, np.ma.masked_invalid(margin), levels=[0.0], colors=[INK], linewidths=1.2)
    axes.set_facecolor("white")
    axes.tick_params(color=GREY)


def _title(theorem: Any, fixed: Mapping[str, Any], drawn: set[str]) -> list[str]:
    conditions = conditions_of(theorem)
    stated = "where " + " and ".join(map(str, conditions)) if conditions else "on the whole family"
    others = ", ".join(f"{name} = {_formatted(value)}" for name, value in fixed.items() if name not in drawn)
    title = [f"{theorem.name}: {theorem.verdict}", shown(stated, 120)]
    return [*title, f"at {shown(others, 120)}"] if others else title


def _formatted(value: Any) -> str:
    if isinstance(value, np.ndarray | tuple | list):
        return f"({', '.join(_formatted(each) for each in value)})"
    return f"{float(value):.4g}" if isinstance(value, int | float | np.number) else str(value)
