"""The user's equations as integers: how floats are read, what is too long, and the constant row that satisfies them."""

from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.repair import exact_equations as module
from mechdesign.solve.repair.exact_equations import Equations, constant_row

ONE = 2**53


@pytest.mark.parametrize(
    ("number", "read"),
    [
        (0.0, Fraction(0)),
        (1 / 3, Fraction(1, 3)),
        (-2 / 7, Fraction(-2, 7)),
        (0.1 + 0.2, Fraction(3, 10)),
        (1 / 99991, Fraction(1, 99991)),
        (1 / 9999991, Fraction(1, 9999991)),
        (float(np.nextafter(1 / 9999991, 1)), None),
        (1 / 99999989, None),
        (np.pi, None),
    ],
)
def test_a_float_is_a_simple_fraction_or_none(number, read):
    assert module._simplest(number) == read


@pytest.mark.parametrize("units", range(7))
def test_what_is_off_by_a_few_units_is_read(units):
    number = 1 / 3 + units * np.spacing(1 / 3)
    assert module._simplest(number) == (Fraction(1, 3) if units <= 4 else None)


def test_whole_numbers_stay_and_large_ones_are_floats():
    assert module._read([2.0, -3.0, 0.0]) == ([2, -3, 0], module.WHOLE)
    assert module._read([0.5, 0.25]) == ([2, 1], module.FRACTIONS)
    numbers, how = module._read([float(ONE), 1.0])
    assert numbers[0] == ONE * numbers[1] and how != module.WHOLE
    assert module._read([float(ONE - 1), 1.0]) == ([ONE - 1, 1], module.WHOLE)
    assert module._read([0.7e-20, -0.1e-20])[0] == [7, -1]


def test_too_many_or_too_long_equations_are_none(monkeypatch):
    rows, right = [{0: 1.0, 1: 1.0}, {0: 1.0}], [1.0, 0.5]
    monkeypatch.setattr(module, "MOST_EQUATIONS", 2)
    monkeypatch.setattr(module, "MOST_ENTRIES", 6)
    assert Equations.of(rows, right, (2, 3)) is not None
    assert Equations.of(rows, right, (7, 1)) is None and Equations.of(rows, right, (1, 7)) is None
    assert Equations.of([*rows, {1: 1.0}], [*right, 0.5], (2, 3)) is None
    for bits, fits in ((3, True), (2, False)):
        monkeypatch.setattr(module, "MOST_BITS", bits)
        assert (Equations.of([{0: -7.0}], [1.0], (1, 1)) is not None) == fits
        assert (Equations.of([{0: 1.0}], [7.0], (1, 1)) is not None) == fits


def test_what_equations_miss_is_the_right_less_the_left():
    read = Equations.of([{0: 2.0, 3: -1.0}, {1: 1.0}], [1.0, 0.0], (2, 2))
    assert read.missing(np.array([[5, 7], [11, 13]], dtype=np.int64)) == [ONE - 2 * 5 + 13, -7]


def test_the_constant_row_has_the_largest_least_entry():
    # In a matrix of two rows: three times the first output and once the second make one.
    found = constant_row([{0: 1.0, 3: 2.0, 1: 1.0}], [1.0], (2, 3))
    assert found.shape == (3,) and found.sum() == pytest.approx(1.0) and 3 * found[0] + found[1] == pytest.approx(1.0)
    # q0 = t, q1 = 1 - 3 t, q2 = 2 t: the least is the largest where t = 1 - 3 t.
    assert found == pytest.approx([0.25, 0.25, 0.5])


@pytest.mark.parametrize(
    ("rows", "right"),
    [([{0: 1.0}], [0.0]), ([{0: 1.0}], [2.0]), ([{0: 1.0}, {1: 1.0}], [0.0, 0.5]), ([{0: 1.0, 1: 1.0}], [1.0])],
)
def test_where_every_constant_row_has_zeros_there_is_none(rows, right):
    assert constant_row(rows, right, (2, 3)) is None


def test_without_equations_the_constant_row_is_uniform():
    assert constant_row([], [], (2, 4)) == pytest.approx([0.25] * 4)


def test_shares_of_the_inner_mechanism_are_tried_from_none_to_a_64th():
    matrix, inner, seen = np.array([[1.0, 0.0], [0.5, 0.5]]), np.full((2, 2), 0.5), []
    none = Equations.of([], [], (2, 2))
    found, why = module.exactly(matrix, inner, none, md.MaximalLeakage(1.0), md.Problem(n=2), seen.append)
    assert found is None and "miss other constraints" in why
    assert [made[0, 1] for made in seen] == [0.0, *(2.0**-k for k in range(47, 6, -1))]
