"""Priors near the stated one: by brute force over a ball's vertices, beside boxes, LIP and LDP."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.columns.prior_ball import PriorBall


def near(prior, radius):
    """The vertices of the ball: for each order, what the first lose goes to one secret."""
    found = set()
    for order in itertools.permutations(range(len(prior))):
        for s in range(len(prior)):
            law, left = np.array(prior), radius
            for t in order:
                if t != s:
                    taken = min(left, law[t])
                    law[t], law[s], left = law[t] - taken, law[s] + taken, left - taken
            found.add(tuple(law.round(12)))
    return [np.array(law) for law in found]


def least_error(epsilon, radius, prior):
    """The least probability of a wrong guess, by a linear program over all vertices."""
    n, upper = len(prior), []
    for law, s, y in itertools.product(near(prior, radius), range(n), range(n)):
        mass, entry = np.zeros((n, n)), np.zeros((n, n))
        mass[:, y], entry[s, y] = law, 1.0
        upper += [(entry - math.exp(epsilon) * mass).ravel(), (mass - math.exp(epsilon) * entry).ravel()]
    found = linprog(
        -np.diag(prior).ravel(), np.array(upper), np.zeros(len(upper)), np.kron(np.eye(n), np.ones(n)), np.ones(n)
    )
    return 1.0 + found.fun


@pytest.mark.parametrize("radius", [0.02, 0.15, 0.4, 0.7])
@pytest.mark.parametrize("route", ["auto", "columns"])
def test_the_optimum_is_that_of_a_program_over_all_vertices(route, radius, rng):
    prior = rng.dirichlet(np.ones(4))
    made = md.design(md.Problem(prior=prior), md.NearPriorLIP(0.8, radius), md.ErrorProbability(), route=route)
    assert made.value == pytest.approx(least_error(0.8, radius, prior), abs=1e-7)


@pytest.mark.parametrize("prior", [[0.5, 0.5], [0.9, 0.1], [0.05, 0.95]])
def test_of_two_inputs_a_ball_is_a_box(prior):
    problem, radius = md.Problem(prior=prior), 0.2
    box = md.BoundedPriorLIP(1.0, np.maximum(np.array(prior) - radius, 0), np.minimum(np.array(prior) + radius, 1))
    ball = md.NearPriorLIP(1.0, radius)
    for objective in (md.MutualInformation(), md.ErrorProbability(), md.InformationDesign("A")):
        one, two = (md.design(problem, notion, objective) for notion in (ball, box))
        assert one.value == pytest.approx(two.value, rel=2e-6)
        assert box.level(one.matrix, problem).value == pytest.approx(ball.level(one.matrix, problem).value, rel=1e-12)


def test_the_level_is_the_largest_over_the_vertices(rng):
    prior, matrix = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(3), size=4)
    lifts = [np.abs(np.log(matrix / (law @ matrix))).max() for law in near(prior, 0.3)]
    found = md.NearPriorLIP(1.0, 0.3).level(matrix, md.Problem(prior=prior))
    assert found.value == pytest.approx(max(lifts), rel=1e-9)


def test_the_program_with_auxiliary_variables_is_the_cone_of_all_vertices(rng):
    """A column that the level allows is in the cone, and one that it forbids is not: with rays, and without."""
    prior = rng.dirichlet(np.ones(4))
    problem, notion = md.Problem(prior=prior), md.NearPriorLIP(0.6, 0.2)
    shape = notion.columns(problem)
    assert isinstance(shape, PriorBall)
    for _ in range(40):
        column = rng.uniform(0.4, 1.0, size=4)
        level = notion.level(column[:, None], problem).value
        for cone in (shape.cone(), shape.facets()):
            room = linprog(
                np.zeros(cone.on_auxiliary.shape[1] + 1),
                np.hstack([-cone.on_auxiliary, np.zeros((len(cone.on_column), 1))]),
                cone.on_column @ column,
            )
            assert (room.status == 0) == (level <= 0.6), (column, level)


def test_one_question_under_two_names_has_one_answer():
    problem = md.Problem(prior=[0.5, 0.3, 0.2], values=[0, 1, 2])
    assert md.NearPriorLIP(1.0, 0.0).plain(problem) == md.LIP(1.0)
    assert md.NearPriorLIP(1.0, 0.8).plain(problem) == md.LDP(1.0)
    assert md.NearPriorLIP(1.0, 0.79).plain(problem) == md.NearPriorLIP(1.0, 0.79)
    assert md.NearPriorLIP(0.0, 0.1).plain(problem) == md.LDP(0.0)
    for radius, other in ((0.0, md.LIP(1.0)), (1.0, md.LDP(1.0))):
        one, two = (md.design(problem, notion, md.MMSE()) for notion in (md.NearPriorLIP(1.0, radius), other))
        assert np.array_equal(one.matrix, two.matrix)


def test_a_wider_ball_costs_more_and_lies_between_lip_and_ldp():
    problem = md.Problem(prior=[0.4, 0.3, 0.2, 0.1], values=[0, 1, 2, 3])
    found = [md.design(problem, md.NearPriorLIP(1.0, radius), md.MMSE()) for radius in (0.0, 0.05, 0.2, 0.6, 1.0)]
    assert all(wide.bound > narrow.value for narrow, wide in itertools.pairwise(found[:-1]))
    assert found[-1].bound >= found[-2].value * (1 - 1e-12)


def test_a_prior_that_is_wrong_by_the_radius_keeps_the_level(rng):
    prior = rng.dirichlet(np.ones(4))
    made = md.design(md.Problem(prior=prior), md.NearPriorLIP(0.5, 0.1), md.MutualInformation())
    worst = max(
        md.LIP(0.5).level(made.matrix, md.Problem(prior=law)).value for law in near(prior, 0.1) if law.min() > 0
    )
    assert 0.49 < worst <= 0.5 + 1e-12


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: md.NearPriorLIP(1.0, -0.1), "it is a distance of distributions"),
        (lambda: md.NearPriorLIP(1.0, 1.5), "it is a distance of distributions"),
        (lambda: md.NearPriorLIP(math.inf, 0.1), "epsilon is inf"),
        (lambda: md.design(md.Problem(n=3), md.NearPriorLIP(1.0, 0.1), md.InformationDesign("A")), "prior"),
    ],
)
def test_bad_input_is_refused(asked, said):
    with pytest.raises(md.DomainError, match=said):
        asked()


@pytest.mark.parametrize("channel", [None, [[0.9, 0.6, 0.2, 0.1], [0.1, 0.4, 0.8, 0.9]]], ids=["answers", "hidden"])
def test_an_audit_shows_the_ratio_under_the_worst_prior(channel):
    """Found by a hostile reader: it was the one under the stated prior, which the level does not follow from."""
    problem = md.Problem(prior=[0.4, 0.3, 0.2, 0.1])
    problem = problem if channel is None else problem.hidden(channel)
    matrix = np.array([[0.6, 0.4], [0.45, 0.55], [0.3, 0.7], [0.2, 0.8]])
    seen, prior = problem.seen_by_secret(matrix), problem.prior_of_secret
    ratios = [seen[s, y] / (law @ seen[:, y]) for law in near(prior, 0.1) for s in range(len(seen)) for y in range(2)]
    worst = max(ratios, key=lambda ratio: abs(math.log(ratio)))
    for notion in (
        md.NearPriorLIP(1.0, 0.1),
        md.BoundedPriorLIP(1.0, np.maximum(prior - 0.1, 0.0), prior + 0.1),
    ):
        if channel is None and isinstance(notion, md.BoundedPriorLIP):
            # Of more than two values a box holds more than the ball.
            continue
        said = str(md.audit(matrix, notion, problem))
        assert f" is {worst:.3g} times " in " ".join(said.split()) and "least favourable of the priors" in said
