"""How fast the errors of a test between two mixtures fall at bounded weighted total variation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from mechdesign.objectives import (
    ChernoffExponent,
    HanKobayashiExponent,
    HoeffdingExponent,
    KLDivergence,
    Objective,
)
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Seed, Whole
from mechdesign.theorems.yoshida.divergences import BETWEEN, asked_for, largest_renyi, mixtures
from mechdesign.theorems.yoshida.optimal_pairs import strays
from mechdesign.theorems.yoshida.three_outputs import three_outputs
from mechdesign.theorems.yoshida.two_outputs import FEASIBLE

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


def supremum(of: Callable[[float], float], low: float, high: float) -> float:
    """Return the supremum of a function with one peak over the open interval ``(low, high)``."""
    best = max(of(low), of(high))
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    on_left, on_right = of(left), of(right)
    for _ in range(90):
        if on_left > on_right:
            high, right, on_right = right, left, on_left
            left = high - GOLDEN * (high - low)
            on_left = of(left)
        else:
            low, left, on_left = left, right, on_right
            right = low + GOLDEN * (high - low)
            on_right = of(right)
    return max(best, on_left, on_right)


#: The distance from the ends of an open interval at which orders are tried.
NEXT = 1e-12


def turned(point: Point) -> Point:
    """Return the point with the two mixtures exchanged."""
    return point.changed(theta1=point.theta2, theta2=point.theta1)


def rate(point: Point) -> float:
    """Return the point's multiple of the largest relative entropy of the second mixture to the first."""
    question = asked_for(point, KLDivergence(**mixtures(turned(point))))
    return float(point.share * question.objective.value(three_outputs(question).matrix, question.problem))


#: One in so many points is compared with the certified optimum, whose search over orders takes 0.1 s.
ONE_IN = 20

#: The scale of comparisons: exponents are logarithms of sums near 1, which are rounded by about 1e-15.
LEAST = 1e-7

POINTS = {**BETWEEN, "outputs": Whole(3, 5), "seed": Seed(), "turn": Whole(1, ONE_IN)}


def is_reached(point: Point, objective: Objective, given: float) -> Iterator[Check]:
    """Compare the exchanged optimum with that over mechanisms, with the three-output mechanism and with others."""
    question = asked_for(point, objective)
    # On the boundary an output has negligible mass, and the certificate of a search over orders says nothing.
    if point.turn == ONE_IN and FEASIBLE[0].margin(point) > 1e-6:
        yield Equal(given, Optimum(question), "it is the optimum over mechanisms", scale=LEAST)
    reached = objective.value(three_outputs(question).matrix, question.problem)
    yield Equal(given, reached, "the mechanism with three outputs reaches it", scale=LEAST)
    for matrix in strays(point, question.notion)[:2]:
        value = objective.value(matrix, question.problem)
        sides = (given, value) if objective.sense == "minimise" else (value, given)
        yield AtMost(*sides, "no private mechanism is better")


EQ17 = Theorem(
    key="yoshida/eq17",
    place="eq. (17)",
    kind="exact optimum",
    words=(
        "The largest Chernoff exponent over mechanisms is the supremum over s in (-1, 0) of -s times the largest Renyi "
        "divergence D_{1+s}, which the mechanism with three outputs reaches."
    ),
    latex=r"\sup_{-1 < s < 0} (-s) \max D_{1+s}(p_{\theta_1} | p_{\theta_2})",
    family=Family(POINTS),
    printed=lambda point: supremum(lambda s: -s * largest_renyi(point, s), -1 + NEXT, -NEXT),
    test=lambda point, given: is_reached(point, ChernoffExponent(**mixtures(point)), given),
    claimed=FEASIBLE,
)


def hoeffding(point: Point) -> float:
    """Return the supremum over s in (-1, 0), by ``t = 1 + s``, of ``s / (1+s) (r - D_{1+s})``."""
    r, exchanged = rate(point), turned(point)
    # The product with t is concave in t, so that the quotient has one peak.
    return supremum(lambda t: (t - 1) / t * (r - largest_renyi(exchanged, t - 1)), 1e-6, 1 - NEXT)


EQ18 = Theorem(
    key="yoshida/eq18",
    place="eq. (18)",
    kind="exact optimum",
    words=(
        "The largest Hoeffding exponent over mechanisms, one error falling at the rate r, is the supremum over s in "
        "(-1, 0) of s/(1+s) (r - D_{1+s}) at the largest Renyi divergence D_{1+s}."
    ),
    latex=r"\sup_{-1 < s < 0} \frac{s}{1+s} \left( r - \max D_{1+s}(p_{\theta_2} | p_{\theta_1}) \right)",
    family=Family({**POINTS, "share": Real(0.05, 0.9)}),
    printed=hoeffding,
    test=lambda point, given: is_reached(point, HoeffdingExponent(rate(point), **mixtures(point)), given),
    claimed=FEASIBLE,
)


def han_kobayashi(point: Point) -> float:
    """Return the supremum over s > 0, by ``t = s/(1+s)``, of ``t (r - D_{1+s})``, concave in t."""
    r, exchanged = rate(point), turned(point)
    return supremum(lambda t: t * (r - largest_renyi(exchanged, t / (1 - t))), NEXT, 1 - NEXT)


EQ19 = Theorem(
    key="yoshida/eq19",
    place="eq. (19), and the display that solves it",
    kind="exact optimum",
    words=(
        "The least Han-Kobayashi exponent over mechanisms is the supremum over s > 0 of s/(1+s) (r - D_{1+s}) at the "
        "largest Renyi divergence D_{1+s}: least and supremum may be exchanged."
    ),
    latex=r"\sup_{s > 0} \frac{s}{1+s} \left( r - \max D_{1+s}(p_{\theta_2} | p_{\theta_1}) \right)",
    family=Family({**POINTS, "share": Real(1.1, 8.0)}),
    printed=han_kobayashi,
    test=lambda point, given: is_reached(point, HanKobayashiExponent(rate(point), **mixtures(point)), given),
    claimed=FEASIBLE,
)
