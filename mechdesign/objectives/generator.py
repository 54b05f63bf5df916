"""What a generator is: a convex function ``f`` of a ratio, with exact values when there is nearly no information."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.exact import Enclosure
from mechdesign.objectives.near_one import NEAR
from mechdesign.parameters import Checked
from mechdesign.parameters.checks import Array

if TYPE_CHECKING:
    import cvxpy as cp

#: Where the size of a generator's terms is read off: a value is taken to be a sum of terms of that size.
SAMPLED = (0.25, 0.5, 1.0, 2.0, 4.0)


class Generator(Checked, ABC):
    """A convex function f on ``[0, inf)`` (or the line) with its derivative, limits and perspective.

    Methods take arrays of positive ratios; the limits stand in for f at 0 and at infinity. Where outputs carry
    next to no information, ratios are ``t = 1 + w`` with a small w, of which t keeps few digits: methods that end in
    `_near` take w itself. Without them f is evaluated at t, and its bounds allow for what cancels there.
    """

    #: ``f(0)``, possibly infinite.
    at_zero: float
    #: ``lim f(t) / t`` as t grows, possibly infinite.
    slope_at_infinity: float
    #: Tangents are taken between these ratios: at 0 and at infinity their slopes or intercepts may be infinite.
    least: ClassVar[float] = 1e-30
    most: ClassVar[float] = 1e30
    #: The ratio of an output without information, and how far from it ratios are given by their change ``w``.
    centre: ClassVar[float] = 1.0
    reach: ClassVar[float] = NEAR

    @property
    def name(self) -> str:
        """The generator's name."""
        return type(self).__name__

    @abstractmethod
    def value(self, t: Array) -> Array:
        """Return ``f(t)``."""

    def to_sixty_digits(self, t: Fraction) -> Fraction | None:
        """Return ``f(t)``, written apart from `value` so that bounds can be held against it; None without a formula."""
        return None

    @abstractmethod
    def derivative(self, t: Array) -> Array:
        """Return ``f'(t)``, any subgradient where f has a kink."""

    def intercept(self, t: Array) -> Array:
        """Return ``f(t) - t f'(t)``; override where that difference cancels for large t."""
        return self.value(t) - t * self.derivative(t)

    def value_near(self, w: Array) -> Array:
        """Return ``f(centre + w)``; override where ``f(t)`` cancels for small w."""
        return self.value(self.centre + w)

    def derivative_near(self, w: Array) -> Array:
        """Return ``f'(centre + w)``."""
        return self.derivative(self.centre + w)

    def rest_near(self, w: Array) -> Array:
        """Return ``f(centre + w) - w f'(centre + w)``: what the tangent at w has at the centre."""
        return self.value_near(w) - w * self.derivative_near(w)

    def cancelled(self, t: Array) -> Array:
        """Return the size of terms that may cancel in ``f(t)``: its rounding is some units in the last place of them.

        The size of f and of its derivative between 1/4 and 4, times ``1 + t``, unless a subclass knows better.
        """
        sample = np.array(SAMPLED)
        scale = float(np.maximum(np.abs(self.value(sample)), np.abs(self.derivative(sample))).max())
        return scale * (1.0 + np.abs(t))

    @abstractmethod
    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return the cvxpy expression ``sum_y second_y f(first_y / second_y)``."""

    def check(self) -> None:
        """Raise DomainError where a tangent lies above f or a limit on a sample of ratios: bounds would be wrong."""
        t = np.logspace(-2.0, 2.0, 41)
        values, slopes, intercepts = self.value(t), self.derivative(t), self.intercept(t)
        size = 1e-9 * (1.0 + np.abs(values) + np.abs(t * slopes))
        tangents = intercepts[:, None] + np.outer(slopes, t)
        w = np.linspace(-1.0, 1.0, 17) * min(self.reach, NEAR)
        near = (
            self.value_near(w) - self.value(self.centre + w),
            self.derivative_near(w) - self.derivative(self.centre + w),
        )
        rest = self.rest_near(w) - self.value_near(w) + w * self.derivative_near(w)
        sound = (
            np.all(tangents <= values + size[:, None] + size)
            and np.all(np.abs(values - t * slopes - intercepts) <= size)
            and np.all(intercepts <= self.at_zero + size)
            and np.all(slopes <= self.slope_at_infinity + size / t)
            and np.all(np.abs([*near, rest]) <= 1e-9 * (1.0 + self.cancelled(self.centre + w)))
        )
        if not sound:
            raise DomainError(
                "f",
                self.name,
                "it has to be convex, with a derivative and limits at 0 and infinity that agree with its value",
                "correct the generator, or use a named divergence",
            )


class Accurate(Generator):
    """A generator whose values are right to some units in the last place for every ratio and every change."""

    def cancelled(self, t: Array) -> Array:
        """Return 0."""
        return np.zeros_like(t)


class Enclosed(Accurate):
    """A generator whose values are enclosed by fractions, too, so that bounds can be proved."""

    @abstractmethod
    def enclosed(self, t: Fraction) -> Enclosure:
        """Return bounds of ``f(t)`` at a ratio that is at least 0."""


def joined(t: Array, near: Callable[[Array], Array], far: Array) -> Array:
    """Return `near` of ``t - 1`` where t is near 1, and `far` elsewhere."""
    change = t - 1.0
    close = np.abs(change) <= NEAR
    return np.where(close, near(np.where(close, change, 0.0)), far) if np.any(close) else far
