"""The route over all extreme rays against linear programs that know nothing of rays."""

from __future__ import annotations

import csv
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from mechdesign import design
from mechdesign.columns import band_vertices
from mechdesign.notions import LDP, LIP, AsymmetricLIP, MaxLift, WeightedTV
from mechdesign.objectives import MMSE, ExpectedLoss, HistogramMMSE, MutualInformation
from mechdesign.problem import Problem
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.routes import rays as rays_route
from mechdesign.solve.task import Task
from tests.helpers.brute_rays import brute_rays


def weighted_program(problem: Problem, notion: WeightedTV, loss: np.ndarray) -> float:
    """Return the least expected loss by one linear program over Q, with ``|d . q_y|`` as extra variables."""
    n, decisions = loss.shape
    W = problem.channel
    d = (1 - notion.weight) * W[0] - notion.weight * W[1]
    size = n * decisions
    cost = np.concatenate([(problem.prior[:, None] * loss).ravel(), np.zeros(decisions)])
    of_row = np.hstack([np.kron(np.eye(n), np.ones(decisions)), np.zeros((n, decisions))])
    terms = np.hstack([np.kron(d, np.eye(decisions)), np.zeros((decisions, decisions))])
    extra = np.hstack([np.zeros((decisions, size)), np.eye(decisions)])
    upper = np.vstack([terms - extra, -terms - extra, np.concatenate([np.zeros(size), np.ones(decisions)])])
    right = np.concatenate([np.zeros(2 * decisions), [notion.delta]])
    return float(linprog(cost, upper, right, of_row, np.ones(n)).fun)


WTV = [
    (WeightedTV(0.5, 0.4), Problem(prior=[0.3, 0.7], values=[0, 1])),
    (WeightedTV(0.25), Problem(prior=[0.2, 0.8], values=[0, 1])),
    (
        WeightedTV(0.45, 0.6),
        Problem(prior=[0.1, 0.2, 0.3, 0.4], values=[0, 1, 3, 7]).hidden([[0.9, 0.6, 0.3, 0.2], [0.1, 0.4, 0.7, 0.8]]),
    ),
]


@pytest.mark.parametrize(("notion", "problem"), WTV, ids=str)
def test_rays_route_reaches_the_least_expected_loss_under_a_budget(notion: WeightedTV, problem: Problem) -> None:
    loss = np.random.default_rng(problem.n).exponential(size=(problem.n, 3))
    task = Task(problem, notion, ExpectedLoss(loss))
    assert rays_route.ROUTE.refusal(task) is None
    found = rays_route.ROUTE.solve(task)
    value = float(np.sum(problem.prior[:, None] * loss * found.matrix))
    assert value == pytest.approx(weighted_program(problem, notion, loss), rel=1e-9)
    bound = utility_bound(notion, task.objective, problem, found.multipliers)
    assert -bound.utility == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(("notion", "problem"), WTV, ids=str)
def test_rays_route_reaches_the_least_squared_error_under_a_budget(notion: WeightedTV, problem: Problem) -> None:
    task = Task(problem, notion, MMSE())
    found = rays_route.ROUTE.solve(task)
    value = MMSE().value(found.matrix, problem)
    d = (1 - notion.weight) * problem.channel[0] - notion.weight * problem.channel[1]
    # All rays of the fan by brute force, and thousands of other directions that should not help.
    fan = np.hstack([brute_rays(d[None, :]), brute_rays(-d[None, :])])
    others = np.random.default_rng(0).dirichlet(np.full(problem.n, 0.5), size=4000).T
    columns = np.hstack([fan, others])
    centred = problem.values - problem.prior @ problem.values
    worth = (problem.prior * centred @ columns) ** 2 / (problem.prior @ columns)
    direct = linprog(-worth, np.abs(d @ columns)[None, :], [notion.delta], columns, np.ones(problem.n))
    variance = float(problem.prior @ centred**2)
    assert value == pytest.approx(variance + direct.fun, rel=1e-8)
    assert notion.level(found.matrix, problem).value <= notion.delta * (1 + 1e-9)
    bound = utility_bound(notion, MMSE(), problem, found.multipliers)
    assert variance - bound.utility == pytest.approx(value, rel=1e-9)


def test_three_outputs_of_yoshida() -> None:
    # Fisher information of a mixture is of ratio type like MMSE; here the published optimum for the MMSE of a bit.
    delta, weight, p = 0.4, 0.45, 0.35
    problem, a = Problem(prior=[1 - p, p], values=[0, 1]), (1 - delta) / 2
    published = np.array([[a / (1 - weight), 1 - a / (1 - weight), 0], [a / weight, 0, 1 - a / weight]])
    found = rays_route.ROUTE.solve(Task(problem, WeightedTV(delta, weight), MMSE()))
    assert MMSE().value(found.matrix, problem) == pytest.approx(MMSE().value(published, problem), rel=1e-12)


def test_optimum_over_enumerated_rays_is_that_of_the_direct_program() -> None:
    rng = np.random.default_rng(2)
    W, prior = rng.dirichlet(np.ones(5), size=3), rng.dirichlet(np.ones(3))
    problem = Problem(n=5).hidden(data_given_secret=W, secret_prior=prior)
    loss, e = rng.exponential(size=(5, 4)), math.exp(0.8)
    found = rays_route.ROUTE.solve(Task(problem, LDP(0.8), ExpectedLoss(loss)))
    value = float(np.sum(problem.prior[:, None] * loss * found.matrix))
    upper = [np.kron(W[i] - e * W[j], np.eye(4)) for i, j in itertools.permutations(range(3), 2)]
    direct = linprog(
        (problem.prior[:, None] * loss).ravel(),
        np.vstack(upper),
        np.zeros(24),
        np.kron(np.eye(5), np.ones(4)),
        np.ones(5),
    )
    assert value == pytest.approx(direct.fun, rel=1e-9)


@pytest.mark.parametrize("n", [4, 8, 10])
@pytest.mark.parametrize("notion", [LIP(0.3), LIP(2.0), MaxLift(0.5), AsymmetricLIP(0.2, 1.5)], ids=str)
def test_rays_of_a_band_are_counted_before_they_are_listed(n, notion, rng):
    """Against every set; equal masses leave exactly nothing, and are counted too."""
    for prior in (rng.dirichlet(np.ones(n)), np.full(n, 1.0 / n), rng.dirichlet(np.full(n, 0.2))):
        problem = Problem(prior=np.maximum(prior, 1e-9) / np.maximum(prior, 1e-9).sum())
        shape = notion.shape(problem)
        low, high = shape.ends
        listed = shape.rays().columns.shape[1]
        counted = band_vertices._counted(tuple(problem.required_prior_of_secret.tolist()), low, high)
        capacity, found = (1.0 - low) / (high - low), 0
        for x, chosen in itertools.product(range(n), itertools.product((0, 1), repeat=n - 1)):
            left = capacity - float(np.array(chosen) @ np.delete(problem.prior, x))
            found += -1e-9 <= left <= problem.prior[x] + 1e-9
        assert listed <= counted == pytest.approx(found, abs=2 * n) and counted <= n * 2 ** (n - 1)


def test_many_rays_are_added_as_they_are_wanted_and_the_optimum_is_that_over_all(rng, monkeypatch):
    problem = Problem(prior=rng.dirichlet(np.ones(13)))
    for objective in (MutualInformation(), HistogramMMSE()):
        task = Task(problem, LIP(1.0), objective)
        whole = rays_route.ROUTE.solve(task)
        monkeypatch.setattr(rays_route, "RAYS_AT_ONCE", 1000)
        some = rays_route.ROUTE.solve(task)
        monkeypatch.undo()
        values = [objective.value(found.matrix, problem) for found in (whole, some)]
        assert values[0] == pytest.approx(values[1], rel=1e-9)
        bounds = [utility_bound(task.notion, objective, problem, found.multipliers).utility for found in (whole, some)]
        assert bounds[0] == pytest.approx(bounds[1], rel=1e-8)


def test_information_about_sixteen_levels_of_education_is_certified():
    """What a program over all 34,842 rays at once came to (5 s), where the lifts alone left a gap of 6 per cent."""
    with (Path(__file__).parents[3] / "examples" / "adult-education.csv").open(encoding="utf-8") as file:
        problem = Problem.from_counts({row["education"]: int(row["count"]) for row in csv.DictReader(file)})
    assert LIP(1.0).columns(problem).ray_count() == 34842
    for objective, optimum in ((MutualInformation(), 0.436657827), (HistogramMMSE(), 0.628802361)):
        made = design(problem, LIP(1.0), objective)
        assert made.value == pytest.approx(optimum, abs=1e-8) and made.gap <= 1e-6 and made.route == "rays"
