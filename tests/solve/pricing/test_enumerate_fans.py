"""Ray enumeration of the fan on which a budget is linear, against formulas and linear programs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from mechdesign.notions import (
    LDP,
    Budget,
    Cone,
    WeightedTV,
)
from mechdesign.problem import Problem
from mechdesign.solve.pricing.extreme_rays import extreme_rays
from tests.helpers.brute_force import ldp_rows
from tests.helpers.brute_rays import largest, over_rays, same_rays


@pytest.mark.parametrize("weight", [0.5, 0.3, 0.8])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_weighted_tv_fan_is_that_of_the_formula(n: int, weight: float) -> None:
    problem = Problem(n=2)
    if n > 2:
        problem = Problem(n=n).hidden(data_given_secret=np.random.default_rng(n).dirichlet(np.ones(n), size=2))
    notion = WeightedTV(0.9, weight)
    found, formula = (
        extreme_rays(notion.columns(problem).cone(), notion.columns(problem).budget()),
        notion.columns(problem).rays(),
    )
    assert same_rays(found.columns, formula.columns)
    assert formula.columns.shape[1] <= notion.columns(problem).ray_count()
    seen = problem.channel @ found.columns
    assert found.cost[0] == pytest.approx(np.abs((1 - weight) * seen[0] - weight * seen[1]), abs=1e-15)
    assert formula.cost == pytest.approx(notion.columns(problem).budget().cost(formula.columns), abs=1e-15)
    if n == 2:
        expected = np.array([[1, 0], [0, 1], [weight, 1 - weight]]).T
        assert same_rays(formula.columns, expected / expected.max(axis=0))


def test_weighted_tv_with_data_that_say_nothing() -> None:
    # Datum 2 balances the weights up to rounding: it lies on the hyperplane, so it is a ray without cost.
    problem, weight = Problem(n=3).hidden(data_given_secret=[[0.3, 0.0, 0.7], [0.0, 0.7, 0.3]]), 0.7
    assert 0 < abs((1 - weight) * 0.7 - weight * 0.3) < 1e-16
    notion = WeightedTV(0.9, weight)
    formula, pair = notion.columns(problem).rays(), np.array([1.0, 0.09 / 0.49, 0.0])
    assert same_rays(formula.columns, np.vstack([np.eye(3), pair]).T)
    assert formula.cost[0] == pytest.approx([0.09, 0.49, 0.0, 0.0], rel=1e-15) and formula.cost[0, 2] == 0.0
    assert same_rays(
        extreme_rays(notion.columns(problem).cone(), notion.columns(problem).budget()).columns, formula.columns
    )


def hockey_sticks(n: int, epsilon: float) -> Budget:
    """Return the budget of all pairs ``(q_i - e^epsilon q_j)^+``."""
    pairs = [np.eye(n)[i] - math.exp(epsilon) * np.eye(n)[j] for i, j in itertools.permutations(range(n), 2)]
    return Budget(np.array([[pair, np.zeros(n)] for pair in pairs]), np.full(len(pairs), 0.3))


@pytest.mark.parametrize(("n", "count"), [(2, 4), (3, 21), (4, 138)])
def test_fan_of_all_hockey_sticks(n: int, count: int) -> None:
    epsilon = 0.7
    budget = hockey_sticks(n, epsilon)
    found = extreme_rays(Cone.of_rows(np.zeros((0, n))), budget)
    expected = list(np.eye(n))
    for size in range(2, n + 1):
        for chosen in itertools.combinations(range(n), size):
            for levels in itertools.product(range(size), repeat=size):
                if max(levels) >= 1 and set(levels) == set(range(max(levels) + 1)):
                    ray = np.zeros(n)
                    ray[list(chosen)] = np.exp(epsilon * np.array(levels))
                    expected.append(ray)
    assert len(expected) == count and same_rays(found.columns, np.array(expected).T)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_fan_of_all_total_variations_is_all_subsets(n: int) -> None:
    found = extreme_rays(Cone.of_rows(np.zeros((0, n))), hockey_sticks(n, 0.0))
    subsets = [s for s in itertools.product([0.0, 1.0], repeat=n) if any(s)]
    assert same_rays(found.columns, np.array(subsets).T)


@pytest.mark.parametrize("seed", range(6))
def test_fans_of_several_pieces_inside_a_cone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cone = LDP(1.0).cone(Problem(n=4))
    budget = Budget(rng.normal(size=(2, 3, 4)), np.full(2, 0.5))
    found = extreme_rays(cone, budget)
    assert found.cost == pytest.approx(budget.cost(found.columns), rel=1e-14)
    everything = itertools.combinations(range(3), 2)
    ties = np.array([piece[i] - piece[j] for i, j in everything for piece in budget.pieces])
    for functional, nu in zip(rng.normal(size=(15, 4)), rng.exponential(size=15), strict=True):
        direct = largest(cone, functional, budget, nu)
        assert over_rays(found.columns, functional, found.cost, nu) == pytest.approx(direct, abs=1e-8)
    rows = np.vstack([np.eye(4), ldp_rows(4, 1.0)])
    for ray in found.columns.T:
        # A ray of the fan: rows of the cone and ties of the largest pieces leave one direction.
        values = budget.pieces @ ray
        tied = [piece[j] - piece[value.argmax()] for piece, value in zip(budget.pieces, values, strict=True)
                for j in np.flatnonzero(value > value.max() - 1e-9)]  # fmt: skip
        active = np.vstack([rows[np.abs(rows @ ray) < 1e-9], *tied])
        assert np.linalg.matrix_rank(active, tol=1e-7) == 3
    assert len(ties) == 6
