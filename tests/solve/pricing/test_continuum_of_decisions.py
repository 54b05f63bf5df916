"""The bound over a line of decisions: sound where support functions are bounded widely, no looser from closer looks."""

import itertools

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.pricing.continuum_of_decisions import price, ratio_range

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


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_range_of_decisions_is_that_of_the_rays(epsilon):
    first, second = np.array([0.5, 0.3, 0.2]), np.array([0.25, 0.25, 0.5])
    inside = np.array(list(itertools.product([1.0, np.exp(epsilon)], repeat=3))).T
    of_values = (PROBLEM.prior * PROBLEM.values) @ inside / (PROBLEM.prior @ inside)
    for objective, of_rays in (
        # The mean of the values, from that of the prior on, and the ratio of two distributions.
        (md.MMSE(), of_values - PROBLEM.prior @ PROBLEM.values),
        (md.KLDivergence(first, second), first @ inside / (second @ inside)),
    ):
        low, high = ratio_range(objective.ratio(PROBLEM), md.LDP(epsilon), PROBLEM)
        assert of_rays.min() - 1e-8 <= low <= of_rays.min() and of_rays.max() <= high <= of_rays.max() + 1e-8


def test_the_range_is_near_where_a_column_has_hardly_any_mass():
    """An input of probability 1e-10 has half of the mass where a column is 2e9 times as large there as elsewhere."""
    first, second = np.array([2e-10, 0.5, 0.5 - 2e-10]), np.array([1e-10, 0.4, 0.6 - 1e-10])
    epsilon = np.log(2e9)
    inside = np.array(list(itertools.product([1.0, np.exp(epsilon)], repeat=3))).T
    of_rays = first @ inside / (second @ inside)
    low, high = ratio_range(md.KLDivergence(first, second).ratio(PROBLEM), md.LDP(epsilon), PROBLEM)
    # What rounding takes from the difference of both masses, by the least mass of a column that adds up to 3.
    apart = 2.0 * np.finfo(float).eps * (1.0 + of_rays.max()) / (3.0 * second @ inside / inside.sum(axis=0)).min()
    assert of_rays.min() - apart <= low <= of_rays.min() and of_rays.max() <= high <= of_rays.max() + apart
