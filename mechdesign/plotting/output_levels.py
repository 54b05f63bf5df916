"""How much each output betrays: lifts ``ln Pr(y|s) - ln Pr(y)`` or log-ratios, beside the level that is asked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.columns.mass_band import MassBand
from mechdesign.columns.pair_ratios import EveryPair
from mechdesign.columns.ratio_in_blocks import RatioInBlocks
from mechdesign.displays.numbers import in_full, rounded_up
from mechdesign.errors import UnsupportedError
from mechdesign.notions import AsymmetricLIP, Notion
from mechdesign.notions.lift_band import log_lifts
from mechdesign.parameters.checks import Array
from mechdesign.plotting.canvas import BLUE, GREY, INK, RED, axes_in, finished, legend, ticks, with_grid
from mechdesign.plotting.selecting import Places, chosen, largest_of, require_few, weights_of
from mechdesign.plotting.subjects import require
from mechdesign.plotting.text import distinct, shown
from mechdesign.plotting.titles import in_unit, level_in_words, prior_in_words
from mechdesign.problem import Problem

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: Outputs that a picture can show.
MOST = 300
#: Levels of single outputs agree with that of the matrix within this share.
AGREED = 1e-9


@dataclass(frozen=True)
class Betrayed:
    """Numbers of each output, shape (k, m), the limits asked for (infinite for none) and what the numbers are."""

    numbers: Array
    lower: float
    upper: float
    what: str


def output_levels(audit: Any, ax: Axes | Figure | None = None, *, columns: Any = None, largest: Any = None) -> Figure:
    """Draw the privacy leakage of each output, the limits that the notion sets, and the witness of the level.

    Parameters
    ----------
    audit : Audit
        As `md.audit` returns it. Notions of lifts (LIP, MaxLift, AsymmetricLIP, CentralizedIP) show
        ``ln Pr(y|s) - ln Pr(y)`` of every secret s; LDP and WorstCaseLIP ``ln Pr(y|s) - min over t of ln Pr(y|t)``;
        other notions the level of each output by itself. In nats where the notion's level is.
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.
    columns : sequence of int or str, optional
        The outputs to draw, by index or name; by default those that occur.
    largest : int, optional
        In place of them: so many outputs of the largest mass.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in. Infinite numbers are triangles at its edge. The witness has a ring around it, or the title
        says that its output is not among those drawn.

    Raises
    ------
    UnsupportedError
        A notion whose level is a sum over outputs, with what to draw instead; matplotlib is not installed.
    DomainError
        More than 300 outputs, with what to pass; an output that there is none of; no audit, or one without its matrix.

    Examples
    --------
    >>> import mechdesign as md
    >>> picture = output_levels(md.audit([[0.75, 0.25], [0.25, 0.75]], md.LDP(1.0)))
    >>> picture.axes[0].get_ylabel()
    'ln Pr(y|x) - least ln Pr(y|x) (nats)'
    """
    rule = "it has to be an Audit that keeps the matrix it is of"
    require("audit", audit, ("matrix", "notion", "inputs", "output"), rule, "give md.audit(matrix, notion, problem)")
    require("audit", audit.problem, ("secrets",), rule, "make it again by md.audit(matrix, notion, problem)")
    problem, matrix = audit.problem, audit.matrix
    level, notion = worst_part(audit)
    found = betrayed(notion, matrix, problem)
    names = audit.outputs or tuple(str(y) for y in range(matrix.shape[1]))
    picked = _picked(matrix, problem, names, columns, largest)
    require_few(
        "audit", len(picked), MOST, "outputs", "pass largest=40 for the most probable outputs, or columns=[...]"
    )
    calls = distinct([names[y] for y in picked])
    # Labels that do not fit side by side are slanted, and take height.
    height = 4.0 + 0.05 * max(map(len, calls))
    axes = axes_in(ax, (min(max(6.0, 2.0 + 0.35 * len(picked)), 11.0), height))
    with_grid(axes)
    title = [f"{level_in_words(notion)}: {'holds' if audit.holds else 'does NOT hold'}, level {rounded_up(level, 6)}"]
    title.append(f"n = {problem.n}, {prior_in_words(problem)}")
    if len(picked) < matrix.shape[1]:
        title.append(f"{len(picked)} of {matrix.shape[1]} outputs")
    _draw_numbers(axes, found, picked)
    _draw_limits(axes, found)
    missing = _draw_witness(axes, audit, found, picked)
    axes.margins(y=0.14)
    ticks(axes, "x", calls)
    axes.set_xlim(-0.5, len(picked) - 0.5)
    legend(axes)
    return finished(axes, [*title, *missing], "output y", in_unit(found.what, notion.level_unit))


def worst_part(audit: Any) -> tuple[float, Notion]:
    """Return the notion with its level, of an intersection the part furthest above what it asks for.

    The witness is that part's own.
    """
    notion: Notion = audit.notion
    if isinstance(notion, AsymmetricLIP) or len(notion.parts()) == 1:
        return float(audit), notion
    return max(zip(audit.levels, notion.parts(), strict=True), key=lambda pair: pair[0] - pair[1].parameter)


def betrayed(notion: Notion, matrix: Array, problem: Problem) -> Betrayed:
    """Return the privacy leakage of each output, with its limits; columns of zeros leak nothing.

    Raises
    ------
    UnsupportedError
        The level is no largest one of single outputs.
    """
    letter = problem.secret_letter
    shape = notion.columns(problem).of_secret
    if isinstance(shape, MassBand):
        lift = f"lift ln Pr(y|{letter}) - ln Pr(y)"
        return Betrayed(log_lifts(matrix, problem), -shape.lower, shape.upper, lift)
    if isinstance(shape, EveryPair) or (isinstance(shape, RatioInBlocks) and shape.banded):
        seen = problem.seen_by_secret(matrix)
        used = seen.max(axis=0) > 0
        numbers = np.zeros_like(seen)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.log(seen[:, used]) - np.log(seen[:, used].min(axis=0))
        # Where the least is 0, what is 0 too is no more probable.
        numbers[:, used] = np.where(np.isnan(ratios), 0.0, ratios)
        what = f"ln Pr(y|{letter}) - least ln Pr(y|{letter})"
        return Betrayed(numbers, -math.inf, shape.epsilon, what)
    levels = _single(notion, matrix, problem)
    return Betrayed(levels[None, :], -math.inf, notion.parameter, f"{notion.level_name} of the output alone")


def _single(notion: Notion, matrix: Array, problem: Problem) -> Array:
    """Return the level of each output by itself, where the level of the matrix is the largest of them."""
    refusal = (
        f"The level of {notion.name} is not that of a single output, so outputs cannot be set against it; draw "
        "mechdesign.plotting.privacy_profile(mechanism) or heat_map(mechanism)."
    )
    if len(notion.columns(problem).budget()) or notion.columns(problem).revealed:
        raise UnsupportedError(refusal)
    # An output that never occurs has the level of one that is independent of the secret.
    levels = np.full(matrix.shape[1], notion.columns(problem).least_level)
    for y in np.flatnonzero(matrix.max(axis=0) > 0):
        levels[y] = notion.level(matrix[:, [y]], problem).value
    whole = notion.level(matrix, problem).value
    if not (whole == levels.max() or abs(whole - levels.max()) <= AGREED * max(1.0, abs(whole))):
        raise UnsupportedError(refusal)
    return levels


def _picked(matrix: Array, problem: Problem, names: tuple[str, ...], columns: Any, largest: Any) -> Places:
    if largest is not None and columns is None:
        return largest_of(weights_of(matrix, problem.prior)[1], largest)
    if columns is None:
        return np.flatnonzero(matrix.max(axis=0) > 0)
    return chosen("columns", columns, names)


def _draw_numbers(axes: Axes, found: Betrayed, picked: Places) -> None:
    numbers = found.numbers[:, picked]
    across = np.broadcast_to(np.arange(len(picked)), numbers.shape)
    finite = np.isfinite(numbers)
    label = "each secret" if len(numbers) > 1 else "each output"
    axes.plot(across[finite], numbers[finite], "o", color=BLUE, markersize=4.5, alpha=0.75, label=label)
    for sign, marker, name in ((1.0, "^", "infinite"), (-1.0, "v", "minus infinite")):
        gone = np.isinf(numbers) & (np.sign(numbers) == sign)
        if gone.any():
            edge = axes.get_xaxis_transform()
            at = np.full(gone.sum(), 0.97 if sign > 0 else 0.03)
            axes.plot(across[gone], at, marker, color=RED, transform=edge, clip_on=False, label=name)


def _draw_limits(axes: Axes, found: Betrayed) -> None:
    for limit, dashes, name in ((found.upper, "-", "asked at most"), (found.lower, "--", "asked at least")):
        if math.isfinite(limit):
            axes.axhline(limit, color=RED, linewidth=1.4, linestyle=dashes, label=f"{name} {in_full(limit)}")
    axes.axhline(0.0, color=GREY, linewidth=0.8)


def _draw_witness(axes: Axes, audit: Any, found: Betrayed, picked: Places) -> list[str]:
    """Put a ring around the number that shows the level; return in words where it cannot be shown."""
    if audit.output is None:
        return ["no single output shows the level"]
    if audit.output not in picked:
        return [f"witness not drawn: {shown(audit.sentence, 100)}"]
    secret = audit.inputs[0] if len(found.numbers) > 1 and audit.inputs else 0
    number, across = float(found.numbers[secret, audit.output]), int(np.flatnonzero(picked == audit.output)[0])
    transform = axes.transData if math.isfinite(number) else axes.get_xaxis_transform()
    height = number if math.isfinite(number) else 0.97 if number > 0 else 0.03
    ring: dict[str, Any] = {"markersize": 11, "markerfacecolor": "none", "markeredgecolor": INK, "markeredgewidth": 1.6}
    axes.plot([across], [height], "o", transform=transform, clip_on=False, label="witness of the level", **ring)
    return [f"witness: {shown(audit.sentence, 100)}"]
