"""Published mechanisms for a number: formulas against the densities, as printed, and against the optimum."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import mechdesign as md

LEVELS = (0.1, 0.5, 0.61, 0.62, 1.0, 2.0, 4.0, 8.0)


def piecewise(epsilon, steep, number):
    """The mean and variance of the report of a number, from its density."""
    ratio = math.exp(epsilon)
    half = (ratio + steep) * (steep + 1) / (steep * (ratio - 1))
    low, high = ((ratio + steep) * (number * steep + side) / (steep * (ratio - 1)) for side in (-1, 1))
    inside, outside = ratio / (steep + ratio) / (high - low), steep / (steep + ratio) / (2 * half - (high - low))
    assert inside / outside == pytest.approx(ratio)

    def moment(power):
        return sum(
            density * quad(lambda t: t**power, a, b)[0]
            for density, a, b in ((outside, -half, low), (inside, low, high), (outside, high, half))
        )

    assert moment(0) == pytest.approx(1.0)
    return moment(1), moment(2) - number**2


@pytest.mark.parametrize("epsilon", LEVELS)
def test_the_piecewise_mechanisms_are_integrals_of_their_densities(epsilon):
    found = md.baselines.numeric_variances(-1, 1, epsilon)
    for name, share in (("piecewise mechanism", 1 / 2), ("piecewise mechanism of less steepness", 1 / 3)):
        each = []
        for number in np.linspace(-1, 1, 9):
            mean, variance = piecewise(epsilon, math.exp(share * epsilon), number)
            assert mean == pytest.approx(number, abs=1e-9)
            each.append(variance)
        assert found[name] == pytest.approx(max(each), rel=1e-8)


@pytest.mark.parametrize("epsilon", [*LEVELS, 50.0, 500.0])
def test_the_formulas_as_printed(epsilon):
    """Wang et al. 2019: the variance of PM at 1, and the worst one of the hybrid mechanism."""
    found, root = md.baselines.numeric_variances(-1, 1, epsilon), math.exp(epsilon / 2)
    printed = 1 / (root - 1) + (root + 3) / (3 * (root - 1) ** 2)
    assert found["piecewise mechanism"] == pytest.approx(printed, rel=1e-10)
    two = ((math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)) ** 2
    mixed = (root + 3) / (3 * root * (root - 1)) + two / root
    assert found["hybrid mechanism"] == pytest.approx(mixed if epsilon > 0.61 else two, rel=1e-9)
    assert found["two outputs"] == pytest.approx(two, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_optimum_is_better_than_all_of_them(epsilon):
    made = md.design(md.Problem.from_interval(0, 10), md.LDP(epsilon), md.UnbiasedMean(), gap=1e-2)
    published = md.baselines.numeric_variances(0, 10, epsilon)
    assert all(made.value < value for value in published.values())
    shown = {rival.name: rival.value for rival in made.rivals}
    assert all(shown[name] == pytest.approx(value) for name, value in published.items() if name != "two outputs")
    assert shown["stochastic rounding"] == pytest.approx(published["two outputs"], rel=1e-9)


def test_bad_input_is_refused():
    for given in ((1, 0, 1.0), (0, 1, 0.0), (0, 1, float("inf")), (0, float("nan"), 1.0)):
        with pytest.raises(md.DomainError):
            md.baselines.numeric_variances(*given)


def test_levels_at_which_powers_overflow_have_numbers():
    found, errors = md.baselines.numeric_variances(-1, 1, 2000.0), md.baselines.numeric_errors(-1, 1, 2000.0)
    assert found["two outputs"] == 1.0 and found["piecewise mechanism"] == 0.0 and set(errors.values()) == {0.0}
    assert md.baselines.numeric_errors(0, 1, 600.0)["squared"] == pytest.approx(4.0 / 3.0 * math.exp(-300.0), rel=1e-9)
