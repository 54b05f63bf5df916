"""Exact numbers: floats as the fractions that they are, and balls that hold exponentials and logarithms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flint import arb, ctx, fmpq, fmpz

#: About 135 digits: at a level of 1e-12 a divergence of 1e-24 keeps a hundred of them.
PRECISION = 448
#: Bits that a rational stand-in for ``e^x - 1`` keeps.
BITS = 160
ctx.prec = PRECISION

Column = list[fmpq]
ZERO, ONE = fmpq(0), fmpq(1)


def exact(number: float) -> fmpq:
    """Return the fraction that a finite float is."""
    return fmpq(*float(number).as_integer_ratio())


def vector(numbers: Iterable[float]) -> Column:
    return [exact(number) for number in numbers]


def shares(numbers: Iterable[float]) -> Column:
    """Return a distribution that was given in floats, divided by its exact sum."""
    entries = vector(numbers)
    total = sum(entries, ZERO)
    return [entry / total for entry in entries]


def dot(left: Sequence[fmpq], right: Sequence[fmpq]) -> fmpq:
    total = ZERO
    for a, b in zip(left, right, strict=True):
        total += a * b
    return total


def at_most(least: fmpq, exponent: fmpq, most: fmpq) -> bool:
    """Tell whether ``least <= e^exponent * most`` for numbers that are not negative: decided, never rounded."""
    if exponent == 0 or least == 0 or most == 0:
        return bool(least <= most) if exponent == 0 or least == 0 else False
    for precision in (128, PRECISION, 4 * PRECISION):
        with ctx.workprec(precision):
            room = arb(exponent).exp() * arb(most) - arb(least)
            if room > 0:
                return True
            if room < 0:
                return False
    raise ArithmeticError("an exponential next to a fraction needs more digits")


def exp_below(exponent: fmpq) -> fmpq:
    """Return a fraction below ``e^exponent``, with BITS bits of ``e^exponent - 1``; exactly 1 at 0."""
    return ONE if exponent == 0 else ONE + _cut(arb(exponent).expm1().lower(), BITS)


def below(ball: arb) -> fmpq:
    """Return the lower end of a ball as a fraction."""
    return _fraction(ball.lower())


def above(ball: arb) -> fmpq:
    return _fraction(ball.upper())


def middle(ball: arb, bits: int = 256) -> fmpq:
    """Return a fraction next to the middle of a ball."""
    return _cut(ball.mid(), bits)


def _fraction(number: arb) -> fmpq:
    mantissa, exponent = number.mid().man_exp()
    return _scaled(mantissa, int(exponent))


def _cut(number: arb, bits: int) -> fmpq:
    """Return the number with its first bits alone, rounded down."""
    mantissa, exponent = number.man_exp()
    surplus = max(abs(int(mantissa)).bit_length() - bits, 0)
    return _scaled(mantissa >> surplus, int(exponent) + surplus)


def _scaled(mantissa: fmpz, exponent: int) -> fmpq:
    return fmpq(mantissa << exponent, 1) if exponent >= 0 else fmpq(mantissa, fmpz(1) << -exponent)
