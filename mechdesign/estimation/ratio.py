r"""A ratio of two numbers of a population, such as a conditional share, with the variance that its linear part has.

``r = (num . theta) / (den . theta)`` varies as ``(num - r den) . theta / (den . theta)`` does, to first order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.displays import Block, Displayed, Lines
from mechdesign.errors import DomainError
from mechdesign.estimation.functional import LARGEST, Functional, counting
from mechdesign.estimation.intervals import confidence, probability
from mechdesign.parameters.checks import Array

if TYPE_CHECKING:
    from mechdesign.estimation.estimating import Estimate

#: A denominator of less than this share of its largest weight is 0.
ZERO = 1e-12
#: The ends of an interval are found up to this share of its reach; shares of a standard error that are looked at first.
FOUND, SHARES = 1e-9, tuple(4.0**-k for k in range(12))


@dataclass(frozen=True, eq=False)
class Ratio(Displayed):
    """A ratio of two numbers of a population, as `Estimate.ratio` returns it; ``float()`` gives its value.

    Attributes
    ----------
    numerator, denominator : ndarray, shape (n,)
        What each frequency counts for in the two.
    value : float
        The estimate.
    linear_part : Functional
        ``(numerator - value denominator) . frequencies / (denominator . frequencies)``, which is 0 and has the ratio's
        standard error.

    References
    ----------
    W. G. Cochran, "Sampling Techniques", Wiley 1977, chapter 6.

    E. C. Fieller, "Some Problems in Interval Estimation", Journal of the Royal Statistical Society B 16 (1954).
    """

    numerator: Array
    denominator: Array
    value: float
    linear_part: Functional

    @property
    def standard_error(self) -> float:
        """The standard error of the ratio, to first order."""
        return self.linear_part.standard_error

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of a confidence interval, by Fieller's method: of ratios that a population can have.

        A ratio r is in it if the interval of ``(numerator - r denominator) . frequencies`` holds 0. If the denominator
        may be 0 itself, the ratio can be anything, to infinity. An estimate beyond what is possible is held, too.

        Raises
        ------
        DomainError
            A level that is not between 0 and 1.
        """
        return _fieller(self, probability(level))

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"Ratio(value={self.value:.6g}, standard_error={self.standard_error:.3g})"

    def __str__(self) -> str:
        low, high = self.interval()
        error = f"standard error {self.standard_error:.3g}"
        return f"{self.value:z.6g} ({error}, 95 % interval {low:z.6g} to {high:z.6g})"

    def display(self) -> tuple[Block, ...]:
        """Return the ratio with its standard error and interval."""
        return (Lines("", (str(self),)),)


def ratio(estimate: Estimate, numerator: Any, denominator: Any) -> Ratio:
    """Return the ratio of two functionals of an estimate; see `Estimate.ratio`."""
    above, below = (
        counting(estimate.problem, name, given)
        for name, given in (("numerator", numerator), ("denominator", denominator))
    )
    bottom = estimate.functional(below)
    if abs(bottom.value) <= ZERO * np.abs(below).max(initial=0.0):
        rule = "it is estimated to be 0, and nothing can be divided by that"
        raise DomainError("denominator", "0", rule, "choose a denominator that people in the population have")
    with np.errstate(over="ignore", invalid="ignore"):
        value = float(np.divide(estimate.functional(above).value, bottom.value))
        line = (above - value * below) / bottom.value
    if not np.abs(line).max(initial=0.0) <= LARGEST:
        rule = f"divided by its estimate of {bottom.value:g}, what is above is beyond floats"
        raise DomainError("denominator", f"of at most {np.abs(below).max():g}", rule, "choose a smaller unit for it")
    return Ratio(above, below, value, Functional(line, 0.0, bottom.linear, bottom.within))


def _fieller(found: Ratio, level: float) -> tuple[float, float]:
    """Return the ends of the ratios that the reports do not exclude, about the linear estimate, with the value."""
    linear, value = found.linear_part.linear, found.value
    above, below = linear.unbiased(np.stack([found.numerator, found.denominator])).tolist()
    least, most = possible(found.numerator, found.denominator)

    def room(ratio: float) -> float:
        """Return how far 0 is inside of the interval of the line, as a share of the line's largest weight."""
        line = found.numerator - ratio * found.denominator if math.isfinite(ratio) else found.denominator
        size = float(np.abs(line).max(initial=0.0))
        if size == 0.0:
            return 0.0
        low, high = confidence(linear, line[None, :] / size, level, None)[0]
        return float(min(-low, high))

    middle = min(max(above / below if abs(below) > 0.0 else value, least), most)
    step = found.standard_error or ZERO * max(abs(middle), 1.0)
    ends = [_end(room, middle, side * step, limit) for side, limit in ((-1.0, least), (1.0, most))]
    return min(ends[0], value), max(ends[1], value)


def _end(room: Callable[[float], float], middle: float, step: float, limit: float) -> float:
    """Return where `room` falls below 0 on the way from the middle to the limit, or the limit."""
    from scipy.optimize import brentq

    if middle == limit:
        return middle
    if math.isinf(limit) and room(limit) >= 0.0:
        return limit
    # At the middle itself the interval is stretched to hold its estimate, and there may be no room.
    nearest = (middle + share * step for share in SHARES if abs(share * step) < abs(limit - middle))
    inside = next((ratio for ratio in nearest if room(ratio) > 0.0), middle)
    if inside == middle:
        return middle
    step = inside - middle
    outside = inside + step
    while abs(outside - middle) < abs(limit - middle) and room(outside) >= 0.0:
        inside, outside, step = outside, outside + 2.0 * step, 2.0 * step
    if abs(outside - middle) >= abs(limit - middle):
        outside = limit
        if room(limit) >= 0.0:
            return limit
    return float(brentq(room, inside, outside, xtol=FOUND * abs(outside - middle)))


def possible(numerator: Array, denominator: Array) -> tuple[float, float]:
    """Return the least and the largest ratio that a population can have, for weights of shape (n,).

    Examples
    --------
    >>> possible(np.array([0.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0]))
    (0.0, 1.0)
    >>> possible(np.array([0.0, 1.0, 2.0]), np.array([1.0, 1.0, 0.0]))
    (0.0, inf)
    """
    if denominator.min() < 0.0 < denominator.max():
        return -math.inf, math.inf
    sign = -1.0 if denominator.min() < 0.0 else 1.0
    above, below = sign * numerator, sign * denominator
    ratios = above[below > 0.0] / below[below > 0.0]
    alone = above[below == 0.0]
    least = -math.inf if (alone < 0.0).any() else float(ratios.min())
    return least, math.inf if (alone > 0.0).any() else float(ratios.max())
