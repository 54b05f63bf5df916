"""Closed forms of LIP and LDP against brute force from the definitions; a planted error in each is caught."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mechdesign.notions import LDP, LIP
from mechdesign.objectives import MMSE, ExpectedLoss
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems import Condition, Published, theorem
from tests.helpers import brute_force

EPSILONS = (0.05, 0.2, 1.0, 2.5, 5.0)


def lip_level(matrix, prior):
    """Return the largest ``|ln q_x(y) / m(y)|``, from the definition."""
    kept = matrix[:, matrix.max(axis=0) > 0]
    return float(np.abs(np.log(kept) - np.log(prior @ kept)).max())


def ldp_level(matrix):
    """Return the largest ``ln q_x(y) / q_x'(y)``, from the definition."""
    return float(np.log(matrix.max(axis=0) / matrix.min(axis=0)).max())


def least_error(vectors, prior, values):
    """Return the least mean squared error, by a linear program over all vertices."""
    return -brute_force.optimum(vectors, -brute_force.squared_error(vectors, prior, values))


def lip_failures(claim, prior, values, epsilon):
    """Return what is wrong with a claimed optimum of LIP: it is not private, not optimal, or its value is not."""
    question = Question(Problem(prior=prior, values=values), LIP(epsilon), MMSE())
    matrix = claim.mechanism(question).matrix
    return _failures(claim, question, lip_level(matrix, prior), epsilon, prior, values, _lip_vertices(prior, epsilon))


def ldp_failures(claim, prior, values, epsilon):
    """Return the same for LDP."""
    question = Question(Problem(prior=prior, values=values), LDP(epsilon), MMSE())
    matrix = claim.mechanism(question).matrix
    vectors = brute_force.ldp_vectors(len(prior), epsilon)
    return _failures(claim, question, ldp_level(matrix), epsilon, prior, values, vectors)


def _failures(claim, question, level, epsilon, prior, values, vectors):
    matrix = claim.mechanism(question).matrix
    best = least_error(vectors, prior, values)
    reached = brute_force.squared_error(matrix[:, matrix.max(axis=0) > 0], prior, values).sum()
    said = claim.mechanism(question).value
    tests = {
        "not stochastic": np.abs(matrix.sum(axis=1) - 1).max() > 1e-14 or matrix.min() < 0,
        "not private": level > epsilon * (1 + 1e-10) + 1e-14,
        "not optimal": abs(reached - best) > 1e-9 * best,
        "wrong value": said is not None and abs(said - best) > 1e-9 * best,
    }
    return [name for name, failed in tests.items() if failed]


def _lip_vertices(prior, epsilon):
    return brute_force.vertices(brute_force.lip_rows(prior, epsilon), np.asarray(prior))


def common_prior(rng, n, epsilon):
    """Return a prior whose entries are all a little above ``1/(1 + e^epsilon)``, or None where there is no room."""
    least = 1 / (1 + math.exp(epsilon))
    room = 1 - n * least
    return None if room <= 1e-3 else least + room * rng.dirichlet(np.ones(n))


# LIP -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_published_optimum_of_lip_is_optimal_inside_its_domain(rng, n, epsilon):
    tried = 0
    for _ in range(10):
        prior, values = common_prior(rng, n, epsilon), rng.normal(size=n)
        if prior is None:
            continue
        tried += 1
        assert lip_failures(theorem("jiang_lip/T3"), prior, values, epsilon) == []
        if n == 2:
            assert lip_failures(theorem("jiang_lip/T2"), prior, values, epsilon) == []
    # There is room for such a prior only where e^epsilon > n - 1.
    assert tried == (10 if math.exp(epsilon) > (n - 1) * 1.01 else 0)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_published_optimum_serves_other_sublinear_utilities(rng, epsilon):
    for n in (2, 3):
        prior = common_prior(rng, n, epsilon)
        if prior is None:
            continue
        loss, first, second = rng.normal(size=(n, 4)), rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
        vectors = _lip_vertices(prior, epsilon)
        for utility in (
            lambda q, prior=prior, loss=loss: -brute_force.least_loss(q, prior, loss),
            lambda q, prior=prior: brute_force.information(q, prior),
            lambda q, first=first, second=second: brute_force.divergence("KLDivergence", q, first, second),
        ):
            question = Question(Problem(prior=prior), LIP(epsilon), ExpectedLoss(loss))
            matrix = theorem("ours/M2").mechanism(question).matrix
            best = brute_force.optimum(vectors, utility(vectors))
            assert utility(matrix).sum() == pytest.approx(best, rel=1e-8, abs=1e-13)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_outside_its_domain_the_published_optimum_is_not_private(rng, epsilon):
    claim, low = theorem("jiang_lip/T3"), math.exp(-epsilon)
    seen = 0
    for n in (2, 3, 5):
        for _ in range(20):
            prior = rng.dirichlet(np.ones(n)) + 1e-4
            prior /= prior.sum()
            question = Question(Problem(prior=prior, values=np.arange(n)), LIP(epsilon), MMSE())
            level = lip_level(claim.printed(question).matrix, prior)
            real = max(epsilon, math.log1p((1 - low) * (1 / prior.min() - 1)))
            assert level == pytest.approx(real, rel=1e-12)
            private = claim.domain(question) is None
            assert private == (level <= epsilon * (1 + 1e-12))
            assert private == (prior.min() >= low / (1 + low))
            seen += not private
    assert seen > 0


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_boundary_of_the_domain_is_where_privacy_ends(epsilon):
    claim, least = theorem("jiang_lip/T2"), 1 / (1 + math.exp(epsilon))
    for shift, inside in ((1e-6, True), (0.0, True), (-1e-6, False)):
        prior = np.array([least * (1 + shift), 1 - least * (1 + shift)])
        question = Question(Problem(prior=prior, values=[0, 1]), LIP(epsilon), MMSE())
        assert (claim.domain(question) is None) == inside
        assert (lip_level(claim.printed(question).matrix, prior) <= epsilon * (1 + 1e-12)) == inside
        (condition,) = claim.confirmed
        assert condition.margin(question) == pytest.approx(least * shift, rel=1e-5, abs=1e-15)


def test_the_condition_that_fails_is_told_with_its_numbers():
    question = Question(Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2]), LIP(1.0), MMSE())
    assert theorem("jiang_lip/T3").domain(question) == "min prior 0.1 >= 1/(1 + e^epsilon) = 0.268941 fails"
    question = Question(Problem(prior=[0.3, 0.3, 0.4], values=[0, 1, 2]), LIP(1.0), MMSE())
    said = "jiang_lip Theorem 3, min prior 0.3 >= 1/(1 + e^epsilon) = 0.268941"
    assert theorem("jiang_lip/T3").described(question) == said


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_exact_binary_optimum_of_lip_holds_for_every_prior(rng, epsilon):
    threshold = 1 / (1 + math.exp(epsilon))
    rare = [1e-4, 1e-2, threshold * 0.999, threshold, threshold * 1.001, *rng.uniform(0.01, 0.5, 12)]
    for p in [*rare, *(1 - p for p in rare)]:
        prior, values = np.array([1 - p, p]), rng.normal(size=2)
        assert lip_failures(theorem("ours/M4"), prior, values, epsilon) == []


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_binary_optimum_is_best_on_a_grid_of_flips(epsilon):
    for p in (0.03, 0.2, 0.45, 0.9):
        prior, values = np.array([1 - p, p]), np.array([0.0, 1.0])
        flips = np.linspace(0, 1, 401)
        first, second = (grid.ravel() for grid in np.meshgrid(flips, flips))
        matrices = np.stack([[1 - first, first], [second, 1 - second]])
        mass = np.einsum("x,xym->ym", prior, matrices)
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = np.nan_to_num(np.abs(np.log(matrices / mass)), nan=0.0)
            explained = np.nansum((prior[1] * matrices[1]) ** 2 / mass, axis=0) - p**2
        private = distance.max(axis=(0, 1)) <= epsilon
        best = p * (1 - p) - explained[private].max()
        said = theorem("ours/M4").mechanism(Question(Problem(prior=prior, values=values), LIP(epsilon), MMSE())).value
        assert said <= best + 1e-12
        # A step of the grid moves the error by at most about the step.
        assert best - said <= 1 / 400


def test_the_published_and_the_exact_binary_optimum_are_one_inside_the_domain(rng):
    for _ in range(20):
        prior = common_prior(rng, 2, 1.3)
        question = Question(Problem(prior=prior, values=[0, 1]), LIP(1.3), MMSE())
        published, exact = (theorem(key).mechanism(question).matrix for key in ("jiang_lip/T2", "ours/M4"))
        assert published == pytest.approx(exact, abs=1e-15)


# LDP -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_randomised_response_is_the_binary_optimum_of_ldp(rng, epsilon):
    for p in [1e-3, 0.05, 0.5, 0.97, *rng.uniform(size=6)]:
        assert ldp_failures(theorem("jiang_lip/P4a"), np.array([1 - p, p]), rng.normal(size=2), epsilon) == []


# Planted errors: each comparison above can fail ----------------------------------------------------------------------


def test_a_constant_that_is_off_by_one_percent_is_caught(rng):
    def off(claim, factor):
        def planted(question):
            matrix, value = claim.mechanism(question)
            # The main constant is what is off the diagonal.
            lies = np.where(np.eye(len(matrix)), 0.0, matrix) * factor
            return Published(lies + np.diag(1 - lies.sum(axis=1)), value)

        return replace(claim, printed=planted)

    def misvalued(claim):
        def planted(question):
            matrix, value = claim.mechanism(question)
            return Published(matrix, 1.01 * value)

        return replace(claim, printed=planted)

    prior, values = np.array([0.3, 0.32, 0.38]), np.array([0.0, 1.0, 3.0])
    skewed, bit = np.array([0.95, 0.05]), np.array([0.0, 1.0])
    for key, judge, law, numbers in (
        ("jiang_lip/T3", lip_failures, prior, values),
        ("ours/M4", lip_failures, skewed, bit),
        ("jiang_lip/P4a", ldp_failures, skewed, bit),
    ):
        claim = theorem(key)
        assert judge(claim, law, numbers, 1.0) == []
        assert "not private" in judge(off(claim, 0.99), law, numbers, 1.0)
        assert judge(off(claim, 1.01), law, numbers, 1.0) == ["not optimal"]
        assert judge(misvalued(claim), law, numbers, 1.0) == ["wrong value"]


def test_a_domain_that_is_too_wide_is_caught():
    claim = theorem("jiang_lip/T3")
    (condition,) = claim.confirmed

    def wider(question):
        left, right = condition.sides(question)
        return left, 0.99 * right

    widened = replace(claim, narrower=(Condition(condition.left, condition.right, wider),))
    prior = np.array([0.995, 1.3, 1.5]) / (1 + math.e)
    prior[2] = 1 - prior[:2].sum()
    question = Question(Problem(prior=prior, values=[0, 1, 2]), LIP(1.0), MMSE())
    assert claim.domain(question) is not None and widened.domain(question) is None
    assert "not private" in lip_failures(widened, prior, np.array([0.0, 1.0, 2.0]), 1.0)
