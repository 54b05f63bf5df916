"""Route `columns`: a linear program with one column for each decision, and decisions priced with a certificate."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from mechdesign.domains import Array
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Cone
from mechdesign.objectives import Linear, RatioType
from mechdesign.objectives.base import is_separable
from mechdesign.solve.backends import VERTEX_SIZE, LinearProgram, SolverStats, solve_linear
from mechdesign.solve.curved import solve_curved
from mechdesign.solve.merging import merge_alike
from mechdesign.solve.pricing import added, peaks, price, ratio_range
from mechdesign.solve.revealing import units
from mechdesign.solve.structured import require_band, solve_band
from mechdesign.solve.support import support
from mechdesign.solve.task import Candidate, Clock, Route, Task, used
from mechdesign.tolerances import SPAN_SHARE

#: Decisions of the first program, spread over the range of the ratio.
FIRST_DECISIONS = 24
#: Ratios are told apart in floating point up to here.
WIDEST_RANGE = 1e15
#: Rounds in which the gap does not shrink by a tenth before the route gives up narrowing it.
PATIENCE = 6
#: Rounds of pricing before the route returns what it has.
MOST_ROUNDS = 40


def refusal(task: Task) -> str | None:
    """Return why the route cannot answer, or None."""
    if task.subject_to is not None:
        return "constraints of your own need the convex route"
    if not isinstance(task.objective, RatioType) and _decisions(task) is None:
        return f"the decisions of {task.objective.name} are neither finitely many nor one number"
    if len(task.notion.budget(task.problem)):
        return f"{task.notion.name} bounds a sum over columns, which the pricing of single columns does not see"
    if isinstance(task.objective, RatioType):
        ends = ratio_range(task.objective.ratio(task.problem), task.notion, task.problem)
        if max(map(abs, ends)) > WIDEST_RANGE:
            return "an output can have a ratio without bound, so that its decisions cannot be told apart"
    return None


def preferred(task: Task) -> str:
    """Return HiGHS's simplex method for small finite programs, an interior point for the rest."""
    gains = _decisions(task)
    if not task.notion.polyhedral:
        return "CLARABEL"
    if gains is not None and gains.size <= VERTEX_SIZE:
        return "HIGHS"
    return "CLARABEL" if task.notion.cone(task.problem).band_of_inputs is None else "STRUCTURED"


def solve(task: Task) -> Candidate:
    """Solve over finitely many decisions at once, over a continuum in rounds."""
    gains = _decisions(task)
    return _continuum(task) if gains is None else _finite(task, gains)


def _decisions(task: Task) -> Array | None:
    """Return the gains of finitely many decisions, shape (decisions, n), or None."""
    return task.objective.gains(task.problem) if is_separable(task.objective) else None


def decision_program(cone: Cone, gains: Array, others: tuple[Array, Array] | None = None) -> tuple[LinearProgram, Any]:
    """Return: maximise ``sum_d gains[d] . q_d`` over columns ``q_d`` of the cone with ``sum_d q_d = 1``.

    Variables are the blocks ``(y_d, t_d)``, one for each decision, with ``q_d = y_d + floor @ t_d``: a row
    ``q_x >= floor_x . t`` of the cone becomes ``y_x >= 0``, and opposite rows become one equality. Also returned
    is the matrix that takes a block to its column. `others` are columns besides, shape (n, r), and what each gains,
    shape (r,): one more variable for each, after the blocks.
    """
    from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

    decisions, n = gains.shape
    rows, low, floor = _shifted(cone)
    column = hstack([eye_array(n), csr_array(floor)]).tocsr()
    stacked: Any = vstack([kron(np.ones((1, decisions)), column), kron(eye_array(decisions), csr_array(rows))])
    bounds = np.concatenate([np.ones(n), np.tile(low, decisions)])
    above = np.concatenate([np.ones(n), np.tile(np.where(np.isnan(low), 0.0, np.inf), decisions)])
    cost = -(gains @ column).ravel()
    if others is not None and others[0].shape[1]:
        beside, worth = others
        stacked = hstack([stacked, csr_array(np.vstack([beside, np.zeros((stacked.shape[0] - n, len(worth)))]))])
        cost = np.concatenate([cost, -worth])
    return LinearProgram(cost, csr_array(stacked), np.nan_to_num(bounds), above), column


def _shifted(cone: Cone) -> tuple[Array, Array, Array]:
    """Return rows over ``(y, t)`` with their lower bound (0, or NaN for an equality), and the floor."""
    n, auxiliary = cone.on_column.shape[1], cone.on_auxiliary.shape[1]
    on_column, on_auxiliary = cone.on_column, cone.on_auxiliary
    floor, kept = np.zeros((n, auxiliary)), np.ones(len(on_column), dtype=bool)
    single = (np.count_nonzero(on_column, axis=1) == 1) & np.any(on_column == 1.0, axis=1)
    for row in np.flatnonzero(single & np.all(on_auxiliary <= 0, axis=1)):
        x = int(on_column[row].argmax())
        if not floor[x].any():
            floor[x], kept[row] = -on_auxiliary[row], False
    rows = np.hstack([on_column, on_column @ floor + on_auxiliary])[kept]
    low = np.zeros(len(rows))
    opposite = np.flatnonzero(np.all(rows[:-1] == -rows[1:], axis=1))
    low[opposite] = np.nan
    return np.delete(rows, opposite + 1, axis=0), np.delete(low, opposite + 1), floor


def _solved(task: Task, cone: Cone, gains: Array, clock: Clock, interior: bool) -> tuple[Array, Array, SolverStats]:
    """Return the columns (last, those that reveal an input), the rows' multipliers and how the solver ended."""
    scale = float(np.abs(gains).max()) or 1.0
    name = task.solver or preferred(task)
    if not task.notion.polyhedral:
        clock.lap("build")
        curved = solve_curved(task, gains / scale, name)
        clock.lap("solve")
        return curved.columns, curved.rows * scale, curved.stats
    if name == "STRUCTURED":
        band = require_band(cone.band_of_inputs)
        clock.lap("build")
        if band.low >= band.high:
            best = int(gains.sum(axis=1).argmax())
            constant = np.tile(np.eye(len(gains))[best], (task.problem.n, 1))
            return constant, gains[best], SolverStats(name, "not needed", 0.0, 0)
        started = time.perf_counter()
        point = solve_band(band, gains / scale, task.deadline)
        clock.lap("solve")
        stats = SolverStats(name, point.status, time.perf_counter() - started, point.steps)
        return point.columns, point.rows * scale, stats
    assert is_separable(task.objective), "refusal() was asked first"
    revealing = units(task.notion, task.problem)
    worth = task.objective.column_utility(revealing, task.problem) / scale
    program, column = decision_program(cone, gains / scale, (revealing, worth))
    clock.lap("build")
    found = solve_linear(program, name, interior=interior, time_limit=task.time_left(), verbose=task.solver_verbose)
    clock.lap("solve")
    within = len(gains) * column.shape[1]
    columns = column @ found.point[:within].reshape(len(gains), -1).T
    columns = np.hstack([columns, revealing * found.point[within:]])
    return columns, -found.multipliers[: task.problem.n] * scale, found.stats


def _finite(task: Task, gains: Array) -> Candidate:
    clock = Clock()
    interior = gains.size > VERTEX_SIZE
    columns, rows, stats = _solved(task, task.notion.cone(task.problem), gains, clock, interior)
    note = f"over {len(gains)} decisions"
    matrix = np.maximum(columns, 0.0)
    # A linear objective keeps one column for each decision, others have no use for a decision never made.
    kept = matrix if isinstance(task.objective, Linear) else used(matrix)
    return Candidate(kept, Multipliers(rows), stats, clock.timings, note)


def _continuum(task: Task) -> Candidate:
    objective = task.objective
    assert isinstance(objective, RatioType)
    clock = Clock()
    ratio, cone, problem = objective.ratio(task.problem), task.notion.cone(task.problem), task.problem

    def sigma(functionals: Array) -> Array:
        return support(task.notion, problem, functionals).values

    low, high = ratio_range(ratio, task.notion, problem)
    if high == low:
        return _uninformative(task, ratio.functionals(np.array([low]))[0], clock)
    decisions = np.linspace(low, high, FIRST_DECISIONS)
    best: tuple[float, Array] = (np.inf, np.zeros(problem.n))
    most: tuple[float, Array] = (-np.inf, np.ones((problem.n, 1)))
    rounds, narrowest, since = 0, np.inf, 0
    while rounds < MOST_ROUNDS and since < PATIENCE:
        rounds += 1
        columns, rows, stats = _solved(task, cone, ratio.functionals(decisions), clock, True)
        columns, revealing = np.split(np.maximum(columns, 0.0), [len(decisions)], axis=1)
        merged = np.hstack([merge_alike(columns, objective, problem), used(revealing)])
        reached = float(objective.column_utility(merged, problem).sum())
        value = objective.from_utility(reached, problem)
        steepness = objective.steepness(value, problem)
        asked = 0.1 * task.gap * max(steepness * abs(value), SPAN_SHARE * abs(reached))
        priced = price(ratio, sigma, rows, decisions, asked)
        best = min(best, (float(rows.sum()) + priced.bound, rows), key=lambda pair: pair[0])
        most = max(most, (reached, merged), key=lambda pair: pair[0])
        clock.lap("price")
        width = best[0] - most[0]
        if width <= 5 * asked or task.late:
            break
        since = 0 if width < 0.9 * narrowest else since + 1
        narrowest = min(width, narrowest)
        peaked = peaks(priced)
        violated = support(task.notion, problem, ratio.functionals(peaked) - rows).columns
        new = np.concatenate([peaked, ratio.at(violated), ratio.at(merged)])
        decisions = added(decisions, new, 1e-7 * (high - low))
    note = f"over {len(decisions)} decisions, {rounds} rounds"
    return Candidate(most[1], Multipliers(best[1]), stats, clock.timings, note)


def _uninformative(task: Task, functional: Array, clock: Clock) -> Candidate:
    """Return the constant mechanism: one decision is best for every column, so nothing can be told."""
    stats = SolverStats(task.solver or preferred(task), "not needed", 0.0, 0)
    constant = np.ones((task.problem.n, 1))
    return Candidate(constant, Multipliers(functional), stats, clock.timings, "every column has one ratio")


ROUTE = Route("columns", ("STRUCTURED", "CLARABEL", "HIGHS"), refusal, solve, preferred)
