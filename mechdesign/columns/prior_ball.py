"""Columns within ``e^epsilon`` of their mass under every distribution near a prior in total variation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.columns.cone import Cone
from mechdesign.columns.prior_set import MOST_SECRETS, PriorSet, least_mass, vertices_of_least
from mechdesign.exact import Integers
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_EXPONENT


@dataclass(frozen=True, eq=False)
class PriorBall(PriorSet):
    """Vectors with ``-epsilon <= ln(v_s / pi . v) <= epsilon`` for each s and each pi of a ball around a prior.

    The distributions at a total variation distance of at most `radius` from a prior p have the same extreme masses as
    ``w + radius u``, in which ``0 <= w <= p`` sums to ``1 - radius`` and u is any distribution: a share of the prior is
    taken away, and given to anybody.

    Parameters
    ----------
    n : int
    epsilon : float
        In nats.
    radius : float
        Strictly between 0 and 1.
    prior : ndarray of int, shape (n,)
        The prior, in a common unit.
    """

    radius: float
    prior: Integers

    @property
    def _shares(self) -> Array:
        whole = int(self.prior.sum())
        return np.array([float(Fraction(int(entry), whole)) for entry in self.prior])

    def cone_of(self, seen: Array) -> Cone:
        """Return ``v <= e^epsilon low`` and ``high <= e^epsilon v``; low and high bound the masses by duality."""
        k, kept = len(seen), 1.0 - self.radius
        inverse = float(np.exp(-min(self.epsilon, LARGEST_EXPONENT)))
        one, zero, none, prior = np.ones((k, 1)), np.zeros((k, 1)), np.zeros((k, k)), self._shares[None, :]
        nothing, idle = np.zeros((1, seen.shape[1])), np.zeros((k, k + 3))
        # For low: itself, rho, b = max(rho - v, 0) and the least entry; for high the same from above.
        rows = [
            (nothing, [np.array([[-1.0, kept]]), -prior, np.array([[self.radius]]), np.zeros((1, k + 3))]),
            (seen, [zero, -one, np.eye(k), zero, idle]),
            (seen, [zero, zero, none, -one, idle]),
            (-inverse * seen, [one, zero, none, zero, idle]),
            (nothing, [np.zeros((1, k + 3)), np.array([[1.0, -kept]]), -prior, np.array([[-self.radius]])]),
            (-seen, [idle, zero, one, np.eye(k), zero]),
            (-seen, [idle, zero, zero, none, one]),
            (seen, [idle, -inverse * one, zero, none, zero]),
        ]
        on_auxiliary = np.vstack([np.hstack(parts) for _, parts in rows])
        # All of them can be taken at most the largest entry of v, which is at most n on the slice.
        return Cone(np.vstack([on for on, _ in rows]), on_auxiliary, float(seen.shape[1]))

    def numbers_over(self, inputs: int) -> float:
        """Return the number of entries of the cone's rows, over the column and 2k + 6 auxiliary variables."""
        return self.cone_rows * (inputs + 2.0 * self.n + 6.0)

    @property
    def cone_rows(self) -> float:
        """Six for each secret, and two."""
        return 6.0 * self.n + 2.0

    def facets_of(self, seen: Array) -> Cone | None:
        """Return the rows of LIP at those extreme distributions that give the compared secret the least."""
        k = self.n
        if k > MOST_SECRETS:
            return None
        low = float(np.exp(-min(self.epsilon, LARGEST_EXPONENT)))
        larger, smaller = [], []
        for s in range(k):
            kept = vertices_of_least(s, np.zeros(k), self._shares, 1.0 - self.radius)
            others = np.delete(np.eye(k), s, axis=0)
            laws = (kept[:, None, :] + self.radius * others[None, :, :]).reshape(-1, k)
            masses, entries = laws @ seen, np.repeat(seen[[s]], len(laws), axis=0)
            larger += [masses, entries]
            smaller += [low * entries, low * masses]
        return Cone.at_least(np.vstack(larger), np.vstack(smaller))

    def measured(self, seen: Integers) -> tuple[Integers, Integers, Integers, Integers]:
        """Return of each column the largest and smallest entry, and the smallest and largest mass, in one unit."""
        radius, whole = Fraction(self.radius), int(self.prior.sum())
        span, moved = self.prior * radius.denominator, whole * radius.numerator
        total = whole * radius.denominator
        order, none = np.argsort(seen, axis=0, kind="stable"), np.zeros(self.n, dtype=object)
        high, low, seen = seen.max(axis=0).astype(object), seen.min(axis=0).astype(object), seen.astype(object)
        least = least_mass(seen, order, none, span, total - moved) + moved * low
        most = least_mass(seen, order[::-1], none, span, total - moved) + moved * high
        return high * total, low * total, least, most

    def has_prior(self, prior: Integers) -> bool:
        """Return whether the total variation distance to the prior is at most the radius."""
        whole, mass, radius = int(self.prior.sum()), int(sum(prior)), Fraction(self.radius)
        apart = int(np.abs(self.prior * mass - prior * whole).sum())
        return apart * radius.denominator <= 2 * whole * mass * radius.numerator
