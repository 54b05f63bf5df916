"""The mixture of columns whose least information over some priors is largest, by one linear program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mechdesign.mechanism import Multipliers
from mechdesign.objectives.information_over_priors import InformationOverPriors
from mechdesign.parameters.checks import Array
from mechdesign.solve.programs.column_weights import ColumnWeights
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Task

#: Priors that enter at once.
ENTERING = 16


@dataclass(frozen=True)
class Levelled:
    """A mechanism, what it and its multipliers reach of the level, and how the solver ended."""

    matrix: Array
    multipliers: Multipliers
    #: The least information over the priors that entered, as the multipliers claim it.
    claimed: float
    stats: SolverStats


@dataclass
class LeastInformation:
    """Weighs columns so that a level is reached under some priors; those under which it is not are to enter.

    Attributes
    ----------
    columns : ndarray, shape (n, m)
    cost : ndarray, shape (budgets, m)
        What each column takes of the notion's budgets.
    entered : ndarray, shape (k,)
        The places of the priors that have entered.
    """

    objective: InformationOverPriors
    task: Task
    columns: Array
    cost: Array
    entered: npt.NDArray[np.intp]

    @classmethod
    def over(cls, objective: InformationOverPriors, task: Task, columns: Array, cost: Array) -> LeastInformation:
        """Begin with the priors of the least entropy, over columns of shape (n, m)."""
        found = cls(objective, task, columns, cost, np.zeros(0, dtype=np.intp))
        found.enter(found.information(np.eye(task.problem.n)))
        return found

    def information(self, matrix: Array) -> Array:
        """Return the information under each prior, shape (K,), of a matrix of shape (n, outputs)."""
        return self.objective.of_each(matrix, self.task.problem)

    def enter(self, information: Array) -> bool:
        """Let priors of the least information, shape (K,), enter; return whether any had not."""
        worst = np.argsort(information, kind="stable")[:ENTERING]
        before, self.entered = len(self.entered), np.union1d(self.entered, worst)
        return len(self.entered) > before

    def best(self, solver: str) -> Levelled:
        """Return the weights of the highest level, by a solver of linear programs; raise SolverError if it fails."""
        problem, limits = self.task.problem, self.task.columns.budget().limits
        utility = self.objective.utility_under(self.entered, self.columns, problem)
        scale = float(np.abs(utility).max()) or 1.0
        # The level is a column without mass: it costs what the others earn, under each prior.
        level = np.concatenate([np.zeros(len(limits)), np.ones(len(self.entered))])
        cost = np.column_stack([level, np.vstack([self.cost, -utility / scale])])
        balance = np.column_stack([np.zeros(problem.n), self.columns])
        program = ColumnWeights.of(
            balance, np.ones(problem.n), cost, np.concatenate([limits, np.zeros(len(self.entered))])
        )
        aim = np.zeros(balance.shape[1])
        aim[0] = 1.0
        found = program.best(aim, solver, scale=1.0, verbose=self.task.solver_verbose)
        rows, budget = found.of_sums * scale, found.of_limits[: len(limits)] * scale
        weights = np.zeros(len(self.objective.priors))
        weights[self.entered] = found.of_limits[len(limits) :]
        kept = found.weights[1:] > 0
        matrix = self.columns[:, kept] * found.weights[1:][kept]
        return Levelled(matrix, Multipliers(rows, budget, weights), float(rows.sum() + budget @ limits), found.stats)
