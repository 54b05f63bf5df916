"""Losses under the least favourable prior of a list or a box: an independent program, and the minimax equality."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from tests.helpers.brute_force import ldp_vectors


def box_vertices(lower, upper):
    """Return the vertices of the box cut with the simplex: all entries but one on a bound."""
    n, found = len(lower), []
    for free in range(n):
        others = [x for x in range(n) if x != free]
        for size in range(n):
            for high in combinations(others, size):
                point = np.array(lower, dtype=float)
                point[list(high)] = np.asarray(upper)[list(high)]
                point[free] = 0.0
                point[free] = 1.0 - point.sum()
                if lower[free] - 1e-12 <= point[free] <= upper[free] + 1e-12:
                    found.append(point)
    return np.array(found)


def worst_by_program(columns, loss, priors):
    """Return min over mechanisms of max over `priors`: weights of rays for each decision, one row for each prior."""
    n, rays = columns.shape
    decisions = loss.shape[1]
    cost = np.hstack([priors @ (loss[:, [d]] * columns) for d in range(decisions)])
    found = linprog(
        np.append(np.zeros(rays * decisions), 1.0),
        A_ub=np.hstack([cost, -np.ones((len(priors), 1))]),
        b_ub=np.zeros(len(priors)),
        A_eq=np.hstack([np.tile(columns, decisions), np.zeros((n, 1))]),
        b_eq=np.ones(n),
        bounds=[(0, None)] * (rays * decisions) + [(None, None)],
    )
    assert found.status == 0, found.message
    return found.fun


def bayes_by_program(columns, loss, prior):
    """Return the least expected loss under one prior, each ray used for its best decision."""
    worth = (loss.T @ (prior[:, None] * columns)).min(axis=0)
    found = linprog(worth, A_eq=columns, b_eq=np.ones(len(prior)))
    return found.fun


def random_box(n, rng):
    inside = rng.dirichlet(np.ones(n))
    return rng.uniform(0.0, 1.0, size=n) * inside, inside + rng.uniform(size=n) * (1.0 - inside)


@pytest.mark.parametrize("kind", ["list", "box", "any"])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_an_independent_program_finds_the_same_minimax_value_and_the_prior_attains_it(n, kind, rng):
    for _ in range(4):
        loss, epsilon, problem = rng.normal(size=(n, 3)), rng.uniform(0.2, 2.0), md.Problem(n=n)
        columns = ldp_vectors(n, epsilon)
        lower, upper = random_box(n, rng)
        priors, corners = {
            "list": lambda: (rows := rng.dirichlet(np.ones(n), size=3), rows),
            "box": lambda lower=lower, upper=upper: ((lower, upper), box_vertices(lower, upper)),
            "any": lambda: (None, np.eye(n)),
        }[kind]()
        objective = md.WorstCaseLoss(loss, priors=priors)
        made = md.design(problem, md.LDP(epsilon), objective)
        expected = worst_by_program(columns, loss, corners)
        assert made.gap <= 1e-6
        assert made.value == pytest.approx(expected, rel=1e-7, abs=1e-8)
        least = objective.least_favourable_prior(made.mechanism.certificate.multipliers.weights, problem)
        assert least.min() >= 0 and least.sum() == pytest.approx(1.0, abs=1e-12)
        inside = linprog(np.zeros(len(corners)), A_eq=np.vstack([corners.T, np.ones(len(corners))]), b_eq=[*least, 1.0])
        assert inside.status == 0
        assert bayes_by_program(columns, loss, least) == pytest.approx(expected, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_value_over_a_box_is_that_over_its_vertices(n, rng):
    for _ in range(10):
        lower, upper = random_box(n, rng)
        loss, matrix = rng.normal(size=(n, 3)), rng.dirichlet(np.ones(3), size=n)
        problem = md.Problem(n=n)
        boxed = md.WorstCaseLoss(loss, priors=(lower, upper)).value(matrix, problem)
        listed = md.WorstCaseLoss(loss, priors=box_vertices(lower, upper)).value(matrix, problem)
        assert boxed == pytest.approx((box_vertices(lower, upper) @ (loss * matrix).sum(axis=1)).max(), abs=1e-12)
        assert boxed == pytest.approx(listed, abs=1e-12)


def test_a_larger_set_of_priors_is_never_better_for_the_user():
    problem, loss, center = md.Problem(n=4), 1 - np.eye(4), np.array([0.4, 0.3, 0.2, 0.1])
    values = []
    for width in (0.0, 0.05, 0.1, 0.3, 1.0):
        box = (np.maximum(center - width, 0), np.minimum(center + width, 1))
        values.append(md.design(problem, md.LDP(1.0), md.WorstCaseLoss(loss, priors=box)).value)
    assert values[0] < values[1] - 0.01 < values[2] - 0.02
    assert np.all(np.diff(values) >= -1e-9)
    known = md.design(md.Problem(prior=center), md.LDP(1.0), md.ExpectedLoss(loss)).value
    anything = md.design(problem, md.LDP(1.0), md.WorstCaseLoss(loss)).value
    assert values[0] == pytest.approx(known, rel=1e-7)
    assert values[-1] == pytest.approx(anything, rel=1e-7)


def test_a_box_of_many_inputs_needs_no_list_of_its_vertices():
    n = 30
    problem, loss = md.Problem(n=n), np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    made = md.design(problem, md.LDP(1.0), md.WorstCaseLoss(loss, priors=(np.full(n, 0.5 / n), np.full(n, 2 / n))))
    assert made.gap <= 1e-6
    uniform = md.design(md.Problem(prior=np.full(n, 1 / n)), md.LDP(1.0), md.ExpectedLoss(loss)).value
    assert uniform < made.value < md.design(problem, md.LDP(1.0), md.WorstCaseLoss(loss)).value


@pytest.mark.parametrize("notion", [md.LIP(0.7), md.LDP(0.5), md.ApproximateLDP(0.3, 0.1)])
def test_every_route_that_answers_agrees_under_other_notions(notion):
    problem, loss = md.Problem(prior=[0.2, 0.3, 0.5]), [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    box = md.WorstCaseLoss(loss, priors=([0.1, 0.2, 0.3], [0.4, 0.4, 0.7]))
    listed = md.WorstCaseLoss(loss, priors=box_vertices([0.1, 0.2, 0.3], [0.4, 0.4, 0.7]))
    first, second = md.design(problem, notion, box), md.design(problem, notion, listed)
    assert first.gap <= 1e-6 and second.gap <= 1e-6
    assert first.value == pytest.approx(second.value, rel=1e-6)


@pytest.mark.parametrize("priors", [None, [[0.2, 0.8], [0.7, 0.3]], ([0.1, 0.2], [0.8, 0.9]), ([0.3, 0.7], [0.3, 0.7])])
def test_claims_and_priors_survive_the_file(priors, tmp_path):
    objective = md.WorstCaseLoss([[0, 1], [2, 0]], priors=priors)
    made = md.design(md.Problem(n=2), md.LDP(1.0), objective)
    loaded = md.load(made.mechanism.save(tmp_path / "loss.json"))
    assert loaded.question.objective == objective
    assert loaded.certificate.bound == pytest.approx(made.bound, rel=1e-12)


def test_user_constraints_are_part_of_the_program_over_a_box():
    problem, box = md.Problem(n=3), ([0.1, 0.2, 0.3], [0.4, 0.4, 0.7])
    objective = md.WorstCaseLoss(1 - np.eye(3), priors=box)
    free = md.design(problem, md.LDP(1.0), objective)
    bound = md.design(problem, md.LDP(1.0), objective, subject_to=lambda Q: [Q[:, 2] <= 0.3])
    assert bound.gap <= 1e-5 and bound.value > free.value + 1e-3
    assert bound.matrix[:, 2].max() <= 0.3 + 1e-6


LOSS = [[0, 1], [1, 0]]
BAD = {
    "priors of other inputs": (
        lambda: md.design(md.Problem(n=2), md.LDP(1.0), md.WorstCaseLoss(LOSS, [[0.2, 0.3, 0.5]])),
        "priors[0]",
        "2 inputs",
    ),
    "a box of other inputs": (
        lambda: md.design(md.Problem(n=2), md.LDP(1.0), md.WorstCaseLoss(LOSS, ([0.1] * 3, [0.9] * 3))),
        "priors[0]",
        "2 inputs",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_priors_are_named(case):
    call, argument, text = BAD[case]
    with pytest.raises(md.DomainError) as caught:
        call()
    assert caught.value.argument == argument
    assert text in str(caught.value)
