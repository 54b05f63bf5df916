"""A form that is nonnegative on columns of two values, and 0 where a single input has the larger one.

At large epsilon mechanisms report single inputs. For ``W = z z' - diag(y)`` a set S with entries E has

    v' W v = total + sum_S s_x + (E - 1)^2 sum_{x != x' in S} z_x z_x',

with ``total = 1' W 1`` and s_x what is left at ``S = {x}``. So sets of one input are looked at one by one, and larger
ones by the least s_x and the two smallest z.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.parameters.checks import Array

#: Numbers of a form are smaller, so that their products are floats.
LARGEST = 1e70


@dataclass(frozen=True)
class SinglesForm:
    """The form ``W = z z' - diag(y)``.

    Attributes
    ----------
    z, y : ndarray, shape (n,)
        z at least 0.
    """

    z: Array
    y: Array

    def matrix(self) -> Array:
        """Return W, shape (n, n)."""
        return np.outer(self.z, self.z) - np.diag(self.y)

    @property
    def sums(self) -> Array:
        """``W 1``."""
        return self.z * math.fsum(self.z) - self.y

    @property
    def total(self) -> float:
        """``1' W 1``."""
        return math.fsum([math.fsum(self.z) ** 2, *-self.y])

    @property
    def size_of_total(self) -> float:
        """The size of what the total is added up from."""
        return math.fsum(self.z) ** 2 + float(np.abs(self.y).sum())

    @property
    def sizes(self) -> tuple[Array, Array]:
        """The sizes of what W and ``W 1`` are added up from, shapes (n, n) and (n,)."""
        return np.outer(self.z, self.z) + np.diag(np.abs(self.y)), self.z * float(self.z.sum()) + np.abs(self.y)

    def least(self, epsilon: float) -> float:
        """Return a number below ``v' W v`` for all columns v, 0 at most."""
        rise, whole, n = math.expm1(epsilon), math.fsum(self.z), len(self.z)
        single = rise * (2.0 * whole * self.z + rise * self.z**2 - (rise + 2.0) * self.y)
        parts = rise * (2.0 * whole * self.z + rise * self.z**2 + (rise + 2.0) * np.abs(self.y))
        smallest = np.sort(self.z)[:2]
        # Of k inputs: k times the least single one, and k (k - 1) pairs.
        k = np.arange(2.0, n + 1.0)
        more = k * float(single.min()) + rise**2 * k * (k - 1.0) * float(smallest.prod())
        unit = 8.0 * rounding_unit(n)
        fixed = self.size_of_total
        found = [self.total - unit * fixed, float((self.total + single - unit * (fixed + parts)).min())]
        found.append(float((self.total + more - unit * (fixed + k * float(parts.max()) + np.abs(more))).min()))
        return min(0.0, *found)

    def packed(self) -> Array:
        """Return z and y as the rows of one array, shape (2, n)."""
        return np.vstack([self.z, self.y])

    @classmethod
    def unpacked(cls, given: Array | None, n: int) -> SinglesForm | None:
        """Return what `packed` was made from; None if the array has another shape or no such numbers."""
        if (
            given is None
            or np.shape(given) != (2, n)
            or not np.all(np.abs(given) < LARGEST)
            or not np.all(given[0] >= 0)
        ):
            return None
        return cls(np.asarray(given[0], dtype=float), np.asarray(given[1], dtype=float))
