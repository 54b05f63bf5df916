"""Matrices of integers just inside and just outside a notion, closer to its edge than floats can tell."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.exact import Integers
from mechdesign.notions import LDP, LIP, Notion, ProfileDP, WeightedTV
from mechdesign.problem import Problem

#: How far from the edge: further than any bound of e^epsilon that a check may use from the safe side, yet on the
#: outside nearer than a bound from the wrong side (those of `exact` are within 1e-58).
INSIDE, OUTSIDE = Fraction(1, 10**50), Fraction(1, 10**75)


@dataclass(frozen=True)
class Edge:
    """Two matrices of integers (rows of one sum): `inside` satisfies `notion` with next to no room, `outside` not."""

    notion: Notion
    problem: Problem
    inside: Integers
    outside: Integers


def exponential(epsilon: float, terms: int = 200) -> Fraction:
    """Return the Taylor sum of ``e^epsilon``, within 1e-80 of it in ratio for epsilon in [0, 10].

    Examples
    --------
    >>> float(exponential(1.0))
    2.718281828459045
    """
    total, term, x = Fraction(0), Fraction(1), Fraction(epsilon)
    for k in range(1, terms + 1):
        total += term
        # Cut to 400 bits: each term loses 1e-120 at most.
        term = Fraction(int(term * x / k * 2**400), 2**400)
    return total


def ldp_edge(epsilon: float = 1.0) -> Edge:
    """Return binary randomised response with the ratio e^epsilon, and a little more."""
    return Edge(LDP(epsilon), Problem(n=2), *_symmetric(epsilon, lambda ratio: (ratio, Fraction(1))))


def lip_edge(epsilon: float = 1.0) -> Edge:
    """Return the symmetric matrix on which the mass is e^epsilon times the least entry, and a little more."""
    problem = Problem(prior=np.array([0.5, 0.5]))
    return Edge(LIP(epsilon), problem, *_symmetric(epsilon, lambda ratio: (2 * ratio - 1, Fraction(1))))


def profile_edge(epsilon: float = 1.0) -> Edge:
    """Return randomised response of the profile itself: its data tell it."""
    notion = ProfileDP(epsilon, np.eye(2), ((0, 1),), sees_profile=False)
    return Edge(notion, Problem(n=2), *_symmetric(epsilon, lambda ratio: (ratio, Fraction(1))))


def weighted_tv_edge() -> Edge:
    """Return a matrix with ``|0.75 q0 - 0.25 q1|`` summing to exactly 0.625, and one with a little more."""

    def matrix(step: Fraction) -> Integers:
        # 0.75 (1 - a) + |0.75 a - 0.25| with a = 1/4 + step on the side where both terms fall with a.
        first = Fraction(1, 4) - step
        return _integers([[1 - first, first], [Fraction(0), Fraction(1)]])

    return Edge(WeightedTV(0.625, 0.25), Problem(n=2), matrix(Fraction(0)), matrix(OUTSIDE))


def _symmetric(epsilon: float, entries: Any) -> tuple[Integers, Integers]:
    exact = exponential(epsilon)
    pairs = (entries(exact * (1 - INSIDE)), entries(exact * (1 + OUTSIDE)))
    inside, outside = (_integers([[high, low], [low, high]]) for high, low in pairs)
    return inside, outside


def _integers(rows: list[list[Fraction]]) -> Integers:
    common = 1
    for row in rows:
        for entry in row:
            common *= entry.denominator
    return np.array([[int(entry * common) for entry in row] for row in rows], dtype=object)
