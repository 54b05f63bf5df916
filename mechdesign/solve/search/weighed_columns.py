"""Rounds of columns: their best weights by a linear program, and the columns that its multipliers ask for."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.programs.column_weights import ColumnWeights
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Stages, Task
from mechdesign.tolerances import MERGE_LOSS

#: Rounds at most, how many may pass without a gain, and what share of the utility counts as one; so does a bound that
#: comes nearer by more than a tenth of its distance.
MOST_ROUNDS, PATIENCE, LEAST_GAIN, NEARER = 12, 3, 1e-5, 0.9
#: By how much the rows of weighted columns may miss one: what is left is for the repair.
MISSED = 1e-6


class WeighedColumns:
    """The best mechanism of weighted columns so far, and a bound on the utility of all mechanisms."""

    def __init__(self, task: Task, objective: Separable, solver: str, stages: Stages, bound: float) -> None:
        self.task, self.objective, self.solver, self.stages, self.bound = task, objective, solver, stages, bound
        self.best: Array = np.ones((task.problem.n, 1))
        self.reached = float(objective.column_utility(self.best, task.problem).sum())
        self.stats, self.rounds = SolverStats(solver, "not needed", 0.0, 0), 0
        # The repair may cost as much again.
        self.enough = max(MERGE_LOSS, 0.5 * task.gap)

    @property
    def is_near(self) -> bool:
        """Whether what is reached is as near to the bound as the gap asks."""
        return not self.bound - self.reached > self.enough * abs(self.reached)

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
        if utility > self.reached:
            self.best, self.reached = found, utility

    def report(self) -> None:
        """Report how far the rounds have come."""
        self.task.report_utility(self.rounds, self.reached, self.bound)

    def go_on(
        self,
        columns: Array,
        more: Callable[[Array, Array, Array], Array],
        bounded: Callable[[Array], float] = lambda claimed: math.inf,
        most_rounds: int = MOST_ROUNDS,
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
        most_rounds : int
            Of these and those before.
        """
        since, narrowest = 0, math.inf
        while self.rounds < most_rounds and since < PATIENCE and not (is_late() or self.is_near):
            weights, claimed = self._weighed(columns)
            self.rounds += 1
            before, used = self.reached, columns[:, weights > 0]
            self.take(columns, weights)
            self.stages.lap("solve")
            self.bound = min(self.bound, bounded(claimed))
            width = self.bound - self.reached
            gained = self.reached - before > LEAST_GAIN * self.reached or width < NEARER * narrowest
            since, narrowest = 0 if gained else since + 1, min(width, narrowest)
            self.report()
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
