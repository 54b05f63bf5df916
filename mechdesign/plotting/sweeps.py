"""A sweep's rows: one column against another, in colours by a third."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign import notions, objectives
from mechdesign.errors import DomainError, nearest
from mechdesign.parameters.checks import Array
from mechdesign.plotting.canvas import axes_in, finished, legend, look, with_grid
from mechdesign.plotting.subjects import require
from mechdesign.plotting.text import distinct, shown
from mechdesign.plotting.titles import in_unit

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: Columns that are numbers, with their units, and those that name what the numbers are of.
NUMBERS = {"level": "", "value": "", "bound": "", "gap": "relative", "outputs": "count", "seconds": "s", "n": "inputs"}
NAMES = ("problem", "notion", "objective")
HUES = (*NAMES, "n", "route", "solver", "status")
#: The most lines of one figure that a reader can distinguish.
MOST = 12


def sweep(
    rows: Any, ax: Axes | Figure | None = None, *, x: str = "level", y: str = "value", hue: str | None = "notion"
) -> Figure:
    """Draw one column of a sweep against another: a line for each problem, notion and objective, coloured by `hue`.

    Parameters
    ----------
    rows : Sweep
        As `md.sweep` returns it.
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.
    x, y : {"level", "value", "bound", "gap", "outputs", "seconds", "n"}
        The columns. Of values the band to their bounds is drawn too.
    hue : {"notion", "problem", "objective", "n", "route", "solver", "status"}, optional
        The column that colours distinguish; None for one colour.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in. Rows without finite numbers are counted in the title.

    Raises
    ------
    DomainError
        A column that there is none of (the nearest is named); levels of several parts; nothing to draw; more than 12
        colours; no sweep.
    UnsupportedError
        matplotlib is not installed.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5], values=[0, 1])
    >>> made = md.sweep([problem], [md.LDP, md.LIP], [md.MMSE()], levels=[0.5, 1.0])
    >>> picture = sweep(made, y="outputs")
    >>> picture.axes[0].get_legend_handles_labels()[1]
    ['LDP', 'LIP']
    """
    require("rows", rows, ("rows", "failures"), "it has to be a Sweep", "give md.sweep(problems, notions, objectives)")
    columns = {"x": _column("x", x, NUMBERS), "y": _column("y", y, NUMBERS)}
    if hue is not None:
        _column("hue", hue, HUES)
    drawn = [row for row in rows.rows if _finite(row, x) and _finite(row, y)]
    if not drawn:
        rule = f"no row has a finite {x} and {y}"
        why = next((row.reason for row in rows.rows if row.reason), "it has no rows")
        raise DomainError("rows", f"of {len(rows.rows)} questions", rule, f"look at sweep.failures ({shown(why, 80)})")
    colours = list(dict.fromkeys(_hue(row, hue) for row in drawn))
    if len(colours) > MOST:
        remedy = "pass another hue, or hue=None, or sweep fewer at once"
        raise DomainError("hue", f"{hue} of {len(colours)} different ones", f"a picture shows at most {MOST}", remedy)
    axes = axes_in(ax, (7.0, 4.2) if len(colours) > 4 else (6.0, 4.2))
    with_grid(axes)
    labels = dict(zip(colours, distinct(colours, 40), strict=True))
    lines = list(dict.fromkeys(_line(row, hue, x) for row in drawn))
    for line in lines:
        place = colours.index(line[0])
        first = next(each for each in lines if each[0] == line[0]) == line
        _draw(
            axes,
            [row for row in drawn if _line(row, hue, x) == line],
            (x, y),
            place,
            labels[line[0]] if first else None,
        )
    legend(axes, title=hue or "")
    return finished(axes, _title(rows, drawn, columns), _label(x, drawn), _label(y, drawn))


def _column(argument: str, given: Any, known: Any) -> str:
    if given not in known:
        rule = "a sweep has no such column" if argument == "hue" else "a sweep has no such column of numbers"
        raise DomainError(argument, given, rule, nearest(str(given), known))
    return str(given)


def _finite(row: Any, name: str) -> bool:
    number = getattr(row, name)
    if isinstance(number, tuple):
        rule = "it has several parts, and an axis shows one number"
        raise DomainError(name, number, rule, 'draw "value" against "n" or "seconds", or sweep a notion of one part')
    return number is not None and bool(np.isfinite(number))


def _hue(row: Any, hue: str | None) -> str:
    return "" if hue is None else str(getattr(row, hue))


def _line(row: Any, hue: str | None, x: str) -> tuple[str, ...]:
    """Return what the rows of one line share; along n the problems differ."""
    return (_hue(row, hue), *(str(getattr(row, name)) for name in NAMES if not (name == "problem" and x == "n")))


def _draw(axes: Axes, rows: Sequence[Any], names: tuple[str, str], place: int, label: str | None) -> None:
    across, upwards = (np.array([float(getattr(row, name)) for row in rows]) for name in names)
    order = np.argsort(across, kind="stable")
    style = look(place)
    axes.plot(across[order], upwards[order], linewidth=1.6, markersize=5, label=label or None, **style)
    if names[1] == "value":
        bounds: Array = np.array([float(row.bound) for row in rows])[order]
        known = np.isfinite(bounds)
        axes.fill_between(
            across[order], upwards[order], bounds, where=known, color=style["color"], alpha=0.25, linewidth=0.8
        )


def _label(name: str, rows: Sequence[Any]) -> str:
    """Return the column with its unit; of values the objective, where it is one."""
    if name in {"value", "bound"}:
        named = list(dict.fromkeys(row.objective for row in rows))
        units = {str(getattr(getattr(objectives, each, None), "unit", "")) for each in named}
        what = f"{name} of {shown(named[0], 40)}" if len(named) == 1 else name
        return in_unit(what, units.pop() if len(units) == 1 else "each in its unit")
    if name == "level":
        members = [getattr(notions, row.notion, None) for row in rows]
        quantities = {(getattr(each, "level_name", "level"), getattr(each, "level_unit", "")) for each in members}
        return in_unit(*quantities.pop()) if len(quantities) == 1 else in_unit("level", "each in its unit")
    return in_unit(name, NUMBERS[name])


def _title(rows: Any, drawn: Sequence[Any], columns: dict[str, str]) -> list[str]:
    sizes = sorted({row.n for row in drawn})
    count = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    problems = list(dict.fromkeys(row.problem for row in drawn))
    of = f"problem {shown(problems[0], 40)}" if len(problems) == 1 else f"{len(problems)} problems"
    title = [f"Sweep: {columns['y']} against {columns['x']}", f"n = {count}, {of}"]
    missing = len(rows.rows) - len(drawn)
    return [*title, f"{missing} of {len(rows.rows)} rows have no such numbers and are not drawn"] if missing else title
