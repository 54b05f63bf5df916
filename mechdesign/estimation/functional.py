"""One number of a population, ``sum_x weights[x] theta[x]``, with its standard error and interval."""

from __future__ import annotations

from dataclasses import dataclass

from mechdesign.displays import Block, Displayed, Lines
from mechdesign.estimation.intervals import How, confidence
from mechdesign.estimation.linear import Linear
from mechdesign.parameters.checks import Array


@dataclass(frozen=True, eq=False)
class Functional(Displayed):
    """``sum_x weights[x] frequencies[x]`` of an estimate, in the unit of the weights; ``float()`` gives its value.

    Attributes
    ----------
    weights : ndarray, shape (n,)
        What each frequency counts for.
    value : float
        The estimate.
    linear : Linear
        What the interval is taken about.
    within : ndarray, shape (n,), or None
        The distribution whose functional the interval has to hold, where it stays within what populations can have.
    """

    weights: Array
    value: float
    linear: Linear
    within: Array | None

    @property
    def standard_error(self) -> float:
        """The standard error of the value, in the unit of the weights.

        By "likelihood" it comes from the Fisher information at the likeliest population. Of the linear estimate t it is
        the root of ``sum_y f_y (a_y - t)^2 / N``, where a report of y counts for a_y.
        """
        # What the weights have in common is known.
        spread = (self.weights - self.weights.mean())[None, :]
        if self.within is None:
            return float(self.linear.unbiased_errors(spread)[0])
        return float(self.linear.errors(spread)[0])

    def interval(self, level: float = 0.95, *, how: How | None = None) -> tuple[float, float]:
        """Return the ends of a confidence interval, as `Estimate.interval` does of a frequency.

        Raises
        ------
        DomainError
            A level that is not between 0 and 1, another `how`.
        UnsupportedError
            "exact" of more than two outputs.
        """
        low, high = confidence(self.linear, self.weights[None, :], level, how, within=self.within)[0]
        return float(low), float(high)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"Functional(value={self.value:.6g}, standard_error={self.standard_error:.3g})"

    def display(self) -> tuple[Block, ...]:
        """Return the value with its standard error and interval."""
        return (Lines("", (str(self),)),)

    def __str__(self) -> str:
        return self.written()

    def written(self, level: float = 0.95) -> str:
        """Return the value with its standard error and an interval of `level`, as it is printed."""
        low, high = self.interval(level)
        error = f"standard error {self.standard_error:.3g}"
        return f"{self.value:z.6g} ({error}, {100 * level:.4g} % interval {low:z.6g} to {high:z.6g})"
