"""Pricing under a budget of information, where all is a sum over inputs: against a fine grid of three inputs."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.pricing.sum_over_inputs import excess_by_input

PRIOR = np.array([0.5, 0.3, 0.2])
STEPS = 400


def posteriors():
    """Return the posteriors of a fine grid, shape (3, m)."""
    grid = np.array([(a, b, STEPS - a - b) for a in range(STEPS + 1) for b in range(STEPS + 1 - a)]) / STEPS
    return grid.T


def information(shares):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(shares > 0, shares * np.log(shares / PRIOR[:, None]), 0.0).sum(axis=0)


@pytest.mark.parametrize("objective", [md.MutualInformation(), md.HistogramMMSE()], ids=str)
@pytest.mark.parametrize("nu", [0.0, 0.1, 0.4, 0.9, 1.5, 6.0])
def test_the_bound_is_the_largest_excess_of_a_posterior(objective, nu, rng):
    shares = posteriors()
    gained = information(shares) if isinstance(objective, md.MutualInformation) else (shares**2).sum(axis=0)
    for lam in (np.zeros(3), PRIOR * rng.normal(size=3), 0.3 * PRIOR * rng.normal(size=3)):
        largest = float((gained - nu * information(shares) - (lam / PRIOR) @ shares).max())
        found = excess_by_input(md.MutualInformationPrivacy(0.1), objective, md.Problem(prior=PRIOR), lam, nu, 1e-9)
        # Next to a side of the simplex the slope is steep: the nearest point of the grid is a little below.
        assert largest - 1e-12 <= found.bound <= largest + 1e-3
        told = PRIOR[:, None] * found.columns
        assert np.allclose(told.sum(axis=0), 1.0) and np.all(told >= 0.0)
        reached = information(told) if isinstance(objective, md.MutualInformation) else (told**2).sum(axis=0)
        reached = reached - nu * information(told) - (lam / PRIOR) @ told
        assert found.bound - 1e-6 <= reached.max() <= found.bound + 1e-12
