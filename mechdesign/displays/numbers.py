"""Numbers as people read them: few digits, rounded outward where a claim depends on the direction."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def rounded_up(number: float, digits: int) -> str:
    """Return `number` with that many digits, never less than it is: levels and gaps are rounded outward.

    Examples
    --------
    >>> rounded_up(1.0986122886681098, 6), rounded_up(float("nan"), 6), rounded_up(0.0, 2), rounded_up(0.2, 9)
    ('1.09862', '-', '0', '0.2')
    """
    return _rounded(number, digits, ROUND_CEILING)


def rounded_down(number: float, digits: int) -> str:
    """Return `number` with that many digits, never more than it is.

    Examples
    --------
    >>> rounded_down(0.6666666, 3), rounded_down(-0.6666666, 3)
    ('0.666', '-0.667')
    """
    return _rounded(number, digits, ROUND_FLOOR)


def outward(value: float, bound: float, sense: str, digits: int = 6) -> tuple[str, str]:
    """Return a value and the bound on all values with that many digits, each on the side on which it stays true.

    `sense` is "minimise" or "maximise". The value is never shown as better than it is, and the bound never as
    tighter than what is proved.

    Examples
    --------
    >>> outward(0.66666666, 0.66666665, "minimise", 3), outward(0.66666665, 0.66666666, "maximise", 3)
    (('0.667', '0.666'), ('0.666', '0.667'))
    """
    if sense == "minimise":
        return rounded_up(value, digits), rounded_down(bound, digits)
    return rounded_down(value, digits), rounded_up(bound, digits)


def in_full(number: float) -> str:
    """Return `number` with as few digits as distinguish it from every other float: what is asked is never rounded.

    Examples
    --------
    >>> in_full(1.0), in_full(1.0000004), in_full(float("inf"))
    ('1', '1.0000004', 'inf')
    """
    return repr(float(number)).removesuffix(".0")


def _rounded(number: float, digits: int, direction: str) -> str:
    """Return `number` with that many digits, rounded in a direction of `decimal`.

    What is rounded is the shortest decimal of the float: 0.2 is "0.2", although its binary digits are more than that.
    """
    if math.isnan(number):
        return "-"
    if math.isinf(number):
        return str(number)
    return f"{float(Context(prec=digits, rounding=direction).create_decimal(Decimal(repr(float(number))))):.{digits}g}"


def digits(number: float, count: int = 6) -> str:
    """Return `number` with a given number of digits; a dash for NaN.

    Examples
    --------
    >>> digits(1 / 3), digits(float("nan")), digits(2.0)
    ('0.333333', '-', '2')
    """
    return "-" if math.isnan(number) else f"{number:.{count}g}"
