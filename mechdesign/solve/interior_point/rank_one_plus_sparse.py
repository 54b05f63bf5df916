"""Matrices that are one number for each column except at few places: what a program of few unknown pairs is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array

#: Up to this share of entries a sparse product is quicker than BLAS.
MOST_SPARSE = 0.1


@dataclass(frozen=True)
class Places:
    """Where a matrix of this shape differs from its columns' numbers, row by row, as in compressed sparse rows."""

    shape: tuple[int, int]
    starts: npt.NDArray[np.intp]
    columns: npt.NDArray[np.intp]

    @classmethod
    def of(cls, chosen: npt.NDArray[np.bool_]) -> Places:
        """Return the places where `chosen` is true."""
        rows, columns = np.nonzero(chosen)
        n, count = chosen.shape
        return cls((n, count), np.searchsorted(rows, np.arange(n + 1)), columns)


@dataclass(frozen=True, eq=False)
class Lifted:
    """The matrix ``1 base' + S``: `base` of shape (columns,), and the entries of S at its places.

    Without places S is dense, and its entries have the shape of the matrix.
    """

    base: Array
    entries: Array
    places: Places | None = None

    #: numpy leaves ``rows @ lifted`` to this class.
    __array_ufunc__ = None

    @cached_property
    def body(self) -> Any:
        """S, as an array or as a sparse one."""
        if self.places is None:
            return self.entries
        from scipy.sparse import csr_array

        return csr_array((self.entries, self.places.columns, self.places.starts), shape=self.places.shape)

    def __matmul__(self, vector: Array) -> Array:
        return np.asarray(float(self.base @ vector) + self.body @ vector)

    def __rmatmul__(self, vector: Array) -> Array:
        return np.asarray(self.base * vector.sum() + self.body.T @ vector)

    def __mul__(self, by_column: Array) -> Lifted:
        at = by_column if self.places is None else by_column[self.places.columns]
        return Lifted(self.base * by_column, self.entries * at, self.places)

    def __add__(self, other: Lifted) -> Lifted:
        return Lifted(self.base + other.base, self.entries + other.entries, self.places)

    def gram(self) -> Array:
        """Return the matrix times its transpose."""
        if self.places is None or self.entries.size > MOST_SPARSE * self.places.shape[0] * self.places.shape[1]:
            whole = self.dense()
            return np.asarray(whole @ whole.T)
        across = self.body @ self.base
        both = np.asarray((self.body @ self.body.T).toarray())
        return np.asarray(both + across[:, None] + (across + float(self.base @ self.base)))

    def dense(self) -> Array:
        """Return the matrix as an array."""
        if self.places is not None:
            return np.asarray(self.base + self.body.toarray())
        return self.base + self.entries if self.base.any() else self.entries
