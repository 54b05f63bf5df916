"""Two matrices of integers just inside and just outside a notion, closer to its edge than floats can resolve.

They are written apart from the exact checks that are held against them: the exponential is a sum of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.exact import Integers
from mechdesign.problem import Problem

#: How far from the edge: further than any bound of e^epsilon that a check may use from the safe side, yet on the
#: outside nearer than a bound from the wrong side (the package's own are within 1e-58).
INSIDE, OUTSIDE = Fraction(1, 10**50), Fraction(1, 10**75)
#: Terms of the series of e^epsilon.
TERMS = 200


@dataclass(frozen=True)
class Edge:
    """Integer matrices with equal row sums at the edge of a notion: `inside` just satisfies it, `outside` does not."""

    notion: Any
    problem: Problem
    inside: Integers
    outside: Integers


def exponential(epsilon: float | Fraction) -> Fraction:
    """Return ``e^epsilon`` as a fraction, with a relative error below 1e-80 for epsilon in [0, 10].

    Examples
    --------
    >>> float(exponential(1.0))
    2.718281828459045
    """
    total, term, x = Fraction(0), Fraction(1), Fraction(epsilon)
    for k in range(1, TERMS + 1):
        total += term
        # Cut to 400 bits: each term loses 1e-120 at most.
        term = Fraction(int(term * x / k * 2**400), 2**400)
    return total


def both_sides(epsilon: float | Fraction, matrix: Callable[[Fraction], Integers]) -> tuple[Integers, Integers]:
    """Return ``matrix(ratio)`` of a ratio just below and just above ``e^epsilon``."""
    exact = exponential(epsilon)
    return matrix(exact * (1 - INSIDE)), matrix(exact * (1 + OUTSIDE))


def symmetric(epsilon: float | Fraction, entries: Any) -> tuple[Integers, Integers]:
    """Return symmetric matrices whose two ``entries(ratio)`` are of a ratio just below and above ``e^epsilon``."""

    def matrix(ratio: Fraction) -> Integers:
        high, low = entries(ratio)
        return integers_of([[high, low], [low, high]])

    return both_sides(epsilon, matrix)


def randomised_response(epsilon: float | Fraction) -> tuple[Integers, Integers]:
    """Return binary randomised response with the ratio ``e^epsilon``, a little less and a little more."""
    return symmetric(epsilon, lambda ratio: (ratio, Fraction(1)))


def least_lift(epsilon: float) -> tuple[Integers, Integers]:
    """Return symmetric matrices on which, under a fair prior, the mass is about e^epsilon times the least entry."""
    return symmetric(epsilon, lambda ratio: (2 * ratio - 1, Fraction(1)))


def largest_entries(epsilon: float) -> tuple[Integers, Integers]:
    """Return binary columns whose largest entries, 9/10 and ``1 - r``, add up to about ``e^epsilon``."""

    def matrix(total: Fraction) -> Integers:
        low = Fraction(19, 10) - total
        return integers_of([[Fraction(9, 10), Fraction(1, 10)], [low, 1 - low]])

    return both_sides(epsilon, matrix)


def keeping(share: Fraction) -> Integers:
    """Return binary randomised response that keeps the input with probability `share`.

    Examples
    --------
    >>> keeping(Fraction(3, 4)).tolist()
    [[192, 64], [64, 192]]
    """
    return integers_of([[share, 1 - share], [1 - share, share]])


def quarter_off() -> tuple[Integers, Integers]:
    """Return randomised response whose posterior, under a fair prior, is 1/2 off by a quarter, and a little more."""
    return keeping(Fraction(3, 4)), keeping(Fraction(3, 4) + OUTSIDE)


def integers_of(rows: list[list[Fraction]]) -> Integers:
    """Return the rows over a common denominator."""
    common = 1
    for row in rows:
        for entry in row:
            common *= entry.denominator
    return np.array([[int(entry * common) for entry in row] for row in rows], dtype=object)


def fair() -> Problem:
    """Return a problem with two equally likely inputs."""
    return Problem(prior=np.array([0.5, 0.5]))
