"""Two matrices of integers just inside and just outside a notion, and how they are made."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.exact import Integers
from mechdesign.notions import (
    Notion,
)
from mechdesign.problem import Problem

#: How far from the edge: further than any bound of e^epsilon that a check may use from the safe side, yet on the
#: outside nearer than a bound from the wrong side (those of `exact` are within 1e-58).
INSIDE, OUTSIDE = Fraction(1, 10**50), Fraction(1, 10**75)
#: Terms of the series of e^epsilon.
TERMS = 200


@dataclass(frozen=True)
class Edge:
    """Two matrices of integers (rows of one sum): `inside` satisfies `notion` with next to no room, `outside` not."""

    notion: Notion
    problem: Problem
    inside: Integers
    outside: Integers


def exponential(epsilon: float | Fraction) -> Fraction:
    """Return the Taylor sum of ``e^epsilon``, within 1e-80 of it in ratio for epsilon in [0, 10].

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


def symmetric(epsilon: float | Fraction, entries: Any) -> tuple[Integers, Integers]:
    """Return symmetric matrices whose two ``entries(ratio)`` are those of a ratio just below and above e^epsilon."""
    exact = exponential(epsilon)
    pairs = (entries(exact * (1 - INSIDE)), entries(exact * (1 + OUTSIDE)))
    inside, outside = (integers_of([[high, low], [low, high]]) for high, low in pairs)
    return inside, outside


def integers_of(rows: list[list[Fraction]]) -> Integers:
    """Return the rows over a common denominator."""
    common = 1
    for row in rows:
        for entry in row:
            common *= entry.denominator
    return np.array([[int(entry * common) for entry in row] for row in rows], dtype=object)


def with_third(matrix: Integers) -> Integers:
    """Return a matrix of two inputs with a third one that is disclosed."""
    total = matrix[0].sum()
    return np.array([[*matrix[0], 0], [*matrix[1], 0], [0, 0, total]], dtype=object)
