"""How many outputs an optimal mechanism needs; in exact fractions, E stands for e^epsilon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from math import log
from typing import Any

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import MMSE
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.distinct_values import Increasing
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Distribution, Real

_INPUTS = 3


def asked(point: Point) -> Question:
    """Return the question of the least squared error under LIP."""
    prior, values = (np.array(numbers, dtype=float) for numbers in (point.prior, point.values))
    return Question(Problem(prior=prior, values=values), LIP(log(point.E)), MMSE())


def _band(point: Point) -> Array:
    """Return the rows of ``m/E <= v <= E m`` with the mass ``m = P . v``, shape (6, 3): each is at least 0."""
    each, mass = np.array([[Fraction(int(x == k)) for k in range(_INPUTS)] for x in range(_INPUTS)]), point.prior
    return np.concatenate([each - mass / point.E, point.E * mass - each])


def _crossings(rows: Array, levels: Array) -> Iterator[Array]:
    """Yield the vectors at which three of the rows are at their levels, by Cramer's rule."""
    for chosen in combinations(range(len(rows)), _INPUTS):
        a, b, c = rows[list(chosen)]
        scale = a @ np.cross(b, c)
        if scale != 0:
            x, y, z = levels[list(chosen)]
            yield (x * np.cross(b, c) + y * np.cross(c, a) + z * np.cross(a, b)) / scale


def _deviation(point: Point) -> Array:
    """Return ``P_x (a_x - mean)``: its product with a column, squared over the mass, is what an output explains."""
    return np.asarray(point.prior * (point.values - point.prior @ point.values))


def least_error(point: Point) -> Any:
    """Return the least squared error of any number of outputs: a linear program over the extreme columns."""
    rows, mass, away = _band(point), point.prior, _deviation(point)
    levels = np.array([Fraction(0)] * len(rows) + [Fraction(1)])
    found = _crossings(np.concatenate([rows, mass[None]]), levels)
    columns = {tuple(v) for v in found if mass @ v == 1 and (rows @ v >= 0).all()}
    most = Fraction(0)
    for three in combinations([np.array(v) for v in sorted(columns)], _INPUTS):
        weights = next(_crossings(np.array(three).T, np.array([Fraction(1)] * _INPUTS)), None)
        if weights is not None and min(weights) >= 0:
            most = max(most, sum(w * (away @ v) ** 2 for w, v in zip(weights, three, strict=True)))
    return _variance(point) - most


def least_error_of_two(point: Point) -> Any:
    """Return the least squared error of two outputs, by trying every vertex.

    Both q and 1 - q are private, a polytope of columns q, on which the explained variance is convex.
    """
    rows, mass, away = _band(point), point.prior, _deviation(point)
    both = np.concatenate([rows, -rows])
    levels = np.concatenate([[Fraction(0)] * len(rows), -rows.sum(axis=1)])
    most = Fraction(0)
    for q in _crossings(both, levels):
        share = mass @ q
        if 0 < share < 1 and (both @ q >= levels).all():
            most = max(most, (away @ q) ** 2 / (share * (1 - share)))
    return _variance(point) - most


def _variance(point: Point) -> Any:
    return point.prior @ (point.values - point.prior @ point.values) ** 2


def _as_many_as_inputs(point: Point, given: int) -> Iterable[Check]:
    free, of_two = least_error(point), least_error_of_two(point)
    yield Equal(float(free), Optimum(asked(point)), "the least error in exact fractions")
    yield Equal(float(free), Optimum(asked(point), outputs=_INPUTS), "more outputs than that are no better")
    yield AtMost(free, of_two, "the least error against that of two outputs")
    yield Equal(given, 2 if of_two == free else _INPUTS, "the fewest outputs that reach the least error")


T4 = Theorem(
    key="jiang_lip/T4",
    place="Theorem 4",
    kind="comparison",
    words=(
        "The best number of outputs for the least squared error under LIP is the number of inputs: more do not help, "
        "and fewer are worse; here for three inputs with distinct values."
    ),
    latex=r"f^* = d",
    # More never help: a linear program over extreme columns, with a row for each input, needs no more columns than
    # that. The loss of two outputs is quadratic in the distance from the edge: floats do not see it there.
    family=Family(
        {
            "E": Real(1.05, 40.0, log=True),
            "prior": Distribution(_INPUTS, least=0.02),
            "values": Increasing(_INPUTS, 0.0, 6.0),
        },
        exact=True,
    ),
    printed=lambda point: _INPUTS,
    test=_as_many_as_inputs,
    narrower=(
        Condition(
            "E/(1 + E)",
            "max(P_1, P_3)",
            lambda point: (point.E / (1 + point.E), max(point.prior[0], point.prior[-1])),
        ),
    ),
)
