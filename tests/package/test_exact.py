"""Exact arithmetic: bounds of exponentials and logarithms on their right side, and products without a rounded digit."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.exact import UNIT_BITS, exp_below, log_above, log_units, logarithms, product

#: Terms of the series of e^x: the remainder is below 1e-150 for x <= 8.
TERMS = 200
#: Of the smallest, `e^epsilon` is 1 in sixty digits.
SMALL = (math.ulp(0.0), 1e-300, 1e-70, 1e-61, 1e-59, 1e-16)


def exponential(x):
    """Return a lower and an upper bound of ``e^x`` for a fraction x in ``[0, 8]``, from its series alone."""
    term = total = 1 << 600
    for k in range(1, TERMS):
        term = term * x.numerator // (x.denominator * k)
        total += term
    # Each term is rounded down, and those before it were, by less than 3000 in all.
    return Fraction(total, 1 << 600), Fraction(total + TERMS * 3000, 1 << 600)


@pytest.mark.parametrize("exact", [float, Decimal])
def test_exponentials_are_from_below_and_near(exact, rng):
    for epsilon in (*SMALL, *np.exp(rng.uniform(math.log(1e-12), math.log(8.0), size=60))):
        found = exp_below(exact(float(epsilon)))
        low, high = exponential(Fraction(float(epsilon)))
        assert found <= low
        assert found * (1 + Fraction(1, 10**58)) >= high


def test_logarithms_are_from_above_and_near(rng):
    # Ratios next to one, whose quotient is rounded by more than the logarithm's last digit, and plain ones.
    near = [(10**k + 3, 10**k) for k in (1, 5, 20, 40, 55)] + [(3 * 10**k + 1, 3 * 10**k) for k in (5, 20, 40, 55, 70)]
    plain = [tuple(map(int, pair)) for pair in rng.integers(1, 2**40, size=(60, 2))]
    for numerator, denominator in near + [pair for pair in plain if max(pair) < 2000 * min(pair)]:
        above = log_above(numerator, denominator)
        if above >= 0:
            reached, low = exponential(above)[0], exponential(max(above - Fraction(1, 10**57), Fraction(0)))[1]
            assert reached >= Fraction(numerator, denominator) >= low - Fraction(1, 10**150)
        else:
            assert 1 / exponential(-above)[1] >= Fraction(numerator, denominator)
            assert 1 / exponential(-above + Fraction(1, 10**57))[0] <= Fraction(numerator, denominator)


def missed(rng):
    """Return by how many units logarithms of drawn ratios of all sizes are above the truth, less their exponents."""
    found = []
    for _ in range(400):
        numerator = int(rng.integers(1, 1 << 53)) << int(rng.integers(0, 60))
        near = (
            numerator + int(rng.integers(1, 5)),
            numerator << int(rng.integers(1, 900)),
            int(rng.integers(1, 1 << 53)),
        )
        denominator = near[rng.integers(3)]
        with localcontext() as digits:
            digits.prec = 120
            true = (Decimal(numerator) / Decimal(denominator)).ln() * (1 << UNIT_BITS)
            exponent = abs(numerator.bit_length() - denominator.bit_length())
            excess = Decimal(log_units(numerator, denominator)) - true
            found.append((float(excess), float(excess - exponent)))
    return min(low for low, _ in found), max(high for _, high in found)


def test_logarithms_in_units_are_above_and_near(rng):
    least, most = missed(rng)
    assert least > 0
    assert most < 200
    assert log_units(5, 5) == 0


@pytest.mark.parametrize(("name", "value"), [("TERMS", 12), ("MISSED", 0), ("CELL_BITS", 4)])
def test_a_logarithm_that_misses_more_is_seen(name, value, rng, monkeypatch):
    logarithms._of_cell.cache_clear()
    monkeypatch.setattr(logarithms, name, value)
    least, most = missed(rng)
    logarithms._of_cell.cache_clear()
    assert not 0 < least <= most < 200


@pytest.mark.parametrize("epsilon", SMALL)
@pytest.mark.parametrize("notion", [md.LDP, md.LIP, md.MaxLift, md.MaximalLeakage, md.WorstCaseLIP])
def test_constant_mechanisms_are_private_at_any_level(notion, epsilon):
    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    assert md.audit([[0.25, 0.75]] * 3, notion(epsilon), problem).holds


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 8, 9, 33, 100])
def test_products_keep_every_digit(length):
    # All ones in base two: every digit is the largest, so that the sums are as large as they can be.
    for bits in range(1, 120):
        most = (1 << bits) - 1
        row, column = np.full((1, length), most, dtype=object), np.full((length, 1), most, dtype=object)
        assert product(row, column).item() == length * most**2


@pytest.mark.parametrize("missed", [1e-2, 5e-4, 1e-8, 2e-9, -2e-9, -5e-4])
def test_rows_of_floats_that_miss_one_are_refused(missed):
    # Arrays of floats have a way of their own to integers, which must not normalise what is no distribution.
    with pytest.raises(md.DomainError, match="matrix"):
        md.audit(np.array([[0.5, 0.5 + missed], [0.5, 0.5]]), md.LDP(1.0))


@pytest.mark.parametrize("missed", [9e-10, 1e-11, 0.0, -1e-11, -9e-10])
def test_rows_of_floats_next_to_one_are_normalised_exactly(missed):
    report = md.audit(np.array([[0.5, 0.5 + missed], [0.5, 0.5]]), md.ApproximateLDP(0.0, 1.0))
    first = Fraction(0.5 + missed) / (Fraction(0.5) + Fraction(0.5 + missed))
    exact = abs(first - Fraction(1, 2))
    assert Fraction(math.nextafter(float(report), -1.0)) < exact <= Fraction(float(report))
