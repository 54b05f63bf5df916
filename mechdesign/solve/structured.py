"""A primal-dual interior point for the decision program over a band: one small dense system a step.

The program: maximise ``sum_d gains[d] . q_d`` over ``q_d = low t_d + width z_d`` with ``0 <= z_xd <= t_d``,
``sum_d q_xd = 1`` for each input, and ``P . z_d = share t_d`` where the band's middle is the mass ``P . q``.
Each pair (x, d) is eliminated by hand, then each decision, so that what is left has one unknown for each input,
however many decisions there are.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import SolverError
from mechdesign.notions import Band
from mechdesign.tolerances import SOLVER

#: Newton steps before the iterate is returned as it is.
MOST_STEPS = 80
#: What is added to a unit diagonal, in turn, where rounding has left a matrix that is not positive definite.
NUDGES = (1e-15, 1e-13, 1e-11, 1e-9, 1e-7)
#: The complementary products, added up, are not driven below this share of the value.
FLOOR = 0.1 * SOLVER
#: Steps without progress before the best iterate is returned; it counts as optimal up to ROUNDED.
PATIENCE, ROUNDED = 6, 1e-7
#: Share of the way to the boundary that a step may go.
DAMPING = 0.99

#: Of z, of t, of the slacks, of the rows, of the masses.
Residuals = tuple[Array, Array, Array, Array, Array]


@dataclass(frozen=True)
class Found:
    """Columns q, shape (n, decisions), the rows' multipliers of the maximisation, and how it ended."""

    columns: Array
    rows: Array
    status: str
    steps: int


@dataclass
class _Point:
    """The iterate: box variables z with slack s = t - z, their multipliers, and those of the rows and masses."""

    z: Array
    s: Array
    t: Array
    at_zero: Array
    at_top: Array
    rows: Array
    masses: Array


class _Program:
    """The data of one program, in the band's own scale."""

    def __init__(self, band: Band, gains: Array) -> None:
        self.low, self.width = band.low / band.high, 1.0 - band.low / band.high
        self.prior = None if band.middle is None else band.middle[:, None]
        # With t in units of the upper end: the mass is t / high, so the share of the box that is filled is fixed.
        self.share = 0.0 if self.prior is None else (1.0 / band.high - self.low) / self.width
        self.on_z = -self.width * gains.T
        self.on_t = -self.low * gains.sum(axis=1)

    def start(self) -> _Point:
        n, count = self.on_z.shape
        fill = 0.5 if self.prior is None else self.share
        t = np.full(count, 1.0 / (count * (self.low + self.width * fill)))
        z = np.tile(fill * t, (n, 1))
        size = np.maximum(np.abs(self.on_z).max(axis=1, keepdims=True), 1e-3 * np.abs(self.on_z).max())
        multipliers = np.tile(size, (1, count))
        return _Point(z, t - z, t, multipliers, multipliers.copy(), np.zeros(n), np.zeros(count))

    def residuals(self, p: _Point) -> Residuals:
        """Return what is missing in: stationarity of z and of t, the slacks, the rows, the masses."""
        zero = np.zeros(len(p.t))
        return self.moved((self.on_z, self.on_t, np.zeros_like(p.z), np.full(len(p.rows), -1.0), zero), p)

    def moved(self, residuals: Residuals, d: _Point) -> Residuals:
        """Return the residuals after a move by `d`: all of them are affine."""
        of_z, of_t, of_slack, of_rows, of_mass = residuals
        on_mass = 0.0 if self.prior is None else self.prior * d.masses
        on_mean = 0.0 if self.prior is None else (self.prior * d.z).sum(axis=0) - self.share * d.t
        return (
            of_z - self.width * d.rows[:, None] - on_mass + d.at_top - d.at_zero,
            of_t - self.low * d.rows.sum() + self.share * d.masses - d.at_top.sum(axis=0),
            of_slack + d.t - d.z - d.s,
            of_rows + self.low * d.t.sum() + self.width * d.z.sum(axis=1),
            of_mass + on_mean,
        )


def solve_band(band: Band, gains: Array, deadline: float | None = None) -> Found:
    """Solve the decision program over `band` for `gains`, shape (decisions, n), of order one."""
    # Two BLAS threads on matrices of this size wait for each other: 10 to 30 times slower on a busy machine.
    with _blas().limit(limits=1, user_api="blas"):
        return _iterated(_Program(band, gains), deadline)


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    import_module("scipy.linalg")  # its BLAS has to be loaded before the controller looks for it
    return ThreadpoolController()


def _iterated(program: _Program, deadline: float | None) -> Found:
    """Step until the gap and the residuals are small, and return the best iterate where they stop shrinking."""
    point = program.start()
    best, least, since = point, np.inf, 0
    for step in range(MOST_STEPS):
        residuals = program.residuals(point)
        gap = float(np.vdot(point.z, point.at_zero) + np.vdot(point.s, point.at_top))
        size = 1e-3 + abs(float(np.vdot(program.on_z, point.z) + program.on_t @ point.t))
        merit = max(gap / size, *(float(np.abs(r).max()) for r in residuals))
        if merit < least:
            best, least, since = point, merit, 0
        since += 1
        if least <= SOLVER:
            return _found(program, best, "optimal", step)
        if deadline is not None and time.perf_counter() > deadline:
            return _found(program, best, "time limit", step)
        pairs = 2 * point.z.size
        moved = _step(program, point, residuals, gap / pairs, FLOOR * size / pairs) if since <= PATIENCE else None
        if moved is None:
            return _found(program, best, "optimal" if least <= ROUNDED else "stalled", step)
        point = moved
    return _found(program, best, "step limit", MOST_STEPS)


def _found(program: _Program, p: _Point, status: str, steps: int) -> Found:
    return Found(program.low * p.t + program.width * p.z, -p.rows, status, steps)


def _step(program: _Program, p: _Point, residuals: Residuals, mu: float, floor: float) -> _Point | None:
    """Return the iterate after one predictor-corrector step, or None where the system cannot be solved."""
    system = _System(program, p)
    affine = system.direction(residuals, -p.z * p.at_zero, -p.s * p.at_top)
    if affine is None:
        return None
    primal, dual = _reach(p, affine, 1.0)
    after = float(
        np.vdot(p.z + primal * affine.z, p.at_zero + dual * affine.at_zero)
        + np.vdot(p.s + primal * affine.s, p.at_top + dual * affine.at_top)
    ) / (2 * p.z.size)
    # Products far below what is asked only make the next system singular.
    target = max(mu * (after / mu) ** 3, min(floor, mu))
    direction = system.direction(
        residuals,
        target - p.z * p.at_zero - affine.z * affine.at_zero,
        target - p.s * p.at_top - affine.s * affine.at_top,
    )
    if direction is None:
        return None
    primal, dual = _reach(p, direction, DAMPING)
    if max(primal, dual) < 1e-10:
        return None
    return _Point(
        p.z + primal * direction.z,
        p.s + primal * direction.s,
        p.t + primal * direction.t,
        p.at_zero + dual * direction.at_zero,
        p.at_top + dual * direction.at_top,
        p.rows + dual * direction.rows,
        p.masses + dual * direction.masses,
    )


def _reach(p: _Point, d: _Point, damping: float) -> tuple[float, float]:
    """Return how far the primal and the dual variables may move without leaving the positive orthant."""

    def furthest(pairs: tuple[tuple[Array, Array], ...]) -> float:
        ratios = [np.divide(-x, dx, out=np.full_like(x, np.inf), where=dx < 0).min() for x, dx in pairs]
        return min(1.0, damping * float(min(ratios)))

    return furthest(((p.z, d.z), (p.s, d.s))), furthest(((p.at_zero, d.at_zero), (p.at_top, d.at_top)))


class _System:
    """Newton's equations at one iterate, reduced to the rows and factored once for two right-hand sides.

    Eliminated in turn: each pair (x, d), a diagonal; each decision's ``(t_d, mass_d)``, a two by two block.
    """

    def __init__(self, program: _Program, p: _Point) -> None:
        self.program, self.p = program, p
        top, zero = p.at_top / p.s, p.at_zero / p.z
        self.top, self.theta = top, 1.0 / (top + zero)
        weight = top * self.theta
        self.on_t = program.low + program.width * weight
        self.of_t = (zero * weight).sum(axis=0)
        matrix = np.diag(program.width**2 * self.theta.sum(axis=1))
        if program.prior is None:
            carried = self.on_t / np.sqrt(self.of_t)
        else:
            weighted = program.prior * self.theta
            self.on_mass = program.width * weighted
            self.of_mass = (program.prior * weighted).sum(axis=0)
            self.cross = program.share - (program.prior * weight).sum(axis=0)
            self.of_t = self.of_t + self.cross**2 / self.of_mass
            known = self.on_mass / np.sqrt(self.of_mass)
            matrix -= known @ known.T
            carried = (self.on_t + self.on_mass * (self.cross / self.of_mass)) / np.sqrt(self.of_t)
        matrix += carried @ carried.T
        self.scale = 1.0 / np.sqrt(np.maximum(np.diag(matrix), 1e-300))
        self.factor = _factored(self.scale[:, None] * matrix * self.scale)

    def direction(self, residuals: Residuals, on_zero: Array, on_top: Array) -> _Point | None:
        """Return the direction that removes the residuals and brings the products to their targets, refined once."""
        first = self._solved(residuals, on_zero, on_top)
        if first is None:
            return None
        left = self.program.moved(residuals, first)
        none = np.zeros_like(on_zero)
        second = self._solved(left, none, none)
        if second is None:
            return first
        return _Point(*(getattr(first, f.name) + getattr(second, f.name) for f in fields(_Point)))

    def _solved(self, residuals: Residuals, on_zero: Array, on_top: Array) -> _Point | None:
        from scipy.linalg.lapack import dpotrs

        program, p = self.program, self.p
        of_z, of_t, of_slack, of_rows, of_mass = residuals
        pull = -of_z - on_top / p.s + self.top * of_slack + on_zero / p.z
        eased = self.theta * pull
        right_t = -of_t + (on_top / p.s).sum(axis=0) + (self.top * (eased - of_slack)).sum(axis=0)
        right_mass = np.zeros(len(p.t))
        if program.prior is not None:
            right_mass = of_mass + (program.prior * eased).sum(axis=0)
        right = -of_rows - program.width * eased.sum(axis=1)
        right = right - self._carried(*self._decisions(right_t, right_mass))
        rows = self.scale * dpotrs(self.factor, self.scale * right, lower=1)[0]
        if not np.all(np.isfinite(rows)):
            return None
        pulled = 0.0 if program.prior is None else self.on_mass.T @ rows
        t, masses = self._decisions(right_t + self.on_t.T @ rows, right_mass + pulled)
        on_mass = 0.0 if program.prior is None else program.prior * masses
        z = self.theta * (program.width * rows[:, None] + on_mass + self.top * t + pull)
        s = t - z + of_slack
        return _Point(z, s, t, (on_zero - p.at_zero * z) / p.z, (on_top - p.at_top * s) / p.s, rows, masses)

    def _decisions(self, right_t: Array, right_mass: Array) -> tuple[Array, Array]:
        """Solve each decision's block ``[[a, e], [e, -f]]`` for its box and its mass's multiplier."""
        if self.program.prior is None:
            return right_t / self.of_t, np.zeros(len(right_t))
        t = (right_t + right_mass * (self.cross / self.of_mass)) / self.of_t
        return t, (self.cross * t - right_mass) / self.of_mass

    def _carried(self, t: Array, masses: Array) -> Array:
        carried = self.on_t @ t
        return carried if self.program.prior is None else carried + self.on_mass @ masses


def _factored(balanced: Array) -> Array:
    """Return the Cholesky factor of a positive definite matrix of unit diagonal, nudged where rounding broke it."""
    from scipy.linalg.lapack import dpotrf

    diagonal = np.diag_indices_from(balanced)
    for nudge in (0.0, *NUDGES):
        balanced[diagonal] += nudge
        factor, failed = dpotrf(balanced, lower=1)
        if not failed:
            break
    return np.asarray(factor)


def require_band(band: Band | None) -> Band:
    """Return the band, or raise where the cone is none."""
    if band is None:
        raise SolverError(
            "STRUCTURED solves programs over the bands of LDP and LIP with direct access only: "
            "choose CLARABEL or HIGHS.",
            status="not offered",
        )
    return band
