"""The restricted master problem over a pool of columns: the linear program of their weights."""

from __future__ import annotations

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.solve.programs.column_weights import weighed_pool
from mechdesign.solve.search.bracket import Start
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Task

#: Digits of a column of mass one in which two columns of a pool differ.
DIGITS = 9


class PooledColumns:
    """A pool of columns with mass one, at first the constant one; if it is full, only the columns in use stay."""

    def __init__(self, task: Task, objective: Separable, solver: str, most_entries: int) -> None:
        self.task, self.objective, self.solver, self.most_entries = task, objective, solver, most_entries
        self.normal = task.columns.normal
        self.pool, self.used = np.ones((task.problem.n, 1)), np.zeros((task.problem.n, 0))
        self.stats = SolverStats(solver, "not needed", 0.0, 0)

    @property
    def size(self) -> int:
        """The number of columns."""
        return self.pool.shape[1]

    @property
    def obstacle(self) -> str:
        """Why it cannot be solved: its entries are too many."""
        return "too many for a linear program" if self.pool.size > self.most_entries else ""

    def add(self, columns: Array) -> None:
        """Add the new ones of the columns, shape (n, k)."""
        full = self.used.size and self.pool.size + columns.size > self.most_entries
        pool = np.hstack([self.used if full else self.pool, columns])
        self.pool = apart(pool, np.ones(len(pool)), DIGITS)

    def solve(self) -> tuple[Array, Multipliers]:
        """Return the best mechanism, shape (n, outputs), and the dual multipliers."""
        found = weighed_pool(self.task, self.objective, self.pool, self.solver, in_shares=False)
        matrix, multipliers, self.stats = found
        self.used = matrix / (self.normal @ matrix)
        return matrix, multipliers


def drawn(columns: Array, weights: Array | None) -> Start:
    """Return columns, shape (n, k), and the mechanism of their nearest weights, shape (k,), where they have any."""
    chosen = None if weights is None else weights > 0
    return Start(None if weights is None else columns[:, chosen] * weights[chosen], columns=columns)


def apart(columns: Array, normal: Array, digits: int) -> Array:
    """Return the first of the columns, shape (n, k), that differ in their shares of mass: others break the simplex."""
    first = np.unique(np.round(columns * normal[:, None], digits), axis=1, return_index=True)[1]
    return np.asarray(columns[:, np.sort(first)])
