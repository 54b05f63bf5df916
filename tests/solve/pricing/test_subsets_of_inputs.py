"""Columns of LDP by subsets of the inputs: the price is the largest of all subsets, listed one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.pricing.subset_quadratic import priced, rays_of
from mechdesign.solve.pricing.subsets_of_inputs import subset_price
from tests.helpers import brute_force as brute

PRIORS = {
    "one atom": [0.9, 0.05, 0.03, 0.02],
    "ties": [0.2, 0.2, 0.2, 0.15, 0.15, 0.1],
    "equal": [0.2] * 5,
    "falling": [0.4, 0.25, 0.15, 0.1, 0.06, 0.04],
    "two": [0.7, 0.3],
}


def listed(n, epsilon):
    """Return e^-epsilon on each set but the empty one and 1 on it, every set, shape (n, 2^n - 1)."""
    return brute.ldp_vectors(n, epsilon) * math.exp(-epsilon)


def utilities(objective, columns, prior):
    """Return the utility of each column from its definition."""
    if isinstance(objective, md.MutualInformation):
        return brute.information(columns, prior)
    joint = prior[:, None] * columns
    return (joint**2).sum(axis=0) / joint.sum(axis=0)


@pytest.mark.parametrize("objective", [md.MutualInformation(), md.HistogramMMSE()], ids=str)
@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize("epsilon", [0.3, 1.5, 4.0])
def test_the_price_is_the_largest_of_all_subsets(objective, name, epsilon, rng):
    prior = np.array(PRIORS[name])
    columns = listed(len(prior), epsilon)
    worth, mass = utilities(objective, columns, prior), columns.mean(axis=0)
    for lam in (np.zeros(len(prior)), prior * worth.max() * rng.uniform(0.5, 1.5, len(prior)), rng.normal(size=6)):
        rows = lam[: len(prior)]
        excess = (worth - rows @ columns) / mass
        found = subset_price(md.LDP(epsilon), objective, md.Problem(prior=prior), rows, 1e-10)
        assert excess.max() - 1e-12 <= found.bound <= excess.max() + 1e-8
        # What is handed back are such columns, the best one first.
        best = found.columns[:, 0]
        reached = (utilities(objective, best[:, None], prior)[0] - rows @ best) / best.mean()
        assert reached == pytest.approx(excess.max(), abs=1e-8)
        assert np.isin(np.round(found.columns, 12), np.round([math.exp(-epsilon), 1.0], 12)).all()


@pytest.mark.parametrize("n", [4, 12, 14])
def test_the_best_subsets_of_an_information_design_are_those_of_a_list(n, rng):
    """With the identity for the slope the information is the squared distance from the mean, per mass."""
    theta, lam, normal = rng.dirichlet(np.ones(n)), rng.normal(size=n), rng.uniform(0.5, 1.5, size=n)
    problem = md.Problem(prior=theta)
    found = priced(md.LDP(1.2), md.InformationDesign("A"), problem, np.eye(n - 1), lam, normal, 3)
    sets = ((np.arange(2**n) >> np.arange(n)[:, None]) & 1).astype(float)

    def excess(subsets):
        columns = np.where(subsets > 0, 1.0, math.exp(-1.2))
        apart = columns - columns.mean(axis=0)
        return ((apart**2).sum(axis=0) / (theta @ columns) - lam @ columns) / (normal @ columns)

    assert excess(found) == pytest.approx(np.sort(excess(sets))[::-1][:3], rel=1e-10)
    assert rays_of(found, 1.2).columns == pytest.approx(np.where(found > 0, 1.0, math.exp(-1.2)))
