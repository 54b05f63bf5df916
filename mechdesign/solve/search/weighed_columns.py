"""Rounds of columns: their best weights by a linear program, and the columns that its multipliers ask for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.programs.column_weights import ColumnWeights
from mechdesign.solve.search.progress import Progress
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Stages, Task
from mechdesign.tolerances import MERGE_LOSS

#: Rounds at most, how many may pass without a gain, and what share of the utility counts as one.
MOST_ROUNDS, PATIENCE, LEAST_GAIN = 12, 3, 1e-5
#: By how much the rows of weighted columns may miss one: what is left is for the repair.
MISSED = 1e-6


class WeighedColumns:
    """The best mechanism of weighted columns so far, and a bound on the utility of all mechanisms.

    Parameters
    ----------
    task : Task
        What is searched for.
    objective : Separable
        Its objective.
    solver : str
        The solver of linear programs.
    stages : Stages
        What the seconds of solving and pricing are added to.
    bound : float
        A bound on the utility.
    most_rounds : int
        Rounds at most.
    """

    def __init__(
        self,
        task: Task,
        objective: Separable,
        solver: str,
        stages: Stages,
        bound: float,
        most_rounds: int = MOST_ROUNDS,
    ) -> None:
        self.task, self.objective, self.solver, self.stages = task, objective, solver, stages
        idle = np.ones((task.problem.n, 1))
        self.progress: Progress[Array, None] = Progress(
            task, idle, None, most_rounds=most_rounds, patience=PATIENCE, least_gain=LEAST_GAIN
        )
        self.progress.reach(float(objective.column_utility(idle, task.problem).sum()), idle)
        self.progress.show(bound, None)
        self.stats = SolverStats(solver, "not needed", 0.0, 0)
        # The repair may cost as much again.
        self.enough = max(MERGE_LOSS, 0.5 * task.gap)

    @property
    def best(self) -> Array:
        """The best mechanism so far, shape (n, m)."""
        return self.progress.found

    @property
    def reached(self) -> float:
        """Its utility."""
        return self.progress.reached

    @property
    def is_near(self) -> bool:
        """Whether what is reached is as near to the bound as the gap asks."""
        return not self.progress.width > self.enough * abs(self.reached)

    def take(self, columns: Array, weights: Array | None, lost: float = 0.0) -> None:
        """Take the mechanism of weighted columns where it is better: None stands for no weights.

        Parameters
        ----------
        columns : array of shape (n, m)
            Private columns.
        weights : array of shape (m,)
            Not negative.
        lost : float
            What rounding may take of its utility, as a share.
        """
        if weights is None:
            return
        found = columns[:, weights > 0] * weights[weights > 0]
        if not np.abs(found.sum(axis=1) - 1.0).max() <= MISSED:
            # What a solver was stopped at need not be a mechanism.
            return
        utility = (1.0 - lost) * float(self.objective.column_utility(found, self.task.problem).sum())
        self.progress.reach(utility, found)

    def go_on(
        self, columns: Array, more: Callable[[Array, Array, Array], Array], bounded: Callable[[Array], float]
    ) -> Array:
        """Return the columns of all rounds, shape (n, k): until the bound is near, or no further column helps.

        Parameters
        ----------
        columns : array of shape (n, m)
            Those of the first round.
        more : callable
            From the columns, those that are used, and the multipliers of the rows that the solver claims: the columns
            of the next round.
        bounded : callable
            From these multipliers: a bound on the utility.
        """
        progress = self.progress
        while not (progress.is_over or is_late() or self.is_near):
            weights, claimed = self._weighed(columns)
            used = columns[:, weights > 0]
            self.take(columns, weights)
            self.stages.lap("solve")
            progress.show(bounded(claimed), None)
            progress.end_round()
            columns = more(columns, used, claimed)
            columns = columns[:, np.sort(np.unique(np.round(columns, 9), axis=1, return_index=True)[1])]
            self.stages.lap("price")
        return columns

    def _weighed(self, columns: Array) -> tuple[Array, Array]:
        """Return the best weights of columns, and the multipliers of the rows."""
        problem = self.task.problem
        # The utility without any report is common to all mechanisms, and may hide the gain beside it.
        idle = self.objective.supporting(np.ones((problem.n, 1)), problem)[:, 0]
        gained = self.objective.column_utility(columns, problem) - idle @ columns
        program = ColumnWeights.of(columns, np.ones(problem.n), np.zeros((0, columns.shape[1])), np.zeros(0))
        found = program.best(gained, self.solver, verbose=self.task.solver_verbose)
        self.stats = found.stats
        return found.weights, idle + found.of_sums
