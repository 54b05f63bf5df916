"""Histogram MMSE of a column ``l + (1-l) 1_S`` under LDP: ``N/w`` with N and w linear in the indicator of S.

At ``w = 1/s`` that is ``sN``, and a price of ``sw = 1`` leaves a sum over inputs.
"""

from __future__ import annotations

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.subset_relaxation import Indices, Members, Nodes, Relaxation, Relaxed

#: Halvings of the price of ``sw = 1``.
HALVINGS = 36
#: Intervals of s for each factor e, and in all, that the search starts from.
EACH, MOST_INTERVALS = 8, 64


class Histogram(Relaxation):
    """``N / w`` with ``N = sum_x P_x^2 (l^2 + (1-l^2) 1_S)`` and ``w = l + (1-l) P(S)``."""

    def __init__(self, masses: Array, epsilon: float) -> None:
        super().__init__(masses, epsilon)
        self.best_mass = self.least / (1.0 + self.least)
        self.squares = masses**2

    def root(self) -> Nodes:
        """Return intervals of s that hold all sets but the empty one, which is looked at apart."""
        most = 1.0 / (self.least + self.rise * float(self.masses[-1])) * (1 + 1e-12)
        count = int(np.clip(np.ceil(EACH * np.log(most)), 1, MOST_INTERVALS))
        ends = np.geomspace(1.0 - 1e-12, most, count + 1)
        return Nodes(np.zeros((count, 0), dtype=bool), np.column_stack([ends[:-1], ends[1:]]))

    def wide(self, nodes: Nodes) -> Members:
        """Compare the interval of w with the next input's mass."""
        depth = nodes.chosen.shape[1]
        following = self.masses[depth] if depth < len(self.masses) else 0.0
        low, high = nodes.interval.T
        return np.asarray((1.0 / low - 1.0 / high > 0.5 * self.rise * following) & (high > low * (1 + 1e-9)))

    def basis(self) -> Array:
        """Return the mass and its square."""
        return np.vstack([self.masses, self.squares])

    def relaxed(self, nodes: Nodes, cost: Array) -> Relaxed:
        """Bound each node, `cost` of shape (n,): at a price of ``sw = 1`` it is convex in s, so an end is largest."""
        depth, each = nodes.chosen.shape[1], self.rise * cost
        steep, rest = (1.0 - self.least**2) * self.squares, slice(depth, None)
        chosen = nodes.chosen.astype(float)
        squares, mass = chosen @ steep[:depth], chosen @ self.masses[:depth]
        spent = chosen @ each[:depth] + self.least * cost.sum()
        within = self.least**2 * self.squares.sum() + squares
        weight = self.least + self.rise * mass
        if self.even(depth):
            return self._whole(nodes, within, weight, spent, each[rest])

        def gains(s: Array, price: Array) -> Array:
            linear = steep[rest] + np.outer(price, self.rise * self.masses[rest])
            return np.asarray(s[:, None] * linear - each[rest])

        nothing = ~nodes.chosen.any(axis=1)

        def at(s: Array, price: Array) -> tuple[Array, Array]:
            found = gains(s, price)
            gained, taken = np.maximum(found, 0.0).sum(axis=1), (found > 0) @ self.masses[rest]
            # The empty set is everything's column but for its scale: without it, small l leaves s unpriced.
            for lone in np.flatnonzero(nothing & (gained <= 0)):
                gained[lone] = found[lone].max(initial=-np.inf)
                taken[lone] = self.masses[rest][found[lone].argmax()] if found.shape[1] else 0.0
            values = s * (within + price * weight) - price - spent + gained
            return values, s * (weight + self.rise * taken) - 1.0

        ends = nodes.interval.T
        low, high = np.full(len(mass), -2.0 * float(self.masses[0])), np.zeros(len(mass))
        values, prices = np.full(len(mass), np.inf), low.copy()
        for _ in range(HALVINGS):
            price = (low + high) / 2
            (first, rises), (second, others) = at(ends[0], price), at(ends[1], price)
            worse = np.maximum(first, second)
            prices, values = np.where(worse < values, price, prices), np.minimum(values, worse)
            falls = np.where(first >= second, rises, others) < 0
            low, high = np.where(falls, price, low), np.where(falls, high, price)

        def rounded(index: Indices) -> Members:
            both = [gains(end[index], prices[index]) > 0 for end in ends]
            return np.hstack([np.tile(nodes.chosen[index], (2, 1)), np.vstack(both)])

        return Relaxed(values, rounded)

    def _whole(self, nodes: Nodes, within: Array, weight: Array, spent: Array, dear: Array) -> Relaxed:
        """Return the relaxed utility over equal inputs, exactly: of each number of them the cheapest."""
        order = np.argsort(dear, kind="stable")
        number, paid = np.arange(len(dear) + 1), np.concatenate([[0.0], np.cumsum(dear[order])])
        steep = (1.0 - self.least**2) * float(self.squares[-1])
        utility = (within[:, None] + steep * number) / (weight[:, None] + self.rise * float(self.masses[-1]) * number)
        excess = utility - paid - spent[:, None]
        best = excess.argmax(axis=1)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))

        def rounded(index: Indices) -> Members:
            return np.hstack([nodes.chosen[index], rank[None, :] < best[index, None]])

        return Relaxed(excess.max(axis=1), rounded)
