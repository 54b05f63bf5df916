"""Bounds of information designs without a list of rays, against linear programs over all vertices."""

import math
import warnings

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.solve.certificate import frequencies
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.certificate.squared_entries import of_lifts
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.pricing.bounded_lift import lifts
from tests.helpers import brute_force

A = md.InformationDesign("A")


def most_told(columns, theta):
    """Return the largest ``trace(G K)``, ``G = I - 1 1'/n``, over weights of the columns with rows that sum to 1."""
    return most_of(((columns - columns.mean(axis=0)) ** 2).sum(axis=0) / (theta @ columns), columns)


def most_of(told, columns):
    """Return the largest sum of what is told by the columns, over weights with rows that sum to 1."""
    found = linprog(-told, A_eq=columns, b_eq=np.ones(len(columns)))
    assert found.status == 0
    return -found.fun


def drawn(n, seed):
    rng = np.random.default_rng(seed)
    return [np.full(n, 1.0 / n), rng.dirichlet(np.ones(n)), rng.dirichlet(np.full(n, 0.3)) * 0.99 + 0.01 / n][seed % 3]


def of_sets_is_sound(n, epsilon, seed):
    theta = drawn(n, seed)
    exact = most_told(brute_force.ldp_vectors(n, epsilon), theta)
    best = frequencies.best_multiplier(theta, epsilon)
    notion, problem = md.LDP(epsilon), md.Problem(prior=theta)
    totals = [frequencies.total_of_sets(notion, A, problem, a)[0] for a in (best, 0.0, 0.9 * best, -1.0, 3.0)]
    assert totals[0] <= min(totals) * (1 + 1e-9), "the multiplier is not the best"
    return all(total >= exact * (1 - 1e-9) for total in totals), totals[0] / exact


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_what_sets_tell_is_no_more_than_the_bound(n, epsilon, seed):
    sound, ratio = of_sets_is_sound(n, epsilon, seed)
    assert sound
    if seed % 3 == 0:
        # At equal frequencies it is the optimum itself.
        assert ratio == pytest.approx(1.0, rel=1e-8)


def test_planted_a_bound_of_the_mean_mass_alone_is_caught(monkeypatch):
    made = frequencies._of_sizes

    def of_the_mean(theta, low):
        return made(np.full(len(theta), 1.0 / len(theta)), low)

    monkeypatch.setattr(frequencies, "_of_sizes", of_the_mean)
    assert not all(of_sets_is_sound(5, 1.0, seed)[0] for seed in range(6))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_what_lifts_tell_is_no_more_than_the_limit(n, epsilon, seed):
    prior, theta = drawn(n, seed), np.random.default_rng(seed).dirichlet(np.ones(n))
    vertices = brute_force.vertices(brute_force.lip_rows(prior, epsilon), prior)
    bounds = lifts(md.LIP(epsilon), md.Problem(prior=prior))
    for shares in (np.ones(n), np.random.default_rng(seed).random(n)):
        squares = of_lifts(bounds, shares)
        basis, told = contrasts(n).T @ vertices, squares.slope(theta)[0]
        most = most_of(np.einsum("kx,kl,lx->x", basis, told, basis) / (theta @ vertices), vertices)
        assert squares.limit >= most - 1e-9 * squares.limit
    # That of Jiang's bound on lifts alone, where no input fills a column by itself.
    if prior.max() <= 1.0 / (1.0 + math.exp(epsilon)):
        limit = of_lifts(bounds, np.ones(n)).limit
        assert limit == pytest.approx(n * (math.exp(epsilon) - 1) ** 2 / math.exp(epsilon), rel=1e-9)


@pytest.mark.parametrize("criterion", ["A", "D", "E"])
@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(0.7), md.MaxLift(0.5), md.LDP(1.0) & md.LIP(0.7)], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_no_design_over_all_rays_passes_the_bound(notion, criterion, seed):
    problem, objective = md.Problem(prior=drawn(6, seed)), md.InformationDesign(criterion)
    made = md.design(problem, notion, objective, gap=1e-4)
    lam = np.full(6, frequencies.best_multiplier(problem.prior, 1.0))
    least, rounding = frequencies.least_without_rays(notion, objective, problem, lam)
    assert least <= made.value + 1e-9 * abs(made.value) and 0 < rounding < 1e-9 * max(abs(least), 1.0)
    assert least >= objective.no_privacy(problem) - 1e-9


def test_weights_of_the_a_criterion_are_in_the_bound():
    problem, weights = md.Problem(prior=[0.2] * 5), [1.0, 1.0, 4.0, 1.0, 0.1]
    objective = md.InformationDesign("A", weights=weights)
    made = md.design(problem, md.LDP(1.0), objective)
    least, _ = frequencies.least_without_rays(md.LDP(1.0), objective, problem, np.zeros(5))
    assert 0.9 * made.value <= least <= made.value


@pytest.mark.parametrize("epsilon", [300.0, 400.0, 700.0])
def test_levels_at_which_squares_overflow_have_a_bound_and_no_warning(epsilon):
    theta = np.arange(1.0, 31.0) / 465.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        multiplier = frequencies.best_multiplier(theta, epsilon)
        problem, objective = md.Problem(n=30), md.InformationDesign("A", theta=theta)
        found = frequencies.total_of_sets(md.LDP(epsilon), objective, problem, multiplier)
    assert np.isfinite(multiplier) and np.isfinite(found).all()


# What a design had in no time follows from its file, in whatever time ------------------------------------------------


def test_a_list_of_rays_makes_no_bound_worse():
    prior = [0.2, 0.3, 0.2, 0.1, 0.2]
    channel = [[0.4, 0.9, 0.2, 0.4, 0.3], [0.3, 0.05, 0.1, 0.4, 0.3], [0.3, 0.05, 0.7, 0.2, 0.4]]
    hidden = md.Problem(prior).hidden(secret_given_data=channel)
    notion = md.ApproximateLDP(1e-3, 0.7)
    objective = md.InformationDesign("A", theta=[1 / 19, 4 / 19, 4 / 19, 1 / 19, 9 / 19])
    inputs = notion.inputs(hidden)
    assert all_rays(notion, inputs) is not None
    # Multipliers that say nothing, as those of the route blocks do: what no report is worth more than is left.
    derived = utility_bound(notion, objective, inputs, Multipliers(np.zeros(5)))
    assert -derived.utility >= objective.no_privacy(inputs) * (1 - 1e-9)
