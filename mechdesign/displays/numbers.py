"""Numbers as people read them: few digits, rounded outward where a claim depends on the direction."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal


def rounded_up(number: float, digits: int) -> str:
    """Return `number` with that many digits, never less than it is: levels and gaps are rounded outward.

    Examples
    --------
    >>> rounded_up(1.0986122886681098, 6), rounded_up(float("nan"), 6), rounded_up(0.0, 2)
    ('1.09862', '-', '0')
    """
    if math.isnan(number):
        return "-"
    if math.isinf(number):
        return str(number)
    return f"{float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(number))):.{digits}g}"


def digits(number: float, count: int = 6) -> str:
    """Return `number` with so many digits; a dash where there is none.

    Examples
    --------
    >>> digits(1 / 3), digits(float("nan")), digits(2.0)
    ('0.333333', '-', '2')
    """
    return "-" if math.isnan(number) else f"{number:.{count}g}"
