"""The search over sets of inputs: its best mechanism, and its best multipliers, which price the sets."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import LDP
from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.subset_relaxation import Relaxation
from mechdesign.solve.pricing.subsets_of_inputs import SubsetPrice, price_of_all, subset_price
from mechdesign.solve.search.progress import Progress
from mechdesign.solve.task import Task

#: Rounds before the route returns what it has, and how many of them may pass without the gap getting narrower.
MOST_ROUNDS, PATIENCE = 60, 8
#: Nodes that are open at once while the multipliers still change.
FEW_NODES = 256
#: Up to so many inputs all sets are looked at: that is quicker than to close in on the best, and exact.
FEW_INPUTS = 12


class SetSearch(Progress[Array, Array]):
    """The best mechanism and the best multipliers so far."""

    def __init__(self, task: Task, notion: LDP, objective: Separable, relax: Relaxation) -> None:
        super().__init__(task, np.zeros((0, 0)), np.zeros(0), most_rounds=MOST_ROUNDS, patience=PATIENCE)
        self.notion, self.objective, self.relax = notion, objective, relax
        self.revealed = list(task.notion.revealed(task.problem))
        self.of_revealed = objective.column_utility(np.eye(task.problem.n)[:, self.revealed], task.problem)

    def offer(self, columns: Array) -> None:
        """Keep the mechanism, shape (n, outputs), if it is better."""
        self.reach(float(self.objective.column_utility(columns, self.task.problem).sum()), columns)

    def asked(self) -> float:
        """Return the width between utility and bound that is asked for, half of it left for the repair."""
        return self.task.asked(self.reached, 0.5)

    def price(self, lam: Array) -> SubsetPrice:
        """Price the multipliers, shape (n,), and keep them, with what they miss, if they bound better."""
        notion, objective, problem = self.notion, self.objective, self.task.problem
        # A revealed input's is at least what it gains: no column of another mass makes up for less.
        lam = lam.copy()
        lam[self.revealed] = np.maximum(lam[self.revealed], self.of_revealed)
        few = problem.n <= FEW_INPUTS
        found = (
            price_of_all(notion, objective, problem, lam)
            if few
            else subset_price(notion, objective, problem, lam, 0.1 * self.asked(), FEW_NODES)
        )
        normal = notion.normal(problem)
        missing = (self.of_revealed - lam[self.revealed]) / normal[self.revealed]
        most = max(found.bound, float(missing.max(initial=-np.inf)))
        self.show(float(lam.sum()) + most, lam + most * normal)
        return found

    @property
    def done(self) -> bool:
        """Whether the gap is reached."""
        return self.width <= self.asked()

    @property
    def may_stop(self) -> bool:
        """Whether the gap is reached or the time is up."""
        return self.done or is_late()
