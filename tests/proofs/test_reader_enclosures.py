"""The reader's enclosures hold the true number, by mpmath at twice their digits, and are narrow; edges are exact."""

from fractions import Fraction

import mpmath
import pytest

import mechdesign_check as reader

#: Enclosures are integers in units of 2**-256; the truth is known to 2**-700.
NARROW, DIGITS = Fraction(1, 1 << 200), 700
RATIOS = [
    Fraction(each) for each in ("1/1000000", "1/7", "1/2", "0.999999", "1.000001", "3/2", "2", "17/3", "123456789")
]


def held(bounds, truth, size=1):
    """Assert that bounds hold a number, but for its own rounding, and are narrow."""
    low, high = map(Fraction, bounds)
    with mpmath.workprec(DIGITS):
        number = truth()
        rounding = mpmath.ldexp(abs(number) + size, 30 - DIGITS)
        assert of(low) - rounding <= number <= of(high) + rounding, (float(low), float(high))
    assert high - low <= NARROW * (abs(low) + size)


def of(number):
    return mpmath.mpf(number.numerator) / number.denominator


@pytest.mark.parametrize(
    "x", [Fraction(each) for each in ("0", "1e-9", "-1e-9", "0.5", "-0.5", "1", "-3", "20", "-700", "700")]
)
def test_exponentials(x):
    held(reader.exp_bounds(x), lambda: mpmath.exp(of(x)), size=0)


@pytest.mark.parametrize("x", RATIOS)
def test_logarithms(x):
    held(reader.log_bounds(x), lambda: mpmath.log(of(x)))
    held(tuple(-end for end in reversed(reader.log_bounds(1 / x))), lambda: mpmath.log(of(x)))


@pytest.mark.parametrize("exponent", [Fraction(each) for each in ("1/2", "0.1", "2.5", "3")])
@pytest.mark.parametrize("x", RATIOS)
def test_powers(x, exponent):
    held(reader.power_bounds(x, exponent), lambda: of(x) ** of(exponent), size=0)


#: The convex function of each divergence, written out.
TRUE = {
    "ChiSquare": lambda t: (t - 1) ** 2,
    "Hellinger": lambda t: (mpmath.sqrt(t) - 1) ** 2 / 2,
    "JensenShannon": lambda t: (t * mpmath.log(2 * t / (1 + t)) + mpmath.log(2 / (1 + t))) / 2,
    "KL": lambda t: t * mpmath.log(t) - t + 1,
    "TotalVariation": lambda t: abs(t - 1) / 2,
}


@pytest.mark.parametrize("t", RATIOS)
@pytest.mark.parametrize("name", reader.GENERATORS)
def test_generators(name, t):
    held(reader.GENERATORS[name](t), lambda: TRUE[name](of(t)), size=1 + t)


@pytest.mark.parametrize(
    ("name", "at_zero"), [("ChiSquare", 1), ("Hellinger", 0.5), ("KL", 1), ("TotalVariation", 0.5)]
)
def test_generators_at_the_edge(name, at_zero):
    assert reader.GENERATORS[name](Fraction(0)) == (at_zero, at_zero)
    assert reader.GENERATORS[name](Fraction(1)) == (0, 0)


def test_jensen_shannon_at_the_edge():
    held(reader.GENERATORS["JensenShannon"](Fraction(0)), lambda: mpmath.log(2) / 2)
    assert reader.GENERATORS["JensenShannon"](Fraction(1)) == (0, 0)


@pytest.mark.parametrize("order", [Fraction(each) for each in ("0.25", "0.5", "1.5", "2", "3")])
@pytest.mark.parametrize("t", RATIOS)
def test_power_generators_and_renyi(order, t):
    a = of(order)
    held(reader.power(order)(t), lambda: (of(t) ** a - a * of(t) + a - 1) / (a * (a - 1)), size=1 + t**3)
    # A utility below that at which nothing is known of two distributions, where there is such a one.
    utility = min(t, 1 / (2 * abs(order * (1 - order))))
    held(reader.renyi(order)(utility), lambda: mpmath.log(1 + a * (a - 1) * of(utility)) / (a - 1))


def test_a_number_that_has_no_logarithm_is_unproved():
    for x in (Fraction(0), Fraction(-1)):
        with pytest.raises(reader.Unproved):
            reader.log_bounds(x)
    with pytest.raises(reader.Unreadable):
        reader.exp_bounds(Fraction(reader.LARGEST_LEVEL) + 1)


@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(-2, 7), Fraction(10**12, 7), Fraction(1, 10**12 + 1)])
def test_decimals_are_on_their_side(number):
    for digits in (2, 9):
        below, above = Fraction(reader.rounded(number, False, digits)), Fraction(reader.rounded(number, True, digits))
        assert below < number < above and above - below <= abs(number) * Fraction(10) ** (1 - digits)


def test_a_quarter_of_the_bounds_is_caught():
    missed = 0
    for x in RATIOS:
        low, high = reader.log_bounds(x)
        quarter = (high - low) / 4
        for start in range(4):
            try:
                held((low + start * quarter, low + (start + 1) * quarter), lambda x=x: mpmath.log(of(x)))
            except AssertionError:
                missed += 1
    # All but the one quarter that the truth lies in, or the two at whose common end it lies.
    assert missed >= 2 * len(RATIOS)
