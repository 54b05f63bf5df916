"""The restricted master problem of a largest expected loss under metric DP: columns, each with a decision, are weighed.

Over columns k of places s and decisions d, with the loss ``L[x, d]`` of each input x at the place s(x):

    minimise t over weights ``w >= 0`` with ``sum_k w_k k(s) = 1`` and ``sum_k w_k k(s(x)) L[x, d_k] <= t``.

The multipliers of the inputs' losses are a prior: at the best one an expected loss has the same optimum (minimax).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.programs.column_weights import ColumnWeights
from mechdesign.solve.search.merged_places import Places

#: Rounds in which kernels get decisions at most, and the share of the value from which a reduced cost counts.
MOST_ROUNDS, COUNTED = 30, 1e-9
#: By how much sums of rows may miss one, which is mended: a solver that is stopped leaves what misses more.
MISSED = 1e-6


@dataclass(frozen=True)
class Weighed:
    """The best mixture, and the multipliers of its program.

    Attributes
    ----------
    columns : ndarray, shape (decisions, places)
    prior : ndarray, shape (n,)
        The multipliers of the inputs' losses, which add up to 1.
    of_sums : ndarray, shape (places,)
    """

    columns: Array
    prior: Array
    of_sums: Array


@dataclass
class MinimaxColumns:
    """Columns with decisions, to which kernels join by their reduced cost and others by `add`.

    Attributes
    ----------
    losses : ndarray, shape (n, decisions)
        Between 0 and 1.
    places : Places
        Of the inputs.
    kernels : ndarray, shape (places, kernels)
        Private columns, whose decisions are found by their price.
    """

    losses: Array
    places: Places
    kernels: Array
    columns: Array = field(init=False)
    decisions: npt.NDArray[np.intp] = field(init=False)
    #: For each kernel and decision whether they are among the columns.
    taken: npt.NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        n, decisions = self.losses.shape
        self.columns, self.decisions = np.zeros((len(self.kernels), 0)), np.zeros(0, dtype=np.intp)
        self.taken = np.zeros((self.kernels.shape[1], decisions), dtype=bool)
        self._take(self._priced(np.full(n, 1.0 / n), np.zeros(len(self.kernels)), np.inf))

    @property
    def size(self) -> int:
        """The number of columns."""
        return len(self.decisions)

    def add(self, columns: Array, decisions: npt.NDArray[np.intp]) -> None:
        """Add private columns, shape (places, k), with the decision of each, shape (k,)."""
        self.columns = np.hstack([self.columns, columns])
        self.decisions = np.append(self.decisions, decisions)

    def solve(self, solver: str) -> Weighed:
        """Return the best mixture, when no kernel with another decision lowers the largest loss.

        Raises
        ------
        SolverError
            The solver failed, or the time limit passed.
        """
        found, value = self._weighed(solver)
        for _ in range(MOST_ROUNDS):
            more = self._priced(found.prior, found.of_sums, -COUNTED * value)
            if not len(more) or is_late():
                break
            self._take(more)
            try:
                found, value = self._weighed(solver)
            except SolverError:
                # The one before is nearly as good.
                break
        return found

    def _weighed(self, solver: str) -> tuple[Weighed, float]:
        """Return the best mixture of the columns, and its largest loss."""
        each = self.columns[self.places.of_input] * self.losses[:, self.decisions]
        balance = np.hstack([self.columns, np.zeros((len(self.columns), 1))])
        above = np.hstack([each, np.full((len(each), 1), -1.0)])
        program = ColumnWeights.of(balance, np.ones(len(balance)), above, np.zeros(len(above)))
        found = program.best(np.append(np.zeros(self.size), -1.0), solver, scale=1.0)
        if np.abs(self.columns @ found.weights[:-1] - 1.0).max() > MISSED:
            raise SolverError(f"{solver} was stopped before it had a mechanism", status=found.stats.status)
        mixture = np.zeros((self.losses.shape[1], len(self.columns)))
        np.add.at(mixture, self.decisions, (self.columns * found.weights[:-1]).T)
        total = float(found.of_limits.sum())
        prior = found.of_limits / total if total > 0 else np.full(len(each), 1.0 / len(each))
        return Weighed(mixture, prior, -found.of_sums), float(found.weights[-1])

    def _priced(self, prior: Array, multipliers: Array, below: float) -> npt.NDArray[np.intp]:
        """Return the kernels, with the decision of least expected loss each, whose reduced cost is less: (k, 2)."""
        at_places = -self.places.gains(-(prior[:, None] * self.losses).T)
        costs = at_places @ self.kernels - multipliers @ self.kernels
        best, every = costs.argmin(axis=0), np.arange(costs.shape[1])
        new = (costs[best, every] < below) & ~self.taken[every, best]
        return np.column_stack([every[new], best[new]])

    def _take(self, pairs: npt.NDArray[np.intp]) -> None:
        self.taken[pairs[:, 0], pairs[:, 1]] = True
        self.add(self.kernels[:, pairs[:, 0]], pairs[:, 1])
