"""Real numbers of an interval: the points at which a mechanism is designed, between which records are rounded."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array

if TYPE_CHECKING:
    from mechdesign.problem.problem import Problem

#: Points of a problem whose design chooses how many there are, before it does, and at most.
LEAST_POINTS, FIRST_POINTS, MOST_POINTS = 3, 17, 129
#: The share of a gap that rounding to points may cost, and the least gap that points are chosen for.
OF_GAP, LEAST_GAP = 0.6, 1e-3


def points(low: float, high: float, count: int) -> Array:
    """Return equally spaced points from low to high, symmetric about the middle, shape (count,).

    Examples
    --------
    >>> points(-1.0, 1.0, 5).tolist()
    [-1.0, -0.5, 0.0, 0.5, 1.0]
    """
    middle, half = 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low
    found = middle + half * np.linspace(-1.0, 1.0, count)
    found[0], found[-1] = low, high
    return np.asarray(found)


def points_for(low: float, high: float, value: float, gap: float) -> int:
    """Return at how many points of an interval rounding to them costs at most a share of a relative gap.

    It costs at most the square of half the distance between two points.

    Parameters
    ----------
    value : float
        About the variance of an estimate, in squared units.
    gap : float
        Relative; below `LEAST_GAP` the number of points is the one for that.

    Examples
    --------
    >>> points_for(-1.0, 1.0, 4.0, 1e-2), points_for(-1.0, 1.0, 0.1, 1e-9)
    (9, 129)
    """
    half = 0.5 * high - 0.5 * low
    steps = half / math.sqrt(OF_GAP * max(gap, LEAST_GAP) * value) if value > 0 else math.inf
    # An odd number has the middle of the interval.
    return (
        int(min(MOST_POINTS, max(LEAST_POINTS, 2 * math.ceil(steps / 2.0) + 1))) if steps < MOST_POINTS else MOST_POINTS
    )


def given_interval(low: Any, high: Any) -> tuple[float, float]:
    """Return the ends of an interval, which have to be finite and apart.

    Raises
    ------
    DomainError
        An end that is no finite number; a lower end that is not below the upper one.
    """
    ends = domains.real("low", low, -math.inf), domains.real("high", high, -math.inf)
    if not ends[0] < ends[1]:
        remedy = "give them in their order" if ends[0] > ends[1] else "give an interval in which numbers differ"
        raise DomainError("high", ends[1], f"it has to be above low, which is {ends[0]!r}", remedy)
    if not math.isfinite(ends[1] - ends[0]):
        raise DomainError("high", ends[1], f"the interval from {ends[0]!r} is too long for floats", "choose a unit")
    return ends


def require_points(problem: Problem) -> None:
    """Raise unless the values of a problem over an interval increase from its lower to its upper end.

    Raises
    ------
    DomainError
        No increasing values from one end to the other; labels or a hidden secret, which an interval has not.
    """
    assert problem.interval is not None, "its callers have looked"
    low, high = given_interval(*problem.interval)
    values = problem.values
    if values is None or len(values) < 2 or np.any(np.diff(values) <= 0) or (values[0], values[-1]) != (low, high):
        rule = f"the values have to be points that increase from {low!r} to {high!r}"
        raise DomainError("interval", problem.interval, rule, "give Problem.from_interval(low, high)")
    if problem.labels is not None or problem.is_hidden or problem.data_of_input is not None:
        rule = "its inputs are points, without labels or a hidden secret"
        raise DomainError("interval", problem.interval, rule, "leave those out, or the interval")
