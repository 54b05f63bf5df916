"""Columns of Sylvester's Hadamard matrix as reports: each covers the inputs in whose rows it has +1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.families.block_design import BlockDesign
from mechdesign.families.finite_field import Vectors
from mechdesign.families.projective_geometry import through
from mechdesign.parameters.checks import Array
from mechdesign.runtime.random_bits import Integers, Source


@dataclass(frozen=True, eq=False)
class Hadamard(BlockDesign):
    """Input x is row x + 1 of the Hadamard matrix of order K, the least power of two above n; reports are columns.

    References
    ----------
    J. Acharya, Z. Sun, H. Zhang, "Hadamard Response: Estimating Distributions Privately, Efficiently, and with Little
    Communication", AISTATS 2019, Section 4.

    Examples
    --------
    >>> from fractions import Fraction
    >>> Hadamard(3, Fraction(3)).incidence().astype(int).tolist()
    [[1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 1]]
    """

    name: ClassVar[str] = "Hadamard response"

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors over two elements that rows and columns are."""
        return Vectors(2, self.n.bit_length())

    @property
    def design(self) -> tuple[int, int, int]:
        """N, K and L: all columns, half of them, a quarter."""
        order = self.vectors.count
        return order, order // 2, order // 4

    def covers(self, inputs: Integers, reports: Integers) -> npt.NDArray[np.bool_]:
        """Return whether each column has +1 in the row of the input beside it."""
        rows, columns = (self.vectors.elements(given) for given in (inputs + 1, reports))
        return np.asarray(self.vectors.field.dot(rows, columns) == 0)

    def drawn(self, inputs: Integers, covering: npt.NDArray[np.bool_], read: Source) -> Integers:
        """Return a column with +1 in the row of each input, or with -1."""
        rows = self.vectors.elements(inputs + 1)
        at = (rows != 0).argmax(axis=0)
        return self.vectors.codes(through(self.vectors, rows, at, covering, read, nonzero=False))

    def covers_of(self, reports: Integers, counts: Array) -> Array:
        """Return how many of the columns have +1 in the row of each input, by one transform."""
        values = np.zeros(self.vectors.count)
        values[reports] = counts
        found = self.vectors.transform(values)[1 : self.n + 1]
        return np.asarray((found + counts.sum()) / 2)

    def covered_weight(self, weights: Array, reports: Integers) -> Array:
        """Return the weight of the inputs in whose rows each column has +1."""
        values = np.zeros(self.vectors.count)
        values[1 : self.n + 1] = weights
        return np.asarray((self.vectors.transform(values)[reports] + weights.sum()) / 2)
