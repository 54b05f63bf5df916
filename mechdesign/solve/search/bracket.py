"""Column generation: a restricted master problem and a pricing oracle narrow the gap from both sides.

In each round the master gives the best mechanism over a pool of columns, and its dual multipliers. The oracle bounds
the largest reduced cost of any column at these multipliers, and with it the utility of every mechanism (the Lagrangian
bound); its columns join the pool.

References
----------
Desaulniers, Desrosiers, Solomon (eds.), Column Generation, Springer 2005.
Wentges, Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming, International Transactions in
Operational Research 4 (1997): pricing between the best multipliers and those of the master.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, now, time_left
from mechdesign.solve.pricing.priced_columns import Columns, Oracle
from mechdesign.solve.search.incumbent import Incumbent
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Stages, stopping

#: Pricing is accurate to this share of what the task asks.
OF_GAP = 0.05
#: By how much the rows of a mechanism may miss one, which is left to the repair.
MISSED = 1e-6
#: What rounding may take of the utility of a mechanism with more than so many outputs for each input.
OF_MANY, MANY = 1e-8, 2


@dataclass(frozen=True)
class Start:
    """What a search may begin with: any of a mechanism, multipliers to be priced, and columns for the pool."""

    #: Shape (n, outputs).
    matrix: Array | None = None
    multipliers: Multipliers | None = None
    #: Shape (n, k).
    columns: Array | None = None


class Master(Protocol):
    """A restricted master problem: the best mechanism over the columns that it was given."""

    stats: SolverStats

    @property
    def size(self) -> int:
        """The number of columns."""

    @property
    def obstacle(self) -> str:
        """Why it cannot be solved now ("time limit"); empty where it can."""

    def add(self, columns: Array) -> None:
        """Add columns of the notion, shape (n, k), of which it may have some already."""

    def solve(self) -> tuple[Array, Multipliers]:
        """Return the best mechanism, shape (n, outputs), and the dual multipliers; SolverError without a mechanism."""


#: From the incumbent and the master's multipliers: at which multipliers to price, one after the other.
Between = Callable[[Incumbent[Array, Multipliers], Multipliers], Iterable[Multipliers]]
#: Heuristic pricing: from the master's mechanism and its multipliers, further columns of the notion, shape (n, k).
Heuristic = Callable[[Array, Multipliers], Array]


def smoothed(*shares: float) -> Between:
    """Return a rule that prices at these points on the way from the best multipliers to the master's (Wentges)."""

    def between(best: Incumbent[Array, Multipliers], found: Multipliers) -> Iterable[Multipliers]:
        for share in shares:
            rows = best.shown.rows + share * (found.rows - best.shown.rows)
            yield Multipliers(rows, best.shown.budget + share * (found.budget - best.shown.budget))

    return between


#: Without smoothing.
AT_MASTER = smoothed(1.0)


def bracket(
    best: Incumbent[Array, Multipliers],
    master: Master,
    oracle: Oracle,
    starts: Iterable[Start],
    *,
    coarse: float = 0.0,
    of_time: float | None = None,
    between: Between = AT_MASTER,
    heuristic: Heuristic | None = None,
) -> Candidate:
    """Return the best mechanism and the best multipliers, when their gap is half of what the task asks or time is up.

    Parameters
    ----------
    best : Incumbent
        With the rules of stopping; its mechanism stands for one until a start or a round has another.
    oracle : Oracle
        One that applies: the certificate prices the answer by it, or by one before it in the table.
    starts : iterable of Start
        Taken one after the other, until the gap is small enough.
    coarse : float
        Share of the gap between both sides to which pricing is accurate while that is more than the task asks.
    of_time : float, optional
        Share of the time left that pricing may take where nothing cuts it short: the certificate prices once more.
    between : Between
        Where to price on the way from the best multipliers to the master's.
    heuristic : Heuristic, optional
        Finds columns besides those that the oracle sees.
    """
    search = _Bracket(best, master, oracle, coarse, of_time)
    with stopping(best.task, lambda: search.has_any) as ending:
        search.begin(starts)
        while not (best.is_over or search.may_stop):
            ending.said = master.obstacle
            if ending.said:
                break
            search.round(between, heuristic)
    note = f"over {master.size} columns, {best.rounds} rounds{ending}"
    return Candidate(best.found, best.shown, master.stats, search.stages.timings, note, ending.interrupted)


class _Bracket:
    """The incumbent between the master, which raises its utility, and the oracle, which lowers its bound."""

    def __init__(
        self, best: Incumbent[Array, Multipliers], master: Master, oracle: Oracle, coarse: float, of_time: float | None
    ) -> None:
        self.best, self.master, self.oracle, self.stages = best, master, oracle, Stages()
        self.coarse, self.of_time = coarse, of_time
        #: Whether there is a mechanism to return: of a start, or of a round with its bound.
        self.has_any = False
        self.limits = best.task.columns.budget().limits

    @property
    def may_stop(self) -> bool:
        """Whether the gap is small enough, or time is up."""
        return self.best.is_near or is_late()

    def begin(self, starts: Iterable[Start]) -> None:
        """Take the starts, until there is no need for more."""
        for start in starts:
            new = [] if start.columns is None else [start.columns]
            if start.matrix is not None:
                self.take(start.matrix)
                self.has_any = True
            if start.multipliers is not None:
                new.append(self.price(start.multipliers))
            self.stages.lap("build")
            if self.may_stop:
                break
            if new:
                self.master.add(np.hstack(new))
        self.best.report()

    def round(self, between: Between, heuristic: Heuristic | None) -> None:
        """Solve the master, price its multipliers, and add the columns of large reduced cost."""
        matrix, multipliers = self.master.solve()
        self.take(matrix)
        self.stages.lap("solve")
        if self.best.is_near:
            self.best.end_round()
            self.has_any = True
            return
        new = []
        for trial in between(self.best, multipliers):
            new.append(self.price(trial))
            if self.may_stop:
                break
        self.best.end_round()
        self.has_any = True
        if heuristic is not None and not self.may_stop:
            new.append(heuristic(matrix, multipliers))
        self.master.add(np.hstack(new))
        self.stages.lap("price")

    def take(self, matrix: Array) -> None:
        """Keep a mechanism, shape (n, outputs), if it is one and better: not all that a stopped solver leaves is."""
        task, many = self.best.task, matrix.shape[1] > MANY * len(matrix)
        assert is_separable(task.objective), "others have no columns to price"
        if np.abs(matrix.sum(axis=1) - 1.0).max() <= MISSED:
            utility = float(task.objective.column_utility(matrix, task.problem).sum())
            self.best.reach((1.0 - OF_MANY * many) * utility, matrix)

    def price(self, multipliers: Multipliers) -> Array:
        """Price multipliers, keep them if their bound is less, and return the columns that the oracle saw."""
        best, task, started = self.best, self.best.task, now()
        reached = best.reached if best.reached > -np.inf else 0.0
        tolerance = max(OF_GAP * task.asked(reached), self.coarse * min(best.width, abs(reached)))
        rows, budget = multipliers.rows, multipliers.budget
        question = task.notion, task.objective, task.problem
        priced = self.oracle.price(Columns(*question, multipliers, rows, budget, tolerance, for_search=True))
        assert priced is not None, "the route knows that the oracle applies"
        left = None if self.of_time is None else time_left()
        if left is None or self.of_time is None or now() - started <= self.of_time * left:
            best.show(float(rows.sum() + budget @ self.limits) + priced.bound, multipliers)
        return priced.columns
