"""How a search in rounds stands: the best mechanism, the best bound, and whether they still come nearer."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np

from mechdesign.solve.task import Task

Found = TypeVar("Found")
Shown = TypeVar("Shown")

#: A round that leaves more than this share of the narrowest width so far has not come nearer.
NEARER = 0.9


class Progress(Generic[Found, Shown]):
    """The best of both sides of a search, as utilities, and its rounds.

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
    >>> progress = Progress(task, "none", "none", most_rounds=10, patience=2)
    >>> for reached, bound in [(0.1, 0.5), (0.2, 0.4), (0.15, 0.41), (0.2, 0.39)]:
    ...     progress.reach(reached, f"reaches {reached}")
    ...     progress.show(bound, f"shows {bound}")
    ...     width = progress.end_round()
    >>> progress.found, progress.shown, progress.is_over
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
        """Whether there were as many rounds as may be, or too many that came no nearer."""
        return self.rounds >= self.most_rounds or self.idle >= self.patience

    def is_near(self, share: float) -> bool:
        """Return whether the width is at most a share of the narrowest that a round has left."""
        return self.width <= share * self.narrowest
