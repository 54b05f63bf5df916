"""The least absolute error of n equally likely values 0, ..., n - 1, under max-lift."""

from __future__ import annotations

from mechdesign.notions import MaxLift
from mechdesign.objectives import AbsoluteError
from mechdesign.theorems.found.even_prior import at_least, at_most, found

CONJECTURE = "conjecture, found by md.conjecture from exact optima of small n"
ODD, EVEN = range(5, 12, 2), range(4, 13, 2)

STRONG_EVEN = found(
    "absolute-max-lift-even",
    MaxLift,
    AbsoluteError(),
    EVEN,
    "(n + 2 - 2 E)/4",
    lambda n, ratio: (n + 2 - 2 * ratio) / 4,
    at_most("n/(n - 2)", lambda n, ratio: n / (n - 2)),
    latex=r"\frac{n + 2 - 2 E}{4}",
    origin=CONJECTURE,
)

STRONG_ODD = found(
    "absolute-max-lift-odd",
    MaxLift,
    AbsoluteError(),
    ODD,
    "(n^2 - 1)/(4 n)",
    lambda n, ratio: (n * n - 1) / (4 * n),
    at_most("n/(n - 1)", lambda n, ratio: n / (n - 1)),
    latex=r"\frac{n^2 - 1}{4 n}",
    origin=f"{CONJECTURE}: no mechanism is better than the middle value alone",
)

FLAT = found(
    "absolute-max-lift-flat",
    MaxLift,
    AbsoluteError(),
    ODD,
    "(n + 1)/(2 n)",
    lambda n, ratio: (n + 1) / (2 * n),
    at_least("(n - 1)/2", lambda n, ratio: (n - 1) / 2),
    at_most("n/2", lambda n, ratio: n / 2),
    latex=r"\frac{n + 1}{2 n}",
    origin=f"{CONJECTURE}: between these levels a larger one gains nothing",
)

STEEP = found(
    "absolute-max-lift-steep",
    MaxLift,
    AbsoluteError(),
    ODD,
    "(3 n + 1 - 4 E)/(2 n)",
    lambda n, ratio: (3 * n + 1 - 4 * ratio) / (2 * n),
    at_least("n/2", lambda n, ratio: n / 2),
    at_most("(n + 1)/2", lambda n, ratio: (n + 1) / 2),
    latex=r"\frac{3 n + 1 - 4 E}{2 n}",
    origin=CONJECTURE,
)

WEAK = found(
    "absolute-max-lift-weak",
    MaxLift,
    AbsoluteError(),
    ODD,
    "(n - E)/n",
    lambda n, ratio: max(n - ratio, 0.0) / n,
    at_least("(n + 1)/2", lambda n, ratio: (n + 1) / 2),
    at_most("n", lambda n, ratio: n),
    latex=r"\frac{n - E}{n}",
    origin=f"{CONJECTURE}; that no mechanism has less is proved, as the error is at least that of a wrong report",
)
