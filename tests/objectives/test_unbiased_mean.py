"""The variance of an unbiased estimate of a number: against a dense program, published mechanisms and brute force."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.objectives.unbiased_estimates import unbiased
from mechdesign.solve.certificate.bound import utility_bound

LEVELS = (0.5, 2.0)
VALUES = ([-1.0, 0.0, 1.0], [0.0, 1.0, 5.0], [-1.0, -0.2, 0.1, 0.4, 1.0])


def dense(values, epsilon, estimates, weights):
    """The least variance under LDP with these estimates: one program over Q, the least of each column and tau."""
    n, m, ratio = len(values), len(estimates), np.exp(epsilon)
    eye, one = np.eye(m), np.eye(n)
    equal = np.vstack([np.hstack([np.kron(one, row), np.zeros((n, m + 1))]) for row in (np.ones(m), estimates)])
    low = np.hstack([-np.eye(n * m), np.tile(eye, (n, 1)), np.zeros((n * m, 1))])
    high = np.hstack([np.eye(n * m), -ratio * np.tile(eye, (n, 1)), np.zeros((n * m, 1))])
    square = np.kron(one, estimates**2)
    if weights is None:
        last = np.hstack([square, np.zeros((n, m)), -np.ones((n, 1))])
        above, ends = np.vstack([low, high, last]), np.concatenate([np.zeros(2 * n * m), values**2])
        cost, minus = np.append(np.zeros(n * m + m), 1.0), 0.0
    else:
        above, ends = np.vstack([low, high]), np.zeros(2 * n * m)
        cost, minus = np.concatenate([weights @ square, np.zeros(m + 1)]), float(weights @ values**2)
    return linprog(cost, above, ends, equal, np.concatenate([np.ones(n), values])).fun - minus


@pytest.mark.parametrize("epsilon", LEVELS)
@pytest.mark.parametrize("values", VALUES, ids=str)
@pytest.mark.parametrize("worst", [True, False])
def test_it_is_the_optimum_of_a_dense_program(epsilon, values, worst):
    values = np.array(values)
    weights = np.arange(1.0, len(values) + 1) / sum(range(len(values) + 1))
    problem = md.Problem(prior=weights, values=values)
    objective = md.UnbiasedMean(worst=worst)
    made = md.design(problem, md.LDP(epsilon), objective, gap=1e-5)
    assert made.gap <= 1e-5 and made.audit.holds
    estimates = objective.estimates(made.matrix, problem)
    middle, half = 0.5 * (values[0] + values[-1]), 0.5 * (values[-1] - values[0])
    grid = np.union1d(middle + half * np.linspace(-6, 6, 121), estimates)
    judged = dense(values, epsilon, grid, None if worst else weights)
    assert made.value == pytest.approx(judged, rel=1e-4)
    assert made.bound <= judged * (1 + 1e-7)
    assert np.abs(made.matrix @ estimates - values).max() <= 1e-9 * np.abs(estimates).max()


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5, 5.0])
def test_two_values_are_answered_by_randomised_response(epsilon):
    made = md.design(md.Problem(values=[3.0, 7.0]), md.LDP(epsilon), md.UnbiasedMean())
    assert made.value == pytest.approx(4.0 * (1 / np.tanh(epsilon / 2) ** 2 - 1), rel=1e-9)


@pytest.mark.parametrize("epsilon", LEVELS)
def test_it_is_never_worse_than_stochastic_rounding(epsilon):
    values = np.linspace(-1, 1, 9)
    problem = md.Problem(values=values)
    made = md.design(problem, md.LDP(epsilon), md.UnbiasedMean(), gap=1e-4)
    duchi = md.baselines.stochastic_rounding(problem, epsilon)
    value = md.UnbiasedMean().value(duchi.matrix, problem)
    # At the middle of the range: Duchi et al., the square of coth(epsilon / 2).
    assert value == pytest.approx(1 / np.tanh(epsilon / 2) ** 2, rel=1e-9)
    assert made.value < value


NOTIONS = (
    md.LIP(0.6),
    md.MaxLift(0.5),
    md.MetricDP(0.5, 1.0 * np.abs(np.subtract.outer(range(4), range(4)))),
    md.BlockLDP(1.0, [[0, 1], [2, 3]]),
    md.LDP(1.0) & md.LIP(0.7),
    md.ApproximateLDP(0.5, 0.1),
)


@pytest.mark.parametrize("notion", NOTIONS, ids=str)
@pytest.mark.parametrize("worst", [True, False])
def test_every_polyhedral_notion_is_answered(notion, worst, rng):
    problem = md.Problem(prior=[0.1, 0.2, 0.3, 0.4], values=[0.0, 1.0, 2.0, 5.0])
    objective = md.UnbiasedMean(worst=worst)
    made = md.design(problem, notion, objective, gap=1e-4)
    assert made.gap <= 1e-4 and made.audit.holds
    require_no_bias(made.matrix, problem)
    for _ in range(20):
        other = made.matrix @ rng.dirichlet(np.ones(6), size=made.matrix.shape[1])
        assert objective.value(other, problem) >= made.bound


def test_a_hidden_secret_is_protected_and_the_mean_of_the_data_is_estimated():
    given = [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]
    problem = md.Problem(n=3, values=[0.0, 1.0, 3.0]).hidden(data_given_secret=given, secret_prior=[0.5, 0.5])
    made = md.design(problem, md.LDP(0.3), md.UnbiasedMean(), gap=1e-4)
    assert made.gap <= 1e-4 and made.audit.holds
    estimates = md.UnbiasedMean().estimates(made.matrix, problem)
    assert np.allclose(made.matrix @ estimates, [0.0, 1.0, 3.0], atol=1e-9 * np.abs(estimates).max())


def test_any_multipliers_bound_the_value(rng):
    problem = md.Problem(values=[-1.0, 0.1, 1.0])
    for epsilon in LEVELS:
        made = md.design(problem, md.LDP(epsilon), md.UnbiasedMean(), gap=1e-6)
        claimed = made.mechanism.certificate.multipliers
        for size in (1e-6, 1e-2, 1.0):
            for _ in range(20):
                moved = replace(
                    claimed,
                    rows=claimed.rows + size * rng.normal(size=3),
                    weights=np.reshape(claimed.weights, (2, 3)) + size * rng.normal(size=(2, 3)),
                )
                bound = utility_bound(md.LDP(epsilon), md.UnbiasedMean(), problem, moved)
                assert -bound.utility <= made.value * (1 + 1e-9)


def test_no_random_mechanism_passes_the_bound(rng):
    problem = md.Problem(values=[-1.0, 0.2, 1.0])
    for epsilon in LEVELS:
        bound, met = md.design(problem, md.LDP(epsilon), md.UnbiasedMean(), gap=1e-6).bound, 0
        for _ in range(400):
            matrix = rng.dirichlet(np.ones(5), size=1) * np.exp(
                epsilon * rng.random() * rng.integers(0, 2, size=(3, 5))
            )
            matrix /= matrix.sum(axis=1, keepdims=True)
            if np.log(matrix.max(axis=0) / matrix.min(axis=0)).max() <= epsilon:
                value = md.UnbiasedMean().value(matrix, problem)
                met += np.isfinite(value)
                assert value >= bound * (1 - 1e-9)
        assert met > 20


def test_the_least_largest_variance_is_least(rng):
    """Against any other unbiased estimates of the same reports."""
    for _ in range(20):
        matrix = rng.dirichlet(np.ones(7), size=4)
        values = rng.normal(size=4)
        found = unbiased(matrix, values, None)
        free = np.linalg.svd(matrix)[2][4:]
        for size in (1e-3, 0.1, 1.0):
            other = found.worth + size * rng.normal(size=3) @ free
            assert (matrix @ other**2 - values**2).max() >= found.variances.max() * (1 - 1e-9)


def test_the_bias_in_fractions_is_rounding():
    problem = md.Problem(values=[16.0, 18.0, 25.0, 40.0, 99.0])
    require_no_bias(md.design(problem, md.LDP(1.0), md.UnbiasedMean(), gap=1e-4).matrix, problem)


def require_no_bias(matrix, problem):
    estimates = [Fraction(float(t)) for t in md.UnbiasedMean().estimates(matrix, problem)]
    for row, value in zip(matrix, problem.values, strict=True):
        mean = sum(Fraction(float(q)) * t for q, t in zip(row, estimates, strict=True))
        assert abs(mean - Fraction(float(value))) <= Fraction(1, 10**13) * max(map(abs, estimates))


@pytest.mark.parametrize(
    ("problem", "objective", "said"),
    [
        (md.Problem(n=3), md.UnbiasedMean(), "values is None"),
        (md.Problem(values=[1.0, 2.0]), md.UnbiasedMean(worst=False), "prior is None"),
        (md.Problem(values=[2.0, 2.0]), md.UnbiasedMean(), "give values that differ"),
    ],
)
def test_bad_input_is_refused_with_a_remedy(problem, objective, said):
    with pytest.raises(md.DomainError, match=said):
        md.design(problem, md.LDP(1.0), objective)


def test_reports_without_an_unbiased_estimate_are_said():
    problem = md.Problem(values=[0.0, 1.0, 0.5])
    matrix = [[0.6, 0.4], [0.4, 0.6], [0.6, 0.4]]
    assert md.UnbiasedMean().value(matrix, problem) == np.inf
    with pytest.raises(md.UnsupportedError, match="no unbiased estimate"):
        md.UnbiasedMean().estimates(matrix, problem)


def test_it_is_saved_and_its_claims_are_derived_again(tmp_path):
    problem = md.Problem(values=[0.0, 1.0, 5.0])
    made = md.design(problem, md.LDP(1.0), md.UnbiasedMean(), gap=1e-5)
    again = md.load(made.mechanism.save(tmp_path / "mean.json"))
    assert again == made.mechanism and again.certificate.bound == made.bound


@pytest.mark.parametrize("epsilon", [1e-7, 1e-8])
@pytest.mark.parametrize("worst", [True, False], ids=["worst", "mean"])
def test_levels_at_which_rounded_entries_bias_an_estimate_are_answered(epsilon, worst):
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[0.0, 1.0, 2.0])
    made = md.design(problem, md.LDP(epsilon), md.UnbiasedMean(worst=worst), gap=1e-4)
    # Two outputs are the best: (coth(epsilon / 2))^2, beside which the squares of the values are nothing.
    assert made.value == pytest.approx((2.0 / epsilon) ** 2, rel=1e-5) and made.gap <= 1e-4
