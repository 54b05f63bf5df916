"""The extreme columns under pointwise maximal leakage for all priors that give each secret at least c."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import NamedTuple

import numpy as np

from mechdesign.parameters.checks import Array


class Extremes(NamedTuple):
    """The extreme columns up to the order of the secrets: columns of two values, and the column with zeros."""

    #: ``(j, 1/M)``: one on j secrets, ``1/M`` elsewhere.
    sets: tuple[tuple[int, Fraction], ...]
    #: How many ones, and the number beside them; None where no entry can be zero.
    last: tuple[int, Fraction] | None


@lru_cache(maxsize=64)
def extremes(most: Fraction, c: float, k: int) -> Extremes:
    """Return the extreme columns of k secrets at ``e^epsilon = most``; none where columns have to be constant."""
    least, free = shares(c, k)
    if most == 1 or k == 1:
        return Extremes((), None)
    shared = most * least
    sets = [(j, (1 - shared * j) / (most * (1 - least * j))) for j in range(1, k) if shared * j < 1] if free else []
    if shared * k <= 1:
        return Extremes(tuple(sets), None)
    full = floor(1 / shared)
    # Less than one secret is that secret alone, of any size: its share may be too small for a float.
    return Extremes(tuple(sets), (full, 1 / shared - full) if full else (1, Fraction(0)))


def two_values(n: int, size: int, inverse: Fraction) -> Array:
    """Return the column of ones on the first secrets, and `inverse` elsewhere, shape (n,)."""
    return np.where(np.arange(n) < size, 1.0, float(inverse))


def with_zeros(n: int, last: tuple[int, Fraction] | None) -> list[Array]:
    """Return the column of ones, one number and zeros, the largest first; nothing where no entry can be zero."""
    if last is None:
        return []
    column = np.where(np.arange(n) < last[0], 1.0, 0.0)
    column[min(last[0], n - 1)] += float(last[1])
    return [column]


def shares(c: float, k: int) -> tuple[Fraction, Fraction]:
    """Return the least probability of each of k secrets, and what is left for any of them; rounded sums are one."""
    least = min(Fraction(c), Fraction(1, k))
    return least, 1 - k * least
