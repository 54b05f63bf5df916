"""A conic program as arrays: what a solver is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from mechdesign.parameters.checks import Array

ConeKind = Literal["second order", "exponential"]


@dataclass(frozen=True)
class ConeBlock:
    """One cone of a product, by its kind and its number of rows.

    Attributes
    ----------
    kind : {"second order", "exponential"}
        ``{(t, v) : t >= |v|_2}``, or the closure of ``{(u, v, w) : v exp(u / v) <= w, v > 0}``.
    size : int
        The number of rows; 3 for an exponential cone.
    """

    kind: ConeKind
    size: int


@dataclass(frozen=True, eq=False)
class ConicProgram:
    """Minimise ``cost @ x`` over bounds, linear rows and a product of cones.

    The constraints are ``lower <= x <= upper``, ``row_lower <= rows @ x <= row_upper``, and
    ``cone_rows @ x + cone_offset`` in the product of `cones`, in their order. A program without cones is linear.

    Attributes
    ----------
    cost : ndarray, shape (variables,)
        The objective's coefficients.
    rows : scipy.sparse.csr_array, shape (rows, variables)
        The linear rows.
    row_lower, row_upper : ndarray, shape (rows,)
        Their bounds; infinite where there is none, equal for an equation.
    lower, upper : ndarray, shape (variables,)
        The bounds of the variables, likewise.
    cone_rows : scipy.sparse.csr_array, shape (cone rows, variables)
        The rows of the cones.
    cone_offset : ndarray, shape (cone rows,)
        What is added to them.
    cones : tuple of ConeBlock
        The cones; their sizes add up to the number of cone rows.
    """

    cost: Array
    rows: Any
    row_lower: Array
    row_upper: Array
    lower: Array
    upper: Array
    cone_rows: Any = None
    cone_offset: Array = field(default_factory=lambda: np.zeros(0))
    cones: tuple[ConeBlock, ...] = ()

    def __post_init__(self) -> None:
        from scipy.sparse import csr_array

        if self.cone_rows is None:
            object.__setattr__(self, "cone_rows", csr_array((0, len(self.cost))))

    @property
    def is_linear(self) -> bool:
        """Whether there is no cone."""
        return not self.cones

    @property
    def nonzeros(self) -> int:
        """The number of nonzero coefficients of all rows."""
        return int(self.rows.nnz + self.cone_rows.nnz)

    @property
    def density(self) -> float:
        """The share of coefficients that are not zero."""
        cells = (self.rows.shape[0] + self.cone_rows.shape[0]) * len(self.cost)
        return self.nonzeros / cells if cells else 0.0

    @property
    def coefficient_range(self) -> tuple[float, float]:
        """The least and the largest absolute value of the nonzero coefficients of rows and cost."""
        sizes = np.abs(np.concatenate([self.rows.data, self.cone_rows.data, self.cost]))
        sizes = sizes[sizes > 0]
        return (float(sizes.min()), float(sizes.max())) if len(sizes) else (0.0, 0.0)

    def value(self, point: Array) -> float:
        """Return ``cost @ x``."""
        return float(self.cost @ point)

    def violation(self, point: Array) -> float:
        """Return the largest amount by which `point` passes a bound, a row or a cone, in the program's units."""
        row = self.rows @ point
        beyond = [
            self.lower - point,
            point - self.upper,
            self.row_lower - row,
            row - self.row_upper,
            self._outside_cones(self.cone_rows @ point + self.cone_offset),
        ]
        return max(0.0, *(float(each.max()) for each in beyond if len(each)))

    def _outside_cones(self, inside: Array) -> Array:
        """Return for each cone what its last entry lacks."""
        ends = np.cumsum([cone.size for cone in self.cones], dtype=int)
        parts = np.split(inside, ends[:-1]) if len(ends) else []
        return np.array([_outside(cone, part) for cone, part in zip(self.cones, parts, strict=True)])

    def copy(self) -> ConicProgram:
        """Return a copy of the program that shares no array with it."""
        arrays = {name: each.copy() for name, each in vars(self).items() if name != "cones"}
        return ConicProgram(**arrays, cones=self.cones)

    def differs(self, other: ConicProgram) -> bool:
        """Return whether an array of the other program has other numbers."""
        return any(
            not np.array_equal(_dense_parts(mine), _dense_parts(getattr(other, name)))
            for name, mine in vars(self).items()
            if name != "cones"
        )


def _outside(cone: ConeBlock, part: Array) -> float:
    if cone.kind == "second order":
        return float(np.linalg.norm(part[1:]) - part[0])
    first, second, third = (float(entry) for entry in part)
    if second <= 0:
        # On the boundary v = 0 the cone holds u <= 0 and w >= 0.
        return max(-second, first if second == 0 else 0.0, -third)
    with np.errstate(over="ignore"):
        return float(second * np.exp(first / second) - third)


def _dense_parts(given: Any) -> Array:
    """Return the numbers of a vector, or of a sparse matrix with their places."""
    if isinstance(given, np.ndarray):
        return given
    return np.concatenate([given.data, given.indices, given.indptr])
