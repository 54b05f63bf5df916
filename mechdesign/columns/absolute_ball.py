"""Columns within a mean absolute distance of their own mass."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mechdesign.columns import ball_vertices
from mechdesign.columns.ball import Ball
from mechdesign.columns.cone import NEXT_TO, Cone, Rays, Support, raised, rounding_unit
from mechdesign.columns.dual import Shown, numbers_of, own_of
from mechdesign.exact import Integers, float_above, product
from mechdesign.parameters.checks import Array

#: Secrets up to which the cone is written with one row for each set of them.
MOST_SECRETS = 7


@dataclass(frozen=True, eq=False)
class AbsoluteBall(Ball):
    """Vectors v of mass ``m = pi . v`` with ``sum_s pi_s |v_s - m| <= epsilon m``.

    Parameters
    ----------
    n : int
    masses : Masses
        pi.
    epsilon : float
    """

    @cached_property
    def _half(self) -> float:
        """Half of epsilon, rounded up by what the masses of floats miss the exact ones."""
        least, most = self.masses.missed
        missed = max(most - 1, 1 - least)
        return float_above((Fraction(self.epsilon) * (1 + 3 * missed)) / 2 + 2 * missed) if self.epsilon > 0 else 0.0

    def cone_of(self, seen: Array) -> Cone:
        """Return ``t_s >= pi_s (v_s - m)``, ``2 sum(t) <= epsilon m``, ``m = mass . v`` with auxiliary t and m."""
        joint = self.masses.floats[:, None] * seen
        mass, k = self.masses.floats @ seen, len(joint)
        # m is a variable of its own, ``mass . v``: rows that hold it are sparse, rows of all v dense.
        on_column = np.vstack([-joint, np.zeros((1, seen.shape[1])), mass, -mass])
        on_t = np.vstack([np.eye(k), -np.ones((1, k)), np.zeros((2, k))])
        on_mass = np.concatenate([self.masses.floats, [self.epsilon / 2.0, -1.0, 1.0]])
        # pi_s v_s is at most m, and m at most n on the slice.
        return Cone(on_column, np.column_stack([on_t, on_mass]), float(seen.shape[1]))

    @property
    def deviation(self) -> float:
        """Epsilon, raised by what the prior of floats misses the exact one."""
        return 2.0 * self._half

    def facets_of(self, seen: Array) -> Cone | None:
        """Return one row for each set of secrets, without auxiliary variables."""
        k = self.n
        if k > MOST_SECRETS:
            return None
        member = ((np.arange(1, 2**k - 1)[:, None] >> np.arange(k)) & 1).astype(float)
        prior = self.masses.floats
        joint, mass = prior[:, None] * seen, prior @ seen
        # In the order that keeps the cancellation at epsilon / 2 + pi(S) = 1 exact.
        kept = (self.epsilon / 2 + member @ prior)[:, None] * mass
        return Cone.at_least(kept, member @ joint)

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return for each functional whether theta and beta, multipliers of mass and distance, prove it nonnegative.

        At mass one ``w . v`` is at least ``theta - beta epsilon`` plus, for each secret, the least of ``pi_s beta``
        and ``w_s - theta pi_s``, which is not below ``-pi_s beta``.
        """
        own = own_of(shown, len(functionals))
        prior, epsilon = self.masses.shares, Fraction(self.epsilon)

        def is_shown(functional: Integers, theta: int, beta: int) -> bool:
            rests = [entry - theta * share for entry, share in zip(functional, prior, strict=True)]
            moved = [beta * share for share in prior]
            if beta < 0 or any(rest < -most for rest, most in zip(rests, moved, strict=True)):
                return False
            return bool(theta - beta * epsilon + sum(map(min, rests, moved)) >= 0)

        return np.array([is_shown(w, x.get(0, 0), x.get(1, 0)) for w, x in zip(functionals, own, strict=True)])

    def own_numbers(self, functional: Array, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return theta and beta: half the sum and half the difference of two shares ``w_s / pi_s``.

        The least column takes mass from the inputs of the largest shares, down to one of the two, and gives it to the
        input of the least share, the other.
        """
        prior = self.masses.floats
        shares = functional / prior
        order = np.argsort(-shares, kind="stable")
        # At most half the distance can be moved.
        last = min(int(np.searchsorted(prior[order].cumsum(), self.epsilon / 2.0)), len(order) - 1)
        taken, given = shares[order[last]], shares.min()
        # A little lower: what is left of the least share may not be below minus the distance's multiplier.
        lower = NEXT_TO * (abs(taken) + abs(given))
        return numbers_of(np.array([(taken + given) / 2.0 - lower, (taken - given) / 2.0]))

    def ray_count(self) -> float:
        """Return at most how many sets lose all there are, with an input that gains and one that loses a part."""
        return ball_vertices.ray_count(self.masses.floats, self._half)

    def rays(self) -> Rays | None:
        """Return the vertices of the ball around the prior, cut with the simplex."""
        return ball_vertices.rays(self.masses.floats, self._half)

    def support(self, functionals: Array, nu: Array) -> Support | None:
        """Return the value if the input of largest ``h_x / P_x`` gains the mass that the inputs of least ratio lose."""
        prior = self.masses.floats
        gains = functionals / prior
        order = np.argsort(gains, axis=1, kind="stable")
        sizes = prior[order]
        before = sizes.cumsum(axis=1) - sizes
        half = self._half
        # Where half is more than all but the largest gain have, they lose it all: no input loses more than it has.
        lost = np.clip(half - before, 0.0, sizes)
        lost[:, -1] = 0.0
        ratios = 1.0 - lost / sizes
        ratios[:, -1] += lost.sum(axis=1) / sizes[:, -1]
        columns = np.empty_like(functionals)
        np.put_along_axis(columns, order, ratios, axis=1)
        # By the dual, at any theta up to the largest gain: half gains the difference, and less than theta is lost.
        most = gains.max(axis=1)
        last = np.maximum((before < half).sum(axis=1) - 1, 0)
        theta = np.take_along_axis(gains, np.take_along_axis(order, last[:, None], axis=1), axis=1)[:, 0]
        theta = np.where(half < sizes[:, :-1].sum(axis=1), theta, most)
        short = theta[:, None] * prior - functionals
        values = functionals.sum(axis=1) + half * (most - theta) + np.maximum(short, 0.0).sum(axis=1)
        blur = np.abs(theta)[:, None] * prior + np.abs(functionals)
        terms = np.abs(functionals).sum(axis=1) + half * (np.abs(most) + np.abs(theta))
        terms += np.where(short > -rounding_unit(1) * blur, blur, 0.0).sum(axis=1)
        return raised(values, rounding_unit(self.n) * terms, columns.T)

    def measured(self, seen: Integers) -> tuple[Integers, Integers]:
        """Return ``sum_s pi_s |v_s - m|`` and m of each column, as integers in one unit."""
        prior = self.masses.integers
        total, mass = int(sum(prior)), product(prior, seen)
        # What is above the mass is as much as what is below it: products of short numbers, and no table of long ones.
        above = seen > mass // total
        raised = total * product(prior, np.where(above, seen, 0)) - mass * product(prior, above.astype(np.int64))
        return 2 * raised, total * mass

    def allows(self, measured: tuple[Integers, Integers]) -> npt.NDArray[np.bool_]:
        """Return for each column whether its distance is at most epsilon."""
        limit, (sums, mass) = Fraction(self.epsilon), measured
        return np.asarray((sums * limit.denominator <= mass * limit.numerator).astype(bool))
