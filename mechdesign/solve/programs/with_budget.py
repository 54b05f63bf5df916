"""The program over finitely many decisions where a notion bounds sums over columns: arrays, with a peak a column."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.notions import Budget
from mechdesign.parameters.checks import Array
from mechdesign.solve.solvers.linear_program import LinearProgram


def with_budget(
    program: LinearProgram, column: Any, decisions: int, budget: Budget, revealing: Array
) -> tuple[LinearProgram, int]:
    """Return `program` with ``sum_d beta_k(q_d) <= limits[k]`` added, and the number of its first such row.

    A variable ``p_kd`` for each decision and budget is at least every piece of ``beta_k`` at ``q_d``; it may be
    negative, so it is the difference of two. Columns that reveal an input, shape (n, revealed), cost what they cost.

    Parameters
    ----------
    program : LinearProgram
        Of the blocks of variables of each decision, then one variable for each of `revealing`.
    column : sparse array
        What takes a block to its column.
    """
    from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

    groups, each, n = budget.pieces.shape
    pieces = csr_array(budget.pieces.reshape(-1, n)) @ column
    of_group = csr_array(kron(eye_array(groups), np.ones((each, 1))))
    within, count = decisions * column.shape[1], revealing.shape[1]
    on_peaks, peaks = csr_array(kron(eye_array(decisions), of_group)), groups * decisions
    above: Any = hstack([-kron(eye_array(decisions), pieces), csr_array((groups * each * decisions, count))])
    sums = csr_array(kron(np.ones((1, decisions)), eye_array(groups)))
    spent: Any = hstack([csr_array((groups, within)), csr_array(budget.cost(revealing))])
    rows: Any = vstack(
        [
            hstack([program.rows, csr_array((program.rows.shape[0], 2 * peaks))]),
            hstack([above, on_peaks, -on_peaks]),
            hstack([spent, sums, -sums]),
        ]
    )
    first = program.rows.shape[0] + above.shape[0]
    low = np.concatenate([program.row_low, np.zeros(above.shape[0]), np.full(groups, -np.inf)])
    high = np.concatenate([program.row_high, np.full(above.shape[0], np.inf), budget.limits])
    return LinearProgram(np.concatenate([program.cost, np.zeros(2 * peaks)]), csr_array(rows), low, high), first
