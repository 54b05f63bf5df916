"""Certified pricing in every direction: the slice of the orthant is cut into simplices, few inputs at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.domains import Array
from mechdesign.notions import SmoothBudget
from mechdesign.objectives import Separable
from mechdesign.problem import Problem

#: Cells halve along one edge at a time, so that the effort grows steeply with the number of inputs.
MOST_INPUTS = 4
#: Cells that are looked at before the bound is left as it is, how many at once, and columns that are handed back.
MOST_CELLS, AT_ONCE, RETURNED = 60_000, 4096, 24


@dataclass(frozen=True)
class Excess:
    """An upper bound on ``mu(q) - nu beta(q) - lam . q`` over the slice, and columns on which it is large."""

    bound: float
    #: The size of the terms that were added up for it.
    size: float
    columns: Array


@dataclass(frozen=True)
class Cells:
    """Simplices of columns by their corners, shape (cells, n corners, n), each with an upper bound."""

    corners: Array
    upper: Array


class _Pricing:
    """``mu - nu beta - lam`` on the slice, its largest value and columns seen so far."""

    def __init__(
        self, objective: Separable, problem: Problem, budget: SmoothBudget, normal: Array, lam: Array, nu: float
    ) -> None:
        self.objective, self.problem, self.budget = objective, problem, budget
        self.normal, self.lam, self.nu = normal, lam, nu
        self.best, self.size = -np.inf, 0.0
        self.columns, self.values = np.zeros((problem.n, 0)), np.zeros(0)

    def cells(self, corners: Array) -> Cells:
        """Return the cells with these corners: mu is at most linear between them, beta at least its tangent."""
        count, n, _ = corners.shape
        flat = corners.reshape(-1, n).T
        gains = self.objective.column_utility(flat, self.problem) - self.lam @ flat
        self._see(flat, gains - self.nu * self.budget.cost(flat)[0], gains)
        tangents = self.budget.tangents(corners.mean(axis=1).T)
        below = np.einsum("cvx,cx->cv", corners, tangents)
        return Cells(corners, (gains.reshape(count, n) - self.nu * below).max(axis=1))

    def halves(self, corners: Array) -> Array:
        """Return both halves of each cell, cut through the middle of its longest edge."""
        n = corners.shape[1]
        first, second = np.triu_indices(n, 1)
        lengths = np.abs((corners[:, first] - corners[:, second]) * self.normal).sum(axis=2)
        longest, cells = lengths.argmax(axis=1), np.arange(len(corners))
        i, j = first[longest], second[longest]
        middle = (corners[cells, i] + corners[cells, j]) / 2.0
        left, right = corners.copy(), corners.copy()
        left[cells, i], right[cells, j] = middle, middle
        return np.concatenate([left, right])

    def _see(self, flat: Array, values: Array, gains: Array) -> None:
        self.best = max(self.best, float(values.max()))
        self.size = max(self.size, float((np.abs(gains) + np.abs(self.lam) @ np.abs(flat) + np.abs(values)).max()))
        columns, values = np.hstack([self.columns, flat]), np.concatenate([self.values, values])
        rounded = np.round(columns * self.normal[:, None], 6)
        order = np.argsort(-values, kind="stable")[: 8 * RETURNED]
        _, distinct = np.unique(rounded[:, order], axis=1, return_index=True)
        kept = order[np.sort(distinct)[:RETURNED]]
        self.columns, self.values = columns[:, kept], values[kept]


def largest_excess(
    objective: Separable,
    problem: Problem,
    budget: SmoothBudget,
    normal: Array,
    lam: Array,
    nu: float,
    tolerance: float,
) -> Excess:
    """Bound ``mu(q) - nu beta(q) - lam . q`` over ``q >= 0, normal . q = 1``, by branch and bound.

    Cells that could hold more than `tolerance` above the best value seen are halved, those that could hold most first,
    until none is left or there are too many; the bound is sound either way.
    """
    pricing = _Pricing(objective, problem, budget, normal, lam, nu)
    open_ = pricing.cells(np.diag(1.0 / normal)[None])
    closed, looked = -np.inf, 1
    while len(open_.upper) and looked < MOST_CELLS:
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
