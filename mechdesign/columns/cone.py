"""The columns that a notion allows: a cone, perhaps a budget over them all, their rays and their support."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from mechdesign.parameters.checks import Array

#: An entry within this share of an end is taken as the end: rays that differ only by rounding are one.
NEXT_TO = float(4.0 * np.finfo(float).eps)


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
    #: The cone written as a band, where the secret is the input: interior-point steps have a shortcut for it.
    band_of_inputs: Band | None = None
    #: The size of the terms that were added up for each entry of `on_column`, where they cancel.
    terms: Array | None = None

    @property
    def sizes(self) -> Array:
        """The size of the terms that were added up for each entry of `on_column`: its rounding is in proportion."""
        return np.abs(self.on_column) if self.terms is None else self.terms

    @classmethod
    def of_rows(cls, rows: Array) -> Cone:
        """Return the cone ``{q >= 0 : rows @ q >= 0}``."""
        return cls(rows, np.zeros((len(rows), 0)), 0.0)

    @classmethod
    def at_least(cls, larger: Array, smaller: Array) -> Cone:
        """Return the cone ``{q >= 0 : larger @ q >= smaller @ q}`` of arrays that are nowhere negative."""
        return cls(difference(larger, smaller), np.zeros((len(larger), 0)), 0.0, terms=larger + smaller)

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
    #: The size of the terms that were added up for each entry of the pieces and that count where beta does, shape
    #: (budgets, n); None where no piece was added up.
    terms: Array | None = field(default=None, kw_only=True)

    @property
    def sizes(self) -> Array:
        """The size of the terms of beta at each input, shape (budgets, n): its rounding is in proportion."""
        return np.abs(self.pieces).max(axis=1) if self.terms is None else self.terms

    @classmethod
    def none(cls, n: int) -> Budget:
        """Return no budget at all, over n inputs."""
        return cls(np.zeros((0, 1, n)), np.zeros(0))

    def __len__(self) -> int:
        return len(self.limits)

    def cost(self, columns: Array) -> Array:
        """Return the amount of each budget that each of `columns` uses, shape (budgets, m)."""
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
        """Return functionals, shape (m, n), with ``g_y . q <= beta(q)`` for every q, and nearly equal at column y."""

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
    #: By what share the entries of each ray may differ from those of the cone's true ray; zeros are exact.
    share: float | Array = 4.0 * float(np.finfo(float).eps)
    #: By how much they may, shape (n, r), where that is known of each entry.
    errors: Array | None = None
    #: The size of the terms that were added up for `cost`, where they cancel.
    cost_terms: Array | None = None

    @property
    def cost_sizes(self) -> Array:
        """The size of the terms of what each ray takes, shape (budgets, r): its rounding is in proportion."""
        return np.abs(self.cost) if self.cost_terms is None else self.cost_terms

    @property
    def worst_share(self) -> Array:
        """By what share the entries of each ray may be wrong, shape (r,)."""
        if self.errors is None:
            return np.broadcast_to(self.share, self.columns.shape[1:])
        shares = np.divide(self.errors, self.columns, out=np.zeros_like(self.errors), where=self.columns > 0)
        return np.asarray(shares.max(axis=0))

    def missed(self, weights: Array) -> Array:
        """Return ``weights @ errors`` for weights that are nowhere negative: how far functionals of rays may be off."""
        return np.asarray(weights @ self.columns * self.share if self.errors is None else weights @ self.errors)


@dataclass(frozen=True)
class Support:
    """At least the largest ``h . q - nu . beta(q)`` over the slice ``normal . q = 1`` of the cone, for each row h."""

    values: Array
    #: Where it is reached, but for rounding, shape (n, number of rows).
    columns: Array
    #: By how much each value was raised, so that it is never below the truth in exact arithmetic; zero where a formula
    #: leaves that to an estimate.
    rounding: Array = field(default_factory=lambda: np.zeros(1))


def raised(values: Array, rounding: Array, columns: Array) -> Support:
    """Return the support function of these values as they were computed, each raised by its rounding."""
    return Support(values + rounding, columns, rounding)


def rounding_unit(count: int) -> float:
    """Return the share of its terms' sizes by which a sum of `count` products is rounded, the last steps included.

    Sums of n products are rounded by at most ``n u / (1 - n u)`` of them, in whatever order, with ``u = eps / 2``.
    """
    return float(np.finfo(float).eps) * (count + 8)


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
