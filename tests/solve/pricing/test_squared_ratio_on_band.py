"""The price of a squared ratio over a band about the mass: the largest of its corners, however the blocks are cut."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.pricing import squared_ratio_on_band
from mechdesign.solve.pricing.squared_ratio_on_band import BandPrice
from tests.helpers import brute_force as brute

PRIOR, VALUES = np.array([0.1, 0.15, 0.2, 0.25, 0.3]), np.array([3.0, -1.0, 0.5, 2.0, 0.0])
APART = VALUES - PRIOR @ VALUES
PROBLEM = md.Problem(prior=PRIOR, values=VALUES)


@pytest.mark.parametrize("block", [None, 1, 35])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_the_price_is_the_largest_excess_of_a_corner(epsilon, block, monkeypatch, rng):
    if block is not None:
        monkeypatch.setattr(squared_ratio_on_band, "BLOCK", block)
    notion = md.LIP(epsilon)
    pricing = BandPrice.of(md.MMSE().ratio(PROBLEM), notion.columns(PROBLEM).cone())
    corners = brute.vertices(brute.lip_rows(PRIOR, epsilon), PRIOR)
    means = (PRIOR * APART) @ corners
    for lam in (np.zeros(5), PRIOR * rng.normal(size=5), rng.normal(size=5)):
        # The utility of a column of mass one is the square of how far it moves the mean of the values.
        largest = float((means**2 - lam @ corners).max())
        grid = np.linspace(means.min(), means.max(), 9)
        inward, outward = (pricing.price(lam, grid, 1e-12, outward=outward) for outward in (False, True))
        assert inward.bound == pytest.approx(largest, abs=1e-9)
        assert outward.bound == pytest.approx(largest, abs=1e-9)
        assert largest <= outward.bound and 0.0 < outward.rounding < 1e-12
        one = float(grid[3])
        of_one = float(((2.0 * one * PRIOR * APART - one**2 * PRIOR - lam) @ corners).max())
        at_one = pricing.price(lam, np.array([one]), 1e-12, outward=True)
        assert of_one <= at_one.bound <= of_one + 1e-12 and 0.0 < at_one.rounding < 1e-12
