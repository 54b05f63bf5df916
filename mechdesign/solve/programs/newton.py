"""Newton's equations of the decision program over a band, reduced to the decisions or to the inputs by hand.

The program: maximise ``sum_d gains[d] . q_d`` over ``q_d = low t_d + width z_d`` with ``0 <= z_xd <= t_d``,
``sum_d q_xd = 1`` for each input, and ``P . z_d = share t_d`` where the band's middle is the mass ``P . q``.
Each pair (x, d) is eliminated first. What couples the rows of the inputs with the decisions' boxes and masses is then
reduced to the smaller of the two sides: two unknowns for each decision, or one for each input.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from mechdesign.domains import Array
from mechdesign.notions import Band

#: What is added to a unit diagonal, in turn, where rounding has left a matrix that is not positive definite.
NUDGES = (1e-15, 1e-13, 1e-11, 1e-9, 1e-7)
#: Of z, of t, of the slacks, of the rows, of the masses.
Residuals = tuple[Array | float, Array, Array | float, Array, Array]


@dataclass
class Point:
    """The iterate: box variables z with slack s = t - z, their multipliers, and those of the rows and masses."""

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
    """The data of one program, in the band's own scale."""

    def __init__(self, band: Band, gains: Array) -> None:
        self.low, self.width = band.low / band.high, 1.0 - band.low / band.high
        self.prior = None if band.middle is None else band.middle[:, None]
        # With t in units of the upper end: the mass is t / high, so the share of the box that is filled is fixed.
        self.share = 0.0 if self.prior is None else (1.0 / band.high - self.low) / self.width
        self.on_z = -self.width * gains.T
        self.on_t = -self.low * gains.sum(axis=1)

    def start(self) -> Point:
        """Return a point in the middle of the box that satisfies the rows and the masses."""
        n, count = self.on_z.shape
        fill = 0.5 if self.prior is None else self.share
        t = np.full(count, 1.0 / (count * (self.low + self.width * fill)))
        z = np.tile(fill * t, (n, 1))
        size = np.maximum(np.abs(self.on_z).max(axis=1, keepdims=True), 1e-3 * np.abs(self.on_z).max())
        multipliers = np.tile(size, (1, count))
        return Point(z, t - z, t, multipliers, multipliers.copy(), np.zeros(n), np.zeros(count))

    def residuals(self, p: Point) -> Residuals:
        """Return what is missing in: stationarity of z and of t, the slacks, the rows, the masses."""
        zero = np.zeros(len(p.t))
        return self.moved((self.on_z, self.on_t, np.zeros_like(p.z), np.full(len(p.rows), -1.0), zero), p)

    def moved(self, residuals: Residuals, d: Point) -> Residuals:
        """Return the residuals after a move by `d`: all of them are affine."""
        of_z, of_t, of_slack, of_rows, of_mass = residuals
        on_mass = 0.0 if self.prior is None else self.prior * d.masses
        on_mean = 0.0 if self.prior is None else self.prior[:, 0] @ d.z - self.share * d.t
        return (
            of_z - (self.width * d.rows[:, None] + on_mass) + (d.at_top - d.at_zero),
            of_t - self.low * d.rows.sum() + self.share * d.masses - d.at_top.sum(axis=0),
            of_slack + d.t - (d.z + d.s),
            of_rows + self.low * d.t.sum() + self.width * d.z.sum(axis=1),
            of_mass + on_mean,
        )


class System:
    """Newton's equations at one iterate, factored once for several right-hand sides.

    With ``theta`` of each pair eliminated, what is left reads, for rows r, boxes t and masses m,
    ``D r + T t + B m = .``, ``-T' r + a t + e m = .``, ``-B' r + e t - f m = .`` with diagonal D, a, e, f.
    """

    def __init__(self, program: Program, p: Point) -> None:
        self.program, self.p = program, p
        self.top, zero = p.at_top / p.s, p.at_zero / p.z
        self.theta = 1.0 / (self.top + zero)
        weight = self.top * self.theta
        self.on_t = program.low + program.width * weight
        self.of_t = np.einsum("xd,xd->d", zero, weight)
        self.of_rows = program.width**2 * self.theta.sum(axis=1)
        if program.prior is not None:
            self.on_mass = (program.width * program.prior) * self.theta
            self.of_mass = program.prior[:, 0] ** 2 @ self.theta
            self.cross = program.share - program.prior[:, 0] @ weight
        n, count = self.theta.shape
        self.reduced: _ByDecisions | _ByInputs = _ByDecisions(self) if 2 * count <= n else _ByInputs(self)

    def direction(self, residuals: Residuals, on_zero: Array, on_top: Array) -> Point | None:
        """Return the direction that removes the residuals and brings the products to their targets, refined once."""
        first = self._solved(residuals, on_zero, on_top)
        if first is None:
            return None
        left = self.program.moved(residuals, first)
        none = np.zeros_like(on_zero)
        second = self._solved(left, none, none)
        return first if second is None else first.plus(second)

    def change(self, on_zero: Array, on_top: Array) -> Point | None:
        """Return what the direction changes by where the products' targets move by these: nothing is missing."""
        n, count = on_zero.shape
        return self._solved((0.0, np.zeros(count), 0.0, np.zeros(n), np.zeros(count)), on_zero, on_top)

    def _solved(self, residuals: Residuals, on_zero: Array, on_top: Array) -> Point | None:
        program, p = self.program, self.p
        of_z, of_t, of_slack, of_rows, of_mass = residuals
        topped = on_top / p.s
        pull = on_zero / p.z - topped + self.top * of_slack - of_z
        eased = self.theta * pull
        right_t = -of_t + (topped + self.top * (eased - of_slack)).sum(axis=0)
        right_rows = -of_rows - program.width * eased.sum(axis=1)
        right_mass = None if program.prior is None else of_mass + program.prior[:, 0] @ eased
        rows, t, masses = self.reduced.solve(right_rows, right_t, right_mass)
        if not np.all(np.isfinite(rows)):
            return None
        on_mass = 0.0 if program.prior is None else program.prior * masses
        z = self.theta * (program.width * rows[:, None] + on_mass + self.top * t + pull)
        s = t - z + of_slack
        return Point(z, s, t, (on_zero - p.at_zero * z) / p.z, (on_top - p.at_top * s) / p.s, rows, masses)


class _ByInputs:
    """One unknown for each input: each decision's ``(t_d, m_d)`` is a two by two block."""

    def __init__(self, system: System) -> None:
        self.system = system
        matrix = np.diag(system.of_rows)
        if system.program.prior is None:
            self.of_t = system.of_t
            carried = system.on_t / np.sqrt(self.of_t)
        else:
            self.of_t = system.of_t + system.cross**2 / system.of_mass
            known = system.on_mass / np.sqrt(system.of_mass)
            matrix -= known @ known.T
            carried = (system.on_t + system.on_mass * (system.cross / system.of_mass)) / np.sqrt(self.of_t)
        matrix += carried @ carried.T
        self.factor = _Factor(matrix)

    def solve(self, of_rows: Array, of_t: Array, of_mass: Array | None) -> tuple[Array, Array, Array]:
        """Return rows, t and masses."""
        s = self.system
        t, masses = self._decisions(of_t, of_mass)
        carried = s.on_t @ t
        rows = self.factor.solve(of_rows - (carried if of_mass is None else carried + s.on_mass @ masses))
        pulled = None if of_mass is None else of_mass + s.on_mass.T @ rows
        return rows, *self._decisions(of_t + s.on_t.T @ rows, pulled)

    def _decisions(self, of_t: Array, of_mass: Array | None) -> tuple[Array, Array]:
        """Solve each decision's block ``[[a, e], [e, -f]]`` for its box and its mass's multiplier."""
        s = self.system
        if of_mass is None:
            return of_t / self.of_t, np.zeros(len(of_t))
        t = (of_t + of_mass * (s.cross / s.of_mass)) / self.of_t
        return t, (s.cross * t - of_mass) / s.of_mass


class _ByDecisions:
    """Two unknowns for each decision: ``A t + C m = .``, ``C' t - L m = .``, A positive definite, L a Laplacian."""

    def __init__(self, system: System) -> None:
        self.system = system
        scale = 1.0 / np.sqrt(system.of_rows)[:, None]
        self.on_t = scale * system.on_t
        self.scale = scale[:, 0]
        if system.program.prior is None:
            self.first = _Factor(np.diag(system.of_t) + self.on_t.T @ self.on_t)
            return
        self.on_mass = scale * system.on_mass
        self.first = _Factor(np.diag(system.of_t) + self.on_t.T @ self.on_t)
        self.mixed = np.diag(system.cross) + self.on_t.T @ self.on_mass
        # f less what the rows carry has rows that add up to 0: summed from the others no digit cancels.
        laplacian = -(self.on_mass.T @ self.on_mass)
        np.fill_diagonal(laplacian, 0.0)
        np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
        self.second = _Factor(laplacian + self.mixed.T @ self.first.solve(self.mixed))

    def solve(self, of_rows: Array, of_t: Array, of_mass: Array | None) -> tuple[Array, Array, Array]:
        """Return rows, t and masses."""
        known = self.scale * of_rows
        right_t = of_t + self.on_t.T @ known
        if of_mass is None:
            t, masses = self.first.solve(right_t), np.zeros(len(of_t))
            return self.scale * (known - self.on_t @ t), t, masses
        right_mass = of_mass + self.on_mass.T @ known
        masses = self.second.solve(self.mixed.T @ self.first.solve(right_t) - right_mass)
        t = self.first.solve(right_t - self.mixed @ masses)
        return self.scale * (known - self.on_t @ t - self.on_mass @ masses), t, masses


class _Factor:
    """The Cholesky factor of a positive definite matrix of unit diagonal, nudged where rounding broke it."""

    def __init__(self, matrix: Array) -> None:
        from scipy.linalg.lapack import dpotrf

        self.scale = 1.0 / np.sqrt(np.maximum(np.diag(matrix), 1e-300))
        balanced = self.scale[:, None] * matrix * self.scale
        diagonal = np.diag_indices_from(balanced)
        for nudge in (0.0, *NUDGES):
            balanced[diagonal] += nudge
            self.factor, failed = dpotrf(balanced, lower=1)
            if not failed:
                break

    def solve(self, right: Array) -> Array:
        """Return the solution, not finite where the matrix could not be factored."""
        from scipy.linalg.lapack import dpotrs

        scale = self.scale if right.ndim == 1 else self.scale[:, None]
        return np.asarray(scale * dpotrs(self.factor, scale * right, lower=1)[0])
