"""Matrices as integers with equal row sums, and their exact products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.tolerances import DENOMINATOR_BITS

#: An array of integers: int64, or Python's own in an object array.
Integers = npt.NDArray[Any]
#: Arrays of Python fractions, of any size.
Fractions = npt.NDArray[Any]

#: What rows of numerators sum to.
ONE = 1 << DENOMINATOR_BITS
#: Integers longer than this are not worth their time: the exact sums of a thousand rows have no short multiple.
MOST_BITS = 4096

#: Sums below ``2**53`` that int64 takes at once.
AT_ONCE = 1000


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


def fractions(numbers: npt.ArrayLike) -> Fractions:
    """Return numbers as the fractions that they are, in an array of objects of the same shape.

    Examples
    --------
    >>> fractions([[0.5, 3.0]]).tolist()
    [[Fraction(1, 2), Fraction(3, 1)]]
    """
    found: Fractions = np.vectorize(Fraction, otypes=[object])(numbers)
    return found


def integer_rows(matrix: Sequence[Sequence[float | Fraction]] | npt.NDArray[Any]) -> Integers:
    """Return integers in the proportions of each row of `matrix`, scaled so that all rows have one sum.

    This is the exact normalisation of rows that a user gave: the floats are kept, their sum is divided out.
    """
    return _of_one_sum(_numerators(matrix), math.inf)


def rounded_rows(matrix: Sequence[Sequence[float | Fraction]] | npt.NDArray[Any]) -> Integers:
    """Return what `integer_rows` does, or short integers in nearly these proportions where those would be long.

    Where the rows' sums have a common multiple of more than `MOST_BITS`, every entry is rounded by a share of at most
    ``2**-128``, zeros stay, and the largest of each row takes what is left over.

    Examples
    --------
    >>> rounded_rows([[0.5, 0.5], [0.25, 0.5]])
    array([[3, 3],
           [2, 4]], dtype=object)
    """
    return _of_one_sum(_numerators(matrix), MOST_BITS)


def _numerators(matrix: Sequence[Sequence[float | Fraction]] | npt.NDArray[Any]) -> Integers:
    return np.array([integers(row) for row in matrix], dtype=object)


def _of_one_sum(numbers: Integers, most_bits: float) -> Integers:
    """Return the rows scaled to one sum, or rounded where that is longer than `most_bits`."""
    sums = [int(total) for total in numbers.sum(axis=1)]
    common = 1
    for total in set(sums):
        common = math.lcm(common, total)
        if common.bit_length() > most_bits:
            return _rounded_rows(numbers, sums)
    scaled: Integers = numbers * np.array([[common // total] for total in sums], dtype=object)
    return scaled


def product(left: Integers, right: Integers) -> Integers:
    """Return the exact ``left @ right`` of nonnegative integers of any size, by floating-point products of digits.

    Digits are so short that sums of their products stay below ``2**53``: each product of matrices is exact.

    Examples
    --------
    >>> product(np.array([2**70, 1], dtype=object), np.array([[2**53], [3]]))
    array([10633823966279326983230456482242756611], dtype=object)
    """
    bits = (53 - max(left.shape[-1] - 1, 1).bit_length()) // 2
    by_place: dict[int, Any] = {}
    of_left, of_right = _digits(left, bits), _digits(right, bits)
    for i, high in enumerate(of_left):
        for j, low in enumerate(of_right):
            by_place.setdefault(i + j, []).append((high @ low).astype(np.int64))
    total: Any = np.zeros(np.shape(left)[:-1] + np.shape(right)[1:], dtype=object)
    for place, parts in by_place.items():
        for start in range(0, len(parts), AT_ONCE):
            total = total + (sum(parts[start : start + AT_ONCE]).astype(object) << (bits * place))
    result: Integers = np.asarray(total, dtype=object)
    return result


def _digits(numbers: Integers, bits: int) -> list[npt.NDArray[np.float64]]:
    """Return the digits to the base ``2**bits``, the lowest first, as floats."""
    digits: list[npt.NDArray[np.float64]] = []
    left, mask = numbers, (1 << bits) - 1
    while left.any() or not digits:
        digits.append((left & mask).astype(float))
        left = left >> bits
    return digits


def scaled_rows(matrix: npt.NDArray[np.float64]) -> Integers | None:
    """Return what `integer_rows` does, quickly, for floats whose rows sum to one within 1e-10; None for others.

    Where the rows' sums have a common multiple of more than `MOST_BITS`, every entry is rounded instead, by a share of
    at most ``2**-128``, and the largest of each row takes what is left over.

    Examples
    --------
    >>> scaled_rows(np.array([[0.5, 0.5], [0.25, 0.75]]))
    array([[2, 2],
           [1, 3]], dtype=object)
    """
    if not np.all((matrix >= 0) & (matrix <= 1)) or np.any(np.abs(matrix.sum(axis=1) - 1.0) > 1e-10):
        return None
    mantissas, exponents = np.frexp(matrix)
    numbers = np.ldexp(mantissas, 53).astype(np.int64).astype(object)
    least = int(exponents[matrix > 0].min())
    numbers = numbers << np.where(matrix > 0, exponents - least, 0).astype(object)
    numbers = numbers // np.gcd.reduce(numbers, axis=None)
    return _of_one_sum(numbers, MOST_BITS)


def _rounded_rows(numbers: Integers, sums: list[int]) -> Integers:
    smallest = int(numbers[numbers > 0].min())
    bits = 129 + max(sums).bit_length() - smallest.bit_length() + 1
    each = np.array(sums, dtype=object)[:, None]
    scaled: Integers = ((numbers << bits) + each // 2) // each
    rows = np.arange(len(sums))
    scaled[rows, numbers.argmax(axis=1)] += (1 << bits) - scaled.sum(axis=1)
    return scaled


def dyadic(matrix: npt.NDArray[np.float64]) -> Integers | None:
    """Return ``matrix * 2**53`` as int64 where that is exact and each row sums to ``2**53``, else None."""
    scaled = np.ldexp(matrix, DENOMINATOR_BITS)
    whole = np.all(scaled == np.floor(scaled)) and np.all((scaled >= 0) & (scaled <= 2.0**53))
    if not whole:
        return None
    numerators = scaled.astype(np.int64)
    # Sums of 1024 or more can pass int64, which keeps them modulo 2**64: the floats show which of them it is.
    near = matrix.shape[1] < 1024 or np.all(matrix.sum(axis=1) < 2.0)
    return numerators if near and np.all(numerators.sum(axis=1) == 1 << DENOMINATOR_BITS) else None


def nearest_rows(rows: Integers) -> Integers:
    """Return the multiples of ``2**-53`` nearest to rows of nonnegative integers of one sum, as integers.

    Of all rows of integers that sum to ``2**53`` none is nearer to ``2**53 row / sum(row)`` in any entry's worst case:
    the largest remainders are rounded up. Zeros stay zeros, and what is positive stays at least 1.

    Examples
    --------
    >>> (nearest_rows(np.array([[5, 1], [0, 6]])) * 6 - np.array([[5, 1], [0, 6]]) * 2**53).tolist()
    [[2, -2], [0, 0]]
    """
    given = rows.astype(object)
    total = sum(given[0].tolist())
    whole, rest = (given * ONE) // total, (given * ONE) % total
    kept = (whole == 0) & (given > 0)
    whole[kept], rest[kept] = 1, -1
    for row, left in zip(whole, rest, strict=True):
        missing = ONE - sum(row.tolist())
        if missing > 0:
            row[np.argsort(-left, kind="stable")[:missing]] += 1
        else:
            row[row.argmax()] += missing
    nearest: Integers = whole.astype(np.int64)
    return nearest


def round_rows(matrix: npt.NDArray[np.float64], constant: bool = False) -> Integers:
    """Return integers near ``matrix * 2**53`` whose rows sum to ``2**53``; the largest entry takes what is left over.

    Zeros stay zeros. The rows of a constant matrix stay equal.
    """
    scaled = np.ldexp(matrix / matrix.sum(axis=1, keepdims=True), DENOMINATOR_BITS)
    # Down or to the nearest is the same to all that follows: within a unit, and the exact check decides.
    numerators = np.floor(np.minimum(scaled, ONE)).astype(np.int64)
    largest = numerators[0].argmax() if constant else numerators.argmax(axis=1)
    if constant:
        numerators[:] = numerators[0]
    rows = np.arange(len(numerators))
    # Each row adds up to nearly 2**53, whatever its length.
    numerators[rows, largest] += ONE - numerators.sum(axis=1)
    result: Integers = numerators
    return result
