"""Pricing where a column is in a ball: ``sum_x P_x (q_x - 1)^2 <= r^2`` for its lifts q, by a Lagrangian relaxation.

With a multiplier s of the ball and theta of the mass every input is maximised by itself. Each pair gives a bound; the
least one is above the largest excess by what a sum of so many functions is short of concave, little where there are
many inputs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.distance_from_prior import NearPrior

#: Multipliers of the ball that are searched, logarithmically; to what accuracy, and how many are tried at most.
LEAST_CURVE, MOST_CURVE, ACCURACY, MOST_TRIED = 1e-8, 1e2, 1e-4, 60
#: Times that the interval of the mass's multiplier is halved.
HALVED = 60


class BallOfLifts(NearPrior):
    """Columns within the distance of 1 in the mean square."""

    def excess(self, lam: Array) -> tuple[float, float]:
        """Return the least bound over both multipliers, for lam of shape (n,)."""
        found: list[tuple[float, float]] = []

        def bound(s: float) -> float:
            found.append(self._least_over_mass(lam, s))
            return found[-1][0]

        _least(bound)
        return min(found)

    def multipliers(self) -> Array:
        """Return the slopes at 1 of the concave envelopes at the multiplier of the ball whose bound is least.

        With ``s`` of the ball the bound is ``s r^2`` and for each input the least ``a + max_q f(q) - a q -
        s P (q - 1)^2`` over a: the envelope at 1.
        """
        found: list[tuple[float, Array]] = []

        def bound(s: float) -> float:
            values, slopes = self.utility.envelope(self.prior, s * self.prior, self._most())
            found.append((s * self.distance**2 + float(values.sum()), slopes))
            return found[-1][0]

        _least(bound)
        return min(found, key=lambda pair: pair[0])[1]

    def _most(self) -> Array:
        """Return the largest lift of each input, shape (n,): a little outward."""
        alone = 1.0 + self.distance * np.sqrt(np.maximum(1.0 - self.prior, 0.0) / self.prior)
        outward = 1.0 + rounding_unit(len(self.prior))
        return np.asarray(np.maximum(np.minimum(alone, 1.0 / self.prior), 1.0) * outward)

    def _least_over_mass(self, lam: Array, s: float) -> tuple[float, float]:
        """Return the least bound over theta, for one s, and its rounding: bisection of the mass of the best lifts."""
        prior, most, curve, of_ball = self.prior, self._most(), s * self.prior, s * self.distance**2
        rate = float((np.abs(lam) / prior).max() + (self.utility.at(prior, most) / prior).max())
        high = rate + 2.0 * s * float(most.max()) + 1.0
        low, best = -high, (np.inf, 0.0)
        for _ in range(HALVED):
            theta = 0.5 * (low + high)
            values, lifts = self.utility.largest(prior, lam + theta * prior, curve, most)
            terms = self.utility.at(prior, lifts) + (np.abs(lam) + abs(theta) * prior) * lifts
            size = float((terms + curve * (1.0 + lifts**2)).sum()) + abs(theta) + of_ball
            rounding = 4.0 * rounding_unit(len(prior)) * size
            best = min(best, (theta + of_ball + float(values.sum()) + rounding, rounding))
            low, high = (theta, high) if float(prior @ lifts) > 1.0 else (low, theta)
        return best


def _least(bound: Callable[[float], float]) -> None:
    """Ask for the bound of multipliers of the ball, closer and closer to where it is least: it is convex in them."""
    from scipy.optimize import minimize_scalar

    ends, options = (np.log(LEAST_CURVE), np.log(MOST_CURVE)), {"xatol": ACCURACY, "maxiter": MOST_TRIED}
    minimize_scalar(lambda power: bound(float(np.exp(power))), bounds=ends, method="bounded", options=options)
