"""Logarithms, roots and sums of fractions to sixty digits, for formulas that bounds are held against.

Written apart from the enclosures of `mechdesign.exact`, which the bounds themselves are made of.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from mechdesign.problem import Problem

#: Digits of logarithms and roots, and the share by which a utility made of them is lowered.
DIGITS, LOWERED = 60, Fraction(1, 10**45)

#: At most what one column, of exact entries, adds to the utility.
ColumnUtility = Callable[[list[Fraction]], Fraction]


def logarithm(number: Fraction) -> Fraction:
    """Return the natural logarithm.

    Examples
    --------
    >>> float(logarithm(Fraction(2)))
    0.6931471805599453
    """
    return _decimal(lambda x: x.ln(), number)


def square_root(number: Fraction) -> Fraction:
    """Return the square root.

    Examples
    --------
    >>> float(square_root(Fraction(9)))
    3.0
    """
    return _decimal(lambda x: x.sqrt(), number)


def prior_of(problem: Problem) -> list[Fraction]:
    """Return the prior's floats, as exact shares of their sum."""
    prior = [Fraction(float(mass)) for mass in problem.required_prior]
    return [mass / sum(prior) for mass in prior]


def mass_of(prior: list[Fraction], column: list[Fraction]) -> Fraction:
    """Return the probability of a column's output."""
    return sum((p * v for p, v in zip(prior, column, strict=True)), Fraction(0))


def _decimal(function: Callable[[Decimal], Decimal], number: Fraction) -> Fraction:
    with localcontext(Context(prec=DIGITS)):
        return Fraction(function(Decimal(number.numerator) / Decimal(number.denominator)))
