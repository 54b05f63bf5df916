"""The frontier: the best value at each level, its certified bound, and what known mechanisms reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import Array, truth, whole
from mechdesign.plotting.canvas import GREY, INK, axes_in, finished, legend, look, with_grid
from mechdesign.plotting.subjects import named, require
from mechdesign.plotting.text import distinct, shown
from mechdesign.plotting.titles import in_unit, prior_in_words

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: Levels beyond so many times the least one are left out of the picture of a bracket.
FAR = 4.0
#: Baselines that are lines of reference, one for all curves.
REFERENCES = {"no privacy": ":", "uninformative": "--"}


def frontier(
    curves: Any, ax: Axes | Figure | None = None, *, baselines: bool | None = None, part: int | None = None
) -> Figure:
    """Draw the value of the best mechanism against the level, the band from value to bound, and known mechanisms.

    Parameters
    ----------
    curves : Frontier, mapping of str to Frontier, or sequence of Frontier
        As `md.frontier` returns them, all of one objective; without names they are called by their notions.
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.
    baselines : bool, optional
        Whether to draw known mechanisms and published closed forms at the same levels; those that are not private
        there are crosses. By default for one curve, and for several the lines of reference alone.
    part : int, optional
        Which part of the level is across, for a notion whose level has several.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in. The optimum lies within the band; levels without a finite value are counted in the title.

    Raises
    ------
    DomainError
        No frontiers, or several objectives; a level of several parts without `part`, or another part than there is.
    UnsupportedError
        matplotlib is not installed.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5], values=[0, 1])
    >>> picture = frontier(md.frontier(problem, md.LDP, md.MMSE(), [0.5, 1.0]), baselines=False)
    >>> picture.axes[0].get_xlabel(), picture.axes[0].get_ylabel()
    ('epsilon (nats)', 'MMSE (value squared)')
    """
    found = _curves(curves)
    full = len(found) == 1 if baselines is None else truth("baselines", baselines)
    questions = [curve.designs[0].mechanism.asked for curve in found.values()]
    first = questions[0]
    other = next((each for each in questions if each.objective != first.objective), None)
    if other is not None:
        rule = f"one axis shows one objective, and the first curve has {first.objective}"
        raise DomainError("curves", f"of {other.objective} too", rule, "draw a picture of each")
    across = {name: _levels(curve, part) for name, curve in found.items()}
    axes = axes_in(ax, (7.4, 4.2) if full else (6.0, 4.2))
    with_grid(axes)
    lost = 0
    for place, (name, curve) in enumerate(found.items()):
        lost += _draw_curve(axes, across[name], curve, place, shown(name, 40))
    for place, (name, curve) in enumerate(found.items()):
        after = f", {shown(name, 20)}" if len(found) > 1 else ""
        _draw_baselines(axes, across[name], curve, full, after, first_curve=place == 0)
    legend(axes)
    names, units = ({get(each.notion) for each in questions} for get in (_level_name, lambda notion: notion.level_unit))
    level = _part_name(names.pop(), part) if len(names) == 1 else "level"
    return finished(
        axes,
        _title(questions, lost),
        in_unit(level, units.pop() if len(units) == 1 else ""),
        in_unit(shown(str(first.objective), 40), first.objective.unit),
    )


def bracket(found: Any, ax: Axes | Figure | None = None) -> Figure:
    """Draw the levels that a calibration tried, the target, and the bracket that the least level lies in.

    Parameters
    ----------
    found : Calibration
        As `md.calibrate` returns it.
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in. Levels far beyond the bracket, which stand for no privacy, are left out.

    Raises
    ------
    DomainError
        Something else than a calibration.
    UnsupportedError
        matplotlib is not installed.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5], values=[0, 1])
    >>> picture = bracket(md.calibrate(problem, md.LDP, md.ErrorProbability(), 0.25))
    >>> picture.axes[0].get_xlabel()
    'epsilon (nats)'
    """
    rule, remedy = "it has to be a Calibration", "give md.calibrate(problem, notion, objective, target)"
    require("found", found, ("target", "level", "impossible_below", "tried"), rule, remedy)
    near = found.tried.levels <= max(FAR * found.level, found.tried.levels.min())
    designs, seconds = (
        tuple(each for each, kept in zip(given, near, strict=True) if kept)
        for given in (found.tried.designs, found.tried.seconds)
    )
    axes = axes_in(ax, (6.0, 4.2))
    picture = frontier(replace(found.tried, designs=designs, seconds=seconds), axes, baselines=False)
    axes.axhline(found.target, color=INK, linewidth=1.0, linestyle="--", label="target")
    axes.axvspan(found.impossible_below, found.level, color=GREY, alpha=0.5, label="least level in here")
    legend(axes)
    return picture


def _curves(given: Any) -> dict[str, Any]:
    rule, remedy = "it has to be a Frontier, or several by name", "give md.frontier(problem, notion, objective, levels)"
    attributes = ("levels", "values", "bounds", "designs")
    if isinstance(given, list | tuple):
        for each in given:
            require("curves", each, attributes, rule, remedy)
        calls = distinct([each.designs[0].mechanism.asked.notion.name for each in given])
        given = dict(zip(calls, given, strict=True))
    found = named("curves", given, "certified optimum", rule)
    for each in found.values():
        require("curves", each, attributes, rule, remedy)
    return found


def _levels(curve: Any, part: int | None) -> Array:
    levels: Array = curve.levels
    if levels.ndim == 1:
        return levels
    count = levels.shape[1]
    rule = f"a level has {count} parts: {_level_name(curve.designs[0].mechanism.asked.notion)}"
    if part is None:
        raise DomainError("part", None, rule, f"pass part=0 to {count - 1} for the one to draw across")
    if whole("part", part, 0) >= count:
        raise DomainError("part", part, rule, f"give one below {count}")
    return np.asarray(levels[:, part])


def _level_name(notion: Any) -> str:
    return str(notion.level_name)


def _part_name(name: str, part: int | None) -> str:
    parts = [each.strip() for each in name.split(",")]
    return parts[part] if part is not None and part < len(parts) > 1 else name


def _draw_curve(axes: Axes, levels: Array, curve: Any, place: int, name: str) -> int:
    """Draw one curve with its band; return how many of its levels have no finite value."""
    order = np.argsort(levels, kind="stable")
    values, bounds = curve.values[order], curve.bounds[order]
    finite = np.isfinite(values)
    band = finite & np.isfinite(bounds)
    style = look(place)
    axes.plot(levels[order][finite], values[finite], markersize=5, linewidth=1.8, zorder=3, label=name, **style)
    called = "value to bound" if not place else None
    across = levels[order]
    axes.fill_between(across, values, bounds, where=band, color=style["color"], alpha=0.25, linewidth=0.8, label=called)
    return int(np.count_nonzero(~finite))


def _draw_baselines(axes: Axes, levels: Array, curve: Any, full: bool, after: str, *, first_curve: bool) -> None:
    names = list(dict.fromkeys(rival.name for at_level in curve.rivals for rival in at_level))
    crossed = False
    style = 1
    for name in names:
        rivals = [next((each for each in at_level if each.name == name), None) for at_level in curve.rivals]
        values = np.array([np.nan if each is None or not np.isfinite(each.value) else each.value for each in rivals])
        if name in REFERENCES:
            known = values[np.isfinite(values)]
            if first_curve and known.size and np.ptp(known) <= 1e-9 * max(1.0, abs(known[0])):
                axes.axhline(known[0], color=GREY, linestyle=REFERENCES[name], linewidth=1.1, label=name)
            continue
        if not full or not np.isfinite(values).any():
            continue
        private = np.array([each is not None and each.private for each in rivals])
        order = np.argsort(levels, kind="stable")
        line = np.where(private, values, np.nan)[order]
        if np.isfinite(line).any():
            called = shown(name, 44) + after
            axes.plot(levels[order], line, linewidth=1.1, markersize=4, label=called, **look(style))
        broken = ~private & np.isfinite(values)
        if broken.any():
            label = None if crossed else "closed form, NOT private there"
            axes.plot(levels[broken], values[broken], "x", color=INK, markersize=6, label=label)
            crossed = True
        style += 1


def _title(questions: Sequence[Any], lost: int) -> list[str]:
    notions = ", ".join(dict.fromkeys(shown(each.notion.name, 40) for each in questions))
    sizes = sorted({each.problem.n for each in questions})
    count = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    sources = list(dict.fromkeys(prior_in_words(each.problem) for each in questions))
    sense = questions[0].objective.sense
    title = [f"Frontier of {notions}", f"{sense}d, n = {count}, {'; '.join(sources)}"]
    return [*title, f"{lost} levels without a finite value are not drawn"] if lost else title
