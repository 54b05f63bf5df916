"""Real numbers of an interval: the points at which a mechanism is designed, between which records are rounded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array

if TYPE_CHECKING:
    from mechdesign.problem.problem import Problem

#: Points of a problem whose design chooses how many there are, before it does, and at most.
LEAST_POINTS, FIRST_POINTS, MOST_POINTS = 3, 17, 129
#: The priors of an interval that have a name.
UNIFORM = "uniform"
#: Priors that differ by no larger share of their largest entry are one.
ALIKE = 1e-9
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


def points_for(cost: float, steps: int, value: float, gap: float) -> int:
    """Return at how many points of an interval rounding to them costs at most a share of a relative gap.

    What it costs falls with the square of the distance between two points.

    Parameters
    ----------
    cost : float
        What it costs at so many steps between points, in the unit of the value.
    steps : int
        Of the points at which that is known.
    value : float
        About the optimum.
    gap : float
        Relative; below `LEAST_GAP` the number of points is the one for that.

    Examples
    --------
    >>> points_for(1.0, 2, 4.0, 1e-2), points_for(1.0, 2, 0.1, 1e-9)
    (15, 129)
    """
    most = OF_GAP * max(gap, LEAST_GAP) * value
    needed = steps * math.sqrt(max(cost, 0.0) / most) if most > 0 else math.inf
    # An odd number has the middle of the interval.
    return (
        int(min(MOST_POINTS, max(LEAST_POINTS, 2 * math.ceil(needed / 2.0) + 1)))
        if needed < MOST_POINTS
        else MOST_POINTS
    )


def given_interval(low: Any, high: Any) -> tuple[float, float]:
    """Return the ends of an interval, which have to be finite and apart.

    Raises
    ------
    DomainError
        An end that is no finite number; a lower end that is not below the upper one.
    """
    for name, given in (("low", low), ("high", high)):
        if isinstance(given, float | np.floating) and not math.isfinite(given):
            raise DomainError(name, given, "an interval has finite ends", "give numbers that hold all of them")
    ends = domains.real("low", low, -math.inf), domains.real("high", high, -math.inf)
    if not ends[0] < ends[1]:
        remedy = "give them in their order" if ends[0] > ends[1] else "give an interval in which numbers differ"
        raise DomainError("high", ends[1], f"it has to be above low, which is {ends[0]!r}", remedy)
    if not math.isfinite(ends[1] - ends[0]):
        raise DomainError("high", ends[1], f"the interval from {ends[0]!r} is too long for floats", "choose a unit")
    return ends


def uniform_law(values: Array) -> Array:
    """Return the probability that a uniform number is rounded to each point, shape (n,).

    Examples
    --------
    >>> uniform_law(np.array([0.0, 1.0, 2.0])).tolist()
    [0.25, 0.5, 0.25]
    """
    widths = np.diff(values)
    return np.asarray(0.5 * (np.append(widths, 0.0) + np.append(0.0, widths)) / (values[-1] - values[0]))


def require_uniform(problem: Problem) -> None:
    """Raise unless the prior of a problem over an interval is the one of uniform numbers.

    Raises
    ------
    DomainError
        Another prior of the points, which does not say where between them the numbers are.
    """
    uniform, prior = uniform_law(problem.required_values), problem.required_prior
    if np.abs(prior / prior.sum() - uniform).max() > ALIKE * uniform.max():
        rule = "of numbers between the points it is known only if they are uniform on the interval"
        remedy = 'give Problem.from_interval(low, high, prior="uniform"), or Problem(values=..., prior=...)'
        raise DomainError("prior", "another distribution of the points", rule, remedy)


@dataclass(frozen=True)
class Rounded:
    """Uniform numbers of an interval, by the point that they are rounded to.

    Attributes
    ----------
    means : ndarray, shape (n,)
        The mean of the numbers that are rounded to each point.
    variance : float
        Of the numbers.
    within : float
        The mean variance of the numbers that are rounded to one point.
    """

    means: Array
    variance: float
    within: float

    @classmethod
    def of(cls, problem: Problem) -> Rounded:
        """Return what is rounded to the points of a problem over an interval.

        Examples
        --------
        >>> from mechdesign.problem import Problem
        >>> found = Rounded.of(Problem.from_interval(0, 1, points=2))
        >>> found.means.round(4).tolist(), round(18 * found.within, 9)
        ([0.3333, 0.6667], 1.0)
        """
        values = problem.required_values
        widths = np.diff(values)
        means = values + (np.append(widths, 0.0) - np.append(0.0, widths)) / 3.0
        variance = float(values[-1] - values[0]) ** 2 / 12.0
        apart = means - (0.5 * values[0] + 0.5 * values[-1])
        return cls(means, variance, variance - float(uniform_law(values) @ apart**2))


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
    if problem.labels is not None or not problem.is_about_answers:
        rule = "its inputs are points, without labels or a hidden secret"
        raise DomainError("interval", problem.interval, rule, "leave those out, or the interval")
