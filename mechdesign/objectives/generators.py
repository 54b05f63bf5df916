"""Generators ``f`` of f-divergences and other ratio-type utilities: convex functions of a ratio."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import DomainError
from mechdesign.parameters import Checked

if TYPE_CHECKING:
    import cvxpy as cp


class Generator(Checked, ABC):
    """A convex function f on ``[0, inf)`` (or the line) with its derivative, limits and perspective.

    Methods take arrays of positive ratios; the limits stand in for f at 0 and at infinity.
    """

    #: ``f(0)``, possibly infinite.
    at_zero: float
    #: ``lim f(t) / t`` as t grows, possibly infinite.
    slope_at_infinity: float
    #: Tangents are taken between these ratios: at 0 and at infinity their slopes or intercepts may be infinite.
    least: ClassVar[float] = 1e-30
    most: ClassVar[float] = 1e30

    @property
    def name(self) -> str:
        """The generator's name."""
        return type(self).__name__

    @abstractmethod
    def value(self, t: Array) -> Array:
        """Return ``f(t)``."""

    @abstractmethod
    def derivative(self, t: Array) -> Array:
        """Return ``f'(t)``, any subgradient where f has a kink."""

    def intercept(self, t: Array) -> Array:
        """Return ``f(t) - t f'(t)``; override where that difference cancels for large t."""
        return self.value(t) - t * self.derivative(t)

    @abstractmethod
    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return the cvxpy expression ``sum_y second_y f(first_y / second_y)``."""

    def check(self) -> None:
        """Raise DomainError where a tangent lies above f or a limit on a sample of ratios: bounds would be wrong."""
        t = np.logspace(-2.0, 2.0, 41)
        values, slopes, intercepts = self.value(t), self.derivative(t), self.intercept(t)
        size = 1e-9 * (1.0 + np.abs(values) + np.abs(t * slopes))
        tangents = intercepts[:, None] + np.outer(slopes, t)
        sound = (
            np.all(tangents <= values + size[:, None] + size)
            and np.all(np.abs(values - t * slopes - intercepts) <= size)
            and np.all(intercepts <= self.at_zero + size)
            and np.all(slopes <= self.slope_at_infinity + size / t)
        )
        if not sound:
            raise DomainError(
                "f",
                self.name,
                "it has to be convex, with a derivative and limits at 0 and infinity that agree with its value",
                "correct the generator, or use a named divergence",
            )


@dataclass(frozen=True)
class Square(Generator):
    """``f(t) = t^2`` on the whole line: explained variance, scalar Fisher information."""

    at_zero = 0.0
    slope_at_infinity = np.inf
    least = -np.inf
    most = np.inf

    def value(self, t: Array) -> Array:
        """Return ``t^2``."""
        return t * t

    def derivative(self, t: Array) -> Array:
        """Return ``2 t``."""
        return 2.0 * t

    def intercept(self, t: Array) -> Array:
        """Return ``-t^2``."""
        return -t * t

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``sum_y first_y^2 / second_y``."""
        import cvxpy as cp

        return cp.sum([cp.quad_over_lin(first[y], second[y]) for y in range(first.shape[0])])


@dataclass(frozen=True)
class KLGenerator(Generator):
    """``f(t) = t ln t - t + 1``: relative entropy in nats.

    The linear part adds up to 0 over the outputs; with it no term is negative, so that little is not lost in rounding.
    """

    at_zero = 1.0
    slope_at_infinity = np.inf

    def value(self, t: Array) -> Array:
        """Return ``t ln t - (t - 1)``."""
        excess = t - 1.0
        near = np.abs(excess) < 0.5
        logs = np.where(near, np.log1p(np.where(near, excess, 0.0)), np.log(np.where(t > 0, t, 1.0)))
        return t * logs - excess

    def derivative(self, t: Array) -> Array:
        """Return ``ln t``."""
        return np.log(t)

    def intercept(self, t: Array) -> Array:
        """Return ``1 - t``."""
        return 1.0 - t

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``sum_y first_y ln(first_y / second_y) - first_y + second_y``."""
        import cvxpy as cp

        return cp.sum(cp.kl_div(first, second))


@dataclass(frozen=True)
class TotalVariationGenerator(Generator):
    """``f(t) = |t - 1| / 2``: total variation."""

    at_zero = 0.5
    slope_at_infinity = 0.5

    def value(self, t: Array) -> Array:
        """Return ``|t - 1| / 2``."""
        return np.abs(t - 1.0) / 2.0

    def derivative(self, t: Array) -> Array:
        """Return ``sign(t - 1) / 2``, 0 at the kink."""
        return np.sign(t - 1.0) / 2.0

    def intercept(self, t: Array) -> Array:
        """Return ``-sign(t - 1) / 2``."""
        return -np.sign(t - 1.0) / 2.0

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``sum_y |first_y - second_y| / 2``."""
        import cvxpy as cp

        return cp.norm1(first - second) / 2.0


@dataclass(frozen=True)
class ChiSquareGenerator(Generator):
    """``f(t) = (t - 1)^2``: chi-square divergence."""

    at_zero = 1.0
    slope_at_infinity = np.inf

    def value(self, t: Array) -> Array:
        """Return ``(t - 1)^2``."""
        return (t - 1.0) ** 2

    def derivative(self, t: Array) -> Array:
        """Return ``2 (t - 1)``."""
        return 2.0 * (t - 1.0)

    def intercept(self, t: Array) -> Array:
        """Return ``1 - t^2``."""
        return 1.0 - t * t

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``sum_y (first_y - second_y)^2 / second_y``."""
        return Square().perspective(first - second, second)


@dataclass(frozen=True)
class HellingerGenerator(Generator):
    """``f(t) = (sqrt(t) - 1)^2 / 2``: the sum is ``1 - sum sqrt(p s)``, each term at least 0."""

    at_zero = 0.5
    slope_at_infinity = 0.5

    def value(self, t: Array) -> Array:
        """Return ``(sqrt(t) - 1)^2 / 2``."""
        return (np.sqrt(t) - 1.0) ** 2 / 2.0

    def derivative(self, t: Array) -> Array:
        """Return ``(1 - 1 / sqrt(t)) / 2``."""
        return (1.0 - 1.0 / np.sqrt(t)) / 2.0

    def intercept(self, t: Array) -> Array:
        """Return ``(1 - sqrt(t)) / 2``."""
        return (1.0 - np.sqrt(t)) / 2.0

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``sum_y (first_y + second_y) / 2 - sqrt(first_y second_y)``."""
        import cvxpy as cp

        means = [cp.geo_mean(cp.hstack([first[y], second[y]])) for y in range(first.shape[0])]
        return cp.sum(first + second) / 2.0 - cp.sum(means)


@dataclass(frozen=True)
class JensenShannonGenerator(Generator):
    """``f(t) = (t ln t - (1 + t) ln((1 + t) / 2)) / 2``: Jensen-Shannon divergence in nats."""

    at_zero = float(np.log(2.0) / 2.0)
    slope_at_infinity = float(np.log(2.0) / 2.0)

    def value(self, t: Array) -> Array:
        """Return ``(t ln(2t / (1 + t)) + ln(2 / (1 + t))) / 2``."""
        return (t * np.log(np.where(t > 0, 2.0 * t / (1.0 + t), 1.0)) + np.log(2.0 / (1.0 + t))) / 2.0

    def derivative(self, t: Array) -> Array:
        """Return ``ln(2t / (1 + t)) / 2``."""
        return np.log(2.0 * t / (1.0 + t)) / 2.0

    def intercept(self, t: Array) -> Array:
        """Return ``ln(2 / (1 + t)) / 2``."""
        return np.log(2.0 / (1.0 + t)) / 2.0

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return half the relative entropies of both to their mean."""
        import cvxpy as cp

        middle = (first + second) / 2.0
        return cp.sum(cp.rel_entr(first, middle) + cp.rel_entr(second, middle)) / 2.0
