"""Exact arithmetic: bounds of exponentials and logarithms as fractions, matrices as integers with equal row sums."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.tolerances import DENOMINATOR_BITS

#: An array of integers: int64, or Python's own in an object array.
Integers = npt.NDArray[Any]

_CONTEXT = Context(prec=60, Emin=-(10**6), Emax=10**6)


def exp_below(epsilon: float | Decimal) -> Fraction:
    """Return a fraction at most ``e^epsilon``, within 1e-58 of it in ratio, and exactly 1 at 0.

    Examples
    --------
    >>> exp_below(0.0)
    Fraction(1, 1)
    >>> float(exp_below(1.0))
    2.718281828459045
    """
    if epsilon == 0:
        return Fraction(1)
    # A smaller exponent is on the safe side, and no column of floats has a ratio near e^100000.
    power = _CONTEXT.exp(min(Decimal(epsilon), Decimal(10**5)))
    below = Fraction(_CONTEXT.next_minus(power))
    return max(below, Fraction(1)) if epsilon > 0 else below


def log_above(numerator: int, denominator: int) -> Fraction:
    """Return a fraction at least ``ln(numerator / denominator)`` of positive integers, within 1e-57 of it, 0 at 1.

    Examples
    --------
    >>> log_above(3, 3), float(log_above(2, 1))
    (Fraction(0, 1), 0.6931471805599453)
    """
    if numerator == denominator:
        return Fraction(0)
    ratio = _CONTEXT.next_plus(_CONTEXT.divide(Decimal(numerator), Decimal(denominator)))
    return Fraction(_CONTEXT.next_plus(_CONTEXT.ln(ratio)))


def integers(values: Sequence[float | Fraction] | npt.NDArray[np.float64]) -> list[int]:
    """Return the integers in the same proportions as `values` (each float is an exact fraction).

    Examples
    --------
    >>> integers([0.5, 0.25])
    [2, 1]
    """
    fractions = [Fraction(value) for value in values]
    common = math.lcm(*(f.denominator for f in fractions))
    return [int(f * common) for f in fractions]


def integer_rows(matrix: Sequence[Sequence[float | Fraction]] | npt.NDArray[Any]) -> Integers:
    """Return integers in the proportions of each row of `matrix`, scaled so that all rows have one sum.

    This is the exact normalisation of rows that a user gave: the floats are kept, their sum is divided out.
    """
    rows = [integers(row) for row in matrix]
    common = math.lcm(*(sum(row) for row in rows))
    scaled = [[entry * (common // sum(row)) for entry in row] for row in rows]
    return np.array(scaled, dtype=object)


def dyadic(matrix: npt.NDArray[np.float64]) -> Integers | None:
    """Return ``matrix * 2**53`` as int64 where that is exact and each row sums to ``2**53``, else None."""
    scaled = np.ldexp(matrix, DENOMINATOR_BITS)
    whole = np.all(scaled == np.floor(scaled)) and np.all((scaled >= 0) & (scaled <= 2.0**53))
    if not whole:
        return None
    numerators = scaled.astype(np.int64)
    # Sums of up to 2**53 * m stay inside int64 for m < 1024; larger ones go through Python's integers.
    sums = numerators.sum(axis=1) if matrix.shape[1] < 1024 else numerators.astype(object).sum(axis=1)
    return numerators if np.all(sums == 1 << DENOMINATOR_BITS) else None
