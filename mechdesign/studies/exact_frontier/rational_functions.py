"""Rational functions of ``E = e^epsilon`` with rational coefficients, and their real roots, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from flint import arb, ctx, fmpq, fmpq_poly, fmpz_poly

from mechdesign.exact import exp_below
from mechdesign.studies.exact_frontier.written import LATEX, PYTHON, polynomial, quotient

#: Letters of a rational number that is written as it is; longer ones stand for the end of a range.
LONGEST = 20
#: Bits at which roots are enclosed first, and at most.
BITS, MOST_BITS = 64, 1 << 16


@dataclass(frozen=True, eq=False)
class RationalFunction:
    """A quotient of polynomials in E without common factor; `denominator` has whole coefficients, the last positive."""

    numerator: fmpq_poly
    denominator: fmpq_poly

    @classmethod
    def of(cls, numerator: fmpq_poly, denominator: fmpq_poly) -> RationalFunction:
        """Return the quotient, reduced.

        Examples
        --------
        >>> str(RationalFunction.of(fmpq_poly([-1, 0, 1]), fmpq_poly([2, 2])))
        '(E - 1)/2'
        """
        if not numerator:
            return cls(fmpq_poly([0]), fmpq_poly([1]))
        common = numerator.gcd(denominator)
        numerator, denominator = numerator // common, denominator // common
        whole = fmpq_poly(denominator.numer())
        # Without a common content, and with a positive last coefficient.
        scale = fmpq(denominator.numer().content() * (1 if whole[whole.degree()] > 0 else -1), denominator.denom())
        return cls(numerator / scale, denominator / scale)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RationalFunction):
            return NotImplemented
        return bool(self.numerator == other.numerator and self.denominator == other.denominator)

    def __hash__(self) -> int:
        return hash(str(self))

    def __bool__(self) -> bool:
        return bool(self.numerator)

    def __add__(self, other: RationalFunction) -> RationalFunction:
        numerator = self.numerator * other.denominator + other.numerator * self.denominator
        return RationalFunction.of(numerator, self.denominator * other.denominator)

    def times(self, polynomial: fmpq_poly) -> RationalFunction:
        """Return the product with a polynomial, or a rational number."""
        return RationalFunction.of(self.numerator * polynomial, self.denominator)

    def at(self, base: fmpq) -> fmpq:
        """Return the value at a rational E."""
        return self.numerator(base) / self.denominator(base)

    def __call__(self, epsilon: float) -> float:
        """Return the value at a level in nats; E is taken from below, within 1e-30."""
        return as_float(self.at(base_of(epsilon)))

    def __str__(self) -> str:
        return quotient(self.numerator, self.denominator, PYTHON)

    def latex(self) -> str:
        r"""Return the function as LaTeX, with E for e^epsilon.

        Examples
        --------
        >>> RationalFunction.of(fmpq_poly([3, 1]), fmpq_poly([2, 2])).latex()
        '\\frac{E + 3}{2 (E + 1)}'
        """
        return quotient(self.numerator, self.denominator, LATEX)


def base_of(epsilon: float) -> fmpq:
    """Return a rational number next below ``e^epsilon``."""
    found = exp_below(epsilon)
    return fmpq(found.numerator, found.denominator)


def as_float(number: fmpq) -> float:
    """Return the nearest float."""
    return int(number.p) / int(number.q)


@dataclass(frozen=True, order=False)
class Root:
    """A real number: one of the real roots of an irreducible polynomial with whole coefficients, by its place."""

    polynomial: fmpz_poly
    place: int

    @classmethod
    def of_rational(cls, number: fmpq) -> Root:
        """Return a rational number."""
        return cls(fmpz_poly([-number.p, number.q]), 0)

    @cached_property
    def first(self) -> tuple[fmpq, fmpq]:
        """Two rational numbers around it, equal where it is rational."""
        return self.between(BITS)

    def between(self, bits: int) -> tuple[fmpq, fmpq]:
        """Return two rational numbers around the value, as near as a number of bits allows."""
        if self.polynomial.degree() == 1:
            number = fmpq(-self.polynomial[0], self.polynomial[1])
            return number, number
        return real_roots(self.polynomial, bits)[self.place]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Root):
            return NotImplemented
        return bool(self.polynomial == other.polynomial and self.place == other.place)

    def __hash__(self) -> int:
        return hash((str(self.polynomial), self.place))

    def __lt__(self, other: Root) -> bool:
        if self == other:
            return False
        bits = BITS
        mine, its = self.first, other.first
        while not (mine[1] < its[0] or its[1] < mine[0]):
            bits *= 2
            if bits > MOST_BITS:
                raise ArithmeticError(f"{self.polynomial} and {other.polynomial} have roots that cannot be separated")
            mine, its = self.between(bits), other.between(bits)
        return bool(mine[1] < its[0])

    def __le__(self, other: Root) -> bool:
        return self == other or self < other

    @property
    def epsilon(self) -> float:
        """Its logarithm, to the last bit or two: the level in nats where it is E."""
        with ctx.workprec(256):
            low, high = self.between(256)
            return float(((arb(low) + arb(high)) / 2).log())

    def __str__(self) -> str:
        """Return the number where it is rational, the polynomial and the number to six places elsewhere."""
        low, _ = self.first
        if self.polynomial.degree() == 1:
            return str(low) if len(str(low)) <= LONGEST else f"{as_float(low):.6g}"
        return f"the root {as_float(low):.6g} of {polynomial(fmpq_poly(self.polynomial), PYTHON)}"


def real_roots(polynomial: fmpz_poly, bits: int = BITS) -> list[tuple[fmpq, fmpq]]:
    """Return rational numbers around each real root of an irreducible polynomial, in order."""
    with ctx.workprec(bits):
        roots: list[tuple[Any, int]] = polynomial.complex_roots()  # type: ignore[assignment] # its stubs are wrong
        found = [root.real for root, _ in roots if root.imag == 0]
        return sorted((_exactly(root.lower()), _exactly(root.upper())) for root in found)


def _exactly(number: Any) -> fmpq:
    mantissa, exponent = number.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def roots_between(polynomial: fmpq_poly, low: fmpq, high: fmpq) -> list[Root]:
    """Return the real roots of a polynomial that is not zero in the open interval, in order.

    Examples
    --------
    >>> [str(root) for root in roots_between(fmpq_poly([-2, 0, 1]), fmpq(0), fmpq(2))]
    ['the root 1.41421 of E**2 - 2']
    """
    whole = polynomial.numer()
    if not _may_vanish(whole, low, high):
        return []
    found = []
    for factor, _ in whole.factor()[1]:
        if factor.degree() < 1 or not _may_vanish(factor, low, high):
            continue
        places = range(1 if factor.degree() == 1 else len(real_roots(factor)))
        found += [Root(factor, place) for place in places]
    ends = Root.of_rational(low), Root.of_rational(high)
    inside = [root for root in found if ends[0] < root < ends[1]]
    return sorted_roots(inside)


def sorted_roots(roots: Sequence[Root]) -> list[Root]:
    """Return the roots in order, each once."""
    found: list[Root] = []
    for root in roots:
        place = sum(other < root for other in found)
        if root not in found:
            found.insert(place, root)
    return found


def _may_vanish(polynomial: fmpz_poly, low: fmpq, high: fmpq) -> bool:
    """Return whether Descartes's rule of signs allows a root between: `x = (low + high t) / (1 + t)` for t > 0."""
    degree = polynomial.degree()
    if degree < 1:
        return False
    top, bottom = fmpq_poly([low, high]), fmpq_poly([1, 1])
    found, of_bottom = fmpq_poly([0]), fmpq_poly([1])
    # Horner's scheme with powers of the denominator.
    for power in range(degree, -1, -1):
        found = found * top + fmpq(polynomial[power]) * of_bottom
        of_bottom = of_bottom * bottom
    signs = [coefficient > 0 for coefficient in found.coeffs() if coefficient != 0]
    return any(before != after for before, after in pairwise(signs))
