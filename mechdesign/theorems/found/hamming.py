"""The least probability of error where all inputs are equally likely, under LIP and under max-lift."""

from __future__ import annotations

from mechdesign.notions import LIP, MaxLift
from mechdesign.objectives import HammingLoss
from mechdesign.theorems.found.even_prior import at_least, at_most, found

SIZES = range(2, 10)

LIP_WEAK = found(
    "hamming-lip-weak",
    LIP,
    HammingLoss(),
    SIZES,
    "(n - 1)/(n E)",
    lambda n, ratio: (n - 1) / (n * ratio),
    at_least("n - 1", lambda n, ratio: n - 1),
    latex=r"\frac{n - 1}{n E}",
    origin=(
        "found by md.conjecture; proved: with the mass m of an output every entry is at least m/E, so that its largest "
        "is at most n m - (n - 1) m/E, and the sum over outputs is n - (n - 1)/E"
    ),
)

LIP_STRONG = found(
    "hamming-lip-strong",
    LIP,
    HammingLoss(),
    SIZES,
    "(n - E)/n",
    lambda n, ratio: max(n - ratio, 0.0) / n,
    at_most("n - 1", lambda n, ratio: n - 1),
    latex=r"\frac{n - E}{n}",
    origin=(
        "found by md.conjecture; that no mechanism has less is proved, as no entry is more than E times its output's "
        "mass; that one reaches it is a conjecture"
    ),
)

MAX_LIFT = found(
    "hamming-max-lift",
    MaxLift,
    HammingLoss(),
    SIZES,
    "the larger of (n - E)/n and 0",
    lambda n, ratio: max(n - ratio, 0.0) / n,
    latex=r"\max\left(\frac{n - E}{n}, 0\right)",
    origin="found by md.conjecture; proved: no entry is more than E times its output's mass, and the mechanism that "
    "reports the truth with probability E/n, and any other input alike, reaches it",
)
