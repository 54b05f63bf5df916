"""Logarithms of many fractions in integers: rounded up to multiples of 2^-256."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cache

#: Logarithms are whole multiples of ``2^-UNIT_BITS``.
UNIT_BITS = 256
#: Cells between 1 and 2, in bits: a number over its cell is within 2^-7 of 1.
CELL_BITS = 7
#: Terms of the series of the inverse hyperbolic tangent: with z at most 2^-7.9 the tail is below one unit.
TERMS = 16
#: More than twice what the terms miss by rounding, in units, and the tail.
MISSED = 100

_UP = Context(90, ROUND_CEILING)


def log_units(numerator: int, denominator: int) -> int:
    r"""Return an integer at least ``2^256 ln(numerator / denominator)``, less than ``200 + |e|`` above it, 0 at 1.

    With ``x = 2^e (c / 2^7) m``, c an integer from 64 to 256, it is ``e ln 2 + ln(c / 2^7) + 2 atanh z`` with
    ``z = (m - 1) / (m + 1)``. Both constants are rounded up. z misses less than one unit by rounding, and each term
    ``z^(2k + 1) / (2k + 1)`` less than two: `MISSED` is more than twice what 16 terms and the tail come to.

    Parameters
    ----------
    numerator, denominator : int
        Positive.

    Examples
    --------
    >>> log_units(3, 3), log_units(2, 1) / 2**256
    (0, 0.6931471805599453)
    """
    if numerator == denominator:
        return 0
    shift = numerator.bit_length() - denominator.bit_length()
    above, below = (numerator, denominator << shift) if shift >= 0 else (numerator << -shift, denominator)
    # above / below lies between 1/2 and 2.
    cell = (2 * (above << CELL_BITS) + below) // (2 * below)
    left, right = above << CELL_BITS, cell * below
    z = ((left - right) << UNIT_BITS) // (left + right)
    square = (z * z) >> UNIT_BITS
    power, total = z, z
    for k in range(1, TERMS):
        power = (power * square) >> UNIT_BITS
        total += power // (2 * k + 1)
    return _whole_power(shift) + _of_cell(cell) + 2 * total + MISSED


def log_above(numerator: int, denominator: int) -> Fraction:
    """Return a fraction at least ``ln(numerator / denominator)`` of positive integers, within 1e-57, and 0 at 1.

    Examples
    --------
    >>> log_above(3, 3), float(log_above(2, 1))
    (Fraction(0, 1), 0.6931471805599453)
    """
    return Fraction(log_units(numerator, denominator), 1 << UNIT_BITS)


@cache
def _of_cell(cell: int) -> int:
    """Return ``2^256 ln(cell / 2^7)``, rounded up."""
    one = 1 << CELL_BITS
    return 0 if cell == one else _rounded_up(_UP.ln(_UP.divide(Decimal(cell), Decimal(one))))


@cache
def _whole_power(exponent: int) -> int:
    """Return ``2^256 exponent ln 2``, rounded up."""
    # The constant is right to 89 digits, and a unit has 77.
    return 0 if exponent == 0 else _rounded_up(_UP.multiply(Decimal(exponent), _UP.ln(Decimal(2)))) + abs(exponent)


def _rounded_up(number: Decimal) -> int:
    # The logarithm is rounded to the nearest, whatever the direction: one step further is beyond it.
    return -((-Fraction(_UP.next_plus(number)) * (1 << UNIT_BITS)).__floor__())
