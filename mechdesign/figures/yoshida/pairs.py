"""Pairs of distributions that disclose a secret bit, in exact fractions, and curves of their Fisher information."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from mechdesign.designing.entry import design
from mechdesign.designing.result import Design
from mechdesign.figures.figure import Curve
from mechdesign.figures.privacy import private
from mechdesign.notions import WeightedTV
from mechdesign.objectives import FisherInformation
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.family import Point
from mechdesign.theorems.yoshida.three_outputs import asked, three_outputs
from mechdesign.theorems.yoshida.two_outputs import two_outputs

#: The rows p_0 and p_1.
Pair = Sequence[Sequence[Fraction]]
#: delta and the weight of the figures' upper and lower parts.
UPPER, LOWER = (Fraction(1, 4), Fraction(1, 2)), (Fraction(1, 4), Fraction(2, 5))
SHARES = tuple(Fraction(i, 20) for i in range(1, 20))
X = np.array([float(theta) for theta in SHARES])
#: A value this near to the certified optimum, relative to it, is the optimum up to rounding.
NEAR = 1e-9
AXES = ("share theta", "Fisher information of one report")
#: Adult, the 1994 US census extract (UCI; R. Kohavi, KDD 1996): records with an income above 50,000 dollars.
ADULT = Fraction(11687, 48842)


def caption(delta: Fraction, weight: Fraction) -> str:
    """Return delta and the weight in words."""
    return f"n = 2, delta = {delta}, w = {weight}; the prior is (1 - theta, theta)"


def three(delta: Fraction, weight: Fraction) -> Pair:
    """Return case (iii) of Theorem 1."""
    a = (1 - delta) / 2
    zero = Fraction(0)
    return [[a / (1 - weight), 1 - a / (1 - weight), zero], [a / weight, zero, 1 - a / weight]]


def two(theta: Fraction, delta: Fraction, weight: Fraction) -> Pair:
    """Return cases (i) and (ii) of Theorem 1."""
    a, sure = (1 - delta) / 2, [Fraction(1), Fraction(0)]
    if theta <= (weight - a) / delta:
        return [sure, [a / weight, 1 - a / weight]]
    return [[a / (1 - weight), 1 - a / (1 - weight)], sure]


def warner(delta: Fraction) -> Pair:
    """Return the first pair of Table II: the truth with probability (1 + delta)/2."""
    truth = (1 + delta) / 2
    return [[truth, 1 - truth], [1 - truth, truth]]


def unrelated(delta: Fraction, eta: Fraction) -> Pair:
    """Return the second pair of Table II: with probability 1 - delta a question that eta answer with yes."""
    other = (1 - delta) * (1 - eta)
    return [[delta + other, (1 - delta) * eta], [other, delta + (1 - delta) * eta]]


def information(pair: Pair, theta: Fraction) -> float:
    """Return the Fisher information ``sum_y (p_1(y) - p_0(y))^2 / p_theta(y)``."""
    terms = [(q - p) ** 2 / ((1 - theta) * p + theta * q) for p, q in zip(*pair, strict=True) if p or q]
    return float(sum(terms))


def is_private(pair: Pair, delta: Fraction, weight: Fraction) -> bool:
    """Return whether a pair keeps ``|(1 - w) p_0 - w p_1|_1 <= delta``."""
    return private(pair, WeightedTV(float(delta), float(weight)), Problem(n=2))


def scheme(name: str, of: Callable[[Fraction], Pair], setting: tuple[Fraction, Fraction], beside: str = "") -> Curve:
    """Return the curve of the Fisher information of each share's pair at that share."""
    made = [of(theta) for theta in SHARES]
    flags = np.array([is_private(pair, *setting) for pair in made])
    heights = np.array([information(pair, theta) for pair, theta in zip(made, SHARES, strict=True)])
    return Curve(name, "published", X, heights, flags, beside)


def printed(
    name: str, outputs: int, of: Callable[[Fraction], Pair], setting: tuple[Fraction, Fraction], beside: str = ""
) -> Curve:
    """Return the largest information that Theorem 1 prints for a number of outputs, if its pair is private."""
    points = [Point({"delta": float(setting[0]), "weight": float(setting[1]), "theta": float(t)}) for t in SHARES]
    made = [two_outputs(point) if outputs == 2 else three_outputs(asked(point)) for point in points]
    flags = np.array([is_private(of(theta), *setting) for theta in SHARES])
    return Curve(name, "published", X, np.array([found.value for found in made], dtype=float), flags, beside)


def designs(setting: tuple[Fraction, Fraction]) -> list[Design]:
    """Return the certified design for each share."""
    notion = WeightedTV(float(setting[0]), float(setting[1]))
    return [design(Problem(n=2), notion, fisher(theta)) for theta in SHARES]


def fisher(theta: Fraction) -> FisherInformation:
    """Return the Fisher information of the share, at that share."""
    return FisherInformation(theta=[float(1 - theta), float(theta)], direction=[-1.0, 1.0])


def relative(more: Array, less: Array) -> tuple[float, float]:
    """Return by how many percent at least and at most the first exceed the second."""
    return 100.0 * (times(more, less)[0] - 1.0), 100.0 * (times(more, less)[1] - 1.0)


def times(more: Array, less: Array) -> tuple[float, float]:
    """Return the least and the largest ratio of the first to the second."""
    ratio = np.asarray(more) / np.asarray(less)
    return float(ratio.min()), float(ratio.max())
