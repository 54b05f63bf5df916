"""Appendix A, the proof of Theorem 2, steps 3 and 4: the edges of what LIP allows; exact, E stands for e^epsilon."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_lip.appendix_binary import share, slope
from mechdesign.theorems.jiang_lip.variance_of_estimate import outputs
from mechdesign.theorems.variables import Distribution, Real


def other_flips(point: Point) -> tuple[Any, ...]:
    """Return the q_0 that are tried: where the two pieces meet, and some on both sides, the point's own among them."""
    met = point.prior[1] / point.E
    return met, met / 2, (1 + met) / 2, point.q_zero


def least_flips(point: Point) -> Array:
    """Return the printed least q_1 at each of these q_0."""
    (common, rare), exp = point.prior, point.E
    pieces = [
        common * (1 - q) / (exp - rare) if q >= rare / exp else 1 - (exp + rare - 1) * q / rare
        for q in other_flips(point)
    ]
    return np.array(pieces, dtype=object)


def _are_least_flips(point: Point, given: Array) -> Iterable[Check]:
    for q, least in zip(other_flips(point), given, strict=True):
        yield Equal(_least_by_bounds(point, q), least, f"the least q_1 with four bounds, at q_0 = {float(q):.6g}")


def _least_by_bounds(point: Point, q: Any) -> Any:
    """Return the largest lower bound that the four two-sided constraints and 0 put on q_1."""
    (common, rare), exp = point.prior, point.E
    # lambda_0 = zero + rare q_1, and each bound is level + gain q_1 >= 0.
    zero, one = common * (1 - q), common * q + rare
    bounds = [(Fraction(0), 1)]
    for mass, other, conditional, change in (
        (zero, rare, 0, 1),
        (zero, rare, 1 - q, 0),
        (one, -rare, 1, -1),
        (one, -rare, q, 0),
    ):
        bounds.append((exp * mass - conditional, exp * other - change))
        bounds.append((exp * conditional - mass, exp * change - other))
    return max(-level / gain for level, gain in bounds if gain > 0)


COMMON = Condition("min prior", "1/(1 + E)", lambda point: (min(point.prior), 1 / (1 + point.E)))

A46 = Theorem(
    key="jiang_lip/appA-eq46",
    place="eq. (46) and below",
    kind="lower bound",
    words=(
        "Of the flips that LIP allows with q_0 + q_1 <= 1, the least q_1 at a given q_0 is where F_1 = E for "
        "q_0 >= P_1/E and where F_4 = E below."
    ),
    latex=(
        r"q_1 \ge \frac{(1 - P_1)(1 - q_0)}{E - P_1} \text{ if } q_0 \ge P_1/E, \quad "
        r"1 - \frac{(E + P_1 - 1) q_0}{P_1} \text{ if } q_0 < P_1/E"
    ),
    # F_2 >= 1/E and F_3 >= 1/E stand in (46) and are then dropped; the first binds where P_1 < 1/(1 + E), the second
    # where 1 - P_1 is, and either does so first where the two pieces meet.
    family=Family(
        {"E": Real(1.05, 8.0), "prior": Distribution(2, 0.02), "q_zero": Real(0.005, 0.95, log=True)}, exact=True
    ),
    printed=least_flips,
    test=_are_least_flips,
    narrower=(COMMON,),
)


def _first_edge(point: Point, step: Any = Fraction(0)) -> Point:
    """Return the flips of the edge F_1 = E, q_1 the given share of its way, and `step` more."""
    (common, rare), exp = point.prior, point.E
    q = point.share * common / (exp - rare) + step
    return point.changed(q_zero=1 - (exp - rare) * q / common, q_one=q)


def _second_edge(point: Point, step: Any = Fraction(0)) -> Point:
    """Return the flips of the edge F_4 = E, q_0 the given share of its way, and `step` more."""
    rare, exp = point.prior[1], point.E
    q = point.share * rare / (exp + rare - 1) + step
    return point.changed(q_zero=q, q_one=1 - (exp + rare - 1) * q / rare)


def _edges(point: Point) -> tuple[Any, Any, Any]:
    (common, rare), exp = point.prior, point.E
    first, second = _first_edge(point), _second_edge(point)
    (zero, one), q = outputs(first), first.q_one
    explained = (common * (exp - 1) * q) ** 2 / (zero * one)
    by_one = one * (zero - rare * q) + zero * one + rare * q * zero
    by_one *= (common * (exp - 1)) ** 2 * q / (zero * one) ** 2
    (zero, one), q = outputs(second), second.q_zero
    by_zero = zero * (one - common * q) + one * common * q
    by_zero *= (rare * (exp - 1)) ** 2 * q / (zero * one) ** 2
    return explained, by_one, by_zero


def _mended_edges(point: Point) -> tuple[Any, Any, Any]:
    (common, rare), exp = point.prior, point.E
    first, second = _first_edge(point), _second_edge(point)
    (zero, one), last = outputs(first), outputs(second)[0]
    return (
        ((exp - 1) * first.q_one) ** 2 / (zero * one),
        (exp - 1) ** 2 / (exp * one**2),
        (common / rare * (exp - 1)) ** 2 / (exp * last**2),
    )


def _are_edges(point: Point, given: tuple[Any, Any, Any]) -> Iterable[Check]:
    yield Equal(share(_first_edge(point)), given[0], "L where F_1 = E")
    yield Equal(slope(lambda step: _first_edge(point, step)), given[1], "its derivative by q_1 along the edge")
    yield Equal(slope(lambda step: _second_edge(point, step)), given[2], "that by q_0 along F_4 = E")
    yield AtMost(np.zeros(2), np.array(given[1:], dtype=float), "both are positive")


STEP4 = Theorem(
    key="jiang_lip/appA-step4",
    place="Appendix A, step 4",
    kind="identity",
    words=(
        "L where F_1 = E, and its derivatives along that edge and along F_4 = E, both positive: on each edge L is "
        "largest at their crossing, (P_1/E, (1 - P_1)/E)."
    ),
    latex=r"L = \frac{((1 - P_1)(E - 1) q_1)^2}{\lambda_0 \lambda_1}",
    family=Family({"E": Real(1.05, 8.0), "prior": Distribution(2, 0.02), "share": Real(0.05, 0.95)}, exact=True),
    printed=_edges,
    test=_are_edges,
    corrected=_mended_edges,
    correction=(
        "((E - 1) q_1)^2/(lambda_0 lambda_1), without 1 - P_1; the first printed derivative is the partial one of such "
        "an expression, the second lacks the term lambda_0 lambda_1; along the edges, where the other flip moves too, "
        "they are (E - 1)^2/(E lambda_1^2) and ((1 - P_1)(E - 1)/P_1)^2/(E lambda_0^2)"
    ),
)
