"""A primal-dual interior point for the decision program over a band: one small dense system a step.

The program: maximise ``sum_d gains[d] . q_d`` over ``q_d = low t_d + width z_d`` with ``0 <= z_xd <= t_d``,
``sum_d q_xd = 1`` for each input, and ``P . z_d = share t_d`` where the band's middle is the mass ``P . q``.
Each pair (x, d) is eliminated by hand, then each input's row, so that what is left has one unknown for each
decision (two where there is a mass), whatever the number of inputs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
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
#: Share of the way to the boundary that a step may go.
DAMPING = 0.99


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

    def residuals(self, p: _Point) -> tuple[Array, Array, Array, Array, Array]:
        """Return what is missing in: stationarity of z and of t, the slacks, the rows, the masses."""
        on_mass = 0.0 if self.prior is None else self.prior * p.masses
        of_z = self.on_z - self.width * p.rows[:, None] - on_mass + p.at_top - p.at_zero
        of_t = self.on_t - self.low * p.rows.sum() + self.share * p.masses - p.at_top.sum(axis=0)
        of_slack = p.t - p.z - p.s
        of_rows = self.low * p.t.sum() + self.width * p.z.sum(axis=1) - 1.0
        of_mass = np.zeros(len(p.t)) if self.prior is None else (self.prior * p.z).sum(axis=0) - self.share * p.t
        return of_z, of_t, of_slack, of_rows, of_mass


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
    point = program.start()
    for step in range(MOST_STEPS):
        residuals = program.residuals(point)
        gap = float(np.vdot(point.z, point.at_zero) + np.vdot(point.s, point.at_top))
        cost = float(np.vdot(program.on_z, point.z) + program.on_t @ point.t)
        missed = max(float(np.abs(r).max()) for r in residuals)
        if gap <= SOLVER * (1e-3 + abs(cost)) and missed <= SOLVER:
            return _found(program, point, "optimal", step)
        if deadline is not None and time.perf_counter() > deadline:
            return _found(program, point, "time limit", step)
        moved = _step(program, point, residuals, gap / (2 * point.z.size))
        if moved is None:
            return _found(program, point, "stalled", step)
        point = moved
    return _found(program, point, "step limit", MOST_STEPS)


def _found(program: _Program, p: _Point, status: str, steps: int) -> Found:
    return Found(program.low * p.t + program.width * p.z, -p.rows, status, steps)


def _step(program: _Program, p: _Point, residuals: tuple[Array, ...], mu: float) -> _Point | None:
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
    target = mu * (after / mu) ** 3
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
    """Newton's equations at one iterate, reduced to the decisions and factored once for two right-hand sides."""

    def __init__(self, program: _Program, p: _Point) -> None:
        from scipy.linalg import lu_factor

        self.program, self.p = program, p
        top, zero = p.at_top / p.s, p.at_zero / p.z
        self.top, self.theta = top, 1.0 / (top + zero)
        weight = top * self.theta
        self.on_t = program.low + program.width * weight
        self.inverse = 1.0 / (program.width**2 * self.theta.sum(axis=1))
        scaled = self.on_t * self.inverse[:, None]
        corner = np.diag((zero * weight).sum(axis=0)) + self.on_t.T @ scaled
        if program.prior is None:
            self.on_mass = np.zeros((len(p.z), 0))
            matrix = corner
        else:
            weighted = program.prior * self.theta
            self.on_mass = program.width * weighted
            cross = np.diag(program.share - (program.prior * weight).sum(axis=0)) + scaled.T @ self.on_mass
            last = self.on_mass.T @ (self.on_mass * self.inverse[:, None]) - np.diag(
                (program.prior * weighted).sum(axis=0)
            )
            matrix = np.block([[corner, cross], [cross.T, last]])
        # Equilibrated: decisions that are not used have pivots many orders below the others.
        self.scale = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(matrix)), 1e-300))
        self.factor = lu_factor(self.scale[:, None] * matrix * self.scale, check_finite=False)

    def direction(self, residuals: tuple[Array, ...], on_zero: Array, on_top: Array) -> _Point | None:
        """Return the direction that removes the residuals and brings the products to their targets."""
        from scipy.linalg import lu_solve

        program, p = self.program, self.p
        of_z, of_t, of_slack, of_rows, of_mass = residuals
        pull = -of_z - on_top / p.s + self.top * of_slack + on_zero / p.z
        eased = self.theta * pull
        right_t = -of_t + (on_top / p.s).sum(axis=0) + (self.top * (eased - of_slack)).sum(axis=0)
        right_rows = -of_rows - program.width * eased.sum(axis=1)
        carried = self.inverse * right_rows
        right = [right_t + self.on_t.T @ carried]
        if program.prior is not None:
            right.append(of_mass + (program.prior * eased).sum(axis=0) + self.on_mass.T @ carried)
        both = self.scale * lu_solve(self.factor, self.scale * np.concatenate(right), check_finite=False)
        if not np.all(np.isfinite(both)):
            return None
        t, masses = both[: len(p.t)], both[len(p.t) :]
        rows = self.inverse * (right_rows - self.on_t @ t - self.on_mass @ masses)
        if program.prior is None:
            masses = np.zeros(len(t))
        on_mass = 0.0 if program.prior is None else program.prior * masses
        z = self.theta * (program.width * rows[:, None] + on_mass + self.top * t + pull)
        s = t - z + of_slack
        return _Point(z, s, t, (on_zero - p.at_zero * z) / p.z, (on_top - p.at_top * s) / p.s, rows, masses)


def require_band(band: Band | None) -> Band:
    """Return the band, or raise where the cone is none."""
    if band is None:
        raise SolverError(
            "STRUCTURED solves programs over the bands of LDP and LIP with direct access only: "
            "choose CLARABEL or HIGHS.",
            status="not offered",
        )
    return band
