"""The incumbent of a search in rounds: its best mechanism, its best dual bound, and whether they still come nearer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.solve.task import Ending, Task, stopping
from mechdesign.tolerances import MERGE_LOSS

Found = TypeVar("Found")
Shown = TypeVar("Shown")

#: A round that leaves more than this share of the narrowest width so far has not come nearer.
NEARER = 0.9


class Incumbent(Generic[Found, Shown]):
    """The best primal and the best dual solution of a search, as utilities, and its rounds.

    Parameters
    ----------
    task : Task
        What is searched for; each round is reported to it.
    found : Found
        What stands for the best mechanism until one is reached.
    shown : Shown
        What stands for the multipliers of the best bound until one is shown.
    most_rounds : int
        Rounds at most.
    patience : int, optional
        Rounds in a row that may come no nearer; without it, as many as there are.
    least_gain : float, optional
        Share of the utility by which a better mechanism counts as nearer, whatever the bound; without it, none does.

    Examples
    --------
    >>> import mechdesign as md
    >>> task = Task(md.Problem(prior=[0.5, 0.5]), md.LDP(1.0), md.MutualInformation())
    >>> best = Incumbent(task, "none", "none", most_rounds=10, patience=2)
    >>> for reached, bound in [(0.1, 0.5), (0.2, 0.4), (0.15, 0.41), (0.2, 0.39)]:
    ...     best.reach(reached, f"reaches {reached}")
    ...     best.show(bound, f"shows {bound}")
    ...     width = best.end_round()
    >>> best.found, best.shown, best.is_over
    ('reaches 0.2', 'shows 0.39', True)
    """

    def __init__(
        self,
        task: Task,
        found: Found,
        shown: Shown,
        *,
        most_rounds: int,
        patience: int | None = None,
        least_gain: float | None = None,
    ) -> None:
        self.task, self.found, self.shown = task, found, shown
        self.reached, self.bound = -np.inf, np.inf
        self.rounds, self.idle, self.narrowest = 0, 0, np.inf
        self.reached_before, self.least_gain = np.inf, least_gain
        self.most_rounds, self.patience = most_rounds, most_rounds if patience is None else patience

    def reach(self, utility: float, found: Found) -> None:
        """Keep a mechanism if it is better than the best."""
        if utility > self.reached:
            self.reached, self.found = utility, found

    def show(self, bound: float, shown: Shown) -> None:
        """Keep multipliers if their bound is lower than the best."""
        if bound < self.bound:
            self.bound, self.shown = bound, shown

    def report(self) -> float:
        """Report how far the search has come, and return the width that is left."""
        return self.task.report_utility(self.rounds, self.reached, self.bound)

    def end_round(self) -> float:
        """Count a round, report it, and return the width that it leaves."""
        self.rounds += 1
        width = self.report()
        self.idle = 0 if width < NEARER * self.narrowest or self._gained() else self.idle + 1
        self.narrowest, self.reached_before = min(width, self.narrowest), self.reached
        return width

    def _gained(self) -> bool:
        """Return whether the mechanism of this round is better by the least share that counts."""
        return self.least_gain is not None and self.reached - self.reached_before > self.least_gain * abs(self.reached)

    @property
    def width(self) -> float:
        """How far the bound is from what is reached."""
        return self.bound - self.reached

    @property
    def is_over(self) -> bool:
        """Whether the number of rounds is reached, or too many rounds came no nearer."""
        return self.rounds >= self.most_rounds or self.idle >= self.patience

    @property
    def is_near(self) -> bool:
        """Whether the width is half of what the task asks: the repair may cost as much again."""
        return self.width < np.inf and self.width <= max(
            self.task.asked(self.reached, 0.5), MERGE_LOSS * abs(self.reached)
        )


def in_rounds(
    best: Incumbent[Any, Any], one: Callable[[Ending], bool], *, begun: bool = False, lenient: bool = False
) -> Ending:
    """Call `one` round after round, until it returns False or the incumbent is over; return how the search ended.

    Parameters
    ----------
    one : callable
        Solves, prices and ends a round of `best`; of the `Ending` it may say why there is no other.
    begun : bool
        Whether the incumbent is an answer before the first round has ended. Otherwise Ctrl-C is raised until then.
    lenient : bool
        Whether a solver that fails after the first round ends the search: the rounds before are sound, and nearly as
        good.
    """
    with stopping(best.task, lambda: begun or best.rounds > 0) as ending:
        while not best.is_over:
            try:
                if not one(ending):
                    break
            except SolverError:
                if not (lenient and best.rounds):
                    raise
                break
    return ending


def incumbent(
    task: Task, most_rounds: int, patience: int, least_gain: float | None = None
) -> Incumbent[Array, Multipliers]:
    """Return the mechanism without information, with the functional that supports the utility there as multipliers."""
    constant, objective = np.ones((task.problem.n, 1)), task.objective
    assert is_separable(objective), "others have no columns to price"
    rows, budgets = objective.supporting(constant, task.problem)[:, 0], len(task.columns.budget())
    shown = Multipliers(rows, np.zeros(budgets))
    return Incumbent(task, constant, shown, most_rounds=most_rounds, patience=patience, least_gain=least_gain)
