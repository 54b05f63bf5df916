"""Columns drawn at random on the boundary of a notion: of lifts, of deviations from the prior, and of budgets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from mechdesign.notions import Budget
from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.bounded_lift import Lifts
from mechdesign.solve.search.lift_columns import by_tiers

#: Range of the shares of the mass, or of the inputs, that sets have.
SHARES = (0.15, 0.85)
#: Times that a direction is cut off at 0 and stretched again.
STRETCHED = 40
#: How far inside of the ball its columns stay, as a share: more than rounding.
INSIDE = 1e-9


class DrawnColumns(ABC):
    """Columns of a notion, and what weights of them have to add up to."""

    @abstractmethod
    def draw(self, count: int, again: int) -> tuple[Array, Array]:
        """Return about `count` columns, shape (n, m), and weights that nearly make a mechanism, shape (m,).

        Other ones each time, by the number `again`.
        """

    def after(self, kept: tuple[Array, Array], slope: Array, count: int, again: int) -> Array:
        """Return about `count` columns that may be of use beside weighted ones, shapes (n, m) and (m,).

        Where the criterion falls by ``v' G v / (theta . v)`` for each unit of a column v; `slope` is G, shape (n, n).
        """
        return self.draw(count, again)[0]

    def rows(self, columns: Array) -> Array:
        """Return what weights of columns, shape (n, m), have to sum to 1 over, shape (n + budgets, m)."""
        return columns


@dataclass(frozen=True)
class OfLifts(DrawnColumns):
    """Inputs at the ends of their lifts, all but one of each column."""

    bounds: Lifts
    least: float = 2.0

    def draw(self, count: int, again: int) -> tuple[Array, Array]:
        """Return columns that fill whole inputs, large ones first, and the column without information."""
        columns, weights = by_tiers(self.bounds, count, self.least, again)
        return np.hstack([columns, np.ones((len(columns), 1))]), np.append(weights, 0.0)


@dataclass(frozen=True)
class OfBudgets(DrawnColumns):
    """Indicators of sets of all sizes, which take of budgets: all that they may."""

    n: int
    budget: Budget

    def draw(self, count: int, again: int) -> tuple[Array, Array]:
        """Return random sets, single inputs and all but one of them, and the column without information."""
        rng = np.random.default_rng([self.n, 3, again])
        sets = (rng.random((self.n, count)) < rng.random(count)).astype(float)
        single, idle = np.eye(self.n), np.ones((self.n, 1))
        # Of few inputs there are few sets, each drawn many times.
        informed = np.unique(np.hstack([sets, single, 1.0 - single]), axis=1)
        informed = informed[:, informed.any(axis=0) & ~informed.all(axis=0)]
        taken, without = self.budget.cost(informed), self.budget.cost(idle)
        # What is left of each budget beside the column without information, for as many rows as sets fill.
        filled = float(informed.sum(axis=1).max())
        more = taken.sum(axis=1) - filled * without[:, 0]
        room = self.budget.limits - without[:, 0]
        share = min([1.0 / filled, *(room[more > 0] / more[more > 0])])
        return np.hstack([informed, idle]), np.append(np.full(informed.shape[1], share), 1.0 - share * filled)

    def rows(self, columns: Array) -> Array:
        """Return the columns, and what each takes as a share of the budgets, shape (n + budgets, m)."""
        return np.vstack([columns, self.budget.cost(columns) / self.budget.limits[:, None]])


@dataclass(frozen=True)
class OfDeviations(DrawnColumns):
    """Columns of mass one that raise one input by ``reach / 2`` of the mass, and take it from others down to 0."""

    prior: Array
    reach: float

    def draw(self, count: int, again: int) -> tuple[Array, Array]:
        """Return columns with random inputs in a random order, and the column without information."""
        n, half = len(self.prior), 0.5 * self.reach * (1.0 - INSIDE)
        rng = np.random.default_rng([n, 7, again])
        order = np.argsort(rng.random((n, count)), axis=0)
        mass = self.prior[order]
        before = np.cumsum(mass, axis=0) - mass
        # The last of the order is raised: it takes what the others, its own mass left out, can give.
        given = np.minimum(half, before[-1])
        taken = np.clip(given - before, 0.0, mass)
        taken[-1] = -given
        columns = np.empty((n, count))
        np.put_along_axis(columns, order, 1.0 - taken / mass, axis=0)
        return np.hstack([columns, np.ones((n, 1))]), np.full(count + 1, 1.0 / (count + 1))


@dataclass(frozen=True)
class OfBall(DrawnColumns):
    """Columns of mass one with ``sum_x P_x (q_x - 1)^2 = reach^2``: sets at two heights, and random directions."""

    prior: Array
    reach: float

    def draw(self, count: int, again: int) -> tuple[Array, Array]:
        """Return half of each kind, and the column without information."""
        rng = np.random.default_rng([len(self.prior), 5, again])
        columns = np.hstack([self._sets(count // 2, rng), self._directions(count // 2, rng)])
        columns = np.hstack([columns, np.ones((len(self.prior), 1))])
        return columns, np.full(columns.shape[1], 1.0 / columns.shape[1])

    def _sets(self, count: int, rng: np.random.Generator) -> Array:
        inside = rng.random((len(self.prior), count)) < rng.uniform(*SHARES, size=count)
        mass = self.prior @ inside
        reach = self.reach * (1.0 - INSIDE)
        with np.errstate(divide="ignore", invalid="ignore"):
            odds = np.sqrt((1.0 - mass) / mass)
            kept = (mass > 0) & (mass < 1) & (reach <= odds)
        odds = odds[kept]
        return np.asarray(np.where(inside[:, kept], 1.0 + reach * odds, 1.0 - reach / odds))

    def _directions(self, count: int, rng: np.random.Generator) -> Array:
        """Return columns of the boundary in random directions, those cut off at 0 further in the others."""
        columns = 1.0 + rng.normal(size=(len(self.prior), count)) / np.sqrt(self.prior)[:, None]
        for _ in range(STRETCHED):
            columns = self._on_boundary(columns)
            if not np.any(columns < 0):
                break
            columns = np.maximum(columns, 0.0)
        # What is still negative is drawn towards the column without information.
        least = columns.min(axis=0)
        return np.asarray(1.0 + (columns - 1.0) / np.maximum(1.0, 1.0 - least))

    def _on_boundary(self, columns: Array) -> Array:
        apart = columns - self.prior @ columns
        size = np.sqrt((self.prior[:, None] * apart**2).sum(axis=0))
        return np.asarray(1.0 + apart * (self.reach * (1.0 - INSIDE) / np.where(size > 0, size, 1.0)))
