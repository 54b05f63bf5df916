"""The columns that a notion allows: a cone, perhaps a budget over them all, their rays and their support."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from mechdesign.domains import Array


@dataclass(frozen=True)
class Band:
    """``low * t <= q <= high * t`` entry by entry, with ``t = middle . q``, or any `t` where that is None."""

    low: float
    high: float
    middle: Array | None


@dataclass(frozen=True)
class Cone:
    """``K = {q >= 0 : on_column @ q + on_auxiliary @ t >= 0 for some t >= 0}``.

    `ceiling` bounds each auxiliary variable on the slice ``normal . q = 1``: a bound needs every variable boxed.
    """

    on_column: Array
    on_auxiliary: Array
    ceiling: float
    #: The same cone as a band, where the secret is the input: an interior point has a shortcut for it.
    band_of_inputs: Band | None = None

    @classmethod
    def of_rows(cls, rows: Array) -> Cone:
        """Return the cone ``{q >= 0 : rows @ q >= 0}``."""
        return cls(rows, np.zeros((len(rows), 0)), 0.0)

    @classmethod
    def band(cls, secret: Array, low: float, high: float, middle: Array | None = None) -> Cone:
        """Return ``{q : low * t <= secret @ q <= high * t}`` with ``t = middle . q``, or any `t` where that is None."""
        count = len(secret)
        # Rows of order one: solvers refuse coefficients like e^40.
        unit = max(high, 1.0)
        bounds = np.concatenate([np.full(count, -low), np.full(count, high / unit)])[:, None]
        rows = np.vstack([secret, -secret / unit])
        if middle is not None:
            rows = np.vstack([rows, middle, -middle])
            bounds = np.vstack([bounds, [[-1.0]], [[1.0]]])
        # t is a mean of entries of v, or at most the least of them, and those are at most n on the slice.
        direct = secret.shape[0] == secret.shape[1] and np.array_equal(secret, np.eye(count))
        return cls(rows, bounds, float(secret.shape[1]), Band(low, high, middle) if direct else None)


@dataclass(frozen=True)
class Budget:
    """``sum_y beta_k(q_y) <= limits[k]`` with ``beta_k(q) = max_j pieces[k, j] . q``, for each of the budgets k."""

    #: Shape (budgets, pieces of each, n).
    pieces: Array
    #: Shape (budgets,).
    limits: Array

    @classmethod
    def none(cls, n: int) -> Budget:
        """Return no budget at all, over n inputs."""
        return cls(np.zeros((0, 1, n)), np.zeros(0))

    def __len__(self) -> int:
        return len(self.limits)

    def cost(self, columns: Array) -> Array:
        """Return what each of `columns` takes of each budget, shape (budgets, m)."""
        groups, each, n = self.pieces.shape
        pieces = self.pieces.reshape(-1, n) @ columns
        return np.asarray(pieces.reshape(groups, each, columns.shape[1]).max(axis=1))


@dataclass(frozen=True)
class SmoothBudget(Budget, ABC):
    """``sum_y beta(q_y) <= limits[0]`` with a beta that is sublinear and smooth: no pieces, a tangent at every column.

    Its `pieces` are one of zeros, which a beta that is never negative is at least: what they say of it is sound.
    """

    @abstractmethod
    def tangents(self, columns: Array) -> Array:
        """Return functionals, shape (m, n), with ``g_y . q <= beta(q)`` for every q, and next to equal at column y."""

    @abstractmethod
    def cost(self, columns: Array) -> Array:
        """Return ``beta`` of each of `columns`, shape (1, m)."""

    def polyhedral(self, columns: Array) -> Budget:
        """Return a budget that is never more: the largest of the tangents at `columns`, and of zero."""
        pieces = np.vstack([self.tangents(columns), self.pieces[0]])
        return Budget(pieces[None, :, :], self.limits)


@dataclass(frozen=True)
class Rays:
    """Extreme rays of the cone (or of the fan on which the budget is linear), shape (n, r), each at most 1."""

    columns: Array
    #: What each ray takes of each budget, shape (budgets, r).
    cost: Array


@dataclass(frozen=True)
class Support:
    """Largest value of ``h . q - nu . beta(q)`` over the slice ``normal . q = 1`` of the cone, for each row h."""

    values: Array
    #: Where it is reached, shape (n, number of rows).
    columns: Array


def subset_count(n: int) -> float:
    """Return ``2^n``, infinite where that is beyond floats."""
    return 2.0**n if n < 1024 else float("inf")


def difference(left: Array, right: Array) -> Array:
    """Return ``left - right`` of nonnegative arrays, zero where no more than the rounding of decimals is left.

    A row of a cone with such a remainder would have a side where it has none.
    """
    remainder = left - right
    rounding = 4.0 * np.finfo(float).eps * (left + right)
    return np.asarray(np.where(np.abs(remainder) <= rounding, 0.0, remainder))
