"""Objectives at mechanisms whose value is known exactly."""

import math
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from tests.helpers.made_objectives import (
    MAKERS,
    SIZES,
    by_definition,
    close,
    erasure,
    expression_value,
    fisher,
    random_columns,
    randomised_response,
)


@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(1, 7)])
@pytest.mark.parametrize("p", [Fraction(1, 4), Fraction(1, 10)])
def test_mmse_of_the_symmetric_channel(p, q):
    """Var of one bit with odds q, seen through crossover p: q(1-q)p(1-p) / (m_0 m_1)."""
    problem = md.Problem(prior=[1 - q, q], values=[3, 5])
    mass = (1 - q) * p + q * (1 - p)
    wanted = 4 * q * (1 - q) * p * (1 - p) / (mass * (1 - mass))
    Q = np.array([[1 - p, p], [p, 1 - p]], dtype=float)
    assert md.MMSE().value(Q, problem) == close(float(wanted), 1e-13)
    assert expression_value(md.MMSE(), problem, Q) == close(float(wanted), 1e-12)


@pytest.mark.parametrize("p", [0.5, 0.25, 0.01, 0.0])
def test_information_of_the_symmetric_channel(p):
    """I = ln 2 - H(p)."""
    problem = md.Problem(prior=[0.5, 0.5])
    entropy = -sum(q * math.log(q) for q in (p, 1 - p) if q > 0)
    Q = np.array([[1 - p, p], [p, 1 - p]])
    objective = md.MutualInformation()
    assert objective.value(Q, problem) == close(math.log(2) - entropy, 1e-13)
    assert float(objective.column_utility(Q, problem).sum()) == close(math.log(2) - entropy, 1e-13)
    assert expression_value(objective, problem, Q) == close(math.log(2) - entropy, 1e-12)


def test_little_information_is_not_lost_in_rounding():
    """I = 2 h^2 + O(h^4) at crossover 1/2 - h: eight digits at 2e-8."""
    h = 1e-4
    Q = np.array([[0.5 + h, 0.5 - h], [0.5 - h, 0.5 + h]])
    problem = md.Problem(prior=[0.5, 0.5])
    wanted = 2 * h**2 + 4 * h**4 / 3
    assert md.MutualInformation().value(Q, problem) == pytest.approx(wanted, rel=1e-11)
    assert md.MutualInformation().column_utility(Q, problem).sum() == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("n", SIZES)
def test_identity_gives_entropy(n, rng):
    prior = rng.dirichlet(np.ones(n))
    entropy = -math.fsum(p * math.log(p) for p in prior)
    problem = md.Problem(prior=prior)
    assert md.MutualInformation().value(np.eye(n), problem) == close(entropy, 1e-13)
    assert md.MutualInformation().no_privacy(problem) == close(entropy, 1e-13)


@pytest.mark.parametrize("n", SIZES)
def test_divergences_of_the_identity_are_those_of_the_inputs(n, rng):
    p, s = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    # Other forms than the definitions: total variation by sets, chi-square by moments, Hellinger by its affinity.
    sets = [sum(p[x] - s[x] for x in range(n) if k >> x & 1) for k in range(2**n)]
    wanted = {
        md.KLDivergence: -math.fsum(a * math.log(b) for a, b in zip(p, s, strict=True))
        + math.fsum(a * math.log(a) for a in p),
        md.TotalVariation: max(sets),
        md.ChiSquare: math.fsum(p * p / s) - 1,
        md.Hellinger: 1 - math.fsum(np.sqrt(p * s)),
    }
    for member, value in wanted.items():
        objective = member(p, s)
        assert objective.value(np.eye(n), md.Problem(n=n)) == pytest.approx(value, rel=1e-10, abs=1e-14)
        assert objective.no_privacy(md.Problem(n=n)) == pytest.approx(value, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("delta", [0.25, 1.0])
def test_erasure_multiplies_information_by_the_share_that_gets_through(n, delta, rng):
    Q, problem = erasure(n, delta), md.Problem(prior=rng.dirichlet(np.ones(n)))
    objective = fisher(n, rng)
    whole = math.fsum(objective.direction**2 / objective.theta)
    assert objective.value(Q, problem) == close(delta * whole)
    assert objective.from_utility(objective.column_utility(Q, problem).sum(), problem) == close(delta * whole)
    for name in ("KLDivergence", "TotalVariation", "ChiSquare", "Hellinger", "FDivergence"):
        objective = MAKERS[name](n, rng)
        whole = by_definition(objective, md.Problem(prior=np.full(n, 1 / n), values=np.zeros(n)), np.eye(n))
        assert objective.value(Q, problem) == close(delta * whole)
        assert objective.column_utility(Q, problem).sum() == close(delta * whole)
    entropy = -math.fsum(q * math.log(q) for q in problem.prior)
    assert md.MutualInformation().value(Q, problem) == close(delta * entropy)
    assert md.MutualInformation().column_utility(Q, problem).sum() == close(delta * entropy)


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
@pytest.mark.parametrize("n", SIZES)
def test_randomised_response(n, epsilon):
    """Closed forms with E = e^epsilon and D = E + n - 1, hypotheses "input 0" against "input 1"."""
    E, Q = math.exp(epsilon), randomised_response(n, epsilon)
    D, problem = E + n - 1, md.Problem(prior=np.arange(1, n + 1) / (n * (n + 1) / 2))
    first, second = np.eye(n)[0], np.eye(n)[1]
    assert md.HammingLoss().value(Q, problem) == close((n - 1) / D)
    assert md.WorstCaseLoss(1 - np.eye(n)).value(Q, problem) == close((n - 1) / D)
    assert md.MaxOffDiagonal().value(Q, problem) == close(1 / D)
    wanted = {
        md.KLDivergence: epsilon * (E - 1) / D,
        md.TotalVariation: (E - 1) / D,
        md.ChiSquare: (E - 1) ** 2 * (1 + 1 / E) / D,
        md.Hellinger: (math.sqrt(E) - 1) ** 2 / D,
    }
    for member, value in wanted.items():
        objective = member(first, second)
        assert objective.value(Q, problem) == close(value)
        assert objective.column_utility(Q, problem).sum() == close(value)


@pytest.mark.parametrize("member", ["WorstCaseLoss", "MaxOffDiagonal"])
def test_least_worst_case_under_ldp_is_randomised_response(member):
    """Q[x, x] <= E t and sum over the other n - 1 at most (n - 1) t, so t >= 1 / (E + n - 1)."""
    n, epsilon = 3, 1.0
    problem = md.Problem(n=n)
    objective = md.MaxOffDiagonal() if member == "MaxOffDiagonal" else md.WorstCaseLoss(1 - np.eye(n))
    Q = cp.Variable((n, n))
    rules = [*md.LDP(epsilon).constraints(Q, problem), cp.sum(Q, axis=1) == 1]
    found = cp.Problem(cp.Minimize(objective.expression(Q, problem)), rules).solve(solver="CLARABEL")
    share = 1.0 if member == "MaxOffDiagonal" else n - 1
    assert found == pytest.approx(share / (math.e + n - 1), rel=1e-6)


@pytest.mark.parametrize("delta", [0.1, 0.5])
@pytest.mark.parametrize("theta", [0.2, 0.5])
def test_fisher_information_of_the_three_output_optimum(delta, theta):
    """At equal weights J = delta / (theta (1 - theta)) (yoshida, Theorem 1, third case)."""
    Q = np.array([[1 - delta, delta, 0.0], [1 - delta, 0.0, delta]])
    objective = md.FisherInformation(theta=[1 - theta, theta], direction=[-1, 1])
    assert objective.value(Q, md.Problem(n=2)) == close(delta / (theta * (1 - theta)))


@pytest.mark.parametrize("n", SIZES)
def test_hamming_loss_with_free_decisions_is_the_bayes_error(n, rng):
    prior = rng.dirichlet(np.ones(n))
    problem, objective = md.Problem(prior=prior), md.HammingLoss()
    for _ in range(10):
        Q = rng.dirichlet(np.ones(n + 2), size=n)
        bayes = 1 - math.fsum(max(prior[x] * Q[x, y] for x in range(n)) for y in range(n + 2))
        free = objective.from_utility(float(objective.column_utility(Q, problem).sum()), problem)
        assert free == close(bayes)
        naming = rng.dirichlet(np.ones(n), size=n + 2)
        assert objective.value(Q @ naming, problem) >= bayes - 1e-14
        joined = rng.dirichlet(np.ones(2), size=n + 2)
        coarser = objective.from_utility(float(objective.column_utility(Q @ joined, problem).sum()), problem)
        assert coarser >= free - 1e-14


def test_absolute_error_needs_no_other_estimates(rng):
    problem = md.Problem(prior=rng.dirichlet(np.ones(5)), values=rng.normal(size=5))
    columns = random_columns(5, 20, rng)
    best = -md.AbsoluteError().column_utility(columns, problem)
    for estimate in np.linspace(-4, 4, 81):
        assert np.all((problem.prior * np.abs(problem.values - estimate)) @ columns >= best - 1e-12)
