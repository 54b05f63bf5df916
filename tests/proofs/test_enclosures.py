"""Enclosures of exponentials, logarithms, roots and powers: those of the package and of the reader, against balls."""

from fractions import Fraction

import flint
import pytest

import mechdesign_check as reader
from mechdesign.exact import exp_above, exp_below, exp_enclosed, log_enclosed, power_enclosed, root_enclosed

#: Numbers from the smallest to the largest that are met, next to one, and some of no form.
NUMBERS = [
    Fraction(number)
    for number in (5e-324, 1e-300, 1e-20, 0.1, 0.5, 1 - 2**-53, 1 + 2**-52, 1.5, 2.0, 3.7, 1e9, 1e20, 1e300)
] + [Fraction(1, 3), Fraction(10**40 + 1, 10**40), Fraction(7, 10**9)]
ORDERS = [Fraction(order) for order in (1e-9, 0.3, 0.5, 1 + 2**-40, 2.5, 7.0)]
EXPONENTS = [Fraction(x) for x in (5e-324, 1e-17, 1e-9, 0.1, 0.5, 1.0, 2.718, 30.0, 700.0, 5000.0)]
BITS = 4000


def ball(x):
    return flint.arb(flint.fmpq(x.numerator, x.denominator))


def around(bounds, value, narrow=Fraction(1, 10**40)):
    """Tell whether bounds enclose a ball that is far narrower than they are, and are narrow themselves."""
    low, high = bounds
    inside = bool(ball(low) <= value) and bool(value <= ball(high))
    return inside and high - low <= narrow * max(abs(low), abs(high))


@pytest.fixture(autouse=True)
def digits():
    before, flint.ctx.prec = flint.ctx.prec, BITS
    yield
    flint.ctx.prec = before


@pytest.mark.parametrize("x", NUMBERS, ids=float)
def test_logarithms_and_roots(x):
    for bounds in (log_enclosed(x), reader.log_bounds(x)):
        # Next to one a logarithm is small: its bounds are as near as those of a number of order one, times 1e-30.
        assert around(bounds, ball(x).log(), Fraction(1, 10**20))
    for bounds in (root_enclosed(x), reader.power_bounds(x, Fraction(1, 2))):
        assert around(bounds, ball(x).sqrt())


@pytest.mark.parametrize("x", NUMBERS, ids=float)
def test_the_reader_s_generator_of_hellinger(x):
    low, high = reader.GENERATORS["Hellinger"](x)
    value = (ball(x) + 1) / 2 - ball(x).sqrt()
    assert bool(ball(low) <= value) and bool(value <= ball(high)) and high - low <= Fraction(1, 10**40) * (1 + x)


@pytest.mark.parametrize("order", ORDERS, ids=float)
@pytest.mark.parametrize("x", NUMBERS, ids=float)
def test_powers(x, order):
    exact = ball(x) ** ball(order)
    if abs(order * reader.log_bounds(x)[0]) > reader.LARGEST_LEVEL:
        with pytest.raises(reader.Unreadable, match="too large"):
            reader.power_bounds(x, order)
        return
    for bounds in (power_enclosed(x, order), reader.power_bounds(x, order)):
        assert around(bounds, exact)


@pytest.mark.parametrize("x", EXPONENTS, ids=float)
def test_exponentials(x):
    for bounds in ((exp_below(float(x)), exp_above(float(x))), reader.exp_bounds(x)):
        assert around(bounds, ball(x).exp())
    for sign in (1, -1):
        assert around(reader.exp_bounds(sign * x), ball(sign * x).exp())
        assert around(exp_enclosed(sign * x), ball(sign * x).exp())


def test_what_is_exact_is_exact():
    assert reader.exp_bounds(Fraction(0)) == (1, 1) == (exp_below(0.0), exp_above(0.0))
    assert log_enclosed(Fraction(1)) == root_enclosed(Fraction(0)) == (0, 0)
    assert power_enclosed(Fraction(0), Fraction(1, 2)) == reader.power_bounds(Fraction(0), Fraction(1, 2)) == (0, 0)
    assert power_enclosed(Fraction(1), Fraction(1, 2)) == (1, 1)


@pytest.mark.parametrize("x", [Fraction(0), Fraction(-1)])
def test_outside_of_the_domain(x):
    with pytest.raises(reader.Unproved, match="not positive"):
        reader.log_bounds(x)
    with pytest.raises(reader.Unproved, match="not positive"):
        reader.power_bounds(x - 1, Fraction(1, 2))


def test_an_exponent_that_is_too_large_is_refused():
    with pytest.raises(reader.Unreadable, match="too large"):
        reader.exp_bounds(Fraction(5001))


def test_planted_a_series_that_ends_early_is_seen():
    """Planted: bounds that leave out what is behind the digits kept."""
    low, high = reader.exp_bounds(Fraction(1))
    assert not around((low, low), ball(Fraction(1)).exp()) and not around((high, high), ball(Fraction(1)).exp())
