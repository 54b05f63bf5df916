"""What all notions that bound the lift ``Pr(y | s) / Pr(y)`` share: LIP, max-lift, asymmetric LIP."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mechdesign.exact import Fractions, Integers, exp_below
from mechdesign.notions import band_vertices, mass_band
from mechdesign.notions.base import Notion
from mechdesign.notions.cone import Cone, Rays, Support
from mechdesign.notions.dual import Shown
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


class LiftBand(Notion):
    """A notion that bounds the lift from below, from above, or on both sides, under the problem's prior.

    A subclass gives the two ends and measures its level; the cone, its rays and support function, and the exact checks
    follow from the ends.
    """

    needs_prior = True
    closed_under_preprocessing = True
    banded = True

    @property
    @abstractmethod
    def ends(self) -> tuple[float, float]:
        """``(lower, upper)`` with ``-lower <= ln Pr(y | s) - ln Pr(y) <= upper``, in nats; infinite without a bound."""

    def cone(self, problem: Problem) -> Cone:
        """Return ``e^-lower m <= v <= e^upper m`` with the mass ``m = pi . v``."""
        return mass_band.cone(problem, *self._outward(problem))

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether each column is within the bounds relative to its mass, exactly, exponentials rounded down."""
        return bool(np.all(self.columns_hold_exactly(numerators, problem)))

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the exact check as a function of the level: extremes and masses are computed once."""
        found = mass_band.Extremes.of(numerators, problem)
        return lambda level: bool(np.all(found.between(*map(_ratio, self.at(level).ends))))

    def columns_hold_exactly(self, numerators: Integers, problem: Problem) -> npt.NDArray[np.bool_]:
        """Return for each column whether it is within the bounds relative to its mass, in exact arithmetic."""
        return mass_band.Extremes.of(numerators, problem).between(*map(_ratio, self.ends))

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_]:
        """Return for each functional whether a price of mass proves it nonnegative, exponentials rounded outward."""
        return mass_band.nonnegative(functionals, problem, *self.ends)

    def exact_rows(self, problem: Problem) -> Fractions:
        """Return the rows that compare each entry with the mass."""
        return mass_band.exact_rows(problem, *self.ends)

    def normal(self, problem: Problem) -> Array:
        """Return the prior: on its slice every column has mass one."""
        return super().normal(problem) if problem.is_hidden else problem.required_prior_of_secret

    def ray_count(self, problem: Problem) -> float | None:
        """Return at most how many full sets with one fractional input there are; 1 where columns must be constant."""
        return band_vertices.ray_count(problem, *self._outward(problem))

    def rays(self, problem: Problem) -> Rays | None:
        """Return the knapsack's vertices: a full set S, and one input that takes what is left."""
        return band_vertices.rays(problem, *self._outward(problem))

    def support(self, functionals: Array, problem: Problem, nu: Array) -> Support | None:
        """Return the fractional knapsack's value: fill the inputs of largest ``h_x / P_x`` first."""
        return mass_band.support(functionals, problem, *self._outward(problem))

    def _outward(self, problem: Problem) -> tuple[float, float]:
        """Return the ends of the lift as floats, rounded outward."""
        return mass_band.ends(problem, *self.ends)


def _ratio(end: float) -> Fraction | None:
    return None if math.isinf(end) else exp_below(end)
