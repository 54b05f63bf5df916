"""Largest f-divergences and Renyi divergences between two mixtures of inputs at bounded weighted total variation."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mechdesign.notions import WeightedTV
from mechdesign.objectives import (
    ChiSquareGenerator,
    FDivergence,
    HellingerGenerator,
    HoeffdingExponent,
    JensenShannonGenerator,
    KLDivergence,
    KLGenerator,
    Objective,
    PowerGenerator,
    RenyiDivergence,
    TotalVariationGenerator,
)
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Channel, Choice, Real, Whole
from mechdesign.theorems.yoshida.three_outputs import three_outputs
from mechdesign.theorems.yoshida.two_outputs import FEASIBLE

#: The two shares reach over different ranges, so that no corner makes them the same.
BETWEEN = {
    "delta": Real(0.05, 0.95),
    "weight": Real(0.05, 0.95),
    "theta1": Real(0.05, 0.95),
    "theta2": Real(0.12, 0.87),
}


def mixtures(point: Point) -> dict[str, list[float]]:
    """Return the two mixtures of the two inputs, as keywords of an f-divergence."""
    return {"first": [1.0 - point.theta1, point.theta1], "second": [1.0 - point.theta2, point.theta2]}


def asked_for(point: Point, objective: Objective) -> Question:
    """Return the question with this objective at the point's delta and weight."""
    return Question(Problem(n=2), WeightedTV(point.delta, point.weight), objective)


def weighed(point: Point, last: float) -> float:
    """Return the three terms of the f-divergence, the third with the weight `last`."""
    a, w, s, t = (1 - point.delta) / 2, point.weight, point.theta1, point.theta2

    def f(ratio: float) -> float:
        return float(point.f.value(np.array([ratio]))[0])

    common = a * ((1 - t) / (1 - w) + t / w) * f(((1 - s) * w + s * (1 - w)) / ((1 - t) * w + t * (1 - w)))
    return float(common + (1 - a / (1 - w)) * (1 - t) * f((1 - s) / (1 - t)) + (1 - a / w) * last * f(s / t))


def is_largest(point: Point, given: float) -> Iterator[Check]:
    """Compare value and mechanism with the optimum."""
    question = asked_for(point, FDivergence(point.f, **mixtures(point)))
    yield from is_optimal(question, Published(three_outputs(question).matrix, given))


T4 = Theorem(
    key="yoshida/T4",
    place="Theorem 4",
    kind="exact optimum",
    words="With three outputs or more the largest f-divergence of two mixtures is a sum of three terms.",
    latex=(
        r"a \left( \frac{1-\theta_2}{1-w} + \frac{\theta_2}{w} \right) "
        r"f\left( \frac{(1-\theta_1)w + \theta_1(1-w)}{(1-\theta_2)w + \theta_2(1-w)} \right) "
        r"+ \left(1 - \frac{a}{1-w}\right)(1-\theta_2) f\left(\frac{1-\theta_1}{1-\theta_2}\right) "
        r"+ \left(1 - \frac{a}{w}\right)(1-\theta_2) f\left(\frac{\theta_1}{\theta_2}\right)"
    ),
    family=Family(
        {
            **BETWEEN,
            "f": Choice(
                (
                    KLGenerator(),
                    ChiSquareGenerator(),
                    HellingerGenerator(),
                    JensenShannonGenerator(),
                    TotalVariationGenerator(),
                    PowerGenerator(3.0),
                )
            ),
        }
    ),
    printed=lambda point: weighed(point, 1 - point.theta2),
    test=is_largest,
    claimed=FEASIBLE,
    # The third output comes from the second secret alone, which the second mixture has with theta_2.
    corrected=lambda point: weighed(point, point.theta2),
    correction="theta_2 instead of 1 - theta_2 in the third term.",
)


def by_power(point: Point) -> float:
    """Return the Renyi divergence of the outputs by their f-divergence with ``f(x) = -x^(1+s)`` or ``x^(1+s)``."""
    first, second = _outputs(point)
    sign = -1.0 if point.s < 0 else 1.0
    if point.s == 0:
        return float(second @ (first / second * np.log(first / second)))
    return float(math.log(sign * float(second @ (sign * (first / second) ** (1 + point.s)))) / point.s)


def _outputs(point: Point) -> tuple[Array, Array]:
    given = mixtures(point)
    return np.array(given["first"]) @ point.matrix, np.array(given["second"]) @ point.matrix


def renyi(point: Point) -> Objective:
    """Return the Renyi divergence of order 1 + s, at s = 0 the relative entropy."""
    return RenyiDivergence(1 + point.s, **mixtures(point)) if point.s else KLDivergence(**mixtures(point))


def recovered(point: Point, given: float) -> Iterator[Check]:
    """Compare with the definition and the toolkit's objective; the functions are convex."""
    first, second = _outputs(point)
    logs = np.log(first / second)
    terms = first * np.exp(point.s * logs)
    # The sum of powers is near 1, and its logarithm is divided by s.
    room = 1.0 if point.s == 0 else 1.0 / abs(point.s)
    definition = float(first @ logs) if point.s == 0 else math.log(math.fsum(terms)) / point.s
    yield Equal(given, definition, "it is the definition's", scale=room * 1e-6)
    yield Equal(given, renyi(point).value(point.matrix, Problem(n=2)), "the objective is this", scale=room * 1e-6)
    x, y = first[0] / second[0], first[-1] / second[-1]
    sign = -1.0 if point.s < 0 else 1.0
    middle, ends = sign * ((x + y) / 2) ** (1 + point.s), sign * (x ** (1 + point.s) + y ** (1 + point.s)) / 2
    yield AtMost(middle, ends, "the function of the ratio is convex")


ORDERS = (-0.9, -0.5, -0.1, 0.0, 0.2, 1.0, 2.5)

EQ20 = Theorem(
    key="yoshida/eq20",
    place="eq. (20)",
    kind="identity",
    words=(
        "The Renyi divergence D_{1+s} is a monotone function of the f-divergence with f(x) = -x^(1+s) for s in (-1, 0) "
        "and f(x) = x^(1+s) for s > 0; at s = 0 it is the f-divergence of x ln x."
    ),
    latex=(r"D_{1+s} = \frac{1}{s} \ln(-D_f) \text{ if } -1 < s < 0, \quad \frac{1}{s} \ln D_f \text{ if } s > 0"),
    family=Family(
        {
            "theta1": BETWEEN["theta1"],
            "theta2": BETWEEN["theta2"],
            "s": Choice(ORDERS),
            "n": Whole(2, 4),
            "matrix": Channel(2, "n", least=0.01),
        }
    ),
    printed=by_power,
    test=recovered,
)


def largest_renyi(point: Point, s: float) -> float:
    """Return the largest Renyi divergence of order 1 + s."""
    a, w, t1, t2 = (1 - point.delta) / 2, point.weight, point.theta1, point.theta2
    masses = np.array([a / (w * (1 - w)), 1 - a / (1 - w), 1 - a / w])
    first = np.array([(1 - t1) * w + t1 * (1 - w), 1 - t1, t1])
    second = np.array([(1 - t2) * w + t2 * (1 - w), 1 - t2, t2])
    logs = np.log(first / second)
    if s == 0:
        return float(masses @ (first * logs))
    if abs(s) * np.abs(logs).max() < 1:
        return float(np.log1p(masses @ (first * np.expm1(s * logs)))) / s
    # ln sum first e^(s logs), the largest power of an output with mass taken out.
    top = float((s * logs)[masses > 0].max())
    return float(np.log(masses @ (first * np.exp(np.minimum(s * logs - top, 0.0)))) + top) / s


def is_largest_renyi(point: Point, given: float) -> Iterator[Check]:
    """Compare value and mechanism with the optimum."""
    question = asked_for(point, renyi(point))
    yield from is_optimal(question, Published(three_outputs(question).matrix, given))


C2 = Theorem(
    key="yoshida/C2",
    place="Corollary 2",
    kind="exact optimum",
    words="With three outputs or more the largest Renyi divergence D_{1+s} of two mixtures is a sum of three powers.",
    latex=(
        r"\frac{1}{s} \ln \left[ \frac{a}{w(1-w)} "
        r"\frac{((1-\theta_1)w + \theta_1(1-w))^{1+s}}{((1-\theta_2)w + \theta_2(1-w))^s} "
        r"+ \left(1 - \frac{a}{1-w}\right) \frac{(1-\theta_1)^{1+s}}{(1-\theta_2)^s} "
        r"+ \left(1 - \frac{a}{w}\right) \frac{\theta_1^{1+s}}{\theta_2^s} \right]"
    ),
    family=Family({**BETWEEN, "s": Choice(ORDERS)}),
    printed=lambda point: largest_renyi(point, point.s),
    test=is_largest_renyi,
    claimed=FEASIBLE,
)


def is_steins(point: Point, given: float) -> Iterator[Check]:
    """Compare with the largest relative entropy, and with the exponent of one error at rate 0 of the other."""
    yield Equal(given, Optimum(asked_for(point, KLDivergence(**mixtures(point)))), "it is the largest relative entropy")
    constant = HoeffdingExponent(0.0, **mixtures(point))
    yield Equal(given, Optimum(asked_for(point, constant)), "it is the largest exponent where the other error is fixed")


ST = Theorem(
    key="yoshida/St",
    place="Section V, Stein's lemma",
    kind="exact optimum",
    words=(
        "The largest exponent of one error while the other is bounded by a constant is the largest relative entropy, "
        "which Corollary 2 gives at s = 0."
    ),
    latex=r"\max D(p_{\theta_1} | p_{\theta_2})",
    family=Family(BETWEEN),
    printed=lambda point: largest_renyi(point, 0.0),
    test=is_steins,
    claimed=FEASIBLE,
)
