"""One number of a population, ``sum_x weights[x] theta[x]``, with its standard error and interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.displays import Block, Displayed, Lines
from mechdesign.errors import DomainError
from mechdesign.estimation.intervals import How, confidence, probability, quantile
from mechdesign.estimation.linear import Linear
from mechdesign.parameters.checks import Array
from mechdesign.parameters.labels import matched
from mechdesign.problem import Problem

#: The difference of two larger numbers may be beyond floats.
LARGEST = 5e307


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


@dataclass(frozen=True, eq=False)
class Figure(Displayed):
    """A linear figure of the frequencies with its standard error and interval; ``float()`` gives its value.

    Attributes
    ----------
    value : float
        The unbiased estimate.
    standard_error : float
        The spread of what single reports say, over the root of their number.
    """

    value: float
    standard_error: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the value plus and minus normal quantiles of its standard error.

        Raises
        ------
        DomainError
            A level that is not between 0 and 1.
        """
        half = quantile(probability(level)) * self.standard_error
        return self.value - half, self.value + half

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return self.written()

    def written(self, level: float = 0.95) -> str:
        """Return the value with its standard error and an interval of `level`, as it is printed."""
        low, high = self.interval(level)
        error = f"standard error {self.standard_error:.3g}"
        return f"{self.value:z.6g} ({error}, {100 * level:.4g} % interval {low:z.6g} to {high:z.6g})"

    def display(self) -> tuple[Block, ...]:
        """Return the value with its standard error and interval."""
        return (Lines("", (str(self),)),)


def require_within_floats(argument: str, weights: Array) -> None:
    """Raise if the numbers of a functional, shape (n,), are so large that what they differ by is beyond floats."""
    at = int(np.abs(weights).argmax())
    if np.abs(weights[at]) > LARGEST:
        rule = f"numbers above {LARGEST:g} in size differ by more than floats hold"
        raise DomainError(f"{argument}[{at}]", float(weights[at]), rule, "choose a larger unit")


def counting(problem: Problem, argument: str, given: Any) -> Array:
    """Return what each frequency counts for: numbers as they were given, or 1 for the answers that are named.

    Raises
    ------
    DomainError
        What are no n finite numbers; names that no answer has.

    Examples
    --------
    >>> counting(Problem(labels=["never", "rarely", "often"]), "weights", ["often", "rarely"]).tolist()
    [0.0, 1.0, 1.0]
    """
    names = (given,) if isinstance(given, str) else given
    if not (isinstance(names, list | tuple) and names and all(isinstance(name, str) for name in names)):
        return problem.in_order(argument, given)
    line = np.zeros(problem.n)
    line[matched(argument, tuple(names), problem.names_along("inputs"), "problem", some=True)] = 1.0
    return line
