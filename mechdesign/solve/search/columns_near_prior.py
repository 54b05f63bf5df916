"""Columns within a distance of the prior that an information or histogram mechanism may use: drawn, and asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from mechdesign.notions import Notion
from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.ball_of_lifts import BallOfLifts
from mechdesign.solve.pricing.bounded_lift import Lifts
from mechdesign.solve.pricing.distance_from_prior import NearPrior
from mechdesign.solve.pricing.moved_mass import MovedMass
from mechdesign.solve.pricing.support import support
from mechdesign.solve.programs.nearest_weights import nearest_weights
from mechdesign.solve.search.drawn_columns import INSIDE, OfBall, OfDeviations, OfLifts

#: Multipliers are changed by so much of themselves, at random, for columns that are next to the best.
CHANGED = 0.02
#: Times that multipliers are changed for a round.
TIMES = 20
#: Weights of inputs without a share that are tried, all together, where there are none next to the first.
OF_OTHERS = (0.0, 0.01, 0.03)
#: Sets for each input, at least: nearly as many are needed for weights of them.
EACH = 2
#: Steps uphill to a column whose excess is a local maximum, and columns of a round that start from nothing.
STEPS, STARTS = 8, 200


@dataclass(frozen=True)
class Source(ABC):
    """Where columns come from: some at first, and those that multipliers ask for."""

    notion: Notion
    objective: Separable
    problem: Problem

    @abstractmethod
    def first(self, count: int) -> tuple[Array, Array | None]:
        """Return about `count` columns, shape (n, m), and weights that make a mechanism, shape (m,), or None."""

    @abstractmethod
    def more(self, lam: Array, used: Array, again: int, most: int) -> Array:
        """Return at most `most` columns of large excess, shape (n, m), others for another number `again`.

        From multipliers of the rows, shape (n,), and the columns that are used, shape (n, k).
        """


@dataclass(frozen=True)
class Raised(Source):
    """Columns where one input gains mass, and those lose it that pay most."""

    near: MovedMass

    def first(self, count: int) -> tuple[Array, Array | None]:
        """Return columns of inputs that have a share, weighed, and others where inputs in any order lose their mass."""
        columns, weights = self._of_shares(count)
        others = OfDeviations(self.near.prior, self.near.distance).draw(count // 4, 0)[0]
        every = None if weights is None else np.append(weights, np.zeros(others.shape[1]))
        return np.hstack([columns, others]), every

    def _of_shares(self, count: int) -> tuple[Array, Array | None]:
        """Return columns where inputs that have a share gain, and others of them lose their mass in a random order.

        An input of a part of its share loses in so many of them that it is left with 1 on the average; inputs without
        one come last, and gain in one column each, for what they lose.
        """
        shares, prior, n = self.near.shares(), self.near.prior, len(self.near.prior)
        each = max(1, count // int(np.count_nonzero(shares)))
        gaining = np.repeat(np.arange(n), np.where(shares > 0, each, 1))
        part = shares * (prior + self.near.moved()) / prior
        places = np.random.default_rng([n, 13]).random((2, n, len(gaining)))
        order = np.argsort(places[0] + (places[1] >= part[:, None]) + 2.0 * (part == 0)[:, None], axis=0)
        sizes = np.where(order == gaining, 0.0, prior[order])
        moved = (self.near.moved() * (1.0 - INSIDE))[gaining]
        taken = np.clip(moved - (np.cumsum(sizes, axis=0) - sizes), 0.0, sizes)
        columns = np.empty(taken.shape)
        np.put_along_axis(columns, order, 1.0 - taken / prior[order], axis=0)
        columns[gaining, np.arange(len(gaining))] = 1.0 + taken.sum(axis=0) / prior[gaining]
        none = (shares == 0)[gaining]
        for share in OF_OTHERS:
            near = (1.0 - share) * shares[gaining] / each + share * none / max(none.sum(), 1)
            weights = nearest_weights(columns, near)
            if weights is not None or is_late():
                break
        return columns, weights

    def more(self, lam: Array, used: Array, again: int, most: int) -> Array:
        """Return the best column of each input, also at multipliers that were changed a little, shape (n, m)."""
        rng = np.random.default_rng([len(lam), 11, again])
        prior, moved = self.near.prior, self.near.moved() * (1.0 - INSIDE)
        found: list[Array] = []
        for _ in range(max(1, min(TIMES, most // len(lam)))):
            losses = self.near.losses(lam * (1.0 + CHANGED * rng.normal(size=len(lam)) * bool(found)), moved)
            columns = 1.0 - losses.T / prior[:, None]
            # What is gained is what was lost: all that there is, where that is less.
            np.fill_diagonal(columns, 1.0 + losses.sum(axis=1) / prior)
            found.append(columns)
        return np.hstack(found)


@dataclass(frozen=True)
class OnBall(Source):
    """Columns on the ball around the prior: sets at one height, random directions, and local maxima of the excess."""

    near: BallOfLifts

    def first(self, count: int) -> tuple[Array, Array | None]:
        """Return sets with lifts of ``1 + r^2`` and one input between, in the ball whatever it is, and other ones."""
        prior, reach = self.near.prior, self.near.distance
        high = np.full(len(prior), 1.0 + (reach * (1.0 - INSIDE)) ** 2)
        bounds = Lifts(prior, 0.0, np.minimum(high, 1.0 / prior))
        sets, near = OfLifts(bounds).draw(max(count // 2, EACH * len(prior)), 0)
        weights = nearest_weights(sets, near)
        drawn, _ = OfBall(prior, reach).draw(count // 4, 0)
        others = np.hstack([drawn, self._of_largest(count // 4)])
        every = None if weights is None else np.append(weights, np.zeros(others.shape[1]))
        return np.hstack([sets, others]), every

    def _of_largest(self, count: int) -> Array:
        """Return columns where some of the largest inputs have one lift u, the others of them 0, all others v."""
        prior, squared = self.near.prior, (self.near.distance * (1.0 - INSIDE)) ** 2
        order, rng = np.argsort(-prior, kind="stable"), np.random.default_rng([len(prior), 17])
        most = int(np.searchsorted(np.cumsum(prior[order]), min(2.0 * squared, 1.0))) + 2
        size = rng.integers(1, min(most, len(prior)) + 1, size=count)
        place = np.empty(len(prior), dtype=int)
        place[order] = np.arange(len(prior))
        largest = place[:, None] < size
        up = largest & (rng.random((len(prior), count)) < rng.random(count))
        raised, left, rest = (prior @ kind for kind in (up, largest & ~up, ~largest))
        kept = (raised > 0) & (rest > 0)
        raised, left, rest = raised[kept], left[kept], rest[kept]
        # u = 1 + d, v = 1 + (left - raised d) / rest, and the squares add up to r^2.
        square, line = raised * (1.0 + raised / rest), raised * left / rest
        root = line**2 - square * (left * (1.0 + left / rest) - squared)
        with np.errstate(invalid="ignore"):
            d = (line + np.sqrt(root)) / square
        v = 1.0 + (left - raised * d) / rest
        columns = np.where(up[:, kept], 1.0 + d, np.where(largest[:, kept], 0.0, v))
        return np.asarray(columns[:, (root >= 0) & (v >= 0)])

    def more(self, lam: Array, used: Array, again: int, most: int) -> Array:
        """Return where steps uphill from used columns and from drawn ones end, shape (n, m): the excess is convex."""
        drawn, _ = OfBall(self.near.prior, self.near.distance).draw(STARTS, again)
        columns = np.hstack([used, drawn])[:, :most]
        for _ in range(STEPS):
            tangents = self.objective.supporting(columns, self.problem).T
            columns = support(self.notion, self.problem, tangents - lam).columns
        return columns[:, self.objective.column_utility(columns, self.problem) > lam @ columns]


def source_of(notion: Notion, objective: Separable, problem: Problem, near: NearPrior) -> Source:
    """Return where columns of that kind come from."""
    if isinstance(near, MovedMass):
        return Raised(notion, objective, problem, near)
    assert isinstance(near, BallOfLifts), "near_prior() has no others"
    return OnBall(notion, objective, problem, near)
