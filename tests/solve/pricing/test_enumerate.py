"""Ray enumeration against formulas, against all choices of tight rows, and against linear programs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import nnls

from mechdesign.errors import UnsupportedError
from mechdesign.notions import (
    LDP,
    LIP,
    BlockLDP,
    Cone,
    MaximalLeakage,
    MaxLift,
    Notion,
    ProfileDP,
    StrongL1,
)
from mechdesign.problem import Problem
from mechdesign.solve.pricing import double_description
from mechdesign.solve.pricing.extreme_rays import enumerable, extreme_rays
from tests.helpers.brute_force import ldp_rows, lip_rows
from tests.helpers.brute_rays import brute_rays, largest, over_rays, same_rays
from tests.solve.pricing.test_enumerate_fans import hockey_sticks

EPSILONS = [0.0, 0.05, 1.0, 2.5, 5.0]
PRIORS = [
    [0.5, 0.5],
    [0.01, 0.99],
    [0.1, 0.2, 0.7],
    [1 / 3, 1 / 3, 1 / 3],
    [0.25, 0.25, 0.25, 0.25],
    [0.4, 0.3, 0.2, 0.1],
    [0.05, 0.1, 0.15, 0.3, 0.4],
    [0.02, 0.03, 0.05, 0.1, 0.3, 0.5],
]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("n", range(2, 7))
def test_ldp_rays_are_those_of_the_formula(n: int, epsilon: float) -> None:
    found = extreme_rays(LDP(epsilon).cone(Problem(n=n)))
    low = math.exp(-epsilon)
    sets = [s for s in itertools.product([low, 1.0], repeat=n) if 0 < s.count(1.0) < n] if epsilon else [(1.0,) * n]
    assert same_rays(found.columns, np.array(sets).T)
    assert found.cost.shape == (0, len(sets))
    formula = LDP(epsilon).columns(Problem(n=n)).rays().columns
    # The formula has the full set too, which is a ray only at epsilon 0.
    inside = (formula.min(axis=0) == 1) & (epsilon > 0)
    assert same_rays(found.columns, formula[:, ~inside])


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_lip_rays_are_those_of_the_formula(prior: list[float], epsilon: float) -> None:
    problem = Problem(prior=prior)
    found = extreme_rays(LIP(epsilon).cone(problem))
    formula = LIP(epsilon).columns(problem).rays().columns
    near = np.abs(formula[:, :, None] - formula[:, None, :]).max(axis=0) < 1e-9
    once = formula[:, ~np.triu(near, 1).any(axis=0)]
    assert same_rays(found.columns, once)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("n", "secrets"), [(2, 2), (3, 2), (3, 4), (4, 2), (4, 3), (4, 4), (5, 3)])
def test_hidden_secrets_against_all_choices_of_tight_rows(n: int, secrets: int, epsilon: float) -> None:
    rng = np.random.default_rng([n, secrets])
    W, prior = rng.dirichlet(np.full(n, 0.7), size=secrets), rng.dirichlet(np.ones(secrets))
    problem = Problem(n=n).hidden(data_given_secret=W, secret_prior=prior)
    direct = np.array([np.exp(epsilon) * W[i] - W[j] for i, j in itertools.permutations(range(secrets), 2)])
    assert same_rays(extreme_rays(LDP(epsilon).cone(problem)).columns, brute_rays(direct), 1e-8)
    direct = lip_rows(prior, epsilon, W)
    assert same_rays(extreme_rays(LIP(epsilon).cone(problem)).columns, brute_rays(direct), 1e-8)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("n", "secrets"), [(4, 6), (6, 2), (6, 3), (6, 6), (8, 4)])
@pytest.mark.parametrize("kind", [LDP, LIP])
def test_no_direction_finds_more_than_the_rays(kind: type[Notion], n: int, secrets: int, epsilon: float) -> None:
    rng = np.random.default_rng([n, secrets])
    W, prior = rng.dirichlet(np.full(n, 0.7), size=secrets), rng.dirichlet(np.ones(secrets))
    problem = Problem(n=n).hidden(data_given_secret=W, secret_prior=prior)
    cone = kind(epsilon).cone(problem)
    found = extreme_rays(cone)
    for functional in rng.normal(size=(12, n)):
        assert over_rays(found.columns, functional, found.cost) == pytest.approx(largest(cone, functional), abs=1e-8)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_every_ray_is_in_the_cone_is_scaled_and_is_no_mixture_of_others(epsilon: float) -> None:
    rng = np.random.default_rng(5)
    W = rng.dirichlet(np.ones(5), size=4)
    cone = LDP(epsilon).cone(Problem(n=5).hidden(data_given_secret=W))
    columns = extreme_rays(cone).columns
    assert np.all(columns >= 0) and np.all(columns.max(axis=0) == 1.0)
    seen = W @ columns
    assert np.all(seen.max(axis=0) <= math.exp(epsilon) * seen.min(axis=0) * (1 + 1e-13))
    for index in range(columns.shape[1]):
        others = np.delete(columns, index, axis=1)
        assert others.size == 0 or nnls(others, columns[:, index])[1] > 1e-6


def test_decimals_whose_rows_meet_in_many_points() -> None:
    # Ties everywhere, each with its own rounding: thirds and tenths, repeated rows, secrets that imply each other.
    W = np.array([[0.1, 0.2, 0.7], [0.7, 0.2, 0.1], [0.4, 0.2, 0.4], [0.1, 0.2, 0.7], [0.1, 0.8, 0.1]])
    prior = np.array([0.1, 0.3, 0.3, 0.1, 0.2])
    problem = Problem(n=3).hidden(data_given_secret=W, secret_prior=prior)
    for epsilon in [*EPSILONS, math.log(2), math.log(7)]:
        pairs = [(i, j) for i, j in itertools.permutations(range(5), 2) if np.any(W[i] != W[j])]
        direct = np.array([np.exp(epsilon) * W[i] - W[j] for i, j in pairs])
        assert same_rays(extreme_rays(LDP(epsilon).cone(problem)).columns, brute_rays(direct), 1e-8)
        assert same_rays(
            extreme_rays(LIP(epsilon).cone(problem)).columns, brute_rays(lip_rows(prior, epsilon, W)), 1e-8
        )


def test_nearly_equal_secrets_at_epsilon_zero() -> None:
    # All secrets have the same law: W_s - prior @ W is rounding alone, and must not cut anything.
    row = np.array([0.1, 0.2, 0.3, 0.4])
    problem = Problem(n=4).hidden(data_given_secret=[row] * 3, secret_prior=[0.1, 0.2, 0.7])
    for kind in (LDP, LIP):
        assert same_rays(extreme_rays(kind(0.0).cone(problem)).columns, np.eye(4))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_duplicates_scales_and_redundant_rows_change_nothing(epsilon: float) -> None:
    rows, rng = ldp_rows(4, epsilon), np.random.default_rng(0)
    expected = extreme_rays(Cone.of_rows(rows)).columns
    mixed = rows[rng.permutation(len(rows))] * 10.0 ** rng.integers(-6, 7, size=(len(rows), 1))
    redundant = np.vstack([mixed, rows[:3], rows[:1] + rows[1:4], np.eye(4), np.zeros((2, 4))])
    assert same_rays(extreme_rays(Cone.of_rows(redundant)).columns, expected)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_several_auxiliary_variables_are_eliminated(epsilon: float) -> None:
    prior = np.array([0.1, 0.2, 0.3, 0.4])
    cones = [LDP(epsilon).cone(Problem(n=4)), LIP(0.7 * epsilon).cone(Problem(prior=prior))]
    both = Cone(
        np.vstack([cone.on_column for cone in cones]),
        np.vstack(
            [
                np.hstack([cones[0].on_auxiliary, np.zeros((8, 1))]),
                np.hstack([np.zeros((10, 1)), cones[1].on_auxiliary]),
            ]
        ),
        4.0,
    )
    direct = np.vstack([ldp_rows(4, epsilon), lip_rows(prior, 0.7 * epsilon)])
    assert same_rays(extreme_rays(both).columns, brute_rays(direct), 1e-8)


def test_pairs_that_are_compared_in_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(double_description, "BLOCK", 5)
    sets = [s for s in itertools.product([math.exp(-0.321), 1.0], repeat=6) if 0 < s.count(1.0) < 6]
    assert same_rays(extreme_rays(LDP(0.321).cone(Problem(n=6))).columns, np.array(sets).T)


def test_no_rows_leave_the_orthant_and_one_input_one_ray() -> None:
    assert same_rays(extreme_rays(Cone.of_rows(np.zeros((0, 3)))).columns, np.eye(3))
    assert extreme_rays(LDP(1.0).cone(Problem(n=1))).columns.tolist() == [[1.0]]
    assert extreme_rays(Cone.of_rows(-np.ones((1, 2)))).columns.shape == (2, 0)


@pytest.mark.parametrize("epsilon", [20.0, 40.0, 60.0])
def test_large_epsilon_keeps_small_entries_accurate(epsilon: float) -> None:
    columns = extreme_rays(LDP(epsilon).cone(Problem(n=3))).columns
    sets = [s for s in itertools.product([math.exp(-epsilon), 1.0], repeat=3) if 0 < s.count(1.0) < 3]
    assert same_rays(columns, np.array(sets).T, 1e-13)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_profiles_that_are_seen_have_one_datum_of_each_profile_in_a_ray(epsilon: float) -> None:
    profiles = np.array([[0.5, 0.25, 0.25], [0.125, 0.625, 0.25], [0.25, 0.0, 0.75]])
    notion = ProfileDP(epsilon, profiles, [(0, 1), (1, 2)])
    inputs = notion.inputs(Problem(n=3))
    e = math.exp(epsilon)
    # On a path each step goes up or down by the whole of epsilon: the secrets see a vertex of those.
    steps = itertools.product([1.0, e, 1 / e], [1.0, e, 1 / e])
    seen = brute_rays(np.array([[e, -1, 0], [-1, e, 0], [0, e, -1], [0, -1, e]]))
    assert seen.shape[1] == (4 if epsilon else 1)
    assert all(any(np.allclose(v, np.array([1, a, a * b]) / max(1, a, a * b)) for a, b in steps) for v in seen.T[:1])
    expected = [np.eye(9)[7]]
    for v in seen.T:
        for data in itertools.product(range(3), repeat=3):
            if all(profiles[i, x] > 0 for i, x in enumerate(data)):
                ray = np.zeros(9)
                for i, x in enumerate(data):
                    ray[3 * i + x] = v[i] / profiles[i, x]
                expected.append(ray)
    assert same_rays(extreme_rays(notion.columns(inputs).cone()).columns, np.array(expected).T, 1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_profiles_that_are_not_seen(epsilon: float) -> None:
    profiles = np.random.default_rng(3).dirichlet(np.ones(4), size=4)
    edges = [(0, 1), (1, 2), (1, 3)]
    notion = ProfileDP(epsilon, profiles, edges, sees_profile=False)
    both = edges + [(j, i) for i, j in edges]
    direct = np.array([np.exp(epsilon) * profiles[i] - profiles[j] for i, j in both])
    cone = notion.cone(notion.inputs(Problem(n=4)))
    assert same_rays(extreme_rays(cone).columns, brute_rays(direct), 1e-8)


def test_profiles_in_decimals_whose_ratio_is_that_of_epsilon() -> None:
    # 0.2 - 0.3 / 1.5 is rounding alone: no side, and no further ray beside the one that is there.
    profiles, epsilon = np.array([[0.3, 0.6, 0.1], [0.2, 0.8, 0.0]]), math.log(1.5)
    assert 0 < abs(0.2 - math.exp(-epsilon) * 0.3) < 1e-16
    notion = ProfileDP(epsilon, profiles, [(0, 1)], sees_profile=False)
    direct = np.array([1.5 * profiles[1] - profiles[0], 1.5 * profiles[0] - profiles[1]])
    cone = notion.cone(notion.inputs(Problem(n=3)))
    assert same_rays(extreme_rays(cone).columns, brute_rays(direct), 1e-8)


def test_a_cone_that_is_too_large_or_too_degenerate_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    hopeless = [
        LDP(1.0).cone(Problem(n=30)),
        LDP(1.0).cone(Problem(n=14)),
        LDP(1e-11).cone(Problem(n=3)),
        # Either a row, or what comes of two of them, has an entry that is next to nothing beside its largest.
        LDP(300.0).cone(Problem(n=3)),
        LDP(120.0).cone(Problem(n=3)),
        Cone.of_rows(np.array([[np.inf, -1.0]])),
    ]
    for cone in hopeless:
        assert not enumerable(cone)
        with pytest.raises(
            UnsupportedError, match=r"extreme rays of a cone over \d+ inputs .* use a route that needs none"
        ):
            extreme_rays(cone)
    assert enumerable(LDP(1.0).cone(Problem(n=8)))
    assert enumerable(Cone.of_rows(np.zeros((0, 4))), hockey_sticks(4, 1.0))
    # What is counted while it works ends it, too.
    monkeypatch.setattr(double_description, "EFFORT", 1e5)
    assert not enumerable(LDP(1.2345).cone(Problem(n=8)))
    assert not enumerable(Cone.of_rows(np.zeros((0, 4))), hockey_sticks(4, 1.2345))


@pytest.mark.parametrize("kind", [LDP, LIP, MaxLift, MaximalLeakage, StrongL1])
def test_rays_of_thousands_of_inputs_are_countless_and_no_overflow(kind: type) -> None:
    n = 1500
    problem = Problem(prior=np.full(n, 1 / n), values=np.arange(float(n)))
    assert kind(0.5).columns(problem).ray_count() == np.inf and kind(0.5).columns(problem).rays() is None
    assert BlockLDP(0.5, (tuple(range(n)),)).columns(problem).ray_count() == np.inf
