"""Enclosures of fractions: logarithms within 1e-74, roots, exponentials and powers within 1e-57 in ratio."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from mechdesign.exact.logarithms import log_above

#: A number that is at most, and one that is at least, what is enclosed.
Enclosure = tuple[Fraction, Fraction]

#: Whole powers up to this one are taken exactly, where a bound is asked for: later sums grow with their digits.
MOST_EXACT = 4

_DOWN = Context(60, ROUND_FLOOR, Emin=-(10**6), Emax=10**6)
_UP = Context(60, ROUND_CEILING, Emin=-(10**6), Emax=10**6)


def log_enclosed(x: Fraction) -> Enclosure:
    """Return lower and upper bounds of ``ln x``, for x > 0, within 1e-74.

    Examples
    --------
    >>> low, high = log_enclosed(Fraction(2))
    >>> low < high, float(low)
    (True, 0.6931471805599453)
    """
    return -log_above(x.denominator, x.numerator), log_above(x.numerator, x.denominator)


def root_enclosed(x: Fraction) -> Enclosure:
    """Return bounds of the square root, for x >= 0.

    Examples
    --------
    >>> root_enclosed(Fraction(4))[0] <= 2 <= root_enclosed(Fraction(4))[1]
    True
    """
    if x == 0:
        return Fraction(0), Fraction(0)
    low, high = _decimals(x)
    return Fraction(_DOWN.next_minus(_DOWN.sqrt(low))), Fraction(_UP.next_plus(_UP.sqrt(high)))


def power_enclosed(x: Fraction, order: Fraction) -> Enclosure:
    """Return bounds of ``x^order``, for x >= 0 and a positive order.

    Examples
    --------
    >>> low, high = power_enclosed(Fraction(2), Fraction(1, 2))
    >>> low < high, low**2 < 2 < high**2
    (True, True)
    """
    if x in {0, 1}:
        return x, x
    low, high = (order * log for log in log_enclosed(x))
    return exp_enclosed(low)[0], exp_enclosed(high)[1]


def power_above(x: Fraction, order: Fraction) -> Fraction:
    """Return a bound above ``x^order``, in half the time of `power_enclosed`; small whole powers are exact.

    Examples
    --------
    >>> power_above(Fraction(3, 2), Fraction(2))
    Fraction(9, 4)
    >>> power_above(Fraction(2), Fraction(1, 2)) ** 2 > 2
    True
    """
    if x in {0, 1}:
        return x
    if order.denominator == 1 and order <= MOST_EXACT:
        return x ** int(order)
    exponent = order * log_above(x.numerator, x.denominator)
    return Fraction(_UP.next_plus(_UP.exp(_UP.divide(Decimal(exponent.numerator), Decimal(exponent.denominator)))))


def exp_enclosed(x: Fraction) -> Enclosure:
    """Return bounds of ``e^x``.

    Examples
    --------
    >>> low, high = exp_enclosed(Fraction(1))
    >>> low < high, float(low)
    (True, 2.718281828459045)
    """
    if x == 0:
        return Fraction(1), Fraction(1)
    low, high = _decimals(x)
    return Fraction(_DOWN.next_minus(_DOWN.exp(low))), Fraction(_UP.next_plus(_UP.exp(high)))


def _decimals(x: Fraction) -> tuple[Decimal, Decimal]:
    """Return the decimals on either side of a fraction."""
    numerator, denominator = Decimal(x.numerator), Decimal(x.denominator)
    return _DOWN.divide(numerator, denominator), _UP.divide(numerator, denominator)
