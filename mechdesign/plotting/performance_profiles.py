"""Performance and data profiles: the share of instances that each solver solves within a ratio of times, or a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import is_truth
from mechdesign.plotting.canvas import axes_in, finished, legend, look, with_grid
from mechdesign.plotting.text import shown

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

Times = Mapping[str, Mapping[str, float]]

#: Multiples of the quickest time that are drawn, at most.
MOST = 1e4


def shares_solved(times: Times, multiples: Sequence[float]) -> dict[str, list[float]]:
    """Return the share of instances that each solver solves within each multiple of the quickest time on it.

    E. D. Dolan, J. J. More, "Benchmarking optimization software with performance profiles" (2002). A failure takes for
    ever.

    Examples
    --------
    >>> shares_solved({"a": {"1": 1.0, "2": 4.0}, "b": {"1": 2.0}}, [1.0, 2.0])
    {'a': [1.0, 1.0], 'b': [0.0, 0.5]}
    """
    names = sorted({name for of_solver in times.values() for name in of_solver})
    best = {name: min(of_solver.get(name, math.inf) for of_solver in times.values()) for name in names}
    return {
        solver: [
            sum(math.isfinite(of.get(name, math.inf)) and of[name] <= multiple * best[name] for name in names)
            / len(names)
            for multiple in multiples
        ]
        for solver, of in times.items()
    }


def performance_profile(times: Times, ax: Axes | Figure | None = None, *, solved: str = "solved") -> Figure:
    """Draw for each solver the share of instances that it solves within a multiple of the quickest time on each.

    Parameters
    ----------
    times : mapping of str to mapping of str to float
        Seconds of each solver on each instance, positive; instances that it does not solve are left out or infinite.
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.
    solved : str
        What counts as solved, in words: the vertical axis is "share of instances" and that.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in.

    Raises
    ------
    DomainError
        No solver or no instance; a time that is no positive number.
    UnsupportedError
        matplotlib is not installed.

    Examples
    --------
    >>> picture = performance_profile({"a": {"1": 1.0, "2": 4.0}, "b": {"1": 2.0}})
    >>> picture.axes[0].get_ylabel()
    'share of instances solved'
    """
    instances = _checked(times)
    worst = max(_slowest(times), 10.0)
    multiples = np.geomspace(1.0, min(1.5 * worst, MOST), 400)
    axes = axes_in(ax, (7.0, 4.2))
    with_grid(axes)
    for place, (solver, shares) in enumerate(shares_solved(times, multiples.tolist()).items()):
        style = look(place, marked=False)
        axes.step(multiples, shares, where="post", linewidth=1.8, label=shown(solver, 30), **style)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlim(1.0, float(multiples[-1]))
    axes.set_ylim(0.0, 1.02)
    legend(axes)
    title = [f"Performance profile of {len(times)} solvers on {instances} instances"]
    return finished(axes, title, "time over that of the quickest (ratio)", f"share of instances {shown(solved, 40)}")


def data_profile(times: Times, ax: Axes | Figure | None = None, *, solved: str = "solved") -> Figure:
    """Draw for each solver the share of instances that it solves within a number of seconds.

    J. J. More, S. M. Wild, "Benchmarking derivative-free optimization algorithms" (2009), with seconds as the budget.

    Parameters
    ----------
    times : mapping of str to mapping of str to float
        Seconds of each solver on each instance, positive; instances that it does not solve are left out or infinite.
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.
    solved : str
        What counts as solved, in words: the vertical axis is "share of instances" and that.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in.

    Raises
    ------
    DomainError
        No solver or no instance; a time that is no positive number.
    UnsupportedError
        matplotlib is not installed.

    Examples
    --------
    >>> picture = data_profile({"a": {"1": 1.0, "2": 4.0}, "b": {"1": 2.0}})
    >>> picture.axes[0].get_xlabel()
    'seconds'
    """
    instances = _checked(times)
    finite = sorted(seconds for each in times.values() for seconds in each.values() if seconds < math.inf)
    ends = (finite[0], finite[-1]) if finite else (0.1, 1.0)
    axes = axes_in(ax, (7.0, 4.2))
    with_grid(axes)
    for place, (solver, of_solver) in enumerate(times.items()):
        solved_at = sorted(seconds for seconds in of_solver.values() if seconds < math.inf)
        steps = [ends[0] / 1.5, *solved_at, 1.5 * ends[1]]
        shares = [k / instances for k in range(len(solved_at) + 1)]
        axes.step(
            steps,
            [*shares, shares[-1]],
            where="post",
            linewidth=1.8,
            label=shown(solver, 30),
            **look(place, marked=False),
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")
    axes.set_ylim(0.0, 1.02)
    legend(axes)
    title = [f"Data profile of {len(times)} solvers on {instances} instances"]
    return finished(axes, title, "seconds", f"share of instances {shown(solved, 40)}")


def _checked(times: Any) -> int:
    """Return the number of instances."""
    rule, remedy = "it has to map solvers to their seconds on each instance", 'give {"HiGHS": {"first": 0.5}}'
    if not isinstance(times, Mapping) or not all(isinstance(each, Mapping) for each in times.values()):
        raise DomainError("times", f"of type {type(times).__name__}", rule, remedy)
    names = {name for each in times.values() for name in each}
    if not names:
        raise DomainError("times", "empty", rule, remedy)
    for solver, each in times.items():
        for name, seconds in each.items():
            number = isinstance(seconds, int | float | np.number) and not is_truth(seconds)
            if not number or not seconds > 0:
                raise DomainError(f"times[{solver!r}][{name!r}]", seconds, "times are positive numbers", "correct it")
    return len(names)


def _slowest(times: Times) -> float:
    """Return the largest finite multiple of the quickest time."""
    best: dict[str, float] = {}
    for each in times.values():
        for name, seconds in each.items():
            best[name] = min(best.get(name, math.inf), seconds)
    ratios = [seconds / best[name] for each in times.values() for name, seconds in each.items() if seconds < math.inf]
    return max(ratios, default=1.0)
