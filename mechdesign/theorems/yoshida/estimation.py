"""What the Fisher information of the outputs says of an estimate: its variance and its confidence interval."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np

from mechdesign.objectives import FisherInformation
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Channel, Real, Whole

#: Reports of which the variance of the estimate is summed up exactly.
REPORTS = 4


def information(point: Point) -> Array:
    """Return ``sum_y (p_1(y) - p_0(y))^2 / p_theta(y)``."""
    first, second = point.pair
    mixed = (1 - point.theta) * first + point.theta * second
    return np.array([sum((second - first) ** 2 / mixed)], dtype=object)


def scored(point: Point, given: Array) -> Iterator[Check]:
    """Compare with the mean square of the score, and with the variance of the estimate from a few reports."""
    first, second = point.pair
    mixed = (1 - point.theta) * first + point.theta * second
    # The mixture is linear in theta, so that a difference quotient is its derivative.
    step = Fraction(1, 8)
    after, before = ((1 - t) * first + t * second for t in (point.theta + step, point.theta - step))
    score = (after - before) / (2 * step) / mixed
    yield Equal(given, np.array([sum(score**2 * mixed)], dtype=object), "it is the mean square of the score")
    if point.n == 2 and first[0] != second[0]:
        scaled: Any = variance(point)
        yield Equal(
            given * REPORTS * scaled, np.array([Fraction(1)], dtype=object), "reports times variance is its inverse"
        )
    toolkit = FisherInformation(theta=[1 - float(point.theta), float(point.theta)], direction=[-1.0, 1.0])
    value = toolkit.value(point.pair.astype(float), Problem(n=2))
    yield Equal(given.astype(float), value, "the objective is this", scale=1.0)


def variance(point: Point) -> Fraction:
    """Return the variance of the theta at which two outputs are as likely as they were frequent."""
    first, second = point.pair[:, 0]
    likely, total = (1 - point.theta) * first + point.theta * second, Fraction(0)
    for seen in range(REPORTS + 1):
        estimate = (Fraction(seen, REPORTS) - first) / (second - first)
        chance = math.comb(REPORTS, seen) * likely**seen * (1 - likely) ** (REPORTS - seen)
        total += chance * (estimate - point.theta) ** 2
    return total


J = Theorem(
    key="yoshida/J",
    place="eq. (8), and Section II",
    kind="identity",
    words=(
        "The Fisher information about theta is the sum of (p_1 - p_0)^2 / p_theta; the variance of the maximum "
        "likelihood estimate behaves as its inverse over the number of reports (exactly, with two outputs)."
    ),
    latex=r"J_{\theta} = \sum_y \frac{(p_1(y) - p_0(y))^2}{p_{\theta}(y)}",
    family=Family(
        {"theta": Real(0.05, 0.95), "n": Whole(2, 5), "pair": Channel(2, "n", least=0.01)},
        exact=True,
    ),
    printed=information,
    test=scored,
)


def at_tails(point: Point, low: float, high: float) -> Array:
    """Return the interval's two ends, less the estimate, at two quantiles of the normal distribution."""
    quantiles = np.array([NormalDist().inv_cdf(low), NormalDist().inv_cdf(high)])
    return quantiles / math.sqrt(point.reports * point.information)


def covered(point: Point, given: Array) -> Iterator[Check]:
    """Compute how often the interval about theta + Z / sqrt(n J) covers theta."""
    low, high = given * math.sqrt(point.reports * point.information)
    normal = NormalDist()
    yield Equal(normal.cdf(-low) - normal.cdf(-high), point.level, "it covers theta with this probability")
    yield Equal(normal.cdf(low), normal.cdf(-high), "it misses on both sides alike")


CI = Theorem(
    key="yoshida/CI",
    place="Section II, confidence interval",
    kind="identity",
    words=(
        "The interval of confidence level alpha reaches from the estimate plus Phi^-1(alpha/2) / sqrt(n J) to the "
        "estimate plus Phi^-1(1 - alpha/2) / sqrt(n J)."
    ),
    latex=(
        r"\left[ \theta + \frac{\Phi^{-1}(\alpha/2)}{\sqrt{n J}}, "
        r"\theta + \frac{\Phi^{-1}(1 - \alpha/2)}{\sqrt{n J}} \right]"
    ),
    family=Family({"level": Real(0.01, 0.99), "information": Real(0.05, 10.0), "reports": Whole(10, 10000)}),
    printed=lambda point: at_tails(point, point.level / 2, 1 - point.level / 2),
    test=covered,
    # The printed interval covers theta with probability 1 - alpha.
    corrected=lambda point: at_tails(point, (1 - point.level) / 2, (1 + point.level) / 2),
    correction="Phi^-1((1 - alpha)/2) and Phi^-1((1 + alpha)/2): as printed, alpha is the probability to miss.",
)
