"""Mixtures of exponential kernels: private, near the optimum where that is known, and bounded by flows."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.interior_point.map_program import MapProgram
from mechdesign.solve.search.exponential_kernels import best_mixture, coordinates, kernels_of
from mechdesign.solve.search.map_best import Best
from mechdesign.solve.search.map_cover import lowered
from tests.solve.routes.test_maps import apart, grid, quietly


def city(rows, columns, seed=0):
    """Return a town of places with more people in its middle than at its border, and the distances."""
    places = grid(rows, columns)
    weights = np.exp(-0.3 * np.linalg.norm(places - places.mean(axis=0), axis=1))
    weights *= 1.0 + np.random.default_rng(seed).random(len(places))
    return md.Problem(prior=weights / weights.sum()), apart(places)


def program_of(problem, distance, epsilon):
    return MapProgram.of(problem.prior[:, None] * distance, epsilon * distance)


def manhattan(rows, columns):
    places = grid(rows, columns)
    return np.abs(places[:, None] - places).sum(axis=2)


METRICS = {
    "a plane": apart(grid(4, 5)),
    "a space": apart(np.random.default_rng(1).random((15, 3)) * 3),
    "streets": manhattan(4, 4),
    "no space": 1.0 - np.eye(9),
}


def keeps(column, exponents):
    return bool(np.all(np.log(column)[:, None] - np.log(column) <= exponents * (1 + 1e-9) + 1e-12))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("metric", METRICS)
def test_every_kernel_keeps_every_constraint(metric, epsilon):
    exponents = np.minimum(epsilon * METRICS[metric], 300.0)
    kernels = kernels_of(exponents)
    assert kernels.min() > 0 and np.allclose(kernels.max(axis=0), 1.0)
    assert all(keeps(column, exponents) for column in kernels.T)
    # A planted defect: a kernel that falls faster than it may.
    assert not keeps(np.exp(-1.01 * exponents[0]), exponents)


def test_points_are_found_for_distances_of_points_and_for_no_others():
    for points in (grid(3, 4), np.random.default_rng(0).random((12, 3)), np.arange(5.0)[:, None]):
        found = coordinates(apart(points))
        assert found.shape == points.shape and np.allclose(apart(found), apart(points), atol=1e-9)
    assert coordinates(manhattan(3, 3)) is None and coordinates(METRICS["no space"]) is None
    directed = apart(grid(2, 2)) * (1.0 + np.triu(np.ones((4, 4)), 1))
    assert coordinates(directed) is None


@pytest.mark.parametrize(("epsilon", "share"), [(0.3, 0.05), (1.0, 0.05), (3.0, 1e-3)])
def test_it_is_near_the_optimum(epsilon, share):
    problem, distance = city(6, 7)
    question = problem, md.MetricDP(epsilon, distance), md.ExpectedLoss(distance)
    best = md.design(*question, route="maps", gap=1e-4)
    made = quietly(*question, route="kernels")
    assert made.audit.holds and made.bound <= best.value
    assert best.bound <= made.value <= (1.0 + share) * best.value
    known = md.baselines.exponential(problem, epsilon, distance)
    assert made.value < question[2].value(known.matrix, problem)


@pytest.mark.parametrize("route", ["kernels", "auto"])
def test_far_apart_places_are_certified_without_a_step(route):
    """Kernels about the places alone are optimal there, and flows cover the multipliers of their program."""
    problem, distance = city(9, 9)
    made = md.design(problem, md.MetricDP(3.0, distance), md.ExpectedLoss(distance), route=route)
    assert made.gap <= 1e-6 and made.audit.holds and (route == "kernels" or "0 steps" in str(made.why))


def test_on_a_line_the_kernels_about_inputs_are_enough():
    """The optimum is the truncated geometric mechanism, merged (Ghosh, Roughgarden, Sundararajan 2012)."""
    places = np.arange(9.0)[:, None]
    prior = np.random.default_rng(3).dirichlet(np.ones(9))
    question = md.Problem(prior=prior), md.MetricDP(0.7, apart(places)), md.ExpectedLoss(apart(places))
    best, made = md.design(*question), quietly(*question, route="kernels")
    assert made.value == pytest.approx(best.value, rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_covers_of_lowered_multipliers_bound_the_optimum(epsilon):
    """Whatever the multipliers: their own, the costs of inputs, and ones at random."""
    problem, distance = city(4, 4)
    program = program_of(problem, distance, epsilon)
    asked = md.MetricDP(epsilon, distance), md.ExpectedLoss(distance)
    best = md.design(problem, *asked, gap=1e-6)
    rng = np.random.default_rng(4)
    mixture = best_mixture(program, "HIGHS")
    costs = (program.cost * mixture.columns).sum(axis=0)
    assert program.unscaled(mixture.value) >= best.bound * (1 - 1e-9)
    for multipliers in (mixture.multipliers, costs, rng.random(16), 5.0 * rng.random(16), np.zeros(16)):
        cover = lowered(program, np.maximum(multipliers, 0.0), 5)
        assert program.unscaled(cover.bound) <= best.value * (1 + 1e-9)
        rows = -program.scale * cover.multipliers - problem.prior * distance.min(axis=1)
        table = cover.table * np.array([1.0, 1.0, 1.0, program.scale])
        derived = -utility_bound(asked[0], asked[1], problem, Multipliers(rows, flows=table)).utility
        assert derived == pytest.approx(program.unscaled(cover.bound), rel=1e-9)
    assert program.unscaled(lowered(program, costs, 5).bound) >= 0.7 * best.value


def test_multipliers_that_are_lowered_more_are_better_than_none():
    problem, distance = city(5, 5)
    program = program_of(problem, distance, 0.5)
    best = Best.obvious(program)
    found = best.of_kernels("HIGHS", 3)
    assert found.value < best.value and found.cover.bound > best.cover.bound == 0.0


def test_a_program_that_fails_leaves_the_obvious_mechanisms(monkeypatch):
    def failing(*_, **__):
        raise md.SolverError("It failed.", status="failed")

    monkeypatch.setattr("mechdesign.solve.search.exponential_kernels.ColumnWeights.best", failing)
    problem, distance = city(4, 4)
    made = quietly(problem, md.MetricDP(1.0, distance), md.ExpectedLoss(distance), route="kernels")
    assert made.audit.holds and made.value <= md.ExpectedLoss(distance).value(
        md.baselines.exponential(problem, 1.0, distance).matrix, problem
    ) * (1 + 1e-9)


def test_large_maps_are_answered_where_the_constraints_take_too_much_memory():
    """Refused before: the constraints of all pairs of 100 places are more than a hundredth of a gigabyte."""
    problem, distance = city(10, 10)
    question = problem, md.MetricDP(1.0, distance), md.ExpectedLoss(distance)
    made = quietly(*question, memory_limit=0.01)
    assert made.route == "kernels" and made.audit.holds and 0.0 < made.gap < 0.2
    assert "GB" in str(made.why)
    with pytest.raises(md.UnsupportedError, match="its constraints as arrays would take"):
        md.design(*question, memory_limit=0.01, route="convex")


@pytest.mark.parametrize(
    ("notion", "objective", "said"),
    [
        (lambda d: md.LDP(1.0), md.ExpectedLoss, "metric DP"),
        (lambda d: md.MetricDP(1.0, d), lambda d: md.MutualInformation(), "not finitely many"),
    ],
)
def test_other_questions_are_refused(notion, objective, said):
    problem, distance = city(3, 3)
    with pytest.raises(md.UnsupportedError, match=said):
        md.design(problem, notion(distance), objective(distance), route="kernels")
