"""How well a secret of two values is guessed from the output: the weighted error and what bounds it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from mechdesign.errors import InfeasibleError
from mechdesign.notions import ApproximateLDP, WeightedTV
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Holds
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Channel, Real, Whole

PAIR = {"n": Whole(2, 5), "pair": Channel(2, "n")}


def norm(point: Point) -> Any:
    """Return ``||(1-w) p_0 - w p_1||_1``."""
    first, second = point.pair
    return sum(abs((1 - point.weight) * p - point.weight * q) for p, q in zip(first, second, strict=True))


def over_events(first: Array, second: Array) -> list[tuple[Any, Any]]:
    """Return the probabilities of every set of outputs under two distributions."""
    sets = product((0, 1), repeat=len(first))
    return [(sum(p for p, s in zip(first, e, strict=True) if s), _sum(second, e)) for e in sets]


def _sum(row: Array, event: tuple[int, ...]) -> Any:
    return sum(p for p, inside in zip(row, event, strict=True) if inside)


def least_error(point: Point) -> Array:
    """Return half of one less the norm."""
    return np.array([(1 - norm(point)) / 2], dtype=object)


def guessed(point: Point, given: Array) -> Iterator[Check]:
    """Try every set of outputs from which the second secret is inferred."""
    w = point.weight
    least = min((1 - w) * on_first + w * (1 - on_second) for on_first, on_second in over_events(*point.pair))
    yield Equal(given, np.array([least], dtype=object), "it is the least weighted error over all sets of outputs")
    bounded, hard = norm(point) <= point.delta, least >= (1 - point.delta) / 2
    yield Holds(bool(bounded == hard), "the norm is at most delta where that error is at least (1-delta)/2")


ERR = Theorem(
    key="yoshida/err",
    place="Section II, the display before eq. (1)",
    kind="identity",
    words=(
        "The least weighted error probability of a guess at the secret is (1 - ||(1-w) p_0 - w p_1||_1)/2, so the norm "
        "is at most delta exactly where that error is at least a = (1-delta)/2."
    ),
    latex=(
        r"\min_S \left( (1-w) p_0(S) + w p_1(S^c) \right) "
        r"= \frac{1}{2} \left( 1 - \sum_y |(1-w) p_0(y) - w p_1(y)| \right)"
    ),
    family=Family({"weight": Real(0.02, 0.98), "delta": Real(0.0, 1.0), **PAIR}, exact=True),
    printed=least_error,
    test=guessed,
)


def half_norm(point: Point) -> Array:
    """Return ``||p_0 - p_1||_1 / 2``."""
    first, second = point.pair
    return np.array([sum(abs(p - q) for p, q in zip(first, second, strict=True)) / 2], dtype=object)


def excess(rows: Array, ratio: Any) -> Any:
    """Return the largest ``p_i(S) - ratio p_j(S)`` over sets of outputs and both orders of the secrets."""
    return max(p - ratio * q for i, j in ((0, 1), (1, 0)) for p, q in over_events(rows[i], rows[j]))


def compared(point: Point, given: Array) -> Iterator[Check]:
    """Compare with the least delta by the definition over all sets, also for a positive epsilon."""
    yield Equal(given, np.array([excess(point.pair, 1)], dtype=object), "it is the least delta at epsilon 0")
    pair, problem, ratio = point.pair.astype(float), Problem(n=2), point.ratio
    level = ApproximateLDP(math.log(ratio), 1.0).level(pair, problem).value
    yield Equal(level, float(excess(point.pair, ratio)), "the positive parts sum to the least delta", scale=1.0)
    yield Equal(given.astype(float), WeightedTV(1.0).level(pair, problem).value, "weight 1/2 is the same", scale=1.0)


EQ2 = Theorem(
    key="yoshida/eq2",
    place="eq. (2) and the sentence after it",
    kind="identity",
    words="At epsilon = 0, (epsilon, delta)-differential privacy of two secrets says ||p_0 - p_1||_1 / 2 <= delta.",
    latex=r"\max_{i,j,S} \left( p_i(S) - p_j(S) \right) = \frac{1}{2} \sum_y |p_0(y) - p_1(y)|",
    family=Family({"ratio": Real(1.0, 6.0), **PAIR}, exact=True),
    printed=half_norm,
    test=compared,
)


def least_delta(point: Point) -> Array:
    """Return ``|1 - 2w|``."""
    return np.array([abs(1 - 2 * point.weight)], dtype=object)


def reached(point: Point, given: Array) -> Iterator[Check]:
    """Try pairs of distributions, and the two that are the same."""
    alike = point.changed(pair=np.array([point.pair[0], point.pair[0]], dtype=object))
    yield AtMost(given, np.array([norm(point)], dtype=object), "no pair has a smaller norm")
    yield Equal(given, np.array([norm(alike)], dtype=object), "the same distribution for both has this norm")
    inside = (1 - point.delta) / 2 <= point.weight <= (1 + point.delta) / 2
    yield Holds(inside == _feasible(point), "a mechanism exists exactly for weights from a to 1 - a")


def _feasible(point: Point) -> bool:
    if abs(point.delta - abs(1 - 2 * point.weight)) < Fraction(1, 10**9):
        # In floats, rounding decides on which side of the end it is.
        return True
    try:
        WeightedTV(float(point.delta), float(point.weight)).inputs(Problem(n=2))
    except InfeasibleError:
        return False
    return True


DOM = Theorem(
    key="yoshida/dom",
    place="Section II, before Theorem 1",
    kind="implication",
    words=(
        "The norm is at least |1 - 2w|, so some pair of distributions satisfies the constraint exactly where "
        "|1 - 2w| <= delta, that is for w from a to 1 - a."
    ),
    latex=r"|1 - 2w| \le \sum_y |(1-w) p_0(y) - w p_1(y)|",
    family=Family({"weight": Real(0.02, 0.98), "delta": Real(0.01, 0.99), **PAIR}, exact=True),
    printed=least_delta,
    test=reached,
)
