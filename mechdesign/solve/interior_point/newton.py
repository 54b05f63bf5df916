"""Newton's equations of the decision program over a band, reduced to the decisions or to the inputs by hand.

The program: maximise ``sum_d gains[d] . q_d`` over ``q_d = low t_d + width z_d`` with ``0 <= z_xd <= t_d``,
``sum_d q_xd = 1`` for each input, and ``P . z_d = share t_d`` where the band's middle is the mass ``P . q``.
Each pair (x, d) is eliminated here; what couples rows with decisions' boxes and masses is left to `schur_complement`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from mechdesign.notions import Band
from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point.free_variables import EveryPair, SomePairs
from mechdesign.solve.interior_point.schur_complement import ByDecisions, ByInputs, Coupling, Masses

#: A box starts no emptier than this, and no fuller.
LEAST_FILL = 0.01

#: Of z, of t, of the slacks, of the rows, of the masses.
Residuals = tuple[Array | float, Array, Array | float, Array, Array]


@dataclass
class Point:
    """The iterate: box variables z with slack s = t - z, their multipliers, and the multipliers of rows and masses."""

    z: Array
    s: Array
    t: Array
    at_zero: Array
    at_top: Array
    rows: Array
    masses: Array

    def plus(self, other: Point, share: float = 1.0) -> Point:
        """Return the sum with a share of the other, part by part."""
        return Point(*(getattr(self, f.name) + share * getattr(other, f.name) for f in fields(Point)))

    def moved(self, d: Point, primal: float, dual: float) -> Point:
        """Return the point after steps of these lengths along `d`."""
        lengths = (primal, primal, primal, dual, dual, dual, dual)
        parts = zip(fields(Point), lengths, strict=True)
        return Point(*(getattr(self, f.name) + length * getattr(d, f.name) for f, length in parts))


class Program:
    """The data of one program, in the band's own scale, over all pairs or `some`."""

    def __init__(self, band: Band, gains: Array, some: SomePairs | None = None) -> None:
        count, self.n = gains.shape
        self.pairs = EveryPair(self.n, count) if some is None else some
        self.low, self.width = band.low / band.high, 1.0 - band.low / band.high
        self.prior = band.middle
        # With t in units of the upper end: the mass is t / high, so the share of the box that is filled is fixed.
        share = 0.0 if self.prior is None else (1.0 / band.high - self.low) / self.width
        self.share = np.full(count, share)
        #: What t adds to each row by itself, shape (n, decisions).
        self.reach = self.pairs.matrix(self.low, 0.0, self.width)
        self.on_z = self.pairs.kept(-self.width * gains.T)
        self.on_t = -self.low * gains.sum(axis=1)
        self.size = self.width * np.abs(gains).max(axis=0)
        if some is not None:
            self.on_t -= self.width * np.einsum("dx,xd->d", gains, some.full)
            self.share -= 0.0 if self.prior is None else self.prior @ some.full

    def start(self) -> Point:
        """Return a point inside the box; where all pairs are unknown it satisfies the rows and the masses."""
        count, pairs = len(self.share), self.pairs
        ones = pairs.kept(np.ones((self.n, count)))
        # Without a mass to keep, k decisions are made and each box is filled by 1 / k; k was seen to grow like this.
        within = np.full(count, min(0.5, max(self.low ** (1.0 / 3.0), 1.0 / count)))
        if self.prior is not None:
            within = np.clip(self.share / pairs.weighed(self.prior, ones), LEAST_FILL, 1.0 - LEAST_FILL)
        fill = pairs.at_decisions(within) * ones
        reached = self.reach @ np.ones(count) + self.width * pairs.over_decisions(fill)
        t = np.full(count, 1.0 / float(np.mean(reached)))
        size = np.maximum(self.size, 1e-3 * self.size.max() or 1.0)
        multipliers = pairs.at_inputs(size) * ones
        z = fill * t[0]
        # Products of one size, where the filling is a guess.
        at_top = multipliers * (pairs.at_decisions(within / (1.0 - within)) if self.prior is None else 1.0)
        return Point(z, t[0] - z, t, multipliers, at_top, np.zeros(self.n), np.zeros(count))

    def residuals(self, p: Point) -> Residuals:
        """Return what is missing in: stationarity of z and of t, the slacks, the rows, the masses."""
        zero = np.zeros(len(p.t))
        return self.moved((self.on_z, self.on_t, np.zeros_like(p.z), np.full(len(p.rows), -1.0), zero), p)

    def moved(self, residuals: Residuals, d: Point) -> Residuals:
        """Return the residuals after a move by `d`: all of them are affine."""
        of_z, of_t, of_slack, of_rows, of_mass = residuals
        pairs = self.pairs
        on_mass = 0.0 if self.prior is None else pairs.at_inputs(self.prior) * pairs.at_decisions(d.masses)
        on_mean = 0.0 if self.prior is None else pairs.weighed(self.prior, d.z) - self.share * d.t
        return (
            of_z - (self.width * pairs.at_inputs(d.rows) + on_mass) + (d.at_top - d.at_zero),
            of_t - d.rows @ self.reach + self.share * d.masses - pairs.over_inputs(d.at_top),
            of_slack + pairs.at_decisions(d.t) - (d.z + d.s),
            of_rows + self.reach @ d.t + self.width * pairs.over_decisions(d.z),
            of_mass + on_mean,
        )


class System:
    """Newton's equations at one iterate, factored once for several right-hand sides.

    With ``theta`` of each pair eliminated, what is left reads, for rows r, boxes t and masses m,
    ``D r + T t + B m = .``, ``-T' r + a t + e m = .``, ``-B' r + e t - f m = .`` with diagonal D, a, e, f.
    """

    def __init__(self, program: Program, p: Point) -> None:
        self.program, self.p = program, p
        pairs, prior = program.pairs, program.prior
        self.top, zero = p.at_top / p.s, p.at_zero / p.z
        self.theta = 1.0 / (self.top + zero)
        weight = self.top * self.theta
        masses = None
        if prior is not None:
            masses = Masses(
                pairs.matrix(0.0, program.width * pairs.at_inputs(prior) * self.theta),
                pairs.weighed(prior**2, self.theta),
                program.share - pairs.weighed(prior, weight),
            )
        coupling = Coupling(
            program.width**2 * pairs.over_decisions(self.theta),
            pairs.over_inputs(zero * weight),
            pairs.matrix(program.low, program.width * weight, program.width),
            masses,
        )
        few = 2 * len(p.t) <= len(p.rows)
        self.reduced: ByDecisions | ByInputs = ByDecisions(coupling) if few else ByInputs(coupling)

    def direction(self, residuals: Residuals, on_zero: Array, on_top: Array) -> Point | None:
        """Return the direction that removes the residuals and brings products, of the pairs' shape, to targets."""
        first = self._solved(residuals, on_zero, on_top)
        if first is None:
            return None
        left = self.program.moved(residuals, first)
        none = np.zeros_like(on_zero)
        second = self._solved(left, none, none)
        return first if second is None else first.plus(second)

    def change(self, on_zero: Array, on_top: Array) -> Point | None:
        """Return what the direction changes by where the products' targets move by these, each of the pairs' shape."""
        count = len(self.p.t)
        return self._solved((0.0, np.zeros(count), 0.0, np.zeros(len(self.p.rows)), np.zeros(count)), on_zero, on_top)

    def _solved(self, residuals: Residuals, on_zero: Array, on_top: Array) -> Point | None:
        program, p, pairs = self.program, self.p, self.program.pairs
        of_z, of_t, of_slack, of_rows, of_mass = residuals
        topped = on_top / p.s
        pull = on_zero / p.z - topped + self.top * of_slack - of_z
        eased = self.theta * pull
        right_t = -of_t + pairs.over_inputs(topped + self.top * (eased - of_slack))
        right_rows = -of_rows - program.width * pairs.over_decisions(eased)
        right_mass = None if program.prior is None else of_mass + pairs.weighed(program.prior, eased)
        rows, t, masses = self.reduced.solve(right_rows, right_t, right_mass)
        if not np.all(np.isfinite(rows)):
            return None
        on_mass: Array | float = 0.0
        if program.prior is not None:
            on_mass = pairs.at_inputs(program.prior) * pairs.at_decisions(masses)
        at_t = pairs.at_decisions(t)
        z = self.theta * (program.width * pairs.at_inputs(rows) + on_mass + self.top * at_t + pull)
        s = at_t - z + of_slack
        return Point(z, s, t, (on_zero - p.at_zero * z) / p.z, (on_top - p.at_top * s) / p.s, rows, masses)
