"""Utilities of the columns ``l + (1-l) 1_S`` under LDP, and how much a fractional S can gain at most.

``l = e^-epsilon``. Mutual information is a concave function of the set's mass. Histogram MMSE is ``N/w`` with N and w
linear in the indicator: at ``w = 1/s`` that is ``sN``, and a price of ``sw = 1`` leaves a sum over inputs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mechdesign.domains import Array
from mechdesign.notions import LDP
from mechdesign.objectives import HistogramMMSE, MutualInformation, Objective
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT

Members = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]

#: Halvings of the price of ``sw = 1``.
HALVINGS = 36
#: Intervals of s for each factor e, and in all, that histogram MMSE starts from.
EACH, MOST_INTERVALS = 8, 64


@dataclass(frozen=True)
class Nodes:
    """Sets whose first inputs are chosen, shape (k, depth), and the interval of s that each is asked for."""

    chosen: Members
    interval: Array


@dataclass(frozen=True)
class Relaxed:
    """For each node no less than any of its sets gains, and sets next to what reaches it."""

    values: Array
    rounded: Callable[[Indices], Members]


class Relaxation(ABC):
    """The utility of sets of inputs, by falling mass; `cost` below is what an input costs where the column is 1."""

    def __init__(self, masses: Array, epsilon: float) -> None:
        self.masses = masses
        self.epsilon = min(epsilon, LARGEST_EXPONENT)
        self.least, self.rise = float(np.exp(-self.epsilon)), float(-np.expm1(-self.epsilon))

    #: The mass of sets that tell most.
    best_mass: float

    @abstractmethod
    def root(self) -> Nodes:
        """Return the nodes that hold all sets together."""

    @abstractmethod
    def relaxed(self, nodes: Nodes, cost: Array) -> Relaxed:
        """Return what ``utility - cost . column`` is at most over each node's sets, of any mass in its interval."""

    @abstractmethod
    def wide(self, nodes: Nodes) -> Members:
        """Tell which intervals matter more than the next input does."""

    @abstractmethod
    def basis(self) -> Array:
        """Return functions of an input's mass, shape (k, n), of which multipliers of small inputs are made."""

    def first_multipliers(self) -> Array | None:
        """Return multipliers that are next to best where no input is large, or None."""
        return None

    def even(self, depth: int) -> bool:
        """Tell whether the inputs from `depth` on are equally likely but for rounding."""
        rest = self.masses[depth:]
        return len(rest) > 0 and float(rest[0] - rest[-1]) <= 8 * float(np.finfo(float).eps) * float(rest[0])


class Information(Relaxation):
    """``f(m) = -epsilon l (1-m) - w ln w`` with ``w = l + (1-l) m``: concave in the mass m = P(S)."""

    def __init__(self, masses: Array, epsilon: float) -> None:
        super().__init__(masses, epsilon)
        # c - 1 cancels next to epsilon = 0, where half of the mass is best.
        known = epsilon > 1e-6
        self.best_mass = (self.epsilon - self.rise) / self.rise**2 * self.least if known else 0.5

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
        """Fill up by cost per mass while that pays, and bound by the tangent there: sound at whatever mass it is."""
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
        """At a price of ``sw = 1`` the largest excess is convex in s: the larger one of the two ends bounds it."""
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
        """Return the same over equal inputs, exactly: of each number of them the cheapest."""
        order = np.argsort(dear, kind="stable")
        number, paid = np.arange(len(dear) + 1), np.concatenate([[0.0], np.cumsum(dear[order])])
        steep = (1.0 - self.least**2) * float(self.squares[-1])
        told = (within[:, None] + steep * number) / (weight[:, None] + self.rise * float(self.masses[-1]) * number)
        excess = told - paid - spent[:, None]
        best = excess.argmax(axis=1)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))

        def rounded(index: Indices) -> Members:
            return np.hstack([nodes.chosen[index], rank[None, :] < best[index, None]])

        return Relaxed(excess.max(axis=1), rounded)


def _entropy(ratio: Array) -> Array:
    """Return ``(1+r) ln(1+r) - r``, at least 0; 1 at r = -1."""
    above = np.maximum(ratio, -1.0 + 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(ratio > -1.0, (1.0 + above) * np.log1p(above), 0.0)
    return np.asarray(terms - ratio)


def relaxation(notion: LDP, objective: Objective, problem: Problem) -> tuple[Relaxation, Indices]:
    """Return the relaxation, and the inputs by falling mass."""
    assert problem.prior is not None, "check() refuses a problem without one"
    order = np.argsort(-problem.prior, kind="stable")
    kind = Information if isinstance(objective, MutualInformation) else Histogram
    return kind((problem.prior / problem.prior.sum())[order], notion.epsilon), order


def is_of_subsets(notion: object, objective: Objective, problem: Problem) -> bool:
    """Tell whether the rays are told by subsets, and the utility is one of the two: subclasses may compute another."""
    known = type(objective) is HistogramMMSE or (type(objective) is MutualInformation and objective.kind != "convex")
    # Equal types: a subclass may widen the cone.
    return known and type(notion) is LDP and not problem.is_hidden and problem.data_of_input is None
