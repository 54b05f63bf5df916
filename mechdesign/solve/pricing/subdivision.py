"""Certified pricing in every direction: the slice of the orthant is cut into simplices, few inputs at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from mechdesign.columns.smooth import BudgetOfSecret
from mechdesign.exact import Integers
from mechdesign.notions import SmoothBudget
from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late

#: Cells halve along one edge at a time, so that the effort grows steeply with the number of their corners.
MOST_CORNERS = 6
#: Tangents of the budget that are tried on a cell, each nearer to the corner where the last one left most.
TANGENTS = 4
#: Faces of the slice that are cut up, of as many corners each.
MOST_FACES = 1000
#: Cells that are looked at before the bound is left as it is, how many at once, and columns that are handed back.
MOST_CELLS, AT_ONCE, RETURNED = 200_000, 4096, 24


@dataclass(frozen=True)
class Excess:
    """An upper bound on ``mu(q) - nu beta(q) - lam . q`` over the slice, and columns on which it is large."""

    bound: float
    #: The size of the terms that were added up for it.
    size: float
    columns: Array


@dataclass(frozen=True)
class Cells:
    """Simplices of columns by their corners, shape (cells, corners, n), each with an upper bound."""

    corners: Array
    upper: Array

    def __post_init__(self) -> None:
        # What is no number bounds nothing.
        object.__setattr__(self, "upper", np.where(np.isnan(self.upper), np.inf, self.upper))


class Pricing(ABC):
    """``mu - lam`` on a part of the slice, its largest value and columns seen so far."""

    def __init__(self, objective: Separable, problem: Problem, normal: Array, lam: Array) -> None:
        self.objective, self.problem, self.normal, self.lam = objective, problem, normal, lam
        self.best, self.size = -np.inf, 0.0
        self.columns, self.values = np.zeros((problem.n, 0)), np.zeros(0)

    @abstractmethod
    def cells(self, corners: Array) -> Cells:
        """Return the cells with corners of shape (cells, corners, n), bounded, and keep some of their columns."""

    def gains(self, columns: Array) -> Array:
        """Return ``mu - lam`` of each column, shape (m,)."""
        return self.objective.column_utility(columns, self.problem) - self.lam @ columns

    def see(self, columns: Array, values: Array) -> None:
        """Keep the columns, shape (n, m), of largest value."""
        self.best = max(self.best, float(values.max()))
        terms = np.abs(self.gains(columns)) + np.abs(self.lam) @ np.abs(columns) + np.abs(values)
        self.size = max(self.size, float(terms.max()))
        columns, values = np.hstack([self.columns, columns]), np.append(self.values, values)
        shares, self.values = best_apart(columns * self.normal[:, None], values)
        self.columns = shares / self.normal[:, None]

    def halves(self, corners: Array) -> Array:
        """Return both halves of each cell, shape (2 cells, corners, n), cut through the middle of its longest edge."""
        first, second = np.triu_indices(corners.shape[1], 1)
        lengths = np.abs((corners[:, first] - corners[:, second]) * self.normal).sum(axis=2)
        longest, cells = lengths.argmax(axis=1), np.arange(len(corners))
        i, j = first[longest], second[longest]
        middle = (corners[cells, i] + corners[cells, j]) / 2.0
        left, right = corners.copy(), corners.copy()
        left[cells, i], right[cells, j] = middle, middle
        return np.concatenate([left, right])


class _UnderBudget(Pricing):
    """``mu - nu beta - lam`` on the whole slice."""

    def __init__(
        self, objective: Separable, problem: Problem, budget: SmoothBudget, normal: Array, lam: Array, nu: float
    ) -> None:
        super().__init__(objective, problem, normal, lam)
        self.budget, self.nu = budget, nu

    def cells(self, corners: Array) -> Cells:
        """Return the cells with corners of shape (cells, corners, n): mu is at most linear, beta at least each tangent.

        From the middle each step goes towards the corner of largest difference, the largest share first: as the method
        of Frank and Wolfe finds where a linear function exceeds nu beta most.
        """
        count, each, n = corners.shape
        flat = corners.reshape(-1, n).T
        gains = self.gains(flat)
        self.see(flat, gains - self.nu * self.budget.cost(flat)[0])
        chords = gains.reshape(count, each)
        at, upper = corners.mean(axis=1), np.full(count, np.inf)
        for step in range(TANGENTS):
            over = chords - self.nu * np.einsum("cvx,cx->cv", corners, self.budget.tangents(at.T))
            worst = over.argmax(axis=1)
            upper = np.minimum(upper, over[np.arange(count), worst])
            at = at + (corners[np.arange(count), worst] - at) * (2.0 / (step + 3.0))
        return Cells(corners, upper)


def corner_count(seen: int, mass: Array) -> int:
    """Return how many positive entries a best column needs where the secret has `seen` values; `mass` of shape (n,).

    Of the columns of which the secret sees the same, one of largest (convex) utility has no more entries than there
    are equations; where an input has no `mass`, the slice is one of them.
    """
    return min(len(mass), seen + int(not np.all(mass > 0)))


def faces(n: int, size: int) -> Integers:
    """Return all sets of `size` inputs, shape (faces, size)."""
    return np.array(list(combinations(range(n), size)))


def is_small(n: int, size: int, most: int = MOST_CORNERS) -> bool:
    """Return whether the slice can be cut up: it has few corners and few faces."""
    return size <= most and comb(n, size) <= MOST_FACES


def best_apart(shares: Array, values: Array, most: int = RETURNED) -> tuple[Array, Array]:
    """Return the columns of largest value that differ, not too many, shape (n, m), and their values, shape (m,)."""
    order = np.argsort(-values, kind="stable")[: 8 * most]
    _, distinct = np.unique(np.round(shares[:, order], 6), axis=1, return_index=True)
    kept = order[np.sort(distinct)[:most]]
    return shares[:, kept], values[kept]


def largest_excess(
    objective: Separable,
    problem: Problem,
    budget: SmoothBudget,
    normal: Array,
    lam: Array,
    nu: float,
    tolerance: float,
) -> Excess:
    """Bound ``mu(q) - nu beta(q) - lam . q`` over ``q >= 0, normal . q = 1``, q of shape (n,), by branch and bound."""
    size = problem.n
    if isinstance(budget, BudgetOfSecret):
        size = corner_count(len(budget.channel), budget.prior @ budget.channel)
    return searched(_UnderBudget(objective, problem, budget, normal, lam, nu), faces(problem.n, size), tolerance)


def searched(pricing: Pricing, faces: Integers, tolerance: float, most: int | None = None) -> Excess:
    """Return a bound over the faces of the slice, given as sets of inputs, shape (faces, corners).

    Cells that could hold more than `tolerance` above the best value seen are halved, those that could hold most first,
    until none is left or there are more than `most` (`MOST_CELLS`); the bound is sound either way.
    """
    most = MOST_CELLS if most is None else most
    open_ = pricing.cells(np.diag(1.0 / pricing.normal)[faces])
    # A single corner is cut no further.
    closed, looked = -np.inf, len(faces) if faces.shape[1] > 1 else most
    while len(open_.upper) and looked < most and not is_late():
        keep = open_.upper > pricing.best + tolerance
        closed = max(closed, float(open_.upper[~keep].max(initial=-np.inf)))
        corners, upper = open_.corners[keep], open_.upper[keep]
        if not len(upper):
            open_ = Cells(corners, upper)
            break
        order = np.argsort(-upper, kind="stable")
        now, later = order[:AT_ONCE], order[AT_ONCE:]
        made = pricing.cells(pricing.halves(corners[now]))
        # A half is no more than the whole: its own tangent may say less.
        halved = np.minimum(made.upper, np.tile(upper[now], 2))
        looked += len(halved)
        open_ = Cells(np.concatenate([corners[later], made.corners]), np.concatenate([upper[later], halved]))
    bound = max(closed, pricing.best, float(open_.upper.max(initial=-np.inf)))
    return Excess(bound, pricing.size, pricing.columns)
