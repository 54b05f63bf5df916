"""Columns within a mean squared distance of their own mass."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.columns.ball import Ball
from mechdesign.columns.cone import Cone, Support, raised, rounding_unit
from mechdesign.columns.cone_program import ByDual, minimise, support_of_each
from mechdesign.columns.dual import Shown, numbers_of, own_of
from mechdesign.columns.shape import Shape, Through
from mechdesign.exact import Integers, product
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp

#: By how much a deviation passes what any column has, as a share: more than rounding.
BEYOND = 1e-9
#: From this reach on cones hold the columns themselves, below it their deviations: those have no interior of their own,
#: and Clarabel fails or stops early; where they are small, the columns would have lost their digits.
LARGE = 0.3


@dataclass(frozen=True, eq=False)
class SquareBall(Ball):
    """Vectors v of mass ``m = pi . v`` with ``sum_s pi_s (v_s - m)^2 <= epsilon^2 m^2``.

    Parameters
    ----------
    n : int
    masses : Masses
        pi.
    epsilon : float
    """

    @property
    def reach(self) -> float:
        """Epsilon, or a number that no column's deviation passes if that is less: its square is finite."""
        return min(self.epsilon, (1.0 + BEYOND) / math.sqrt(float(self.masses.floats.min())))

    @property
    def polyhedral(self) -> bool:
        """No: the ball has a curved side."""
        return False

    def through(self, problem: Problem) -> Shape:
        """Return the columns of which the hidden secret sees one of the ball."""
        return HiddenBall(problem.n, self, problem.channel, np.sqrt(self.masses.floats)[:, None] * problem.deviations)

    def cone_of(self, seen: Array) -> Cone:
        """Return the orthant, which holds the second-order cone of `constraints`."""
        return Cone.of_rows(np.zeros((0, seen.shape[1])))

    def constraints_of(self, Q: cp.Variable, seen: Array) -> list[cp.Constraint]:
        """Return ``Q >= 0``, the masses, and ``|| sqrt(pi) (v - m) || <= epsilon m`` (``v = m`` at epsilon 0).

        Where epsilon is large, ``|| sqrt(pi) v || <= sqrt(1 + epsilon^2) m``, which is the same set of columns.
        """
        import cvxpy as cp

        if self.epsilon == 0:
            return [Q >= 0, self._spread_of(seen) @ Q == 0]
        # With variables for the masses a row of the cone has two numbers, and a whole column otherwise.
        prior, masses, reach = self.masses.floats, cp.Variable(Q.shape[1]), self.reach
        entries, most = seen @ Q, reach
        if reach < LARGE:
            entries = entries - masses[None, :]
        else:
            most = math.hypot(1.0, reach)
        sizes = cp.norm(cp.multiply(np.sqrt(prior)[:, None], entries), 2, axis=0)
        return [Q >= 0, masses == (prior @ seen) @ Q, sizes <= most * masses]

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return for each functional whether multipliers of ``v >= 0``, one for each secret, prove it nonnegative.

        With ``u_s = (w_s - y_s) / pi_s``, the least value at mass one is ``E[u] - epsilon deviation(u)``.
        """
        own = own_of(shown, len(functionals))
        prior, epsilon = self.masses.shares, Fraction(self.epsilon)

        def is_shown(functional: Integers, given: Mapping[int, int]) -> bool:
            left = [Fraction(entry - given.get(s, 0)) for s, entry in enumerate(functional)]
            mean = sum(left)
            variance = sum(share * (rest / share - mean) ** 2 for rest, share in zip(left, prior, strict=True))
            return min(given.values(), default=0) >= 0 and mean >= 0 and mean**2 >= epsilon**2 * variance

        return np.array([is_shown(w, each) for w, each in zip(functionals, own, strict=True)])

    def own_numbers(self, functional: Array, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return by how much the functional passes the share of the prior beyond which entries are zero."""
        prior = self.masses.floats
        shares = functional / prior
        kept = shares.min() + float(behind_largest(-shares[None, :], prior, self.reach)[0])
        return numbers_of(prior * np.maximum(shares - kept, 0.0))

    def support(self, functionals: Array, nu: Array) -> Support:
        """Return ``min over theta of mean + epsilon * deviation`` of ``max(h / P, theta)`` under the masses P.

        Each theta gives a bound, by duality; the best one solves a quadratic equation.
        """
        return of_ball(functionals / self.masses.floats, self.masses.floats, self.reach)

    def _spread_of(self, seen: Array) -> Array:
        """Return the rows ``sqrt(pi_s) (v_s - m)`` as functionals of a column."""
        prior = self.masses.floats
        return np.asarray(np.sqrt(prior)[:, None] * (seen - prior @ seen))

    def measured(self, seen: Integers) -> tuple[Integers, Integers]:
        """Return ``sum_s pi_s (v_s - m)^2`` and ``m^2`` of each column, as integers in one unit."""
        prior = self.masses.integers
        total, mass = int(sum(prior)), product(prior, seen)
        # Less the square of the mean: shorter numbers than squares of what is apart.
        return total * (total * product(prior, seen.astype(object) ** 2) - mass**2), total * mass**2

    def allows(self, measured: tuple[Integers, Integers]) -> npt.NDArray[np.bool_]:
        """Return for each column whether its sum of squares is at most ``epsilon^2``."""
        limit, (sums, mass) = Fraction(self.epsilon) ** 2, measured
        return np.asarray(sums * limit.denominator <= mass * limit.numerator, dtype=bool)


@dataclass(frozen=True, eq=False)
class HiddenBall(Through):
    """Columns of which a hidden secret sees one of a `SquareBall`.

    Parameters
    ----------
    n : int
    seen : SquareBall
    channel : ndarray, shape (k, n)
    spread : ndarray, shape (k, n)
        ``sqrt(pi_s) (v_s - m)`` as functionals of a column, each entry rounded once.
    """

    seen: SquareBall
    spread: Array

    def constraints(self, Q: cp.Variable) -> list[cp.Constraint]:
        """Return the constraints of the ball, by the spread as it is known at epsilon 0."""
        if self.seen.epsilon == 0:
            return [Q >= 0, self.spread @ Q == 0]
        return super().constraints(Q)

    def support(self, functionals: Array, nu: Array) -> Support:
        """Return the bound that the dual, a small program, gives: it is rebuilt from what the solver says."""
        spread, mass = self.spread, self.seen.masses.floats @ self.channel
        normal, (k, n), reach = self.normal, spread.shape, self.seen.reach
        return support_of_each(functionals, lambda h: _by_dual(h, spread, mass, normal, reach), (n + k + 1) * (k + 2))


def _by_dual(functional: Array, spread: Array, mass: Array, normal: Array, epsilon: float) -> ByDual:
    """Minimise ``max_x (h - spread' w + epsilon |w| mass)_x / normal_x`` over w: each w gives a bound."""
    k, n = spread.shape
    scale = max(float(np.abs(functional).max()), 1e-300)
    # Variables (t, z, w): t normal + spread' w - epsilon z mass >= h, and |w| <= z.
    above = np.hstack([-normal[:, None], epsilon * mass[:, None], -spread.T])
    ball = np.hstack([np.zeros((k + 1, 1)), -np.eye(k + 1)])
    right = np.concatenate([-functional / scale, np.zeros(k + 1)])
    cost = np.concatenate([[1.0], np.zeros(k + 1)])
    point, multipliers = minimise(cost, np.vstack([above, ball]), right, nonnegative=n, second_order=(k + 1,))
    weights, column = point[2:] * scale, np.maximum(multipliers[:n], 0.0)
    if not (np.all(np.isfinite(weights)) and np.all(np.isfinite(column)) and normal @ column > 0):
        weights, column = np.zeros(k), np.ones(n)
    length = float(np.linalg.norm(weights))
    lifted = functional - spread.T @ weights + epsilon * length * mass
    terms = np.abs(spread).T @ np.abs(weights) + epsilon * length * mass
    blur = rounding_unit(n + k) * (np.abs(functional) + terms)
    most = float((lifted / normal).max())
    return (most, float(((lifted + blur) / normal).max()) - most), column / float(normal @ column)


def of_ball(gains: Array, prior: Array, epsilon: float) -> Support:
    """Maximise ``E[gains q]`` over ``q >= 0`` of mean 1 and deviation at most epsilon, for each row of `gains`."""
    order = np.argsort(-gains, axis=1, kind="stable")
    chosen = behind_largest(gains, prior, epsilon)
    weights, ranked = prior[order], np.take_along_axis(gains, order, axis=1)
    # From the largest gain down, so that what cancels is small.
    behind = ranked[:, :1] - ranked
    raised_to = np.minimum(behind, chosen[:, None])
    center = (weights * raised_to).sum(axis=1)
    deviation = np.sqrt((weights * (raised_to - center[:, None]) ** 2).sum(axis=1))
    values = ranked[:, 0] - center + epsilon * deviation
    ratios = np.maximum(chosen[:, None] - behind, 0.0)
    flat = ratios.max(axis=1) <= 0
    ratios[flat] = behind[flat] <= chosen[flat, None]
    if epsilon == 0:
        ratios[:] = 1.0
    ratios /= (weights * ratios).sum(axis=1, keepdims=True)
    columns = np.empty_like(ratios)
    np.put_along_axis(columns, order, ratios, axis=1)
    sizes = np.abs(ranked[:, 0]) + raised_to.max(axis=1)
    return raised(values, 4.0 * rounding_unit(len(prior)) * (1.0 + epsilon) * sizes, columns.T)


def behind_largest(gains: Array, prior: Array, epsilon: float) -> Array:
    """Return how far behind the largest gain the entries of the best column become zero, for each row of `gains`."""
    order = np.argsort(-gains, axis=1, kind="stable")
    weights, ranked = prior[order], np.take_along_axis(gains, order, axis=1)
    behind = ranked[:, :1] - ranked
    sums = weights.cumsum(axis=1)
    mean = (weights * behind).cumsum(axis=1) / sums
    variance = np.maximum((weights * behind**2).cumsum(axis=1) / sums - mean**2, 0.0)
    room = sums * (1.0 + epsilon**2) - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        # q = (gain - theta)^+ over its mean: the deviation is epsilon where theta is this far behind.
        theta = mean + np.sqrt(variance / room)
    theta = np.where(room > 0, theta, np.inf)
    following = np.hstack([behind[:, 1:], np.full((len(gains), 1), np.inf)])
    fits = theta <= following
    first = np.where(fits.any(axis=1), fits.argmax(axis=1), gains.shape[1] - 1)
    chosen = theta[np.arange(len(gains)), first]
    # One input (or equal ones) can hold all the mass, or no deviation is allowed at all.
    return np.asarray(np.where(np.isfinite(chosen), chosen, behind[:, -1]))
