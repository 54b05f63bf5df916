"""The program over columns ``l + (1-l) 1_S`` of some sets S, which HiGHS goes on with from round to round.

In units of ``1 - l`` it reads

    maximise    sum_S w_S gained_S + sum_x u_x gained_x
    subject to  sum_S w_S 1_S(x) + l / (1-l) T + u_x / (1-l) = 1 / (1-l) for each input x,   sum_S w_S = T,

with u_x only for inputs that the notion lets an output reveal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, time_left
from mechdesign.solve.pricing.revealing_outputs import units
from mechdesign.solve.pricing.subset_relaxation import Members, Relaxation
from mechdesign.solve.programs.windows_of_inputs import distinct
from mechdesign.solve.solvers.highs import lasting_engine, resume
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram, SolverStats
from mechdesign.solve.solvers.silent_highs import highs
from mechdesign.solve.task import Task


class SetProgram:
    """The restricted master problem over sets of inputs: the weights of the sets added so far.

    Where the mass of the best sets is known, HiGHS goes on from its basis if it is the solver: elsewhere the vertices
    that it goes on to bound worse. `seconds` estimates how long it takes from the number of its entries.
    """

    def __init__(
        self, task: Task, objective: Separable, relax: Relaxation, solver: str, seconds: Callable[[float], float]
    ) -> None:
        self.task, self.objective, self.relax, self.solver, n = task, objective, relax, solver, task.problem.n
        self.seconds = seconds
        self.units = units(task.notion, task.problem)
        # The utility without any report is common to all mechanisms, and may hide the gain beside it.
        self.idle = self.objective.supporting(np.ones((n, 1)), task.problem)[:, 0]
        self.sets: Members = np.zeros((0, n), dtype=bool)
        #: What each column gains, those that reveal an input first.
        self.gained = objective.column_utility(self.units, task.problem) - self.idle @ self.units
        self.engine = self._engine() if relax.mass_is_known and solver == "HIGHS" else None
        self.stats = SolverStats(solver, "not needed", 0.0, 0)

    @property
    def lasting(self) -> bool:
        """Whether HiGHS goes on from its basis."""
        return self.engine is not None

    @property
    def size(self) -> int:
        """The number of sets."""
        return len(self.sets)

    @property
    def obstacle(self) -> str:
        """Why it cannot be solved: it takes longer than there is time."""
        left = time_left()
        return "time limit" if left is not None and self.seconds(self.sets.size) > left else ""

    def add(self, columns: Array) -> None:
        """Add the new ones of the sets, from their columns, shape (n, k), with two values each."""
        sets = (columns == columns.max(axis=0)).T[columns.min(axis=0) > 0]
        new = distinct(np.vstack([self.sets, sets]))[len(self.sets) :]
        columns = self.relax.columns(new)
        gained = self.objective.column_utility(columns, self.task.problem) - self.idle @ columns
        self.sets, self.gained = np.vstack([self.sets, new]), np.append(self.gained, gained)
        if self.engine is not None and len(new):
            self._insert(new)

    def solve(self) -> tuple[Array, Multipliers]:
        """Return the best mechanism, shape (n, outputs), and the dual multipliers."""
        weights, rows, self.stats = self._solved()
        return self._made(weights), Multipliers(rows)

    def _made(self, weights: Array) -> Array:
        """Return the columns that have a weight, shape (n, outputs), from all weights, shape (columns,)."""
        revealing, of_sets = np.split(weights, [self.units.shape[1]])
        own, kept = revealing > 0, of_sets > 0
        columns = self.relax.columns(self.sets[kept]) * of_sets[kept]
        return np.hstack([columns, self.units[:, own] * revealing[own]])

    def _solved(self) -> tuple[Array, Array, SolverStats]:
        """Return the columns' weights, the rows' multipliers and how the solver ended."""
        if self.engine is not None:
            try:
                found = resume(self.engine, time_left())
                weights, in_units = found.point[1:], found.multipliers[:-1] / self.relax.rise
                return np.maximum(weights, 0.0), self.idle - in_units * self._unit, found.stats
            except SolverError:
                if is_late():
                    raise
                # From here on it is solved anew each time.
                self.engine = None
        left = time_left()
        found = solve_linear(self._arrays(), self.solver, time_limit=left, verbose=self.task.solver_verbose)
        weights = np.maximum(found.point[:-1], 0.0)
        return weights, self.idle - found.multipliers[:-1] * self._unit, found.stats

    def _engine(self) -> Any:
        """Return HiGHS with the rows, T and the columns that reveal an input."""
        highspy = highs()

        n, relax, engine = self.sets.shape[1], self.relax, lasting_engine(highspy, self.task.solver_verbose)
        sides = np.append(np.full(n, 1.0 / relax.rise), 0.0)
        none, nothing = np.zeros(0, dtype=np.int32), np.zeros(0)
        engine.addRows(n + 1, sides, sides, 0, np.zeros(n + 1, dtype=np.int32), none, nothing)
        of_total = np.append(np.full(n, relax.least / relax.rise), -1.0)
        engine.addCol(0.0, 0.0, np.inf, n + 1, np.arange(n + 1, dtype=np.int32), of_total)
        for x in np.flatnonzero(self.units.any(axis=1)):
            engine.addCol(0.0, 0.0, np.inf, 1, np.array([x], dtype=np.int32), np.array([1.0 / relax.rise]))
        return engine

    def _insert(self, sets: Members) -> None:
        """Add columns of sets, and give all columns their costs in units of the largest."""
        assert self.engine is not None, "asked before"
        count = len(sets)
        set_of, row = np.nonzero(np.column_stack([sets, np.ones(count, dtype=bool)]))
        starts = np.searchsorted(set_of, np.arange(count)).astype(np.int32)
        none, ends = np.zeros(count), np.full(count, np.inf)
        self.engine.addCols(count, none, none, ends, len(row), starts, row.astype(np.int32), np.ones(len(row)))
        places = np.arange(1, len(self.gained) + 1, dtype=np.int32)
        self.engine.changeColsCost(len(places), places, -self.gained / self._unit)

    @property
    def _unit(self) -> float:
        return float(np.abs(self.gained).max()) or 1.0

    def _arrays(self) -> LinearProgram:
        """Return it with one more variable, the sum of all weights, so that the rows hold the members alone."""
        from scipy.sparse import csr_array, hstack, vstack

        n = self.sets.shape[1]
        members = csr_array(np.hstack([self.units, self.relax.rise * self.sets.T.astype(float)]))
        counted = np.repeat([0.0, 1.0, -1.0], [self.units.shape[1], len(self.sets), 1])
        total = csr_array(counted[None, :])
        rows = vstack([hstack([members, csr_array(np.full((n, 1), self.relax.least))]), total])
        sums = np.append(np.ones(n), 0.0)
        return LinearProgram(np.append(-self.gained / self._unit, 0.0), csr_array(rows), sums, sums)
