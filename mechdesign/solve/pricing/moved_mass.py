"""Pricing where a column moves little mass: ``sum_x P_x |q_x - 1| <= r`` for its lifts q.

A convex function of the lifts is largest at a vertex: one input gains r / 2 of the mass, others lose all that they
have, and one of them a part, whose function is below its chord. Which of them lose is a fractional knapsack.
"""

from __future__ import annotations

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.distance_from_prior import NearPrior


class MovedMass(NearPrior):
    """Columns that move at most half the distance of the mass."""

    def excess(self, lam: Array) -> tuple[float, float]:
        """Return the largest bound over the inputs that gain, for lam of shape (n,)."""
        prior, unit = self.prior, rounding_unit(len(self.prior))
        idle, none = (self.utility.at(prior, np.full(len(prior), lift)) for lift in (1.0, 0.0))
        slope, moved = self._slopes(lam), self.moved() * (1.0 + unit)
        lifts = 1.0 + moved / prior
        most = self.utility.at(prior, lifts)
        lost = self._most_lost(slope, moved)
        terms = idle.sum() + none.sum() + 2.0 * np.abs(lam).sum() + most + np.abs(lam) * lifts
        rounding = 4.0 * unit * (terms + np.abs(slope).max() * moved)
        found = (idle - lam).sum() + (most - idle - lam * (lifts - 1.0)) + lost + rounding
        worst = int(found.argmax())
        return float(found[worst]), float(rounding[worst])

    def multipliers(self) -> Array:
        """Return the slopes of chords down to 0, raised for inputs that gain more than the last that has a share."""
        prior, moved, gains = self.prior, self.moved(), self._gains()
        price = float(gains[self.shares() > 0].min())
        return np.asarray(self._falls() + prior * np.maximum(gains - price, 0.0) / (prior + moved))

    def shares(self) -> Array:
        """Return the mass of the outputs where each input gains, shape (n,), in sum 1.

        Outputs where x gains have at most the mass ``P_x / (P_x + moved_x)`` all together: a knapsack of its own.
        """
        room = self.prior / (self.prior + self.moved())
        order = np.argsort(-self._gains(), kind="stable")
        shares = np.empty(len(order))
        shares[order] = np.clip(1.0 - (np.cumsum(room[order]) - room[order]), 0.0, room[order])
        return shares

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

    def _falls(self) -> Array:
        """Return by how much the function of each input falls where it loses all its mass, shape (n,)."""
        n = len(self.prior)
        return np.asarray(self.utility.at(self.prior, np.ones(n)) - self.utility.at(self.prior, np.zeros(n)))

    def _gains(self) -> Array:
        """Return what an output is worth where an input gains, and what it gains falls along the chord, shape (n,)."""
        prior, moved = self.prior, self.moved()
        raised = self.utility.at(prior, 1.0 + moved / prior) - self.utility.at(prior, np.ones(len(prior)))
        return np.asarray(raised - moved * self._falls() / prior)

    def _most_lost(self, slope: Array, moved: Array) -> Array:
        """Return what the best losses add to the excess where each input gains, shape (n,): `losses` without a table.

        The knapsack without x takes what the one with all inputs takes; where x is among them, P_x more, without x.
        """
        order = np.argsort(-slope, kind="stable")
        mass = np.concatenate([[0.0], np.cumsum(self.prior[order])])
        worth = np.concatenate([[0.0], np.cumsum((self.prior * slope)[order])])
        before = np.empty(len(order))
        before[order] = mass[:-1]
        apart = np.interp(moved, mass, worth)
        among = np.interp(moved + self.prior, mass, worth) - slope * self.prior
        return np.asarray(np.where(before >= moved, apart, among))

    def _slopes(self, lam: Array) -> Array:
        """Return what an input that loses all its mass adds to the excess, as a share of that mass, shape (n,)."""
        return np.asarray((lam - self._falls()) / self.prior)
