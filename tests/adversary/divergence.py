"""Divergences of two hypotheses: ``sum_y s_y f(p_y / s_y)`` as balls, from the formulas of the docstrings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from tests.adversary.numbers import Column, dot, exact, shares

Given = dict[str, Any]
Term = Callable[[fmpq, fmpq], arb]
RATIOS = {"ChiSquare", "FDivergence", "Hellinger", "JensenShannon", "KLDivergence", "RenyiDivergence", "TotalVariation"}
INFINITE = arb("inf")
#: The share of a probability by which a slope is a quotient of differences.
STEP = fmpq(1, 2**150)


def _log(top: fmpq, bottom: fmpq) -> arb:
    return arb(0) if top == bottom else arb(top / bottom).log()


def _kl(p: fmpq, s: fmpq) -> arb:
    if p == 0:
        return arb(s)
    return INFINITE if s == 0 else arb(p) * _log(p, s) + arb(s - p)


def _chi_square(p: fmpq, s: fmpq) -> arb:
    if s == 0:
        return INFINITE if p != 0 else arb(0)
    return arb((p - s) ** 2 / s)


def _hellinger(p: fmpq, s: fmpq) -> arb:
    return arb(p + s) / 2 - arb(p * s).sqrt()


def _jensen_shannon(p: fmpq, s: fmpq) -> arb:
    total, middle = arb(0), (p + s) / 2
    for mass in (p, s):
        total += arb(mass) * _log(mass, middle) / 2 if mass != 0 else arb(0)
    return total


def _variation(p: fmpq, s: fmpq) -> arb:
    return arb(abs(p - s) / 2)


def power(p: fmpq, s: fmpq, order: fmpq) -> arb:
    """Return ``p^order s^(1 - order)``; zero where p is, infinite where s is zero and the order above 1."""
    if p == 0:
        return arb(0)
    if s == 0:
        return INFINITE if order > 1 else arb(0)
    if p == s:
        return arb(p)
    return arb(s) * (arb(order) * arb(p / s).log()).exp()


TERMS: dict[str, Term] = {
    "ChiSquare": _chi_square,
    "Hellinger": _hellinger,
    "JensenShannon": _jensen_shannon,
    "KLDivergence": _kl,
    "TotalVariation": _variation,
}


def term(name: str, given: Given) -> Term:
    """Return the sublinear term of one output, to be maximised; affine in the value except for Renyi."""
    if name == "FDivergence":
        generator, order = given["f"]
        if generator != "Power":
            return TERMS[generator]
        a = exact(order)
        return lambda p, s: (power(p, s, a) - arb(a * p + (1 - a) * s)) / arb(a * (a - 1))
    if name == "RenyiDivergence":
        a = exact(given["order"])
        return lambda p, s: (power(p, s, a) - arb(a * p + (1 - a) * s)) / arb(a * (a - 1))
    return TERMS[name]


def pair(given: Given, matrix: list[Column]) -> list[tuple[fmpq, fmpq]]:
    first, second = shares(given["first"]), shares(given["second"])
    return [(dot(first, column), dot(second, column)) for column in matrix]


def value(name: str, given: Given, matrix: list[Column]) -> tuple[arb, arb]:
    """Return the divergence and the size of its terms."""
    f, total = term(name, given), arb(0)
    for p, s in pair(given, matrix):
        if p != 0 or s != 0:
            total += f(p, s)
    moved = _of_differences(f, given, matrix)
    if name == "RenyiDivergence":
        a = exact(given["order"])
        inside = 1 + arb(a * (a - 1)) * total
        total = INFINITE if not inside > 0 else inside.log() / arb(a - 1)
        moved = INFINITE if not inside > 0 else moved * arb(a) / inside
    return total, total + moved


def _of_differences(f: Term, given: Given, matrix: list[Column]) -> arb:
    """Return the size of the terms of ``p - s``, which may cancel, times how steep the divergence is in it."""
    first, second = shares(given["first"]), shares(given["second"])
    apart = [abs(a - b) for a, b in zip(first, second, strict=True)]
    found = arb(0)
    for column, (p, s) in zip(matrix, pair(given, matrix), strict=True):
        if p != 0 and s != 0:
            least, step = min(column), STEP * s
            slope = abs((f(p + step, s) - f(p, s)) / arb(step))
            found += slope * arb(dot(apart, [entry - least for entry in column]))
    return found
