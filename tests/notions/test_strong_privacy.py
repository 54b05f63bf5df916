"""Strong privacy in l1 and in chi-square: definitions, brute force, closed forms, implications, bad input."""

import itertools
import math
import warnings
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.catalogue.drawn import random_problem
from mechdesign.solve.pricing.support import support
from mechdesign.testing.random_problems import private_channel
from tests.helpers.brute_force import (
    divergence,
    exactly,
    information,
    least_loss,
    optimum,
    seen,
    squared_error,
    vertices,
)

NOTIONS = [md.StrongL1, md.StrongChiSquare]


def distances(matrix, prior, channel=None):
    """Return the l1 distance and the chi-square divergence of each output, as fractions."""
    pi, columns = exactly(prior), zip(*seen(matrix, channel), strict=True)
    found = []
    for column in columns:
        mass = sum(p * v for p, v in zip(pi, column, strict=True))
        ratios = [v / mass - 1 for v in column]
        l1 = sum(p * abs(ratio) for p, ratio in zip(pi, ratios, strict=True))
        found.append([l1, sum(p * ratio**2 for p, ratio in zip(pi, ratios, strict=True))])
    return np.array(found, dtype=object).T


def l1_rows(prior, epsilon, channel=None):
    """Return ``epsilon m - sum_s a_s pi_s (v_s - m) >= 0`` for all signs a: the norm is the largest of these sums."""
    prior = np.asarray(prior)
    channel = np.eye(len(prior)) if channel is None else channel
    mass = prior @ channel
    signs = np.array(list(itertools.product((-1, 1), repeat=len(prior))))
    return epsilon * mass - (signs * prior) @ (channel - mass)


def dyadic(n, rng):
    """Return a matrix of multiples of 1/64 whose rows sum to one."""
    first = rng.integers(1, 40, size=(n, 2))
    return np.hstack([first[:, :1], first[:, 1:] // 2 + 1, 63 - first[:, :1] - first[:, 1:] // 2]) / 64


def test_levels_and_exact_checks_are_those_of_fractions(rng):
    for trial in range(40):
        n = int(rng.integers(2, 5))
        prior, matrix = rng.dirichlet(np.ones(n)) + 0.01, dyadic(n, rng)
        prior, channel = prior / prior.sum(), None
        problem = md.Problem(prior=prior)
        if trial % 2:
            channel = rng.dirichlet(np.ones(n), size=3)
            prior = np.array([0.25, 0.5, 0.25])
            problem = md.Problem(n=n).hidden(data_given_secret=channel, secret_prior=prior)
        moved, squares = distances(matrix, prior, channel)
        numerators = (matrix * 64).astype(np.int64)
        for notion, true in ((md.StrongL1(1.0), max(moved)), (md.StrongChiSquare(1.0), math.sqrt(max(squares)))):
            level = notion.level(matrix, problem).value
            assert level == pytest.approx(float(true), rel=1e-11)
            for factor in (1 + 1e-9, 1 - 1e-9):
                asked = notion.at(level * factor)
                exact = max(moved) <= Fraction(asked.epsilon) if notion.name == "StrongL1" else None
                exact = max(squares) <= Fraction(asked.epsilon) ** 2 if exact is None else exact
                assert asked.holds_exactly(numerators, problem) == exact == (factor > 1)


@pytest.mark.parametrize("notion", NOTIONS)
def test_the_edge_is_exact(notion):
    # Posteriors (3/4, 1/4) from even odds: l1 distance 1/2, divergence 1/4.
    problem, numerators = md.Problem(prior=[0.5, 0.5]), np.array([[3, 1], [1, 3]])
    assert notion(0.5).holds_exactly(numerators, problem)
    assert not notion(math.nextafter(0.5, 0)).holds_exactly(numerators, problem)


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("hidden", [False, True])
def test_l1_designs_equal_brute_force(n, hidden, rng):
    for epsilon in (0.2, 0.7):
        secret = rng.dirichlet(np.ones(n)) + 0.05
        secret /= secret.sum()
        channel = 0.8 * np.eye(n) + 0.2 * rng.dirichlet(np.ones(n), size=n) if hidden else np.eye(n)
        prior, values, loss = secret @ channel, rng.normal(size=n), rng.exponential(size=(n, 3))
        first, second = rng.dirichlet(np.ones(n), size=2)
        problem = md.Problem(prior=prior, values=values)
        if hidden:
            problem = problem.hidden(data_given_secret=channel, secret_prior=secret)
        columns = vertices(l1_rows(secret, epsilon, channel), np.ones(n) / n)
        cases = [
            (md.MMSE(), -squared_error(columns, prior, values)),
            (md.ExpectedLoss(loss), -least_loss(columns, prior, loss)),
            (md.KLDivergence(first, second), divergence("KLDivergence", columns, first, second)),
            (md.MutualInformation(), information(columns, prior)),
        ]
        for objective, utility in cases:
            best = abs(optimum(columns, utility))
            found = md.design(problem, md.StrongL1(epsilon), objective)
            assert found.value == pytest.approx(best, rel=2e-6, abs=1e-9)
            assert found.gap <= 1e-6
            assert found.audit.holds


@pytest.mark.thinned(8)
@pytest.mark.parametrize("n", [8, 11])
def test_l1_beyond_a_list_of_rays(n, rng):
    problem = random_problem(n, rng, secrets=n)
    found = md.design(problem, md.StrongL1(0.3), md.AbsoluteError())
    again = md.design(problem, md.StrongL1(0.3), md.AbsoluteError(), route="convex")
    assert found.value == pytest.approx(again.value, rel=1e-6)
    assert max(found.gap, again.gap) <= 1e-6


@pytest.mark.parametrize("p", [0.1, 0.35, 0.5, 0.8])
@pytest.mark.parametrize("epsilon", [0.2, 0.9, 1.4, 3.5])
def test_two_inputs_have_a_segment_of_posteriors(p, epsilon):
    problem = md.Problem(prior=[1 - p, p], values=[0, 1])
    for notion, reach in ((md.StrongL1, epsilon / 2), (md.StrongChiSquare, epsilon * math.sqrt(p * (1 - p)))):
        low, high = max(p - reach, 0.0), min(p + reach, 1.0)
        # Two posteriors of mean p: the variance of the posterior mean is the product of their distances.
        best = p * (1 - p) - (high - p) * (p - low)
        with warnings.catch_warnings():
            # Next to an error of 0 an interior point reaches no relative gap.
            warnings.simplefilter("ignore", md.errors.GapWarning if best < 1e-12 else DeprecationWarning)
            found = md.design(problem, notion(epsilon), md.MMSE())
        assert found.value == pytest.approx(best, rel=1e-6, abs=1e-8)
        assert found.audit.holds


def test_chi_square_linear_designs_equal_a_program_written_apart(rng):
    for n, hidden in ((3, False), (4, True), (6, False)):
        problem = random_problem(n, rng, secrets=3 if hidden else None)
        pi, W, loss = problem.prior_of_secret, problem.channel, rng.exponential(size=(n, 4))
        for epsilon in (0.2, 0.6):
            Q = cp.Variable((n, 4), nonneg=True)
            rules = [cp.sum(Q, axis=1) == 1]
            for y in range(4):
                # sum_s pi_s v_s^2 / m <= (1 + epsilon^2) m
                v = cp.multiply(np.sqrt(pi), W @ Q[:, y])
                rules.append(cp.quad_over_lin(v, pi @ W @ Q[:, y]) <= (1 + epsilon**2) * (pi @ W @ Q[:, y]))
            losses = cp.multiply(problem.prior[:, None] * loss, Q)
            best = cp.Problem(cp.Minimize(cp.sum(losses)), rules).solve(solver="ECOS", abstol=1e-10, reltol=1e-10)
            for route in ("columns", "convex"):
                found = md.design(problem, md.StrongChiSquare(epsilon), md.ExpectedLoss(loss), route=route)
                assert found.value == pytest.approx(best, rel=1e-6)
                assert found.gap <= 1e-6
                assert found.audit.holds
            worst = cp.Problem(cp.Minimize(cp.max(cp.sum(cp.multiply(loss, Q), axis=1))), rules).solve(solver="ECOS")
            found = md.design(problem, md.StrongChiSquare(epsilon), md.WorstCaseLoss(loss))
            assert found.value == pytest.approx(worst, rel=1e-6)
            assert found.gap <= 1e-6


@pytest.mark.parametrize("epsilon", [0.3, 0.8, 1.5])
def test_chi_square_mmse_of_three_inputs_is_that_of_a_circle_of_posteriors(epsilon):
    prior, values = np.array([0.2, 0.3, 0.5]), np.array([0.0, 1.0, 3.0])
    # Posteriors p with sum (p - P)^2 / P = epsilon^2, or where the ball leaves the simplex, on its edges.
    basis = np.linalg.svd(np.sqrt(prior)[None, :])[2][1:]
    angles = np.linspace(0, 2 * np.pi, 6001)[:-1]
    circle = prior + epsilon * (np.column_stack([np.cos(angles), np.sin(angles)]) @ basis) * np.sqrt(prior)
    points = [p for p in circle if p.min() >= 0]
    for x in range(3):
        others = np.delete(np.arange(3), x)
        # On the edge p = (s, 1 - s) the divergence is a square in s: its roots are where the ball leaves the simplex.
        at = [prior[x] + sum((p - prior[others]) ** 2 / prior[others]) for p in ([0, 1], [0.5, 0.5], [1, 0])]
        square = np.polyfit([0, 0.5, 1], at, 2) - [0, 0, epsilon**2]
        roots = [r.real for r in np.roots(square) if abs(r.imag) < 1e-12 and 0 <= r.real <= 1]
        inside = [s for s in np.linspace(0, 1, 3001) if np.polyval(square, s) <= 0]
        for share in [*roots, *inside]:
            p = np.zeros(3)
            p[others] = share, 1 - share
            points.append(p)
    columns = np.array(points).T / prior[:, None]
    best = -optimum(columns, -squared_error(columns, prior, values))
    found = md.design(md.Problem(prior=prior, values=values), md.StrongChiSquare(epsilon), md.MMSE())
    assert found.gap <= 1e-6
    # The points are a subset of the private columns, and dense in their boundary.
    assert found.bound <= best + 1e-12
    assert found.value == pytest.approx(best, rel=2e-6)


@pytest.mark.parametrize("hidden", [False, True])
def test_chi_square_support_is_the_optimum_of_a_program(hidden, rng):
    for _ in range(4):
        n = int(rng.integers(2, 6))
        problem = random_problem(n, rng, secrets=3 if hidden else None)
        pi, W = problem.prior_of_secret, problem.channel
        for epsilon in (0.2, 1.0, 3.0):
            notion = md.StrongChiSquare(epsilon)
            normal = notion.columns(problem).normal
            functionals = np.vstack([rng.normal(size=(3, n)), np.eye(n)[:1], np.ones(n), 50 + rng.normal(size=n)])
            found = support(notion, problem, functionals)
            private = private_channel(notion, problem, 5, rng)
            assert np.all(functionals @ (private / (normal @ private)) <= found.values[:, None] + 1e-9)
            for h, value, column in zip(functionals, found.values, found.columns.T, strict=True):
                q = cp.Variable(n, nonneg=True)
                mass = pi @ W @ q
                rules = [normal @ q == 1, cp.norm(cp.multiply(np.sqrt(pi), W @ q - mass)) <= epsilon * mass]
                best = cp.Problem(cp.Maximize(h @ q), rules).solve(solver="ECOS", abstol=1e-11, reltol=1e-11)
                assert value == pytest.approx(best, rel=1e-7, abs=1e-7)
                assert value >= h @ column - 1e-9
                assert notion.level(column[:, None], problem).value <= epsilon + 1e-6


def test_lip_implies_both_with_the_sharp_constants(rng):
    for _ in range(100):
        n = int(rng.integers(2, 6))
        problem = random_problem(n, rng, skew=2.0)
        epsilon = float(rng.uniform(0.1, 3.0))
        matrix = private_channel(md.LIP(epsilon), problem, 4, rng)
        assert md.StrongChiSquare(1.0).level(matrix, problem).value <= 2 * math.sinh(epsilon / 2) + 1e-9
        assert md.StrongL1(1.0).level(matrix, problem).value <= 2 * math.tanh(epsilon / 2) + 1e-9
    for epsilon in (0.25, 0.5, 2.0):
        # The prior that is swapped with the posterior: both bounds of LIP hold with equality.
        low = 1 / (1 + math.exp(epsilon))
        problem = md.Problem(prior=[low, 1 - low])
        column = np.array([[(1 - low) / low], [low / (1 - low)]])
        assert md.LIP(1.0).level(column, problem).value == pytest.approx(epsilon, rel=1e-12)
        square = md.StrongChiSquare(1.0).level(column, problem).value
        assert square == pytest.approx(2 * math.sinh(epsilon / 2), rel=1e-12)
        assert square > epsilon
        assert md.StrongL1(1.0).level(column, problem).value == pytest.approx(2 * math.tanh(epsilon / 2), rel=1e-12)
    # The published implication LIP(epsilon) => chi-square at most epsilon^2 fails: 0.25525 > 0.25.
    assert md.StrongChiSquare(1.0).level([[0.62246 / 0.37754], [0.37754 / 0.62246]], problem_of(0.37754)).value > 0.505


def problem_of(low):
    return md.Problem(prior=[low, 1 - low])


def test_chi_square_bounds_l1(rng):
    # Cauchy and Schwarz: the mean of |ratio - 1| is at most its root mean square.
    for _ in range(50):
        problem, matrix = random_problem(4, rng), rng.dirichlet(np.ones(3), size=4)
        levels = [notion(1.0).level(matrix, problem).value for notion in NOTIONS]
        assert levels[0] <= levels[1] + 1e-12
    problem = random_problem(4, rng)
    values = [md.design(problem, notion(0.5), md.MMSE()).value for notion in NOTIONS]
    assert values[0] < values[1] - 1e-4


def test_level_zero_and_levels_without_effect():
    problem = md.Problem(prior=[0.3, 0.7], values=[0, 1])
    for notion in NOTIONS:
        constant = md.design(problem, notion(0.0), md.MMSE())
        assert constant.value == pytest.approx(0.21, rel=1e-12)
        assert float(constant.audit) == 0.0
    assert md.design(problem, md.StrongL1(2.0), md.MMSE()).value == pytest.approx(0.0, abs=1e-12)


def test_routes_say_why_they_refuse_a_curved_cone():
    problem = md.Problem(prior=[0.3, 0.3, 0.4], values=[0, 1, 2])
    notion = md.StrongChiSquare(0.5)
    with pytest.raises(md.UnsupportedError, match="curved side"):
        md.design(problem, notion, md.MMSE(), route="rays")
    with pytest.raises(md.SolverError, match="choose CLARABEL"):
        md.design(problem, notion, md.MMSE(), solver="HIGHS")
    table = md.compare(problem, notion, md.AbsoluteError())
    assert {"columns", "convex"} <= {row.route for row in table if row.outcome == "certified"}
    assert table.consistent
    assert table.spread <= 2e-6


def test_constraints_of_your_own_beside_a_curved_cone():
    problem = md.Problem(prior=[0.3, 0.3, 0.4], values=[0, 1, 2])
    free = md.design(problem, md.StrongChiSquare(0.5), md.AbsoluteError())
    tied = md.design(
        problem, md.StrongChiSquare(0.5), md.AbsoluteError(), subject_to=lambda Q: [Q[1, 1] >= free.matrix[1, 1] + 0.05]
    )
    assert tied.value > free.value + 1e-6
    assert tied.gap <= 1e-6
    assert tied.audit.holds


@pytest.mark.parametrize("notion", NOTIONS)
def test_a_problem_without_a_prior_is_refused(notion):
    with pytest.raises(md.DomainError, match="relative to the prior of the secret"):
        notion(1.0).inputs(md.Problem(n=3))


def test_columns_of_the_exact_prior_are_within_half_of_epsilon_of_the_prior_of_floats(rng):
    epsilon = Fraction(1, 2)
    for _ in range(40):
        problem = md.Problem(prior=rng.dirichlet(np.ones(5)))
        floats, exact = [Fraction(float(p)) for p in problem.prior], problem.exact_prior
        shares = [Fraction(p, sum(exact)) for p in exact]
        # The first input has as much more as may be, and all others as much less.
        lifts = [1 + epsilon / 2 / shares[0]] + [1 - epsilon / 2 / (1 - shares[0])] * 4
        mass = sum(p * q for p, q in zip(floats, lifts, strict=True))
        above = sum(p * max(q / mass - 1, 0) for p, q in zip(floats, lifts, strict=True))
        assert above <= Fraction(md.StrongL1(0.5).shape(problem)._half)
