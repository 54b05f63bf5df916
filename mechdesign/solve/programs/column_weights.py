"""The linear program over the weights of given columns: which of them a mechanism uses, and how much."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import time_left
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram, SolverStats, by_rows
from mechdesign.solve.task import Task


@dataclass(frozen=True)
class Weighed:
    """The best weights, shape (m,), and the multipliers of balance and budgets in units of the utility."""

    weights: Array
    #: Shape (k + budgets,), as the solver claims them: by how much the optimum grows with each sum and limit.
    multipliers: Array
    #: k
    sums: int
    stats: SolverStats

    @property
    def of_sums(self) -> Array:
        """The multipliers of the sums, shape (k,)."""
        return self.multipliers[: self.sums]

    @property
    def of_limits(self) -> Array:
        """The multipliers of the budgets' limits, shape (budgets,), raised to 0 where the solver's are negative."""
        return np.maximum(self.multipliers[self.sums :], 0.0)


@dataclass(frozen=True)
class ColumnWeights:
    """Maximise ``utility . w`` over ``w >= 0`` with ``balance @ w = sums`` and ``cost @ w <= limits``.

    The arrays are dense; only what a solver is given is sparse, and made once.
    """

    #: Shape (k + budgets, m): balance above cost.
    rows: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, balance: Array, sums: Array, cost: Array, limits: Array) -> ColumnWeights:
        """Return the program of m columns.

        Parameters
        ----------
        balance : array of shape (k, m)
            What each column adds to the sums: its entries, for a mechanism whose rows sum to one.
        sums : array of shape (k,)
            What they have to add up to.
        cost : array of shape (budgets, m)
            What each column costs of each budget.
        limits : array of shape (budgets,)
            The most that may be spent.
        """
        low = np.concatenate([sums, np.full(len(limits), -np.inf)])
        return cls(np.vstack([balance, cost]), low, np.concatenate([sums, limits]))

    @cached_property
    def _sparse(self) -> Any:
        return by_rows(self.rows)

    def over(self, chosen: npt.NDArray[np.intp]) -> ColumnWeights:
        """Return the program over some of the columns."""
        return ColumnWeights(self.rows[:, chosen], self.low, self.high)

    def best(
        self, utility: Array, solver: str = "HIGHS", *, scale: float | None = None, verbose: bool = False
    ) -> Weighed:
        """Return the weights of the largest utility, by a solver that takes linear programs as arrays.

        Parameters
        ----------
        utility : array of shape (m,)
            Of each column at weight one.
        scale : float, optional
            By what the solver's cost is divided; the largest utility by default.

        Raises
        ------
        SolverError
            The solver failed.
        """
        unit = scale or float(np.abs(utility).max()) or 1.0
        program = LinearProgram(-utility / unit, self._sparse, self.low, self.high)
        found = solve_linear(program, solver, time_limit=time_left(), verbose=verbose)
        count = int(np.isfinite(self.low).sum())
        return Weighed(np.maximum(found.point, 0.0), -found.multipliers * unit, count, found.stats)


def weighed_pool(
    task: Task, objective: Separable, pool: Array, solver: str, *, in_shares: bool = True
) -> tuple[Array, Multipliers, SolverStats]:
    """Return the columns of `pool` with the best weights, shape (n, m), the multipliers, and how the solver ended.

    Parameters
    ----------
    pool : array of shape (n, k)
        Private columns.
    solver : str
        Tried first; Clarabel where it fails.
    in_shares : bool
        Whether rows are in shares of mass: entries of rare inputs are large otherwise, and their multipliers larger.
        Where rows are not, those of rare inputs miss one by as little as those of others.

    Raises
    ------
    SolverError
        Both failed.
    """
    budget, mass = task.columns.budget(), task.columns.normal
    normal = mass if in_shares else np.ones(len(mass))
    # The utility without any report is common to all mechanisms, and may hide the gain beside it.
    idle = objective.supporting(np.ones((task.problem.n, 1)), task.problem)[:, 0]
    utility = objective.column_utility(pool, task.problem) - idle @ pool
    program = ColumnWeights.of(pool * normal[:, None], normal, budget.cost(pool), budget.limits)
    try:
        found = program.best(utility, solver, verbose=task.solver_verbose)
    except SolverError:
        # Columns that are nearly alike can stop the simplex method; an interior point weighs them all.
        found = program.best(utility, "CLARABEL", verbose=task.solver_verbose)
    kept = (pool * found.weights)[:, found.weights > 0]
    return kept, Multipliers(idle + found.of_sums * normal, found.of_limits), found.stats
