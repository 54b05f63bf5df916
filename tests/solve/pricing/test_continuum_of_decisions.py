"""The bound over a line of decisions: sound where support functions are bounded widely, no looser from closer looks."""

import itertools

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.pricing.continuum_of_decisions import price

PROBLEM = md.Problem(prior=[0.2, 0.3, 0.5], values=[0.0, 1.0, 3.0])
RAYS = md.LDP(1.0).columns(PROBLEM).rays().columns / (PROBLEM.prior @ md.LDP(1.0).columns(PROBLEM).rays().columns)
LAM = 0.8 * PROBLEM.prior


def exact(functionals):
    return (functionals @ RAYS).max(axis=1)


def failing(apart):
    """Return the support function whose program fails wherever two decisions that were asked for are near."""
    asked = set()

    def sigma(functionals):
        keys = [tuple(row) for row in np.round(functionals / apart).tolist()]
        wide = np.array([key in asked for key in keys])
        asked.update(keys)
        return exact(functionals) + 0.5 * wide

    return sigma


@pytest.mark.parametrize("apart", [1e-12, 1e-3, 1e-2])
def test_closer_looks_are_never_looser(apart):
    ratio, grid = md.MMSE().ratio(PROBLEM), np.linspace(0.0, 3.0, 9)
    fine = np.linspace(0.0, 3.0, 20_001)
    best = float(exact(ratio.functionals(fine) - LAM).max())
    found = [price(ratio, failing(apart), LAM, grid, tolerance).bound for tolerance in (1e-1, 1e-2, 1e-3, 1e-6, 1e-9)]
    assert all(closer <= before + 1e-15 for before, closer in itertools.pairwise(found))
    assert best - 1e-12 <= found[-1] and (apart > 1e-6 or found[-1] <= best + 1e-8)
