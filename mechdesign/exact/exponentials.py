"""Bounds of exponentials as fractions, and floats on the given side of a fraction."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from mechdesign.tolerances import LARGEST_EXPONENT

#: More than what `exp_below` misses, in ratio.
TINY = Fraction(1, 10**57)

_CONTEXT = Context(prec=60, Emin=-(10**6), Emax=10**6)


@lru_cache(maxsize=4096)
def exp_below(epsilon: float | Decimal) -> Fraction:
    """Return a fraction at most ``e^epsilon``, with a relative error below 1e-58, and exactly 1 at 0.

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


def float_below(number: Fraction) -> float:
    """Return the largest float that is at most `number`.

    Examples
    --------
    >>> float_below(Fraction(1, 10)) < Fraction(1, 10) < Fraction(0.1)
    True
    """
    nearest = float(number)
    return nearest if Fraction(nearest) <= number else math.nextafter(nearest, -math.inf)


def float_above(number: Fraction) -> float:
    """Return the smallest float that is at least `number`."""
    # Not -0.0, as minus the float below 0 is.
    return -float_below(-number) + 0.0


def exp_above(epsilon: float | Decimal) -> Fraction:
    """Return a fraction at least ``e^epsilon``, with a relative error below 1e-57, exactly 1 at 0, up to 1e5.

    Examples
    --------
    >>> exp_below(1.0) < exp_above(1.0), exp_above(0.0)
    (True, Fraction(1, 1))
    """
    return Fraction(1) if epsilon == 0 else exp_below(epsilon) * (1 + TINY)


def exp_down(exponent: float) -> float:
    """Return the largest float that is at most ``e^exponent``, exactly 1 at 0."""
    if exponent > 0:
        return float_below(exp_below(min(exponent, LARGEST_EXPONENT)))
    return float_below((1 - TINY) / exp_below(-exponent)) if exponent < 0 else 1.0


def exp_up(exponent: float) -> float:
    """Return a float that is at least ``e^exponent``, the next one mostly, exactly 1 at 0; infinite beyond floats."""
    if exponent > LARGEST_EXPONENT:
        return math.inf
    if exponent < 0:
        return float_above(1 / exp_below(-exponent))
    return float_above((1 + TINY) * exp_below(exponent)) if exponent > 0 else 1.0
