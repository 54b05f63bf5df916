"""Pairs whose optimum is no linear program: each is certified, and brute force agrees where it can."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.solve.certificate.bound import utility_bound
from tests.helpers import brute_force as brute


def question(n, rng):
    return md.Problem(prior=rng.dirichlet(np.ones(n)) * 0.9 + 0.1 / n, values=rng.normal(size=n))


def entropy(prior):
    return -sum(p * math.log(p) for p in prior)


def grid(n, steps):
    """Return all points of the simplex whose entries are multiples of ``1 / steps``, shape (n, points)."""
    axes = np.meshgrid(*[np.arange(steps + 1)] * (n - 1), indexing="ij")
    rest = steps - sum(axes)
    return np.array([axis[rest >= 0] for axis in axes] + [rest[rest >= 0]]) / steps


@pytest.mark.parametrize("n", [2, 3, 4, 7, 40])
@pytest.mark.parametrize("share", [0.01, 0.4, 0.999, 1.5])
def test_information_itself_is_all_that_its_budget_grants(n, share, rng):
    problem = question(n, rng)
    most = entropy(problem.prior)
    epsilon = share * most
    found = md.design(problem, md.MutualInformationPrivacy(epsilon), md.MutualInformation())
    assert found.value == pytest.approx(min(epsilon, most), rel=1e-8)
    assert found.bound == pytest.approx(min(epsilon, most), rel=1e-8)
    assert found.bound >= min(epsilon, most) * (1 - 1e-14)
    assert found.gap <= 1e-6


@pytest.mark.thinned(3)
@pytest.mark.parametrize("n", [5, 8, 15])
def test_histogram_error_is_certified_beyond_four_inputs(n, rng):
    found = md.design(question(n, rng), md.MutualInformationPrivacy(0.3), md.HistogramMMSE())
    assert found.gap <= 1e-6


@pytest.mark.parametrize("asked", [md.MutualInformation(), md.HistogramMMSE()], ids=str)
@pytest.mark.parametrize("nu", [0.0, 1e-9, 0.05, 0.6, 1.0, 1.3, 2.0, 40.0])
@pytest.mark.parametrize("n", [2, 3])
def test_priced_excess_is_the_largest_of_a_grid(n, nu, asked, rng):
    problem, notion = question(n, rng), md.MutualInformationPrivacy(0.2)
    prior, lam = problem.prior, 0.3 * rng.normal(size=n)
    shares = grid(n, {2: 40_000, 3: 600}[n])
    columns = shares / prior[:, None]
    kept = np.where(shares > 0, shares * np.log(np.where(shares > 0, columns, 1.0)), 0.0).sum(axis=0)
    utility = kept if isinstance(asked, md.MutualInformation) else (shares**2).sum(axis=0)
    best = float((utility - nu * kept - lam @ columns).max())
    bound = utility_bound(notion, asked, problem, Multipliers(lam, np.array([nu])), 1e-9).utility
    rho = bound - lam.sum() - nu * 0.2
    assert best <= rho + 1e-12 <= best + 2e-4 * (1.0 + nu)


@pytest.mark.parametrize("n", [2, 3])
def test_histogram_error_passes_every_grid(n, rng):
    problem, epsilon = question(n, rng), 0.25
    shares = grid(n, {2: 4000, 3: 140}[n])
    columns = shares / problem.prior[:, None]
    cost = np.where(shares > 0, shares * np.log(np.where(shares > 0, columns, 1.0)), 0.0).sum(axis=0)
    utility = (shares**2).sum(axis=0)
    best = linprog(-utility, A_ub=cost[None], b_ub=[epsilon], A_eq=columns, b_eq=np.ones(n), method="highs")
    found = md.design(problem, md.MutualInformationPrivacy(epsilon), md.HistogramMMSE())
    assert found.gap <= 1e-6
    assert 1.0 - found.bound >= -best.fun - 1e-9
    assert 1.0 - found.value == pytest.approx(-best.fun, rel=2e-4)


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("n", "secrets"), [(4, 2), (6, 2), (12, 2), (4, 3), (5, 3)])
@pytest.mark.parametrize("asked", [md.MutualInformation(), md.HistogramMMSE(), md.MMSE()], ids=str)
def test_funnels_are_certified(n, secrets, asked, rng):
    hidden = question(n, rng).hidden(rng.dirichlet(np.ones(secrets), size=n).T)
    told = brute.information(hidden.channel, hidden.secret_prior).sum()
    found = md.design(hidden, md.MutualInformationPrivacy(0.2 * told), asked)
    assert found.gap <= 1e-6
    assert found.audit.holds


def on_ball(problem, epsilon, steps):
    """Return columns of mass one on a grid, moved onto the ball of strong chi-square privacy where they are outside."""
    shares = [grid(problem.n, steps)]
    # Finer between pairs of inputs: where the ball leaves the orthant, logarithms are steep.
    for first, second in zip(*np.triu_indices(problem.n, 1), strict=True):
        edge = np.zeros((problem.n, 801))
        edge[[first, second]] = grid(2, 800)
        shares.append(edge)
    columns = np.hstack(shares) / problem.prior[:, None]
    deviation = np.sqrt(problem.prior @ (columns - 1.0) ** 2)
    return 1.0 + np.minimum(1.0, epsilon / np.maximum(deviation, 1e-300)) * (columns - 1.0)


def told(asked, columns, prior):
    """Return what each column of mass one adds to the utility."""
    shares = prior[:, None] * columns
    if isinstance(asked, md.HistogramMMSE):
        return (shares**2).sum(axis=0)
    return np.where(columns > 0, shares * np.log(np.where(columns > 0, columns, 1.0)), 0.0).sum(axis=0)


CURVED = pytest.mark.parametrize("asked", [md.MutualInformation(), md.HistogramMMSE()], ids=str)


@pytest.mark.thinned(4)
@CURVED
@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_curved_cones_are_certified(n, epsilon, asked, rng):
    problem = question(n, rng)
    found = md.design(problem, md.StrongChiSquare(epsilon), asked)
    assert found.gap <= 1e-6
    assert found.audit.holds
    columns = on_ball(problem, epsilon, {2: 4000, 3: 200, 4: 40}[n])
    columns = np.hstack([np.ones((n, 1)), columns])
    best = -linprog(-told(asked, columns, problem.prior), A_eq=columns, b_eq=np.ones(n), method="highs").fun
    utility, bound = (asked.to_utility(number, problem) for number in (found.value, found.bound))
    assert bound >= best - 1e-9
    assert utility <= best + {2: 1e-6, 3: 2e-3, 4: 3e-2}[n]


@CURVED
@pytest.mark.parametrize("secrets", [2, 3])
def test_curved_cones_of_a_hidden_secret_are_certified(secrets, asked, rng):
    hidden = question(5, rng).hidden(rng.dirichlet(np.ones(secrets), size=5).T)
    assert md.design(hidden, md.StrongChiSquare(0.3), asked).gap <= 1e-6


@CURVED
@pytest.mark.parametrize("n", [2, 3])
def test_bound_on_a_curved_cone_holds_for_any_multipliers(n, asked, rng):
    problem, notion = question(n, rng), md.StrongChiSquare(0.4)
    columns = on_ball(problem, 0.4, {2: 4000, 3: 300}[n])
    utility = told(asked, columns, problem.prior)
    for size in (0.0, 0.1, 1.0, 10.0):
        lam = size * rng.normal(size=n)
        best = float((utility - lam @ columns).max())
        rho = utility_bound(notion, asked, problem, Multipliers(lam), 1e-9).utility - lam.sum()
        assert best - 1e-12 <= rho <= best + 1e-3 * (1.0 + size)


@CURVED
def test_more_inputs_under_a_curved_cone_are_bounded_input_by_input(asked, rng):
    with pytest.warns(md.GapWarning, match="came to its own end .tried: near_prior."):
        made = md.design(question(5, rng), md.StrongChiSquare(0.5), asked)
    assert made.audit.holds and made.gap <= 0.2
    assert "for at most 4 inputs or values of the secret" in made.refusals["directions"]


def test_a_ball_too_small_would_be_seen(rng):
    problem, notion = question(3, rng), md.StrongChiSquare(0.4)
    columns = on_ball(problem, 0.4, 300)
    lam = rng.normal(size=3)
    best = float((told(md.HistogramMMSE(), columns, problem.prior) - lam @ columns).max())
    # Planted: half-spaces of a smaller ball cut off what the true one holds.
    smaller = utility_bound(md.StrongChiSquare(0.3), md.HistogramMMSE(), problem, Multipliers(lam), 1e-9)
    assert smaller.utility - lam.sum() < best - 1e-3
    assert (
        utility_bound(notion, md.HistogramMMSE(), problem, Multipliers(lam), 1e-9).utility - lam.sum() >= best - 1e-12
    )


@pytest.mark.slow
def test_a_design_beyond_the_subdivision_says_so(rng):
    hidden = question(15, rng).hidden(rng.dirichlet(np.ones(4), size=15).T)
    with pytest.warns(md.GapWarning, match="no route that searches answers"):
        made = md.design(hidden, md.MutualInformationPrivacy(0.1), md.MutualInformation())
    assert "1000 sets of so many inputs" in made.refusals["directions"]
