"""Numbers as people and files write them, and whole ones that floats hold."""

from __future__ import annotations

import math
import re

#: Beyond this size floats skip whole numbers.
EXACT = 2.0**53


def written(number: float) -> str:
    """Return a number as people write it: whole ones without a point.

    Examples
    --------
    >>> written(55.0), written(0.5)
    ('55', '0.5')
    """
    return str(int(number)) if number.is_integer() and abs(number) <= EXACT else repr(number)


def as_number(text: str) -> float:
    """Return the number that a text stands for, NaN if it stands for none.

    Examples
    --------
    >>> as_number("1e3"), as_number("1_000")
    (1000.0, nan)
    """
    try:
        # Python would read 1_000 too, which no spreadsheet writes.
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan


def decimal_comma(text: str) -> bool:
    """Return whether a text is a number with a decimal comma.

    Examples
    --------
    >>> decimal_comma("20,5"), decimal_comma("20.5"), decimal_comma("a,b")
    (True, False, False)
    """
    return text.count(",") == 1 and "." not in text and math.isfinite(as_number(text.replace(",", ".")))


def with_point(text: str) -> str:
    """Return how a number with a decimal comma is to be written, which may be a comma that groups digits.

    Examples
    --------
    >>> with_point("20,5")
    'write 20.5, with a decimal point'
    >>> with_point("1,000")
    'write 1000 if the comma groups its digits, otherwise 1.000, with a decimal point'
    """
    point = f"{text.replace(',', '.')}, with a decimal point"
    if re.fullmatch(r"\s*[-+]?\d{1,3},\d{3}\s*", text) is None:
        return f"write {point}"
    return f"write {text.replace(',', '')} if the comma groups its digits, otherwise {point}"
