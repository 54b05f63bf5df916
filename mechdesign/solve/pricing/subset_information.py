"""Mutual information of a column ``l + (1-l) 1_S`` under LDP: a concave function of the set's mass."""

from __future__ import annotations

import math

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.subset_relaxation import Indices, Members, Nodes, Relaxation, Relaxed
from mechdesign.tolerances import LARGEST_EXPONENT


class Information(Relaxation):
    """``f(m) = -epsilon l (1-m) - w ln w`` with ``w = l + (1-l) m``: concave in the mass m = P(S)."""

    mass_is_known = True

    def __init__(self, masses: Array, epsilon: float) -> None:
        super().__init__(masses, epsilon)
        # c - 1 cancels next to epsilon = 0, where half of the mass is best.
        known = epsilon > 1e-6
        self.best_mass = (self.epsilon - self.rise) / self.rise**2 * self.least if known else 0.5

    @staticmethod
    def shift(mass: float) -> float:
        """Return ``-mass ln mass``: what is learnt from the inputs' being those."""
        return -mass * math.log(mass)

    def root(self) -> Nodes:
        """Return one node."""
        return Nodes(np.zeros((1, 0), dtype=bool), np.zeros((1, 2)))

    def wide(self, nodes: Nodes) -> Members:
        """Return that none is."""
        return np.zeros(len(nodes.chosen), dtype=bool)

    def basis(self) -> Array:
        """Return the mass itself."""
        return np.asarray(self.masses[None, :])

    def first_multipliers(self) -> Array:
        """Return ``P_x (c - 1 - ln c)``, ``c = epsilon E / (E-1)``."""
        over = (self.epsilon - self.rise) / self.rise
        return np.asarray(self.masses * (over - float(np.log1p(over))))

    def relaxed(self, nodes: Nodes, cost: Array) -> Relaxed:
        """Fill up by cost, shape (n,), per mass while that pays, and bound by the tangent there: sound at any mass."""
        depth = nodes.chosen.shape[1]
        each = self.rise * cost
        rest, dear = self.masses[depth:], each[depth:]
        order = np.argsort(dear / rest, kind="stable")
        slopes = (dear / rest)[order]
        filled, paid = (np.concatenate([[0.0], np.cumsum(terms[order])]) for terms in (rest, dear))
        mass = nodes.chosen @ self.masses[:depth]
        spent = nodes.chosen @ each[:depth] + self.least * cost.sum()
        count = self._filled_up(mass, filled, slopes)
        if self.even(depth):
            # Equal inputs: only whole numbers of them, and the excess is concave in the number.
            whole = np.clip(count[:, None] + np.arange(-1, 3), 0, len(rest))
            values = (self._utility(mass[:, None] + filled[whole]) - paid[whole]).max(axis=1) - spent
        else:
            at = np.minimum(count, max(len(rest) - 1, 0))
            wanted = self._mass_at(slopes)[at] if len(rest) else mass
            touched = np.clip(np.where(count < len(rest), wanted, 0.0), mass + filled[count], 1.0)
            slope = self._slope(touched)
            taken = np.searchsorted(slopes, slope)
            values = self._utility(touched) + slope * (mass - touched + filled[taken]) - paid[taken] - spent
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))

        def rounded(index: Indices) -> Members:
            counts = np.concatenate([count[index], count[index] + 1])
            return np.hstack([np.tile(nodes.chosen[index], (2, 1)), rank[None, :] < counts[:, None]])

        return Relaxed(values, rounded)

    def _filled_up(self, mass: Array, filled: Array, slopes: Array) -> Indices:
        """Return how many of the ordered inputs pay as a whole on top of `mass`."""
        low, high = np.zeros(len(mass), dtype=np.intp), np.full(len(mass), len(slopes), dtype=np.intp)
        wanted = self._mass_at(slopes)
        while np.any(low < high):
            middle = (low + high) // 2
            at = np.minimum(middle, len(slopes) - 1)
            pays = (low < high) & (wanted[at] >= mass + filled[at + 1])
            low, high = np.where(pays, middle + 1, low), np.where((low < high) & ~pays, middle, high)
        return low

    def _weight(self, mass: Array) -> Array:
        return self.least + self.rise * mass

    def _logarithm(self, mass: Array) -> Array:
        if self.rise < 0.5:
            return np.asarray(np.log1p(-self.rise * (1.0 - mass)))
        return np.asarray(np.log(self._weight(mass)))

    def _utility(self, mass: Array) -> Array:
        """Return f as the sum of ``w ((1+r) ln(1+r) - r)`` over the set and the others: no cancellation."""
        mass = np.clip(mass, 0.0, 1.0)
        weight = self._weight(mass)
        inside, outside = self.rise * (1.0 - mass) / weight, -self.rise * mass / weight
        return np.asarray(mass * weight * _entropy(inside) + (1.0 - mass) * weight * _entropy(outside))

    def _slope(self, mass: Array) -> Array:
        return np.asarray(self.epsilon * self.least - self.rise * (self._logarithm(mass) + 1.0))

    def _mass_at(self, slope: Array) -> Array:
        """Return the mass where f has that slope, within 0 and 1."""
        power = np.clip((self.epsilon * self.least - slope) / self.rise - 1.0, -LARGEST_EXPONENT, 1.0)
        return np.clip((np.expm1(power) + self.rise) / self.rise, 0.0, 1.0)


def _entropy(ratio: Array) -> Array:
    """Return ``(1+r) ln(1+r) - r``, at least 0; 1 at r = -1."""
    above = np.maximum(ratio, -1.0 + 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(ratio > -1.0, (1.0 + above) * np.log1p(above), 0.0)
    return np.asarray(terms - ratio)
