"""Pricing where a column moves little mass: ``sum_x P_x |q_x - 1| <= r`` for its lifts q.

A convex function of the lifts is largest at a vertex: one input gains r / 2 of the mass, others lose all that they
have, and one of them a part, whose function is below its chord. Which of them lose is a fractional knapsack.
"""

from __future__ import annotations

import numpy as np

from mechdesign.notions.cone import rounding_unit
from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.near_prior import NearPrior


class MovedMass(NearPrior):
    """Columns that move at most half the distance of the mass."""

    def excess(self, lam: Array) -> tuple[float, float]:
        """Return the largest bound over the inputs that gain, for lam of shape (n,)."""
        prior, unit = self.prior, rounding_unit(len(self.prior))
        idle, none = self.utility.at(prior, np.ones(len(prior))), self.utility.at(prior, np.zeros(len(prior)))
        slope, moved = self._slopes(lam), self.moved() * (1.0 + unit)
        lifts = 1.0 + moved / prior
        most = self.utility.at(prior, lifts)
        lost = (self.losses(lam, moved) * slope).sum(axis=1)
        terms = idle.sum() + none.sum() + 2.0 * np.abs(lam).sum() + most + np.abs(lam) * lifts
        rounding = 4.0 * unit * (terms + np.abs(slope).max() * moved)
        found = (idle - lam).sum() + (most - idle - lam * (lifts - 1.0)) + lost + rounding
        worst = int(found.argmax())
        return float(found[worst]), float(rounding[worst])

    def multipliers(self) -> Array:
        """Return the slopes of the chords down to 0, raised for inputs that gain more than those that fill the mass.

        Outputs where x gains have at most the mass ``P_x / (P_x + moved_x)`` all together: the best shares of outputs
        are a knapsack of their own, with the price of the last input that it takes.
        """
        prior, moved = self.prior, self.moved()
        idle, none = self.utility.at(prior, np.ones(len(prior))), self.utility.at(prior, np.zeros(len(prior)))
        falls = idle - none
        gains = self.utility.at(prior, 1.0 + moved / prior) - idle - moved * falls / prior
        room = prior / (prior + moved)
        order = np.argsort(-gains, kind="stable")
        filled = int(np.searchsorted(np.cumsum(room[order]), 1.0))
        price = gains[order[min(filled, len(order) - 1)]]
        return np.asarray(falls + prior * np.maximum(gains - price, 0.0) / (prior + moved))

    def moved(self) -> Array:
        """Return the mass that each input gains in columns where it does, shape (n,)."""
        return np.asarray(np.minimum(0.5 * self.distance, 1.0 - self.prior))

    def losses(self, lam: Array, moved: Array) -> Array:
        """Return the mass that each input loses in the best column where another one gains, shape (gaining, losing).

        Parameters
        ----------
        lam : array of shape (n,)
            Multipliers of the rows.
        moved : array of shape (n,)
            The mass that each input gains.
        """
        order = np.argsort(-self._slopes(lam), kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        sizes = self.prior[order]
        # Row x leaves x out: what comes after it in the order starts so much earlier.
        earlier = np.where(place[:, None] < np.arange(len(order)), self.prior[:, None], 0.0)
        taken = np.clip(moved[:, None] - (np.cumsum(sizes) - sizes - earlier), 0.0, sizes)
        losses = np.empty_like(taken)
        losses[:, order] = taken
        np.fill_diagonal(losses, 0.0)
        return losses

    def _slopes(self, lam: Array) -> Array:
        """Return what an input that loses all its mass adds to the excess, as a share of that mass, shape (n,)."""
        n = len(self.prior)
        gained = self.utility.at(self.prior, np.zeros(n)) - self.utility.at(self.prior, np.ones(n))
        return np.asarray((gained + lam) / self.prior)
