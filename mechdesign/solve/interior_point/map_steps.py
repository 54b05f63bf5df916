"""One step of the interior point of maps: Mehrotra's predictor, and Gondzio's correctors weighted for each side.

On the central path the slack of a pair times its flow is mu times the pair's weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point.map_program import MapProgram
from mechdesign.solve.interior_point.output_blocks import Blocks, Differences, factored
from mechdesign.solve.interior_point.sink_pairs import Pairs

#: Limit of the centering in the first step; it falls after long steps and rises after short ones, to the last.
FIRST_CENTERING, MOST_CENTERING = 0.5, 0.9
#: Its change where the shorter step is longer than the first number.
CHANGES = ((0.9, 0.5), (0.7, 0.7), (0.4, 1.0), (0.0, 1.6))
#: A step is refined once the complementarity is below this share of the value.
REFINED = 1e-4
#: Share of the longest step; power and least of the centering.
SHARE, POWER, LEAST_CENTERING = 0.95, 8, 1e-4
#: Correctors at most, how much longer a step they reach for, and the band that products are drawn into.
CORRECTORS, REACH, STRETCH, BAND = 8, 0.5, 1.08, 10.0
#: Their weights, what a longer step has to be longer by, and what both together have to gain.
WEIGHTS, LONGER, GAIN = (0.25, 0.5, 0.75, 1.0), 1e-3, 0.02


@dataclass(frozen=True)
class Iterate:
    """Columns (m, n), multipliers (n,), and of the kept pairs the relative slack and the flow times the mass."""

    pairs: Pairs
    columns: Array
    multipliers: Array
    slack: Array
    shipped: Array

    @property
    def at_source(self) -> Array:
        """The column's entry at each pair's source."""
        return np.asarray(self.columns.ravel()[self.pairs.source_at])

    @property
    def ratio(self) -> Array:
        """``Q[x, y] e^(-epsilon d) / Q[x', y]``: at most 1 where the constraint holds."""
        return np.asarray(self.columns.ravel()[self.pairs.sink_at] * self.pairs.factor / self.at_source)

    @property
    def flows(self) -> Array:
        """What each source ships, in cost for each unit of probability."""
        return np.asarray(self.shipped / self.at_source)

    @property
    def complementarity(self) -> float:
        """The sum of slacks times flows."""
        return float(self.slack @ self.shipped)

    @property
    def barrier(self) -> float:
        """mu: the complementarity for each unit of weight."""
        return self.complementarity / float(self.pairs.weight.sum())


@dataclass(frozen=True)
class Direction:
    """Changes: of columns relative to them (m, n), of multipliers (n,), of slack and shipped (pairs,)."""

    columns: Array
    multipliers: Array
    slack: Array
    shipped: Array

    def plus(self, other: Direction, primal: float, dual: float) -> Direction:
        """Return the sum with shares of another direction."""
        return Direction(
            self.columns + primal * other.columns,
            self.multipliers + dual * other.multipliers,
            self.slack + primal * other.slack,
            self.shipped + dual * other.shipped,
        )


@dataclass(frozen=True)
class Newton:
    """The factored system at an iterate, with what rows' sums (n,), prices (m, n) and slacks (pairs,) miss."""

    iterate: Iterate
    differences: Differences
    blocks: Blocks
    theta: Array
    rows: Array
    prices: Array
    slacks: Array
    refined: bool

    @classmethod
    def at(cls, program: MapProgram, iterate: Iterate) -> Newton:
        """Factor the system."""
        differences = Differences(iterate.pairs, iterate.ratio, iterate.columns.shape)
        theta = iterate.shipped / iterate.slack
        return cls(
            iterate,
            differences,
            factored(differences, iterate.columns, theta),
            theta,
            1.0 - iterate.columns.sum(axis=0),
            iterate.columns * (program.cost - iterate.multipliers) - differences.transposed(iterate.shipped),
            iterate.slack - (1.0 - iterate.ratio),
            iterate.complementarity < REFINED * program.value(iterate.columns),
        )

    def predictor(self) -> Direction:
        """Return the direction to no residuals and no complementarity."""
        return self._solved(-self.iterate.slack * self.iterate.shipped, self.slacks, self.prices, self.rows)

    def corrector(self, products: Array) -> Direction:
        """Return the change that adds `products`, shape (pairs,), to slacks times flows; residuals stay."""
        none = np.zeros_like
        return self._solved(products, none(self.slacks), none(self.prices), none(self.rows))

    def _solved(self, products: Array, slacks: Array, prices: Array, rows: Array) -> Direction:
        iterate, differences = self.iterate, self.differences
        wanted = differences.transposed(products / iterate.slack + self.theta * slacks) - prices
        columns, multipliers = self.blocks.solve(wanted, rows)
        if self.refined:
            applied = differences.transposed(self.theta * differences.of(columns))
            left = wanted + iterate.columns * multipliers - applied
            more = self.blocks.solve(left, rows - (iterate.columns * columns).sum(axis=0))
            columns, multipliers = columns + more[0], multipliers + more[1]
        slack = differences.of(columns) - slacks
        return Direction(columns, multipliers, slack, (products - iterate.shipped * slack) / iterate.slack)


def stepped(program: MapProgram, iterate: Iterate, most: float) -> tuple[float, Iterate]:
    """Return the next limit of the centering, and the next iterate."""
    system = Newton.at(program, iterate)
    direction = system.predictor()
    primal, dual = _steps(iterate, direction)
    affine = (iterate.slack + primal * direction.slack) @ (iterate.shipped + dual * direction.shipped)
    centering = float(np.clip((affine / iterate.complementarity) ** POWER, LEAST_CENTERING, most))
    target = centering * iterate.barrier * iterate.pairs.weight
    second = target - primal * dual * direction.slack * direction.shipped
    direction = _corrected(system, direction.plus(system.corrector(second), 1.0, 1.0), target)
    primal, dual = _steps(iterate, direction)
    shorter = min(primal, dual)
    change = next((change for least, change in CHANGES if shorter > least), CHANGES[-1][1])
    return min(MOST_CENTERING, most * change), _moved(iterate, direction, SHARE * primal, SHARE * dual)


def _moved(iterate: Iterate, direction: Direction, primal: float, dual: float) -> Iterate:
    """Return the iterate after steps; slack and flow stay relative to the new columns."""
    columns = iterate.columns * (1.0 + primal * direction.columns)
    there = replace(iterate, columns=columns, multipliers=iterate.multipliers + dual * direction.multipliers)
    growth = there.at_source / iterate.at_source
    slack = (iterate.slack + primal * direction.slack) / growth
    return replace(there, slack=slack, shipped=(iterate.shipped + dual * direction.shipped) * growth)


def _corrected(system: Newton, direction: Direction, target: Array) -> Direction:
    """Return the direction with the products that a longer step leaves outside the band drawn into it."""
    iterate = system.iterate
    primal, dual = _steps(iterate, direction)
    for _ in range(CORRECTORS):
        further, longer = (min(1.0, STRETCH * step + REACH) for step in (primal, dual))
        product = (iterate.slack + further * direction.slack) * (iterate.shipped + longer * direction.shipped)
        wanted = np.clip(product, target / BAND, target * BAND) - product
        more = system.corrector(np.maximum(wanted, -BAND * target))
        of_primal, next_primal = _weight(iterate.slack, direction.slack, more.slack, primal)
        of_dual, next_dual = _weight(iterate.shipped, direction.shipped, more.shipped, dual)
        if next_primal + next_dual <= primal + dual + GAIN:
            break
        direction, primal, dual = direction.plus(more, of_primal, of_dual), next_primal, next_dual
    return direction


def _weight(values: Array, change: Array, more: Array, step: float) -> tuple[float, float]:
    """Return the weight of `more` with the longest step, and that step; 0 where none is longer."""
    relative, extra, best = change / values, more / values, (0.0, step)
    for weight in WEIGHTS:
        length = _length(relative + weight * extra)
        best = (weight, length) if length > best[1] + LONGER else best
    return best


def _steps(iterate: Iterate, direction: Direction) -> tuple[float, float]:
    """Return the longest primal and dual steps, at most 1, that keep slacks and flows positive."""
    return _length(direction.slack / iterate.slack), _length(direction.shipped / iterate.shipped)


def _length(relative: Array) -> float:
    least = float(relative.min(initial=0.0))
    return min(1.0, -1.0 / least) if least < 0 else 1.0
