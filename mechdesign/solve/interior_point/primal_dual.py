"""A primal-dual interior point for the decision program over a band: one small dense system a step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.notions import Band
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.interior_point.free_variables import SomePairs
from mechdesign.solve.interior_point.newton import Point, Program, Residuals, System
from mechdesign.tolerances import SOLVER

#: Newton steps before the iterate is returned as it is.
MOST_STEPS = 150
#: The complementary products, added up, are not driven below this share of what is asked.
FLOOR = 0.1
#: Steps without progress before the best iterate is returned; it counts as optimal up to ROUNDED.
PATIENCE, ROUNDED = 6, 1e-7
#: Residuals that shrink to this share of the least so far are progress, whatever the gap does.
CLOSER = 0.99
#: The gap is relative to the value, in units of the largest gain, and this.
LEAST_SIZE = 1e-3
#: Share of the way to the boundary that a step may go.
DAMPING = 0.99
#: A step aims at this share of the products at most: the corrections make up for what the prediction misses.
BOLDEST = 0.1
#: Corrections of outlying products in one step, at most; none where the step already goes FAR.
CORRECTIONS, FAR = 8, 0.9
#: What a correction has to add to the two step lengths to be taken.
GAINED = 0.01


@dataclass(frozen=True)
class Found:
    """Columns q, shape (n, decisions), the rows' multipliers of the maximisation, and how it ended."""

    columns: Array
    rows: Array
    status: str
    steps: int


def solve_band(
    band: Band,
    gains: Array,
    accuracy: float = SOLVER,
    some: SomePairs | None = None,
) -> Found:
    """Solve the decision program over `band` for `gains`, shape (decisions, n), of order one.

    `some` holds what is unknown where that is not every pair.
    `accuracy` bounds the residuals, and the gap relative to the value (to 1e-3 where that is less).
    """
    return _iterated(Program(band, gains, some), accuracy)


def _iterated(program: Program, accuracy: float) -> Found:
    """Step until the gap and the residuals are small, and return the best iterate where they stop shrinking."""
    point = program.start()
    best, least, furthest, feasible, since = point, np.inf, np.inf, np.inf, 0
    for step in range(MOST_STEPS):
        residuals = program.residuals(point)
        gap = float(np.vdot(point.z, point.at_zero) + np.vdot(point.s, point.at_top))
        size = LEAST_SIZE + abs(float(np.vdot(program.on_z, point.z) + program.on_t @ point.t))
        missing = max(float(np.abs(r).max()) for r in residuals)
        merit = max(gap / size, missing)
        if merit < least:
            best, least = point, merit
        # Where the value passes 0 the relative gap grows, and far from feasible the gap does, though all is well.
        since = 1 if max(gap, missing) < furthest or missing < CLOSER * feasible else since + 1
        furthest, feasible = min(furthest, max(gap, missing)), min(feasible, missing)
        if least <= accuracy:
            return _found(program, best, "optimal", step)
        if is_late():
            return _found(program, best, "time limit", step)
        pairs = 2 * point.z.size
        floor = FLOOR * accuracy * size / pairs
        moved = _step(program, point, residuals, gap / pairs, floor) if since <= PATIENCE else None
        if moved is None:
            return _found(program, best, "optimal" if least <= max(ROUNDED, accuracy) else "stalled", step)
        point = moved
    return _found(program, best, "step limit", MOST_STEPS)


def _found(program: Program, p: Point, status: str, steps: int) -> Found:
    columns = program.reach * p.t + program.pairs.matrix(0.0, program.width * p.z)
    return Found(columns.dense(), -p.rows, status, steps)


def _step(program: Program, p: Point, residuals: Residuals, mu: float, floor: float) -> Point | None:
    """Return the iterate after one step, or None where the system cannot be solved.

    Mehrotra's prediction and its second-order correction, taken in the share that lets the step go furthest; then
    corrections that bring outlying products back between multiples of the target (Gondzio), while each lets it go on.
    """
    system = System(program, p)
    affine = system.direction(residuals, -p.z * p.at_zero, -p.s * p.at_top)
    if affine is None:
        return None
    primal, dual = _reach(p, affine, 1.0)
    after = sum(float(np.vdot(v, m)) for v, m in _trial(p, affine, primal, dual)) / (2 * p.z.size)
    # Products far below what is asked only make the next system singular.
    target = max(mu * min((after / mu) ** 3, BOLDEST), min(floor, mu))
    centring = system.change(np.full_like(p.z, target), np.full_like(p.z, target))
    second = system.change(-affine.z * affine.at_zero, -affine.s * affine.at_top)
    if centring is None or second is None:
        return None
    first = affine.plus(centring)
    shares = (1.0, 0.3, primal * dual)
    tried = [(first.plus(second, share), share) for share in shares]
    direction, (primal, dual) = max(
        ((d, _reach(p, d, DAMPING)) for d, _ in tried), key=lambda pair: min(pair[1]) + 0.1 * max(pair[1])
    )
    for _ in range(CORRECTIONS):
        if min(primal, dual) > FAR:
            break
        further = [min(1.0, a + 0.3) for a in (primal, dual)]
        wanted = [_outlying(v * m, target) for v, m in _trial(p, direction, *further)]
        more = system.change(*wanted)
        if more is None:
            break
        corrected = direction.plus(more)
        reached = _reach(p, corrected, DAMPING)
        if sum(reached) < primal + dual + GAINED:
            break
        direction, (primal, dual) = corrected, reached
    if max(primal, dual) < 1e-10:
        return None
    return p.moved(direction, primal, dual)


def _trial(p: Point, d: Point, primal: float, dual: float) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Return the complementary pairs after steps of these lengths."""
    return (
        (p.z + primal * d.z, p.at_zero + dual * d.at_zero),
        (p.s + primal * d.s, p.at_top + dual * d.at_top),
    )


def _outlying(products: Array, target: float) -> Array:
    """Return by how much products lie outside a wide band about the target, the largest cut."""
    return np.maximum(np.clip(products, 0.1 * target, 10.0 * target) - products, -10.0 * target)


def _reach(p: Point, d: Point, damping: float) -> tuple[float, float]:
    """Return how far the primal and the dual variables may move without leaving the positive orthant."""

    def furthest(pairs: tuple[tuple[Array, Array], ...]) -> float:
        slowest = min(float((dx / x).min()) for x, dx in pairs)
        return min(1.0, -damping / slowest) if slowest < 0 else 1.0

    return furthest(((p.z, d.z), (p.s, d.s))), furthest(((p.at_zero, d.at_zero), (p.at_top, d.at_top)))


def require_band(band: Band | None) -> Band:
    """Return the band, or raise if the cone has no band."""
    if band is None:
        raise SolverError(
            "STRUCTURED solves programs over the bands of LDP and LIP with direct access only: "
            "choose CLARABEL or HIGHS.",
            status="not offered",
        )
    return band
