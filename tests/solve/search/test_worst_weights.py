"""Smooth criteria of an information design: below the criterion, with its slope, and nearer to it each time."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.search.worst_weights import smooth_criterion

N = 5
PROBLEM = md.Problem(n=N)
ASKED = {
    "A": md.InformationDesign("A", queries="prefix"),
    "D": md.InformationDesign("D"),
    "E": md.InformationDesign("E", queries="prefix"),
    "worst": md.InformationDesign("worst", queries="prefix"),
    "all": md.InformationDesign("worst"),
}


def information(rng):
    root = rng.normal(size=(N - 1, N + 3))
    return root @ root.T


def criterion(name, inverse):
    """The criterion of an inverse information, from the definition."""
    seen = ASKED[name].rows_on_contrasts(PROBLEM)
    covariance = seen @ inverse @ seen.T
    of_name = {
        "A": lambda: np.trace(covariance),
        "D": lambda: np.linalg.slogdet(inverse)[1],
        "E": lambda: np.linalg.eigvalsh(covariance)[-1],
        "worst": lambda: np.diag(covariance).max(),
        "all": lambda: np.diag(covariance).max(),
    }
    return float(of_name[name]())


@pytest.mark.parametrize("name", ASKED)
def test_the_slope_is_minus_the_derivative_by_the_information(name, rng):
    smooth, of_one = smooth_criterion(ASKED[name], PROBLEM), information(rng)
    smooth.settle(np.linalg.inv(of_one + information(rng)))
    _, slope = smooth.at(np.linalg.inv(of_one))
    for _ in range(3):
        change = information(rng) - information(rng)
        ends = [smooth.at(np.linalg.inv(of_one + step * change))[0] for step in (-1e-6, 1e-6)]
        assert (ends[1] - ends[0]) / 2e-6 == pytest.approx(-(slope * change).sum(), rel=1e-5)


@pytest.mark.parametrize("name", ASKED)
def test_it_is_below_the_criterion_and_comes_to_it(name, rng):
    smooth = smooth_criterion(ASKED[name], PROBLEM)
    for _ in range(3):
        inverse = np.linalg.inv(information(rng))
        assert smooth.at(inverse)[0] <= criterion(name, inverse) * (1 + 1e-12) or name == "D"
        assert smooth.settle(inverse) == pytest.approx(criterion(name, inverse), rel=1e-9)
    for _ in range(200):
        smooth.settle(inverse)
    assert smooth.at(inverse)[0] == pytest.approx(criterion(name, inverse), rel=1e-6)


def test_the_next_weights_at_the_same_place_never_lower_it(rng):
    for name in ("E", "worst"):
        smooth, inverse = smooth_criterion(ASKED[name], PROBLEM), np.linalg.inv(information(rng))
        smooth.settle(inverse)
        for _ in range(5):
            before = smooth.at(inverse)[0]
            smooth.settle(inverse)
            assert smooth.at(inverse)[0] >= before * (1 - 1e-12)
