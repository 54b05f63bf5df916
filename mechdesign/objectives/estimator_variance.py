"""Variance of an unbiased estimator: of a number that each input has, by a number that each output stands for."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from mechdesign.errors import UnsupportedError
from mechdesign.objectives.base import Objective, unit
from mechdesign.objectives.unbiased_estimates import Estimates, between, unbiased
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp

#: The relative accuracy of the estimates of the least largest variance.
ESTIMATED = 1e-9


class EstimatorVariance(Objective):
    """``sum_y Q[x, y] t_y^2 - v_x^2`` at its largest or on average, for the best t with ``sum_y Q[x, y] t_y = v_x``.

    A subclass says what the numbers v are, and over which population the variance is averaged, if over any.
    """

    kind = "unbiased"
    unit = "value squared"
    lowest = 0.0
    has_expression = False

    @abstractmethod
    def figure(self, problem: Problem) -> Array:
        """Return the number v of each input, shape (n,)."""

    @abstractmethod
    def population(self, problem: Problem) -> Array | None:
        """Return the weights of the inputs in an average, which add up to 1; None for the largest variance."""

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the largest or average variance of the best unbiased estimates; infinite where there are none."""
        found = self._found(matrix, problem)
        if found is None:
            return math.inf
        theta = self.population(problem)
        if theta is not None:
            return float(theta @ found.variances)
        if problem.interval is not None:
            return between(found.variances, self.figure(problem))
        return float(found.variances.max())

    def estimates(self, matrix: Array, problem: Problem) -> Array:
        """Return the unbiased estimate that each output stands for, shape (m,).

        Raises
        ------
        UnsupportedError
            There is no unbiased estimate.
        """
        found = self._found(matrix, problem)
        if found is None:
            remedy = f"design a matrix for {self}, or report more outputs"
            raise UnsupportedError(f"The reports have no unbiased estimate of the value; {remedy}.")
        return found.worth

    def expression(self, Q: cp.Variable, problem: Problem) -> NoReturn:
        """Refuse: the value is neither convex nor concave in `Q`.

        Raises
        ------
        UnsupportedError
            Always; the route scores states it over the estimates that outputs stand for, as a linear program.
        """
        raise UnsupportedError(
            f"{self} is neither convex nor concave in Q, so it has no cvxpy expression; "
            'design(..., route="scores") states it over the estimates of outputs, where it is linear.'
        )

    def output_names(self, matrix: Array, problem: Problem) -> tuple[str, ...]:
        """Return the unbiased estimate that each output stands for."""
        found = self._found(matrix, problem)
        estimates = () if found is None else found.worth
        for digits in (6, 9, 17) if len(estimates) else ():
            names = tuple(f"{worth:.{digits}g}" for worth in estimates)
            if len(set(names)) == len(names):
                return names
        return super().output_names(matrix, problem)

    def uninformative(self, problem: Problem) -> float:
        """Return infinity: no estimate from the reports of a mechanism that ignores its input is unbiased."""
        return math.inf

    def no_privacy(self, problem: Problem) -> float:
        """Return 0: the value itself is reported."""
        return 0.0

    def accuracy(self, matrix: Array, value: float, problem: Problem) -> tuple[float, float, float]:
        """Return `rounding` and `improvement`, without finding the value again."""
        squares = float(np.square(np.ptp(self.figure(problem))))
        rounding = (unit(problem.n) + (ESTIMATED if self.population(problem) is None else 0.0)) * (squares + abs(value))
        return rounding, math.inf, rounding

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return an estimate of how far `value` is from the exact value."""
        return self.accuracy(matrix, self.value(matrix, problem), problem)[0]

    def _found(self, matrix: Array, problem: Problem) -> Estimates | None:
        return unbiased(np.asarray(matrix, dtype=float), self.figure(problem), self.population(problem))
