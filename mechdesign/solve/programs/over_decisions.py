"""The linear program over finitely many decisions: a block of variables for the column of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.notions import Cone
from mechdesign.parameters.checks import Array
from mechdesign.solve.solvers.linear_program import LinearProgram, by_rows


def decision_program(cone: Cone, gains: Array, others: tuple[Array, Array] | None = None) -> tuple[LinearProgram, Any]:
    """Return: maximise ``sum_d gains[d] . q_d`` over columns ``q_d`` of the cone with ``sum_d q_d = 1``.

    Variables are the blocks ``(y_d, t_d)``, one for each decision, with ``q_d = y_d + floor @ t_d``: a row
    ``q_x >= floor_x . t`` of the cone becomes ``y_x >= 0``, and opposite rows become one equality. Also returned
    is the matrix that takes a block to its column. `others` are columns besides, shape (n, r), and what each gains,
    shape (r,): one more variable for each, after the blocks.
    """
    from scipy.sparse import csr_array, hstack

    decisions, n = gains.shape
    rows, low, floor = _shifted(cone)
    column = np.hstack([np.eye(n), floor])
    stacked: Any = _stacked(column, rows, decisions)
    bounds = np.concatenate([np.ones(n), np.tile(low, decisions)])
    above = np.concatenate([np.ones(n), np.tile(np.where(np.isnan(low), 0.0, np.inf), decisions)])
    cost = -np.hstack([gains, gains @ floor]).ravel()
    if others is not None and others[0].shape[1]:
        beside, worth = others
        stacked = hstack(
            [stacked, csr_array(np.vstack([beside, np.zeros((stacked.shape[0] - n, len(worth)))]))]
        ).tocsr()
        cost = np.concatenate([cost, -worth])
    return LinearProgram(cost, stacked, np.nan_to_num(bounds), above), by_rows(column)


def _stacked(column: Array, rows: Array, blocks: int) -> Any:
    """Return `column` once for each block side by side, above `rows` for each block by itself, sparse by rows.

    Written out, because for programs of some inputs scipy's products take longer than the solver.
    """
    from scipy.sparse import csr_array

    width, first = column.shape[1], np.arange(blocks) * column.shape[1]
    (top, at_top), (below, at_below) = np.nonzero(column), np.nonzero(rows)
    lengths = np.concatenate(
        [np.bincount(top, minlength=len(column)) * blocks] + [np.bincount(below, minlength=len(rows))] * blocks
    )
    indices = np.concatenate([(at_top[:, None] + first).ravel(), (at_below + first[:, None]).ravel()])
    data = np.concatenate([np.repeat(column[top, at_top], blocks), np.tile(rows[below, at_below], blocks)])
    starts = np.concatenate([[0], lengths.cumsum()])
    shape = (len(column) + blocks * len(rows), blocks * width)
    return csr_array((data, indices.astype(np.int32), starts.astype(np.int32)), shape=shape)


def _shifted(cone: Cone) -> tuple[Array, Array, Array]:
    """Return rows over ``(y, t)`` with their lower bound (0, or NaN for an equality), and the floor."""
    n, auxiliary = cone.on_column.shape[1], cone.on_auxiliary.shape[1]
    on_column, on_auxiliary = cone.on_column, cone.on_auxiliary
    floor, kept = np.zeros((n, auxiliary)), np.ones(len(on_column), dtype=bool)
    single = (np.count_nonzero(on_column, axis=1) == 1) & np.any(on_column == 1.0, axis=1)
    for row in np.flatnonzero(single & np.all(on_auxiliary <= 0, axis=1)):
        x = int(on_column[row].argmax())
        if not floor[x].any():
            floor[x], kept[row] = -on_auxiliary[row], False
    rows = np.hstack([on_column, on_column @ floor + on_auxiliary])[kept]
    low = np.zeros(len(rows))
    opposite = np.flatnonzero(np.all(rows[:-1] == -rows[1:], axis=1))
    low[opposite] = np.nan
    return np.delete(rows, opposite + 1, axis=0), np.delete(low, opposite + 1), floor
