"""The linear program of a leaf: one free column for each decision, or for each interval that holds one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import SolverError
from mechdesign.objectives import PiecewiseLinear
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, time_left
from mechdesign.solve.certificate.few_outputs import Box, Chosen, Space, Subsets
from mechdesign.solve.solvers.catalogue import installed_solvers, of_linear_programs
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram, LinearSolution, SolverStats
from mechdesign.solve.task import Task

#: What a ratio outside its interval costs, in units of the utility: more than any disclosure gains.
OUTSIDE = 100.0

#: Seconds that the root's program has, if there are no more.
OF_ROOT = 0.5


@dataclass(frozen=True)
class Relaxed:
    """What the program of a region says: no better utility in it, the columns, and a leaf's multipliers."""

    bound: float
    #: Shape (n, decisions) or (n, m).
    columns: Array
    #: Shape (n + budgets + extra,).
    multipliers: Array
    stats: SolverStats


class LeafProgram:
    """The programs of all regions: the same rows, of which only costs and the intervals' ends change.

    Variables are the slots' blocks ``(q_j, t_j)``, each slot's share of the budgets as a difference, and a tail: by how
    much a ratio leaves its interval, or the epigraph of the pieces.
    """

    def __init__(self, task: Task, space: Space, solver: str) -> None:
        self.task, self.space, self.solver = task, space, solver
        self.cone, self.budget = task.columns.cone(), task.columns.budget()
        self.n = task.problem.n
        self.slots = space.count if isinstance(space, Subsets) else space.outputs
        self.block = self.n + self.cone.on_auxiliary.shape[1]
        self.charged = len(self.budget)
        objective = task.objective
        self.pieces = objective if isinstance(objective, PiecewiseLinear) else None
        self.rows, self.low, self.high = self._rows()
        self.solved = 0

    def over(self, region: Chosen | Box) -> Relaxed:
        """Return the best relaxed mechanism of a region."""
        if isinstance(region, Chosen):
            return self._over_decisions(region)
        line = self.space
        assert not isinstance(line, Subsets), "a box is a region of a line"
        return self._over_slots(line.functionals(region, np.zeros(self.slots)), region, OUTSIDE)

    def at(self, decisions: Array) -> Relaxed:
        """Return the best mechanism whose outputs stand for decisions on the line, shape (outputs,), at any ratio."""
        region = Box(decisions, decisions)
        assert not isinstance(self.space, Subsets), "decisions are numbers on a line"
        return self._over_slots(self.space.functionals(region, np.zeros(self.slots)), region, 0.0)

    def _over_slots(self, chords: Array, region: Box, outside: float) -> Relaxed:
        assert not isinstance(self.space, Subsets), "a box is a region of a line"
        a, b = self.space.ratio.a, self.space.ratio.b
        if self.slots == 1:
            return self._alone(chords[0])
        scale = float(np.abs(chords).max()) or 1.0
        ends = np.vstack([a - np.outer(region.low, b), np.outer(region.high, b) - a])
        sizes = np.abs(ends).max(axis=1, keepdims=True)
        sizes = np.where(sizes > 0, sizes, 1.0)
        # The last rows are the intervals' ends, each with its own slack.
        self.rows.data[-ends.size - len(ends) :] = np.hstack([ends / sizes, np.ones((len(ends), 1))]).ravel()
        cost = self._cost(-chords / scale, np.full(2 * self.slots, outside))
        found = self._solve(LinearProgram(cost, self.rows, self.low, self.high))
        on_ends = np.clip(found.multipliers[-len(ends) :], 0.0, outside) * scale / sizes[:, 0]
        extra = on_ends[: self.slots] - on_ends[self.slots :]
        return self._relaxed(found, scale, cost, extra, found.point)

    def _alone(self, chord: Array) -> Relaxed:
        """Return the mechanism of one output: its column is all ones, and the functional itself its multipliers."""
        multipliers = np.concatenate([chord, np.zeros(self.charged + 1)])
        return Relaxed(
            float(chord.sum()), np.ones((self.n, 1)), multipliers, SolverStats(self.solver, "not needed", 0.0, 0)
        )

    def _over_decisions(self, region: Chosen) -> Relaxed:
        assert isinstance(self.space, Subsets), "decisions are chosen from finitely many"
        everything = Chosen((), tuple(range(self.slots)))
        if self.pieces is None:
            gains = self.space.functionals(everything, np.zeros(0))
            scale = float(np.abs(gains).max()) or 1.0
            cost = self._cost(-gains / scale, np.zeros(0))
        else:
            matrix, (lower, upper) = self.pieces.pieces(self.task.problem), self._box()
            scale = float(np.abs(matrix.data).max(initial=0.0)) or 1.0
            linear = np.asarray(lower @ matrix).reshape(self.n, -1).T / scale
            left = 1.0 - lower.sum()
            cost = self._cost(linear, np.concatenate([[left, -left], upper - lower]))
        kept = self._kept(region)
        found = self._solve(LinearProgram(cost[kept], self.rows[:, kept], self.low, self.high))
        point = np.zeros(len(cost))
        point[kept] = found.point
        extra = np.zeros(0)
        if self.pieces is not None:
            extra = self._box()[0] + np.maximum(found.multipliers[-self.space.extra :], 0.0)
        return self._relaxed(found, scale, cost, extra, point)

    def _relaxed(self, found: LinearSolution, scale: float, cost: Array, extra: Array, point: Array) -> Relaxed:
        within = self.slots * self.block
        columns = np.maximum(point[:within].reshape(self.slots, self.block)[:, : self.n].T, 0.0)
        lam = -found.multipliers[: self.n] * scale
        start = self.n + self.slots * len(self.cone.on_column)
        nu = np.maximum(-found.multipliers[start : start + self.charged], 0.0) * scale
        return Relaxed(-float(cost @ point) * scale, columns, np.concatenate([lam, nu, extra]), found.stats)

    def _solve(self, program: LinearProgram) -> LinearSolution:
        """Solve by the task's solver, and where that gives up by another one: a search has many programs."""
        first = self.solver
        left = time_left()
        if left is not None and not self.solved:
            # Without the root's program there is no bound.
            left = max(left, OF_ROOT)
        self.solved += 1
        try:
            return solve_linear(program, first, time_limit=left, verbose=self.task.solver_verbose)
        except SolverError:
            if is_late():
                raise
            others = [name for name in of_linear_programs() if name != first and name in installed_solvers()]
            if not others:
                raise
            return solve_linear(program, others[0], time_limit=left, verbose=self.task.solver_verbose)

    def _cost(self, on_slots: Array, tail: Array) -> Array:
        blocks = np.hstack([on_slots, np.zeros((self.slots, self.block - self.n))])
        return np.concatenate([blocks.ravel(), np.zeros(2 * self.charged * self.slots), tail])

    def _kept(self, region: Chosen) -> npt.NDArray[np.intp]:
        """Return the positions of the variables that the region's decisions leave."""
        slots = np.zeros(self.slots, dtype=bool)
        slots[region.allowed] = True
        within = self.slots * self.block
        tail = np.ones(self.rows.shape[1] - within, dtype=bool)
        tail[: 2 * self.charged * self.slots] = np.tile(slots, 2 * self.charged)
        return np.flatnonzero(np.concatenate([np.repeat(slots, self.block), tail]))

    def _box(self) -> tuple[Array, Array]:
        assert self.pieces is not None, "only pieces have weights"
        count = self.pieces.pieces(self.task.problem).shape[0]
        return self.pieces.weight_box(self.task.problem) or (np.zeros(count), np.ones(count))

    def _rows(self) -> tuple[Any, Array, Array]:
        from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

        n, slots, cone, budget = self.n, self.slots, self.cone, self.budget
        groups, each = budget.pieces.shape[:2]
        column = np.hstack([np.eye(n), np.zeros((n, self.block - n))])
        single = eye_array(slots)
        on_slots = [
            kron(csr_array(np.ones((1, slots))), column),
            kron(single, csr_array(np.hstack([cone.on_column, cone.on_auxiliary]))),
            csr_array((groups, slots * self.block)),
        ]
        on_peaks = [
            csr_array((n, groups * slots)),
            csr_array((slots * len(cone.on_column), groups * slots)),
            kron(eye_array(groups), np.ones((1, slots))),
        ]
        low = [np.ones(n), np.zeros(slots * len(cone.on_column)), np.full(groups, -np.inf)]
        high = [np.ones(n), np.full(slots * len(cone.on_column), np.inf), budget.limits]
        for group in range(groups):
            pieces = np.hstack([-budget.pieces[group], np.zeros((each, self.block - n))])
            on_slots.append(kron(single, csr_array(pieces)))
            own = csr_array(np.eye(groups)[[group]])
            on_peaks.append(kron(own, kron(single, np.ones((each, 1)))))
            low.append(np.zeros(slots * each))
            high.append(np.full(slots * each, np.inf))
        tail, ends = self._tail()
        count = sum(part.shape[0] for part in on_slots)
        peaks = vstack(on_peaks)
        above = hstack([vstack(on_slots), peaks, -peaks, csr_array((count, tail.shape[1]))])
        between = csr_array((tail.shape[0], 2 * groups * slots))
        rows = csr_array(vstack([above, hstack([ends, between, tail])]))
        low.append(np.zeros(tail.shape[0]))
        high.append(np.full(tail.shape[0], np.inf))
        return rows, np.concatenate(low), np.concatenate(high)

    def _tail(self) -> tuple[Any, Any]:
        """Return the last rows over the tail's variables and over the slots: ends of intervals, or pieces."""
        from scipy.sparse import csr_array, eye_array, hstack, vstack

        if isinstance(self.space, Subsets):
            if self.pieces is None:
                return csr_array((0, 0)), csr_array((0, self.slots * self.block))
            count = self.space.extra
            scale = float(np.abs(self.pieces.pieces(self.task.problem).data).max(initial=0.0)) or 1.0
            epigraph = np.outer(np.ones(count), [1.0, -1.0])
            by_input = csr_array(self.pieces.pieces(self.task.problem)) / scale
            # Pieces are row-major over (input, decision), blocks are by decision.
            order = np.arange(self.n * self.slots).reshape(self.n, self.slots)
            where = np.zeros((self.slots, self.block), dtype=int)
            where[:, : self.n] = np.arange(self.slots)[:, None] * self.block + np.arange(self.n)
            places = where[:, : self.n].T[order // self.slots, order % self.slots].ravel()
            spread = csr_array(
                (np.ones(len(places)), (np.arange(len(places)), places)), shape=(len(places), self.slots * self.block)
            )
            return hstack([csr_array(epigraph), eye_array(count)]), -(by_input @ spread)
        # Ones stand where each region writes its own numbers: n of them in each row, and no other entry.
        places = np.add.outer(np.arange(self.slots) * self.block, np.arange(self.n)).ravel()
        starts = np.arange(self.slots + 1) * self.n
        shape = (self.slots, self.slots * self.block)
        ends = csr_array((np.ones(len(places)), places, starts), shape=shape)
        return eye_array(2 * self.slots), vstack([ends, ends])
