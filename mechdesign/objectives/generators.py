"""Generators ``f`` of f-divergences and other ratio-type utilities: convex functions of a ratio."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mechdesign.domains import Array

if TYPE_CHECKING:
    import cvxpy as cp


class Generator(ABC):
    """A convex function f on ``[0, inf)`` (or the line) with its derivative, limits and perspective."""

    #: ``f(0)``, possibly infinite.
    at_zero: ClassVar[float]
    #: ``lim f(t) / t`` as t grows, possibly infinite.
    slope_at_infinity: ClassVar[float]

    @abstractmethod
    def value(self, t: Array) -> Array:
        """Return ``f(t)``."""

    @abstractmethod
    def derivative(self, t: Array) -> Array:
        """Return ``f'(t)``, any subgradient where f has a kink."""

    @abstractmethod
    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return the cvxpy expression ``sum_y second_y f(first_y / second_y)``."""


@dataclass(frozen=True)
class Square(Generator):
    """``f(t) = t^2`` on the whole line: explained variance, scalar Fisher information."""

    at_zero = 0.0
    slope_at_infinity = np.inf

    def value(self, t: Array) -> Array:
        """Return ``t^2``."""
        return t * t

    def derivative(self, t: Array) -> Array:
        """Return ``2 t``."""
        return 2.0 * t

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``sum_y first_y^2 / second_y``."""
        import cvxpy as cp

        return cp.sum([cp.quad_over_lin(first[y], second[y]) for y in range(first.shape[0])])
