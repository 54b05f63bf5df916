"""The generator of Renyi and alpha divergences: a power of the ratio."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from mechdesign.exact import Enclosure, power_enclosed
from mechdesign.objectives.generator import Enclosed, joined
from mechdesign.objectives.near_one import exponential_rest, power_shortfall
from mechdesign.parameters import Real
from mechdesign.parameters.checks import Array

if TYPE_CHECKING:
    import cvxpy as cp

#: Orders are taken by cvxpy as fractions whose denominators are at most this: within 1e-12 of the order.
LARGEST_DENOMINATOR = 10**6


@dataclass(frozen=True)
class PowerGenerator(Enclosed):
    """``f(t) = (t^a - a t + a - 1) / (a (a - 1))`` of an order a > 0 that is not 1: Renyi and alpha divergences.

    Parameters
    ----------
    order : float
        The exponent a; towards 1 the generator becomes that of the relative entropy.
    """

    order: float
    domains = {
        "order": Real(
            low=0.0,
            open_low=True,
            without=(1.0, 1.0),
            rule="it has to be positive, finite and not 1",
            remedy="give another order, or use KLDivergence, the limit at 1",
        )
    }

    @property
    def at_zero(self) -> float:  # type: ignore[override] # it follows from the order, and nobody sets it
        """``1 / a``."""
        return 1.0 / self.order

    @property
    def slope_at_infinity(self) -> float:  # type: ignore[override] # likewise
        """``1 / (1 - a)`` below order 1, infinite above."""
        return 1.0 / (1.0 - self.order) if self.order < 1 else np.inf

    def value(self, t: Array) -> Array:
        """Return ``f(t)``, in the form that does not cancel where the order is near 0 or near 1."""
        a, logs = self.order, np.log(np.where(t > 0, t, 1.0))
        if a < 0.5:
            values = (np.expm1(a * logs) / a - (t - 1.0)) / (a - 1.0)
        else:
            values = (t * np.expm1((a - 1.0) * logs) / (a - 1.0) - (t - 1.0)) / a
        return np.where(t > 0, joined(t, self.value_near, values), self.at_zero)

    def derivative(self, t: Array) -> Array:
        """Return ``(t^(a-1) - 1) / (a - 1)``."""
        return np.expm1((self.order - 1.0) * np.log(t)) / (self.order - 1.0)

    def intercept(self, t: Array) -> Array:
        """Return ``-(t^a - 1) / a``."""
        return -np.expm1(self.order * np.log(t)) / self.order

    def value_near(self, w: Array) -> Array:
        """Return ``f(1 + w)``."""
        return power_shortfall(w, self.order) / (self.order * (1.0 - self.order))

    def derivative_near(self, w: Array) -> Array:
        """Return ``((1 + w)^(a-1) - 1) / (a - 1)``."""
        return np.expm1((self.order - 1.0) * np.log1p(w)) / (self.order - 1.0)

    def rest_near(self, w: Array) -> Array:
        """Return ``f - w f'``, of second order in ``ln(1 + w)``."""
        a, logs = self.order, np.log1p(w)
        first, second = a * exponential_rest(a * logs), (a - 1.0) * exponential_rest((a - 1.0) * logs)
        return -logs * logs * (first - second)

    def enclosed(self, t: Fraction) -> Enclosure:
        """Return bounds of ``(t^a - a t + a - 1) / (a (a - 1))``."""
        a = Fraction(self.order)
        low, high = ((power - a * t + a - 1) / (a * (a - 1)) for power in power_enclosed(t, a))
        return (low, high) if a > 1 else (high, low)

    def perspective(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``(sum_y first_y^a second_y^(1-a) - a sum first + (a - 1) sum second) / (a (a - 1))``."""
        import cvxpy as cp

        a = self.order
        return (self.powers(first, second) - a * cp.sum(first) + (a - 1.0) * cp.sum(second)) / (a * (a - 1.0))

    def powers(self, first: cp.Expression, second: cp.Expression) -> cp.Expression:
        """Return ``sum_y first_y^a second_y^(1-a)``: concave below order 1, convex above."""
        import cvxpy as cp

        return cp.sum([_power(first[y], second[y], self.order) for y in range(first.shape[0])])


def _power(x: cp.Expression, y: cp.Expression, order: float) -> cp.Expression:
    """Return ``x^order y^(1-order)``; above order 2 through ``(x^(order/2) y^(1-order/2))^2 / y``."""
    import cvxpy as cp

    if order > 2:
        return cp.quad_over_lin(_power(x, y, order / 2.0), y)
    if order == 2:
        return cp.quad_over_lin(x, y)
    shares = [2.0 - order, order - 1.0] if order > 1 else [order, 1.0 - order]
    mean = cp.geo_mean(cp.hstack([x, y]), p=shares, max_denom=LARGEST_DENOMINATOR)
    return cp.quad_over_lin(x, mean) if order > 1 else mean
