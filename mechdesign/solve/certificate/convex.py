"""The convex route's own certificate: a bound from multipliers alone, minimised over the product of row simplices."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mechdesign.notions import Budget, Cone
from mechdesign.parameters.checks import Array


@dataclass(frozen=True)
class Duals:
    """What a solver claims to be the multipliers of the program over Q; any numbers give a sound bound."""

    #: Of the cone's rows at each output, shape (cone rows, outputs).
    cone: Array
    #: Of the pieces of a piecewise-linear objective, shape (pieces,).
    weights: Array | None = None
    #: Of the budgets, shape (budgets,), and of their pieces at each output, shape (budgets, pieces, outputs).
    budget: Array = field(default_factory=lambda: np.zeros(0))
    peaks: Array | None = None


@dataclass(frozen=True)
class RowBound:
    """``value >= sum(rows) - budget . limits``, rounded outward; ``rows[x] = min_y reduced[x, y]``."""

    value: float
    rows: Array


def row_bound(
    cost: Array, duals: Duals, cone: Cone, normal: Array, budget: Budget, barred: Array | None = None
) -> RowBound:
    """Return a bound below ``min sum_xy cost[x, y] Q[x, y]`` over the private mechanisms.

    With ``z >= 0`` on the cone's rows, ``nu >= 0`` on the budgets and convex weights w of the budget's pieces, each
    private Q costs at least ``sum_xy reduced[x, y] Q[x, y] - nu . limits`` where

        reduced_y = cost_y - on_column' z_y + sum_kj nu_k w_kjy pieces_kj
                    - ceiling sum(max(on_auxiliary' z_y, 0)) normal,

    and rows of Q are distributions: at least ``sum_x min_y reduced[x, y] - nu . limits``. The last term is the most
    that the auxiliary variables can gain, each at most ``ceiling * normal . q_y``.

    Parameters
    ----------
    cost : ndarray, shape (n, outputs)
        For a convex objective, its `minorant`.
    duals : Duals
        Clipped to the dual cone here.
    cone, normal, budget
        The notion's, `normal` with shape (n,).
    barred : ndarray of bool, shape (n, outputs), optional
        Entries of Q that are zero. Outputs with such entries may lie off the cone, so `duals` has zeros for them.
    """
    reduced, size, charge = reduced_cost(cost, duals, cone, normal, budget)
    if barred is not None:
        reduced, size = np.where(barred, np.inf, reduced), np.where(barred, 0.0, size)
    rows = reduced.min(axis=1)
    # An estimate of the error of sums of that many rounded terms, not a proof.
    terms = len(cost) + sum(cone.on_column.shape) + 8
    rounding = 4.0 * np.finfo(float).eps * terms * (float(size.max(axis=1).sum()) + abs(charge))
    return RowBound(float(rows.sum()) - charge - rounding, rows)


def reduced_cost(cost: Array, duals: Duals, cone: Cone, normal: Array, budget: Budget) -> tuple[Array, Array, float]:
    """Return `reduced` as in `row_bound`, the size of its terms (both of shape (n, outputs)), and ``nu . limits``."""
    multipliers = np.maximum(duals.cone, 0.0)
    spill = cone.ceiling * np.maximum(cone.on_auxiliary.T @ multipliers, 0.0).sum(axis=0)
    reduced = cost - cone.on_column.T @ multipliers - normal[:, None] * spill
    size = np.abs(cost) + np.abs(cone.on_column).T @ multipliers + normal[:, None] * spill
    nu = np.maximum(duals.budget, 0.0) if len(duals.budget) == len(budget) else np.zeros(len(budget))
    shares = _shares(duals.peaks, (*budget.pieces.shape[:2], cost.shape[1]))
    reduced = reduced + np.einsum("k,kjy,kjx->xy", nu, shares, budget.pieces)
    size = size + np.einsum("k,kjy,kjx->xy", nu, shares, np.abs(budget.pieces))
    return reduced, size, float(nu @ budget.limits)


def _shares(claimed: Array | None, shape: tuple[int, int, int]) -> Array:
    """Return convex weights along the middle axis: `claimed` clipped and normalised, or equal ones."""
    clipped = np.zeros(shape) if claimed is None else np.maximum(claimed, 0.0)
    totals = clipped.sum(axis=1, keepdims=True)
    return np.where(totals > 0, clipped / np.where(totals > 0, totals, 1.0), 1.0 / shape[1])
