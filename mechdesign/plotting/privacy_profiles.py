"""The privacy profile: the least delta with which (epsilon, delta)-LDP holds, against epsilon."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.plotting.canvas import axes_in, finished, legend, look, with_grid
from mechdesign.plotting.subjects import mechanism_of, named
from mechdesign.plotting.text import shown
from mechdesign.plotting.titles import ldp_level, ldp_level_in_words, of_mechanism, prior_in_words

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: Levels at which it is computed, and the last of them where some output rules an input out, in nats.
POINTS, LAST = 61, 8.0


def privacy_profile(
    mechanisms: Any, ax: Axes | Figure | None = None, *, epsilons: npt.ArrayLike | None = None
) -> Figure:
    """Draw ``delta(epsilon) = max over x, z of sum_y max(0, Q[x, y] - e^epsilon Q[z, y])``, as exact fractions give it.

    Parameters
    ----------
    mechanisms : Mechanism, Design, or mapping of str to either
        Whose profiles to draw.
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.
    epsilons : array_like, shape (k,), optional
        Nats, at least 0; by default from 0 to a little beyond the largest LDP level, or to 8 where that is infinite.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in; a marker on the axis is the LDP level, from which on delta is 0.

    Raises
    ------
    DomainError
        No mechanisms; an epsilon that is negative or not finite.
    UnsupportedError
        matplotlib is not installed.

    Examples
    --------
    >>> import mechdesign as md
    >>> made = md.baselines.randomised_response(md.Problem(n=3), 1.0)
    >>> picture = privacy_profile(made, epsilons=[0.0, 0.5, 1.0])
    >>> [round(delta, 3) for delta in picture.axes[0].lines[0].get_ydata().tolist()]
    [0.364, 0.227, 0.0]
    """
    rule = "it has to be a Mechanism, or several by name"
    given = named("mechanisms", mechanisms, "this mechanism", rule)
    found = {name: mechanism_of(each) for name, each in given.items()}
    levels = {name: ldp_level(each.matrix) for name, each in found.items()}
    if epsilons is None:
        end = max((level for level in levels.values() if math.isfinite(level)), default=0.0)
        epsilons = np.linspace(0.0, LAST if any(map(math.isinf, levels.values())) else 1.15 * end or 1.0, POINTS)
    across = np.atleast_1d(np.asarray(epsilons, dtype=float))
    across = across[np.argsort(across, kind="stable")]
    axes = axes_in(ax)
    with_grid(axes)
    for place, (name, each) in enumerate(found.items()):
        style, marker = look(place, marked=False), look(place)["marker"]
        axes.plot(across, each.privacy_profile(across), linewidth=1.8, label=shown(name, 40), **style)
        level = levels[name]
        if level <= across[-1]:
            label = f"LDP level {ldp_level_in_words(each.matrix)}"
            axes.plot([level], [0.0], marker, color=style["color"], markersize=7, clip_on=False, zorder=4, label=label)
    axes.set_xlim(float(across[0]), float(across[-1]) if across[-1] > across[0] else None)
    axes.set_ylim(bottom=0.0)
    legend(axes)
    return finished(axes, _title(found), "epsilon (nats)", "least delta (probability)")


def _title(found: dict[str, Any]) -> list[str]:
    if len(found) == 1:
        return of_mechanism(next(iter(found.values())), "Privacy profile")
    problems = [each.inputs for each in found.values()]
    sizes = sorted({problem.n for problem in problems})
    count = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    sources = "; ".join(dict.fromkeys(map(prior_in_words, problems)))
    return [f"Privacy profiles of {len(found)} mechanisms", f"n = {count}, {sources}"]
