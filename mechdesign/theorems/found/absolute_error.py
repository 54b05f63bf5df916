"""The least absolute error of n equally likely values 0, ..., n - 1, under LDP and LIP."""

from __future__ import annotations

import math

from mechdesign.notions import LDP, LIP
from mechdesign.objectives import AbsoluteError
from mechdesign.theorems.found.even_prior import at_least, at_most, found

CONJECTURE = "conjecture, found by md.conjecture from exact optima of small n"


def _last_change(n: int, ratio: float) -> float:
    """Return the positive root of ``6 E^2 - 3 (n^2 - 3 n + 4) E - (n - 1)(n - 2)(n - 3)``."""
    half = 3 * (n * n - 3 * n + 4)
    return (half + math.sqrt(half * half + 24 * (n - 1) * (n - 2) * (n - 3))) / 12


LDP_WEAK = found(
    "absolute-ldp-weak",
    LDP,
    AbsoluteError(),
    range(3, 10),
    "(n^2 - 1)/(3 (E + n - 1))",
    lambda n, ratio: (n * n - 1) / (3 * (ratio + n - 1)),
    at_least("the root of 6 E^2 - 3 (n^2 - 3 n + 4) E - (n - 1)(n - 2)(n - 3)", _last_change),
    latex=r"\frac{n^2 - 1}{3 (E + n - 1)}",
    origin=CONJECTURE,
)

LDP_ODD = found(
    "absolute-ldp-odd",
    LDP,
    AbsoluteError(),
    range(3, 14, 2),
    "(n^2 - 1)/(4 n)",
    lambda n, ratio: (n * n - 1) / (4 * n),
    at_most("(n + 1)/(n - 1)", lambda n, ratio: (n + 1) / (n - 1)),
    latex=r"\frac{n^2 - 1}{4 n}",
    origin=f"{CONJECTURE}: no mechanism is better than the middle value alone",
)

LIP_WEAK = found(
    "absolute-lip-weak",
    LIP,
    AbsoluteError(),
    range(3, 10),
    "(n^2 - 1)/(3 n E)",
    lambda n, ratio: (n * n - 1) / (3 * n * ratio),
    at_least("n - 1", lambda n, ratio: n - 1),
    latex=r"\frac{n^2 - 1}{3 n E}",
    origin=CONJECTURE,
)

LIP_ODD = found(
    "absolute-lip-odd",
    LIP,
    AbsoluteError(),
    range(3, 12, 2),
    "(n^2 - 1)/(4 n)",
    lambda n, ratio: (n * n - 1) / (4 * n),
    at_most("n/(n - 1)", lambda n, ratio: n / (n - 1)),
    latex=r"\frac{n^2 - 1}{4 n}",
    origin=f"{CONJECTURE}: no mechanism is better than the middle value alone",
)

LIP_EVEN = found(
    "absolute-lip-even",
    LIP,
    AbsoluteError(),
    range(4, 13, 2),
    "((n - 2) E + 2)/(4 E)",
    lambda n, ratio: ((n - 2) * ratio + 2) / (4 * ratio),
    at_most("n/(n - 2)", lambda n, ratio: n / (n - 2)),
    latex=r"\frac{(n - 2) E + 2}{4 E}",
    origin=CONJECTURE,
)
