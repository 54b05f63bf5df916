"""Pricing by simplices: sound on columns of any kind, and near enough to certify the privacy funnel."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.pricing import subdivision
from mechdesign.solve.pricing.subdivision import largest_excess


def funnel(n, secrets, rng):
    """Return a problem of a hidden secret: what Makhdoumi et al. 2014 ask of it is the privacy funnel."""
    seen = rng.dirichlet(np.ones(secrets), size=n).T
    return md.Problem(prior=rng.dirichlet(np.ones(n))).hidden(secret_given_data=seen)


def priced(problem, objective, nu, lam):
    notion = md.MutualInformationPrivacy(0.05)
    return largest_excess(
        objective, problem, notion.columns(problem).budget(), notion.columns(problem).normal, lam, nu, 1e-3
    )


@pytest.mark.parametrize("objective", [md.MutualInformation(), md.HistogramMMSE()], ids=str)
@pytest.mark.parametrize(("n", "secrets"), [(4, 2), (5, 5), (6, 6), (7, 5)])
def test_no_column_exceeds_the_bound(objective, n, secrets, monkeypatch, rng):
    monkeypatch.setattr(subdivision, "MOST_CELLS", 4_000)
    problem, notion = funnel(n, secrets, rng), md.MutualInformationPrivacy(0.05)
    normal, budget = notion.columns(problem).normal, notion.columns(problem).budget()
    sparse = rng.dirichlet(np.full(n, 0.2), size=4_000).T
    columns = np.hstack([sparse, np.eye(n), np.ones((n, 1)), rng.dirichlet(np.ones(n), size=1_000).T])
    columns /= normal @ columns
    for nu in (0.3, 1.0, 4.0):
        lam = rng.normal(size=n) * problem.prior
        reached = objective.column_utility(columns, problem) - lam @ columns - nu * budget.cost(columns)[0]
        found = priced(problem, objective, nu, lam)
        assert found.bound >= reached.max() - 1e-12
        assert np.all(found.columns >= 0) and np.allclose(normal @ found.columns, 1)


@pytest.mark.parametrize("objective", [md.MutualInformation(), md.HistogramMMSE()], ids=str)
def test_a_bound_on_few_inputs_is_as_near_to_a_column_as_is_asked(objective, rng):
    problem = funnel(3, 3, rng)
    normal = md.MutualInformationPrivacy(0.05).columns(problem).normal
    budget = md.MutualInformationPrivacy(0.05).columns(problem).budget()
    grid = np.array([(a, b, 200 - a - b) for a in range(201) for b in range(201 - a)]).T / 200 / normal[:, None]
    for nu in (0.5, 3.0):
        lam = rng.normal(size=3) * problem.prior

        def excess(columns, nu=nu, lam=lam):
            return objective.column_utility(columns, problem) - lam @ columns - nu * budget.cost(columns)[0]

        found = priced(problem, objective, nu, lam)
        assert excess(grid).max() - 1e-12 <= found.bound <= excess(found.columns).max() + 1e-3 + 1e-12


def test_more_tangents_make_the_bound_tighter_on_as_many_cells(monkeypatch, rng):
    problem, lam = funnel(6, 5, rng), np.zeros(6)
    monkeypatch.setattr(subdivision, "MOST_CELLS", 2_000)
    bounds = {}
    for count in (1, 4):
        monkeypatch.setattr(subdivision, "TANGENTS", count)
        bounds[count] = priced(problem, md.MutualInformation(), 4.0, lam).bound
    assert bounds[4] < bounds[1] - 1e-3


def test_what_has_too_many_values_is_refused_with_the_number(rng):
    with pytest.raises(md.UnsupportedError, match="at most 6 inputs or values of the secret"):
        md.design(funnel(8, 7, rng), md.MutualInformationPrivacy(0.05), md.MutualInformation(), route="directions")


@pytest.mark.slow
@pytest.mark.parametrize(("n", "secrets", "gap"), [(8, 5, 1e-3), (12, 3, 1e-4)])
def test_the_privacy_funnel_is_certified_as_a_curve(n, secrets, gap):
    problem = funnel(n, secrets, np.random.default_rng(0))
    curve = md.frontier(problem, md.MutualInformationPrivacy, md.MutualInformation(), [0.02, 0.05, 0.1], gap=gap)
    assert curve.complete and np.all(curve.gaps <= gap) and np.all(np.diff(curve.values) > 0)
