"""Rational functions of a parameter through exact values, found where fewer values than there are determine them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from flint import fmpq, fmpq_mat, fmpq_poly

from mechdesign.studies.exact_frontier.rational_functions import RationalFunction
from mechdesign.studies.exact_frontier.written import PYTHON, is_sum, polynomial, quotient


def through(parameters: Sequence[fmpq], values: Sequence[fmpq]) -> RationalFunction | None:
    """Return the rational function of least degree through all points, or None where it takes every one of them.

    A function of degrees p and q is determined by p + q + 1 points; one more at least has to lie on it.

    Examples
    --------
    >>> at = [fmpq(n) for n in (3, 4, 5, 6)]
    >>> found = through(at, [fmpq(1, n - 1) for n in (3, 4, 5, 6)])
    >>> found.at(fmpq(11))
    1/10
    """
    for degree in range(len(values) - 1):
        for below in range(degree + 1):
            found = _of_degrees(parameters, values, degree - below, below)
            if found is not None:
                return found
    return None


def _of_degrees(parameters: Sequence[fmpq], values: Sequence[fmpq], above: int, below: int) -> RationalFunction | None:
    """Return the function of these degrees through all points, from the null space of ``P(t) - v Q(t)``, or None."""
    rows = [
        [*(t**k for k in range(above + 1)), *(-value * t**k for k in range(below + 1))]
        for t, value in zip(parameters, values, strict=True)
    ]
    reduced, rank = fmpq_mat(len(rows), above + below + 2, [entry for row in rows for entry in row]).rref()
    if rank != above + below + 1:
        return None
    # One unknown is free: the last whose column has no pivot.
    pivots = [next(j for j in range(reduced.ncols()) if reduced[i, j] != 0) for i in range(rank)]
    free = next(j for j in range(reduced.ncols()) if j not in pivots)
    solution = [fmpq(0)] * reduced.ncols()
    solution[free] = fmpq(1)
    for i, pivot in enumerate(pivots):
        solution[pivot] = -reduced[i, free]
    numerator, denominator = fmpq_poly(solution[: above + 1]), fmpq_poly(solution[above + 1 :])
    if not denominator or any(denominator(t) == 0 for t in parameters):
        return None
    return RationalFunction.of(numerator, denominator)


@dataclass(frozen=True)
class Polynomial:
    """A polynomial in E whose coefficients are rational functions of a parameter, the constant one first."""

    coefficients: tuple[RationalFunction, ...]

    def at(self, parameter: fmpq) -> fmpq_poly:
        """Return the polynomial in E at a parameter."""
        return fmpq_poly([each.at(parameter) for each in self.coefficients])

    @classmethod
    def through(cls, parameters: Sequence[fmpq], polynomials: Sequence[fmpq_poly]) -> Polynomial | None:
        """Return the polynomial whose coefficients interpolate the coefficients of `polynomials`, or None."""
        if len({each.degree() for each in polynomials}) != 1:
            return None
        found = [through(parameters, [each[k] for each in polynomials]) for k in range(polynomials[0].degree() + 1)]
        known = tuple(each for each in found if each is not None)
        return cls(known) if len(known) == len(found) else None

    @cached_property
    def _reduced(self) -> tuple[RationalFunction, tuple[fmpq_poly, ...]]:
        """A factor, and coefficients of whole numbers, polynomials of the parameter, without a common factor."""
        common = fmpq_poly([1])
        for each in self.coefficients:
            common = common * each.denominator // common.gcd(each.denominator)
        whole = [each.numerator * (common // each.denominator) for each in self.coefficients]
        shared = fmpq_poly([0])
        for coefficient in whole:
            shared = shared.gcd(coefficient) if shared else coefficient
        if not shared:
            return RationalFunction.of(shared, common), (fmpq_poly([0]),)
        # Whole numbers without a common divisor, the last of the highest power of E positive.
        rest = [each // shared for each in whole]
        numbers = [number for each in rest for number in each.coeffs() if number != 0]
        scale = fmpq(math.gcd(*(int(number.p) for number in numbers)), math.lcm(*(int(number.q) for number in numbers)))
        highest = next(each for each in reversed(rest) if each)
        scale = scale if highest[highest.degree()] > 0 else -scale
        return RationalFunction.of(shared * scale, common), tuple(each / scale for each in rest)

    def factored(self) -> tuple[RationalFunction, Polynomial]:
        """Return a factor without E and a polynomial of whole numbers whose product this is."""
        factor, rest = self._reduced
        return factor, Polynomial(tuple(RationalFunction.of(each, fmpq_poly([1])) for each in rest))

    def written(self, letter: str, *, turned: bool = False) -> str:
        """Return the polynomial as text, the highest power of E first; `turned`, its negative, the lowest first."""
        style, text = replace(PYTHON, letter=letter), ""
        powers = range(len(self.coefficients))
        for power in powers if turned else reversed(powers):
            given = self.coefficients[power].numerator
            if given:
                term = polynomial(-given if turned else given, style)
                if power:
                    of_e = "E" if power == 1 else f"E**{power}"
                    term = f"-{of_e}" if term == "-1" else _product(term, of_e)
                text += term if not text else f" - {term[1:]}" if term.startswith("-") else f" + {term}"
        return text


def ratio(top: Polynomial, bottom: Polynomial, letter: str) -> str:
    """Return the quotient of two polynomials as text in E and the parameter's letter."""
    (above, first), (below, second) = top.factored(), bottom.factored()
    factor = RationalFunction.of(above.numerator * below.denominator, above.denominator * below.numerator)
    if not factor:
        return "0"
    style, one = replace(PYTHON, letter=letter), fmpq_poly([1])
    turned = factor.numerator[factor.numerator.degree()] < 0
    over = quotient(factor.denominator * factor.numerator.denom(), one, style)
    under = quotient(fmpq_poly(factor.numerator.numer()) * (-1 if turned else 1), one, style)
    numerator, denominator = (
        _product(under, first.written(letter, turned=turned)),
        _product(over, second.written(letter)),
    )
    if denominator == "1":
        return numerator
    numerator = f"({numerator})" if is_sum(numerator) else numerator
    return f"{numerator}/{denominator}" if denominator.isalnum() else f"{numerator}/({denominator})"


def _product(first: str, second: str) -> str:
    """Return the product of two formulas, of which either may be 1."""
    kept = [each for each in (first, second) if each != "1"]
    if len(kept) < 2:
        return kept[0] if kept else "1"
    return "*".join(f"({each})" if is_sum(each) else each for each in kept)
