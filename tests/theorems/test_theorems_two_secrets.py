"""Closed forms about two secrets against brute force from the definitions; a planted error in each is caught."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mechdesign.notions import ProfileDP, WeightedTV
from mechdesign.objectives import MMSE, FisherInformation, MaxOffDiagonal
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems import Published, theorem
from tests.helpers import brute_force

# Two secrets at bounded weighted total variation ---------------------------------------------------------------------


def tv_questions(rng, count):
    """Yield delta, weight, theta: the weight anywhere that delta allows, ends included."""
    for index in range(count):
        delta = float(rng.uniform(0.02, 1.0))
        share = (0.0, 1.0, 0.5)[index] if index < 3 else float(rng.uniform())
        a = (1 - delta) / 2
        yield delta, float(a + share * delta), float(rng.uniform(0.02, 0.98))


def tv_optimum(rng, delta, weight, utility):
    """Return the optimum over the three directions of the plane's corners, and many others that cannot help."""
    angles = rng.uniform(0, math.pi / 2, 60)
    corners = np.array([[1.0, 0.0], [0.0, 1.0], [weight, 1 - weight]]).T
    vectors = np.hstack([corners, np.array([np.cos(angles), np.sin(angles)])])
    cost = np.abs((1 - weight) * vectors[0] - weight * vectors[1])
    # One more row and a slack variable make the budget an equation with right-hand side one.
    padded = np.vstack([np.hstack([vectors, np.zeros((2, 1))]), np.append(cost / delta, 1.0)])
    return brute_force.optimum(padded, np.append(utility(vectors), 0.0))


def fisher_question(delta, weight, theta, slope):
    """Return the theorem's question for the mixture ``(1 - theta, theta)``."""
    objective = FisherInformation([1 - theta, theta], [-slope, slope])
    return Question(Problem(n=2), WeightedTV(delta, weight), objective)


def fisher_failures(rng, claim, delta, weight, theta, slope=1.0):
    """Return what is wrong with a claimed optimum: it is not private, not optimal, or its value is not."""
    question = fisher_question(delta, weight, theta, slope)
    matrix, vectors = claim.mechanism(question).matrix, ([1 - theta, theta], [-slope, slope])
    best = tv_optimum(rng, delta, weight, lambda q: brute_force.fisher(q, *vectors))
    reached = brute_force.fisher(matrix[:, matrix.max(axis=0) > 0], *vectors).sum()
    tests = {
        "not stochastic": np.abs(matrix.sum(axis=1) - 1).max() > 1e-14 or matrix.min() < 0,
        "not private": np.abs((1 - weight) * matrix[0] - weight * matrix[1]).sum() > delta * (1 + 1e-12),
        "not optimal": abs(reached - best) > 1e-9 * best,
        "wrong value": abs(claim.mechanism(question).value - best) > 1e-9 * best,
    }
    return [name for name, failed in tests.items() if failed]


def test_three_outputs_are_optimal_for_fisher_information(rng):
    claim = theorem("yoshida/T1iii")
    for delta, weight, theta in tv_questions(rng, 40):
        slope = float(rng.choice([1.0, -2.5]))
        question = fisher_question(delta, weight, theta, slope)
        assert claim.form.refusal(question) is None
        assert claim.domain(question) is None
        assert fisher_failures(rng, claim, delta, weight, theta, slope) == []


def test_a_planted_error_in_the_three_outputs_is_caught(rng):
    claim, point = theorem("yoshida/T1iii"), (0.4, 0.42, 0.3)

    def off(factor):
        def planted(question):
            matrix, value = claim.mechanism(question)
            first = factor * matrix[:, :1]
            return Published(np.hstack([first, np.diag(1 - first[:, 0])]), value)

        return replace(claim, printed=planted)

    assert fisher_failures(rng, claim, *point) == []
    assert "not private" in fisher_failures(rng, off(0.99), *point)
    assert fisher_failures(rng, off(1.01), *point) == ["not optimal"]
    right = claim.mechanism(fisher_question(*point, 1.0))
    wrong = replace(claim, printed=lambda _: Published(right.matrix, 1.01 * right.value))
    assert fisher_failures(rng, wrong, *point) == ["wrong value"]


def test_three_outputs_are_optimal_for_every_sublinear_utility(rng):
    for delta, weight, theta in tv_questions(rng, 20):
        prior, values, loss = np.array([1 - theta, theta]), rng.normal(size=2), rng.normal(size=(2, 3))
        question = Question(Problem(prior=prior, values=values), WeightedTV(delta, weight), MMSE())
        matrix = theorem("yoshida/T2").mechanism(question).matrix
        kept = matrix[:, matrix.max(axis=0) > 0]
        for utility in (
            lambda q, prior=prior, values=values: -brute_force.squared_error(q, prior, values),
            lambda q, prior=prior, loss=loss: -brute_force.least_loss(q, prior, loss),
            lambda q, prior=prior: brute_force.divergence("KLDivergence", q, prior, [0.5, 0.5]),
        ):
            assert utility(kept).sum() == pytest.approx(tv_optimum(rng, delta, weight, utility), rel=1e-8, abs=1e-12)


def test_random_mechanisms_never_beat_three_outputs(rng):
    delta, weight, theta = 0.4, 0.42, 0.3
    mixture = np.array([1 - theta, theta])
    question = Question(Problem(n=2), WeightedTV(delta, weight), FisherInformation(mixture, [-1, 1]))
    best, private = theorem("yoshida/T1iii").mechanism(question).value, 0
    for _ in range(4000):
        matrix = rng.dirichlet(np.full(4, 0.5), size=2)
        matrix = matrix @ (np.eye(4) * (t := rng.uniform()) + (1 - t) / 4)
        if np.abs((1 - weight) * matrix[0] - weight * matrix[1]).sum() <= delta:
            private += 1
            assert brute_force.fisher(matrix, mixture, [-1, 1]).sum() <= best * (1 + 1e-12)
    assert private > 100


def test_three_outputs_below_the_least_delta_are_outside_the_domain():
    objective = FisherInformation([0.5, 0.5], [-1, 1])
    for key in ("yoshida/T1iii", "yoshida/T2"):
        inside, outside = (
            Question(Problem(n=2), WeightedTV(delta, 0.4), objective) for delta in (0.2 + 1e-9, 0.2 - 1e-9)
        )
        assert theorem(key).domain(inside) is None
        assert "|1 - 2 weight| = 0.2 fails" in theorem(key).domain(outside)


# One bit between two profiles ----------------------------------------------------------------------------------------


def one_bit(epsilon, p, q):
    """Return the theorem's question for two Bernoulli profiles."""
    notion = ProfileDP(epsilon, profiles=[[1 - p, p], [1 - q, q]], edges=[(0, 1)], sees_profile=False)
    return Question(notion.inputs(Problem(n=2)), notion, MaxOffDiagonal())


def hides_profile(epsilon, p, q, first, second, slack=0.0):
    """Tell whether flips of 0 and 1 with these probabilities keep both ratios of both outputs within ``e^epsilon``."""
    ones = [(1 - r) * first + r * (1 - second) for r in (p, q)]
    most = math.exp(epsilon) * (1 + slack)
    pairs = [(ones[0], ones[1]), (1 - ones[0], 1 - ones[1])]
    return np.logical_and.reduce([np.maximum(x, y) <= most * np.minimum(x, y) + slack for x, y in pairs])


def bit_failures(claim, epsilon, p, q):
    """Return what is wrong with a claimed flip probability, by bisection on the definition."""
    low, high = 0.0, 0.5
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if hides_profile(epsilon, p, q, middle, middle) else (middle, high)
    least = 0.0 if hides_profile(epsilon, p, q, 0.0, 0.0) else high
    question = one_bit(epsilon, p, q)
    matrix = claim.mechanism(question).matrix
    tests = {
        "not symmetric": not np.array_equal(matrix, matrix[::-1, ::-1]) or np.abs(matrix.sum(axis=1) - 1).max() > 1e-15,
        "not private": matrix[0, 1] < least * (1 - 1e-9) - 1e-13,
        "not optimal": matrix[0, 1] > least * (1 + 1e-9) + 1e-13,
        "wrong value": abs(claim.mechanism(question).value - least) > 1e-9 * least + 1e-13,
    }
    return [name for name, failed in tests.items() if failed]


def test_the_flip_of_one_bit_is_the_least_that_hides_the_profile(rng):
    cases = [(1.0, 0.0, 1.0), (0.5, 0.0, 0.2), (1.0, 0.9, 0.9), (0.3, 0.2, 0.9), (2.0, 0.4, 0.6), (0.0, 0.3, 0.3)]
    cases += [tuple(rng.uniform([0.05, 0, 0], [5, 1, 1])) for _ in range(40)]
    for case in cases:
        assert bit_failures(theorem("geumlek/eq4"), *case) == []


def test_a_planted_error_in_the_flip_is_caught():
    claim, case = theorem("geumlek/eq4"), (0.3, 0.2, 0.9)
    right = claim.mechanism(one_bit(*case))

    def off(factor):
        flip = factor * right.value
        matrix = np.array([[1 - flip, flip], [flip, 1 - flip]])
        return replace(claim, printed=lambda _: Published(matrix, right.value))

    assert bit_failures(claim, *case) == []
    assert bit_failures(off(0.99), *case) == ["not private"]
    assert bit_failures(off(1.01), *case) == ["not optimal"]
    assert bit_failures(replace(claim, printed=lambda _: Published(right.matrix, 0.5)), *case) == ["wrong value"]


def test_unequal_flips_are_no_better(rng):
    grid = np.linspace(0, 1, 301)
    first, second = (flips.ravel() for flips in np.meshgrid(grid, grid))
    for _ in range(25):
        epsilon, p, q = rng.uniform([0.05, 0, 0], [3, 1, 1])
        private = hides_profile(epsilon, p, q, first, second, slack=1e-12)
        best = np.maximum(first, second)[private].min()
        flip = theorem("geumlek/eq4").mechanism(one_bit(epsilon, p, q)).value
        assert flip <= best + 1e-12 and best - flip <= 1 / 300


def test_one_bit_needs_two_profiles_that_are_not_seen():
    question = one_bit(1.0, 0.2, 0.9)
    form = theorem("geumlek/eq4").form
    assert form.refusal(question) is None
    three = ProfileDP(1.0, [[0.5, 0.5], [0.4, 0.6], [0.3, 0.7]], [(0, 1)], sees_profile=False)
    assert "two profiles, not 3" in form.refusal(replace(question, problem=three.inputs(Problem(n=2)), notion=three))
    seen = replace(question.notion, sees_profile=True)
    assert "4" in form.refusal(replace(question, problem=seen.inputs(Problem(n=2)), notion=seen))
