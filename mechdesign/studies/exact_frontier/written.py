"""Polynomials and quotients in E as text: as Python reads it, and as LaTeX does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_poly, fmpz_poly

Factors = Sequence[tuple[fmpz_poly, int]]


@dataclass(frozen=True)
class Style:
    """How products, powers and quotients of a letter are written; a `bar` needs no brackets around what it divides."""

    times: str
    power: str
    over: str
    bar: bool
    letter: str = "E"


PYTHON = Style("*", "**", "{}/{}", bar=False)
LATEX = Style(" ", "^", r"\frac{{{}}}{{{}}}", bar=True)


def quotient(numerator: fmpq_poly, denominator: fmpq_poly, style: Style) -> str:
    """Return a quotient without common factor, factored over the rational numbers.

    Examples
    --------
    >>> quotient(fmpq_poly([6, -2]), fmpq_poly([0, 3, 3]), PYTHON)
    '2*(3 - E)/(3*E*(E + 1))'
    """
    if not numerator:
        return "0"
    top, above = numerator.numer().factor()
    bottom, below = denominator.numer().factor()
    number = fmpq(top, bottom) * fmpq(denominator.denom(), numerator.denom())
    first, second = product(int(number.p), above, style), product(int(number.q), below, style)
    if second == "1":
        return first
    if not style.bar:
        first = f"({first})" if is_sum(first) else first
        second = second if second.isalnum() else f"({second})"
    return style.over.format(first, second)


def product(number: int, factors: Factors, style: Style) -> str:
    """Return a number times powers of polynomials; its sign goes into the first sum that it can turn round.

    Examples
    --------
    >>> product(-1, [(fmpz_poly([-3, 1]), 1)], PYTHON), product(4, [(fmpz_poly([1, 1]), 2)], LATEX)
    ('3 - E', '4 (E + 1)^2')
    """
    ordered = sorted(factors, key=lambda each: (each[0].degree(), str(each[0])))
    turned = next((k for k, (each, often) in enumerate(ordered) if often == 1 and _turns(each)), None)
    if number < 0 and turned is not None:
        number, ordered[turned] = -number, (-ordered[turned][0], 1)
    alone = number == 1 and len(ordered) == 1 and ordered[0][1] == 1
    texts = [str(number)] if number not in {1, -1} or not ordered else []
    for each, often in ordered:
        text = polynomial(fmpq_poly(each), style)
        text = text if alone or " " not in text else f"({text})"
        texts.append(text if often == 1 else f"{text}{style.power}{often}")
    return ("-" if number == -1 and ordered else "") + style.times.join(texts)


def polynomial(given: fmpq_poly, style: Style) -> str:
    """Return a sum of powers of E, from the highest where that is positive, from the lowest elsewhere.

    Examples
    --------
    >>> polynomial(fmpq_poly([-1, 0, 3]), PYTHON), polynomial(fmpq_poly([2, -1]), PYTHON)
    ('3*E**2 - 1', '2 - E')
    """
    degrees = range(given.degree() + 1)
    text = ""
    for degree in degrees if given[given.degree()] < 0 else reversed(degrees):
        if given[degree] != 0:
            sign = "-" if given[degree] < 0 else "+"
            text += (f" {sign} " if text else "-" if sign == "-" else "") + _term(abs(given[degree]), degree, style)
    return text


def _term(size: fmpq, degree: int, style: Style) -> str:
    letter = "" if degree == 0 else style.letter if degree == 1 else f"{style.letter}{style.power}{degree}"
    if letter and size == 1:
        return letter
    return f"{size}{style.times}{letter}" if letter else str(size)


def _turns(given: fmpz_poly) -> bool:
    """Return whether minus a polynomial of positive last coefficient begins with a positive term."""
    return given.degree() > 0 and given[0] < 0


def is_sum(text: str) -> bool:
    """Return whether a text has a sum outside of brackets."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter == " " and text[place + 1] in "+-":
            return True
    return False
