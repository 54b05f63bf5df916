r"""A ratio of two numbers of a population, such as a conditional share, with the variance that its linear part has.

``r = (num . theta) / (den . theta)`` varies as ``(num - r den) . theta / (den . theta)`` does, to first order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.displays import Block, Displayed, Lines
from mechdesign.errors import DomainError
from mechdesign.estimation.functional import Functional, counting
from mechdesign.estimation.intervals import credible_errors, reach
from mechdesign.parameters.checks import Array

if TYPE_CHECKING:
    from mechdesign.estimation.estimating import Estimate

#: A denominator of less than this share of its largest weight is 0.
ZERO = 1e-12


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
        """Return the ends of a confidence interval, to both sides of the ratio alike.

        Raises
        ------
        DomainError
            A level that is not between 0 and 1.
        """
        part = self.linear_part
        line = (part.weights - part.weights.mean())[None, :]
        error = self.standard_error if part.within is not None else credible_errors(part.linear, line)[0]
        half = float(error * reach(part.linear, line, level)[0])
        return self.value - half, self.value + half

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
    value = estimate.functional(above).value / bottom.value
    line = (above - value * below) / bottom.value
    return Ratio(above, below, value, Functional(line, 0.0, bottom.linear, bottom.within))
