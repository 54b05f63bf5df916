"""Columns within a distance of the prior that an information or histogram mechanism may use: drawn, and asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from mechdesign.notions import Notion
from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.ball_of_lifts import BallOfLifts
from mechdesign.solve.pricing.bounded_lift import Lifts
from mechdesign.solve.pricing.moved_mass import MovedMass
from mechdesign.solve.pricing.near_prior import NearPrior
from mechdesign.solve.pricing.support import support
from mechdesign.solve.search.drawn_columns import INSIDE, OfBall, OfDeviations, OfLifts

#: Multipliers are changed by so much of themselves, at random, for columns that are next to the best.
CHANGED = 0.02
#: Times that multipliers are changed for a round.
TIMES = 20
#: Steps uphill to a column whose excess is a local maximum, and columns of a round that start from nothing.
STEPS, STARTS = 8, 200


@dataclass(frozen=True)
class Source(ABC):
    """Where columns come from: some at first, and those that multipliers ask for."""

    notion: Notion
    objective: Separable
    problem: Problem

    @abstractmethod
    def first(self, count: int) -> tuple[Array, Array]:
        """Return about so many columns, shape (n, m), and weights that nearly make a mechanism, shape (m,)."""

    @abstractmethod
    def more(self, lam: Array, used: Array, again: int, most: int) -> Array:
        """Return at most so many columns of large excess, shape (n, m), others for another number `again`.

        From multipliers of the rows, shape (n,), and the columns that are used, shape (n, k).
        """


@dataclass(frozen=True)
class Raised(Source):
    """Columns where one input gains mass, and those lose it that pay most."""

    near: MovedMass

    def first(self, count: int) -> tuple[Array, Array]:
        """Return columns where inputs in a random order lose their mass."""
        return OfDeviations(self.near.prior, self.near.distance).draw(count, 0)

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

    def first(self, count: int) -> tuple[Array, Array]:
        """Return sets with lifts of ``1 + r^2`` and one input between, in the ball whatever it is, and OfBall's."""
        prior, reach = self.near.prior, self.near.distance
        high = np.full(len(prior), 1.0 + (reach * (1.0 - INSIDE)) ** 2)
        sets, near = OfLifts(Lifts(prior, 0.0, np.minimum(high, 1.0 / prior))).draw(count // 2, 0)
        others, _ = OfBall(prior, reach).draw(count // 2, 0)
        return np.hstack([sets, others]), np.append(near, np.zeros(others.shape[1]))

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
