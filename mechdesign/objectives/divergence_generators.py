"""Generators ``f`` of f-divergences and other ratio-type utilities: convex functions of a ratio.

Each is written in the change ``w = t - 1`` of the ratio, so that no value, slope or rest cancels next to ``t = 1``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from mechdesign.catalogue.digits import logarithm, square_root
from mechdesign.exact import Enclosure, log_enclosed, root_enclosed
from mechdesign.objectives.generator import Enclosed, joined
from mechdesign.objectives.near_one import entropy_change, log_less_change, mean_entropy
from mechdesign.parameters.checks import Array

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True)
class Square(Enclosed):
    """``f(t) = t^2`` on the whole line: explained variance, scalar Fisher information."""

    at_zero = 0.0
    slope_at_infinity = np.inf
    least = -np.inf
    most = np.inf
    centre = 0.0
    reach = np.inf

    def value(self, t: Array) -> Array:
        """Return ``t^2``."""
        return t * t

    def derivative(self, t: Array) -> Array:
        """Return ``2 t``."""
        return 2.0 * t

    def intercept(self, t: Array) -> Array:
        """Return ``-t^2``."""
        return -t * t

    def enclosed(self, t: Fraction) -> Enclosure:
        """Return ``t^2`` twice, at any ratio."""
        return t * t, t * t

    def to_sixty_digits(self, t: Fraction) -> Fraction:
        """Return ``t^2``."""
        return t**2

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``sum_y first_y^2 / second_y``."""
        import cvxpy as cp

        return cp.sum([cp.quad_over_lin(first[y], second[y]) for y in range(first.shape[0])])


@dataclass(frozen=True)
class KLGenerator(Enclosed):
    """``f(t) = t ln t - t + 1``: relative entropy in nats.

    The linear part adds up to 0 over the outputs; with it no term is negative, so that little is not lost in rounding.
    """

    at_zero = 1.0
    slope_at_infinity = np.inf

    def value(self, t: Array) -> Array:
        """Return ``t ln t - (t - 1)``."""
        far = t * np.log(np.where(t > 0, t, 1.0)) - (t - 1.0)
        return joined(t, entropy_change, far)

    def derivative(self, t: Array) -> Array:
        """Return ``ln t``."""
        return np.log(t)

    def intercept(self, t: Array) -> Array:
        """Return ``1 - t``."""
        return 1.0 - t

    def value_near(self, w: Array) -> Array:
        """Return ``(1 + w) ln(1 + w) - w``."""
        return entropy_change(w)

    def derivative_near(self, w: Array) -> Array:
        """Return ``ln(1 + w)``."""
        return np.log1p(w)

    def rest_near(self, w: Array) -> Array:
        """Return ``ln(1 + w) - w``."""
        return log_less_change(w)

    def enclosed(self, t: Fraction) -> Enclosure:
        """Return bounds of ``t ln t - t + 1``."""
        if t == 0:
            return Fraction(1), Fraction(1)
        low, high = log_enclosed(t)
        return t * low - t + 1, t * high - t + 1

    def to_sixty_digits(self, t: Fraction) -> Fraction:
        """Return ``t ln t - t + 1``."""
        return t * logarithm(t) - t + 1 if t > 0 else Fraction(1)

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``sum_y first_y ln(first_y / second_y) - first_y + second_y``."""
        import cvxpy as cp

        return cp.sum(cp.kl_div(first, second))


@dataclass(frozen=True)
class TotalVariationGenerator(Enclosed):
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

    def value_near(self, w: Array) -> Array:
        """Return ``|w| / 2``."""
        return np.abs(w) / 2.0

    def derivative_near(self, w: Array) -> Array:
        """Return ``sign(w) / 2``."""
        return np.sign(w) / 2.0

    def enclosed(self, t: Fraction) -> Enclosure:
        """Return ``|t - 1| / 2`` twice."""
        return abs(t - 1) / 2, abs(t - 1) / 2

    def to_sixty_digits(self, t: Fraction) -> Fraction:
        """Return ``max(t, 1) - (t + 1) / 2``."""
        return max(t, Fraction(1)) - (t + 1) / 2

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``sum_y |first_y - second_y| / 2``."""
        import cvxpy as cp

        return cp.norm1(first - second) / 2.0


@dataclass(frozen=True)
class ChiSquareGenerator(Enclosed):
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
        return (1.0 - t) * (1.0 + t)

    def value_near(self, w: Array) -> Array:
        """Return ``w^2``."""
        return w * w

    def derivative_near(self, w: Array) -> Array:
        """Return ``2 w``."""
        return 2.0 * w

    def enclosed(self, t: Fraction) -> Enclosure:
        """Return ``(t - 1)^2`` twice."""
        return (t - 1) ** 2, (t - 1) ** 2

    def to_sixty_digits(self, t: Fraction) -> Fraction:
        """Return ``t^2 - 2 t + 1``."""
        return t**2 - 2 * t + 1

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``sum_y (first_y - second_y)^2 / second_y``."""
        return Square().perspective(first - second, second)


@dataclass(frozen=True)
class HellingerGenerator(Enclosed):
    """``f(t) = (sqrt(t) - 1)^2 / 2``: the sum is ``1 - sum sqrt(p s)``, each term at least 0."""

    at_zero = 0.5
    slope_at_infinity = 0.5

    def value(self, t: Array) -> Array:
        """Return ``((t - 1) / (1 + sqrt(t)))^2 / 2``."""
        return ((t - 1.0) / (1.0 + np.sqrt(t))) ** 2 / 2.0

    def derivative(self, t: Array) -> Array:
        """Return ``(1 - 1 / sqrt(t)) / 2``."""
        root = np.sqrt(t)
        return (t - 1.0) / (2.0 * root * (1.0 + root))

    def intercept(self, t: Array) -> Array:
        """Return ``(1 - sqrt(t)) / 2``."""
        return (1.0 - t) / (2.0 * (1.0 + np.sqrt(t)))

    def value_near(self, w: Array) -> Array:
        """Return ``(w / (1 + sqrt(1 + w)))^2 / 2``."""
        return (w / (1.0 + np.sqrt(1.0 + w))) ** 2 / 2.0

    def derivative_near(self, w: Array) -> Array:
        """Return ``w / (2 (r + r^2))`` with ``r = sqrt(1 + w)``."""
        root = np.sqrt(1.0 + w)
        return w / (2.0 * root * (1.0 + root))

    def rest_near(self, w: Array) -> Array:
        """Return ``-(w / (1 + r))^2 / (2 r)``."""
        root = np.sqrt(1.0 + w)
        return -((w / (1.0 + root)) ** 2) / (2.0 * root)

    def enclosed(self, t: Fraction) -> Enclosure:
        """Return bounds of ``(1 + t) / 2 - sqrt(t)``."""
        low, high = root_enclosed(t)
        return (1 + t) / 2 - high, (1 + t) / 2 - low

    def to_sixty_digits(self, t: Fraction) -> Fraction:
        """Return ``(sqrt(t) - 1)^2 / 2``."""
        return (square_root(t) - 1) ** 2 / 2

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``sum_y (first_y + second_y) / 2 - sqrt(first_y second_y)``."""
        import cvxpy as cp

        means = [cp.geo_mean(cp.hstack([first[y], second[y]])) for y in range(first.shape[0])]
        return cp.sum(first + second) / 2.0 - cp.sum(means)


@dataclass(frozen=True)
class JensenShannonGenerator(Enclosed):
    """``f(t) = (t ln t - (1 + t) ln((1 + t) / 2)) / 2``: Jensen-Shannon divergence in nats."""

    at_zero = float(np.log(2.0) / 2.0)
    slope_at_infinity = float(np.log(2.0) / 2.0)

    def value(self, t: Array) -> Array:
        """Return ``(t ln(2t / (1 + t)) + ln(2 / (1 + t))) / 2``."""
        far = (t * _log_share(np.where(t > 0, t, 1.0)) - np.log1p((t - 1.0) / 2.0)) / 2.0
        return joined(t, mean_entropy, far)

    def derivative(self, t: Array) -> Array:
        """Return ``ln(2t / (1 + t)) / 2``."""
        return _log_share(t) / 2.0

    def intercept(self, t: Array) -> Array:
        """Return ``ln(2 / (1 + t)) / 2``."""
        return -np.log1p((t - 1.0) / 2.0) / 2.0

    def value_near(self, w: Array) -> Array:
        """Return ``f(1 + w)``, accurate for small w."""
        return mean_entropy(w)

    def derivative_near(self, w: Array) -> Array:
        """Return ``ln(1 + u) / 2`` with ``u = w / (2 + w)``."""
        return np.log1p(w / (2.0 + w)) / 2.0

    def rest_near(self, w: Array) -> Array:
        """Return ``ln(1 - u^2) / 2``."""
        return np.log1p(-((w / (2.0 + w)) ** 2)) / 2.0

    def enclosed(self, t: Fraction) -> Enclosure:
        """Return bounds of ``(t ln t - (1 + t) ln((1 + t) / 2)) / 2``."""
        low, high = log_enclosed(t) if t else (t, t)
        least, most = log_enclosed((1 + t) / 2)
        return (t * low - (1 + t) * most) / 2, (t * high - (1 + t) * least) / 2

    def to_sixty_digits(self, t: Fraction) -> Fraction:
        """Return ``(t ln(2t / (1 + t)) + ln(2 / (1 + t))) / 2``."""
        behind = t * logarithm(2 * t / (1 + t)) if t > 0 else Fraction(0)
        return (behind + logarithm(2 / (1 + t))) / 2

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return half the relative entropies of both to their mean."""
        import cvxpy as cp

        middle = (first + second) / 2.0
        return cp.sum(cp.rel_entr(first, middle) + cp.rel_entr(second, middle)) / 2.0


def _log_share(t: Array) -> Array:
    """Return ``ln(2t / (1 + t))``, from the change of t unless t is small."""
    small = t < 0.5
    u = np.where(small, 0.0, (t - 1.0) / (t + 1.0))
    return np.where(small, np.log(2.0 * t / (1.0 + t)), np.log1p(u))
