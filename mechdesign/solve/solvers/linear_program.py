"""A linear program as arrays, and a solver's claims about it, which repair and certificate check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.tolerances import SOLVER


@dataclass(frozen=True)
class LinearProgram:
    """Minimise ``cost . x`` over ``row_low <= rows @ x <= row_high``, ``x >= 0``; `rows` is sparse by rows.

    `accuracy` is the relative tolerance of interior points that take one.
    """

    cost: Array
    rows: Any
    row_low: Array
    row_high: Array
    accuracy: float = SOLVER


def by_rows(matrix: Array) -> Any:
    """Return a dense matrix as a sparse one of its shape: scipy's own way takes as long as a small program's solver."""
    from scipy.sparse import csr_array

    row, column = np.nonzero(matrix)
    starts = np.zeros(len(matrix) + 1, dtype=np.int32)
    starts[1:] = np.bincount(row, minlength=len(matrix)).cumsum()
    return csr_array((matrix[row, column], column.astype(np.int32), starts), shape=matrix.shape)


@dataclass(frozen=True)
class SolverStats:
    """Which solver ran, how it ended, how long it took, in how many iterations."""

    name: str
    status: str
    seconds: float
    iterations: int


@dataclass(frozen=True)
class LinearSolution:
    """What the solver says: the point, and the multiplier of each row (the change of the optimum with its bound)."""

    point: Array
    multipliers: Array
    stats: SolverStats
