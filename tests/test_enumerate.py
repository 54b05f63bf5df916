"""Ray enumeration against formulas, against all choices of tight rows, and against linear programs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog, nnls

from mechdesign.errors import UnsupportedError
from mechdesign.notions import (
    LDP,
    LIP,
    BlockLDP,
    Budget,
    Cone,
    MaximalLeakage,
    MaxLift,
    Notion,
    ProfileDP,
    StrongL1,
    WeightedTV,
)
from mechdesign.objectives import MMSE, ExpectedLoss
from mechdesign.problem import Problem
from mechdesign.solve import enumerate as enumerate_module
from mechdesign.solve import rays as rays_route
from mechdesign.solve.certify import utility_bound
from mechdesign.solve.enumerate import enumerable, extreme_rays
from mechdesign.solve.task import Task

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


def same_rays(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-11) -> bool:
    """Tell whether the columns are the same up to order, every entry to a relative tolerance."""
    if found.shape != expected.shape:
        return False
    ours, theirs = found[:, :, None], (expected / expected.max(axis=0))[:, None, :]
    near = np.all(np.abs(ours - theirs) <= tolerance * theirs, axis=0)
    return bool(np.all(near.sum(axis=0) == 1) and np.all(near.sum(axis=1) == 1))


def brute_rays(rows: np.ndarray) -> np.ndarray:
    """Return the extreme rays of ``{q >= 0 : rows @ q >= 0}`` by trying all choices of n - 1 tight rows."""
    n = rows.shape[1]
    every = np.vstack([np.eye(n), rows])
    every = every / np.linalg.norm(every, axis=1, keepdims=True)
    choices = np.array(list(itertools.combinations(range(len(every)), n - 1)), dtype=int).reshape(-1, n - 1)
    _, singular, basis = np.linalg.svd(every[choices])
    lines = basis[np.all(singular > 1e-7, axis=1), -1]
    lines = lines * np.sign(lines.sum(axis=1, keepdims=True))
    lines = lines[np.all(lines @ every.T >= -1e-9, axis=1) & (lines.max(axis=1) > 0)]
    lines = lines / lines.max(axis=1, keepdims=True)
    lines[lines < 1e-12] = 0.0
    kept: list[np.ndarray] = []
    for line in lines:
        if not any(np.abs(line - other).max() < 1e-7 for other in kept):
            kept.append(line)
    return np.array(kept).reshape(-1, n).T


def largest(cone: Cone, functional: np.ndarray, budget: Budget | None = None, nu: float = 0.0) -> float:
    """Return max ``h . q - nu beta(q)`` on ``sum(q) = 1``, auxiliary variables and all."""
    n, extra = cone.on_column.shape[1], cone.on_auxiliary.shape[1]
    pieces = np.zeros((0, 1, n)) if budget is None else budget.pieces
    groups, count = pieces.shape[:2]
    cost = np.concatenate([-functional, np.zeros(extra), np.full(groups, nu)])
    upper = [np.hstack([-cone.on_column, -cone.on_auxiliary, np.zeros((len(cone.on_column), groups))])]
    for k, j in itertools.product(range(groups), range(count)):
        upper.append(np.concatenate([pieces[k, j], np.zeros(extra), -np.eye(groups)[k]])[None, :])
    bounds = [(0, None)] * (n + extra) + [(None, None)] * groups
    A_eq = np.concatenate([np.ones(n), np.zeros(extra + groups)])[None, :]
    found = linprog(cost, np.vstack(upper), np.zeros(sum(map(len, upper))), A_eq, [1.0], bounds)
    assert found.status == 0
    return float(-found.fun)


def over_rays(columns: np.ndarray, functional: np.ndarray, cost: np.ndarray, nu: float = 0.0) -> float:
    return float(((functional @ columns - nu * cost.sum(axis=0)) / columns.sum(axis=0)).max())


def all_pairs(n: int, epsilon: float) -> np.ndarray:
    """Return the rows ``e^epsilon q_i - q_j`` of LDP without auxiliary variable."""
    return np.array([np.exp(epsilon) * np.eye(n)[i] - np.eye(n)[j] for i, j in itertools.permutations(range(n), 2)])


def lip_rows(prior: np.ndarray, W: np.ndarray, epsilon: float) -> np.ndarray:
    mass = prior @ W
    return np.vstack([W - math.exp(-epsilon) * mass, math.exp(epsilon) * mass - W])


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("n", range(2, 7))
def test_ldp_rays_are_those_of_the_formula(n: int, epsilon: float) -> None:
    found = extreme_rays(LDP(epsilon).cone(Problem(n=n)))
    low = math.exp(-epsilon)
    sets = [s for s in itertools.product([low, 1.0], repeat=n) if 0 < s.count(1.0) < n] if epsilon else [(1.0,) * n]
    assert same_rays(found.columns, np.array(sets).T)
    assert found.cost.shape == (0, len(sets))
    formula = LDP(epsilon).rays(Problem(n=n)).columns
    # The formula has the full set too, which is a ray only at epsilon 0.
    inside = (formula.min(axis=0) == 1) & (epsilon > 0)
    assert same_rays(found.columns, formula[:, ~inside])


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_lip_rays_are_those_of_the_formula(prior: list[float], epsilon: float) -> None:
    problem = Problem(prior=prior)
    found = extreme_rays(LIP(epsilon).cone(problem))
    formula = LIP(epsilon).rays(problem).columns
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
    direct = lip_rows(prior, W, epsilon)
    assert same_rays(extreme_rays(LIP(epsilon).cone(problem)).columns, brute_rays(direct), 1e-8)


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
            extreme_rays(LIP(epsilon).cone(problem)).columns, brute_rays(lip_rows(prior, W, epsilon)), 1e-8
        )


def test_nearly_equal_secrets_at_epsilon_zero() -> None:
    # All secrets have the same law: W_s - prior @ W is rounding alone, and must not cut anything.
    row = np.array([0.1, 0.2, 0.3, 0.4])
    problem = Problem(n=4).hidden(data_given_secret=[row] * 3, secret_prior=[0.1, 0.2, 0.7])
    for kind in (LDP, LIP):
        assert same_rays(extreme_rays(kind(0.0).cone(problem)).columns, np.eye(4))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_duplicates_scales_and_redundant_rows_change_nothing(epsilon: float) -> None:
    rows, rng = all_pairs(4, epsilon), np.random.default_rng(0)
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
    direct = np.vstack([all_pairs(4, epsilon), lip_rows(prior, np.eye(4), 0.7 * epsilon)])
    assert same_rays(extreme_rays(both).columns, brute_rays(direct), 1e-8)


def test_pairs_that_are_compared_in_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumerate_module, "BLOCK", 5)
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
    assert same_rays(extreme_rays(notion.cone(inputs)).columns, np.array(expected).T, 1e-9)


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


@pytest.mark.parametrize("weight", [0.5, 0.3, 0.8])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_weighted_tv_fan_is_that_of_the_formula(n: int, weight: float) -> None:
    problem = Problem(n=2)
    if n > 2:
        problem = Problem(n=n).hidden(data_given_secret=np.random.default_rng(n).dirichlet(np.ones(n), size=2))
    notion = WeightedTV(0.9, weight)
    found, formula = extreme_rays(notion.cone(problem), notion.budget(problem)), notion.rays(problem)
    assert same_rays(found.columns, formula.columns)
    assert formula.columns.shape[1] <= notion.ray_count(problem)
    seen = problem.channel @ found.columns
    assert found.cost[0] == pytest.approx(np.abs((1 - weight) * seen[0] - weight * seen[1]), abs=1e-15)
    assert formula.cost == pytest.approx(notion.budget(problem).cost(formula.columns), abs=1e-15)
    if n == 2:
        expected = np.array([[1, 0], [0, 1], [weight, 1 - weight]]).T
        assert same_rays(formula.columns, expected / expected.max(axis=0))


def test_weighted_tv_with_data_that_say_nothing() -> None:
    # Datum 2 balances the weights up to rounding: it lies on the hyperplane, so it is a ray without cost.
    problem, weight = Problem(n=3).hidden(data_given_secret=[[0.3, 0.0, 0.7], [0.0, 0.7, 0.3]]), 0.7
    assert 0 < abs((1 - weight) * 0.7 - weight * 0.3) < 1e-16
    notion = WeightedTV(0.9, weight)
    formula, pair = notion.rays(problem), np.array([1.0, 0.09 / 0.49, 0.0])
    assert same_rays(formula.columns, np.vstack([np.eye(3), pair]).T)
    assert formula.cost[0] == pytest.approx([0.09, 0.49, 0.0, 0.0], rel=1e-15) and formula.cost[0, 2] == 0.0
    assert same_rays(extreme_rays(notion.cone(problem), notion.budget(problem)).columns, formula.columns)


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
    rows = np.vstack([np.eye(4), all_pairs(4, 1.0)])
    for ray in found.columns.T:
        # A ray of the fan: rows of the cone and ties of the largest pieces leave one direction.
        values = budget.pieces @ ray
        tied = [piece[j] - piece[value.argmax()] for piece, value in zip(budget.pieces, values, strict=True)
                for j in np.flatnonzero(value > value.max() - 1e-9)]  # fmt: skip
        active = np.vstack([rows[np.abs(rows @ ray) < 1e-9], *tied])
        assert np.linalg.matrix_rank(active, tol=1e-7) == 3
    assert len(ties) == 6


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
    monkeypatch.setattr(enumerate_module, "EFFORT", 1e5)
    assert not enumerable(LDP(1.2345).cone(Problem(n=8)))
    assert not enumerable(Cone.of_rows(np.zeros((0, 4))), hockey_sticks(4, 1.2345))


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
    assert rays_route.refusal(task) is None
    found = rays_route.solve(task)
    value = float(np.sum(problem.prior[:, None] * loss * found.matrix))
    assert value == pytest.approx(weighted_program(problem, notion, loss), rel=1e-9)
    bound = utility_bound(notion, task.objective, problem, found.multipliers)
    assert -bound.utility == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(("notion", "problem"), WTV, ids=str)
def test_rays_route_reaches_the_least_squared_error_under_a_budget(notion: WeightedTV, problem: Problem) -> None:
    task = Task(problem, notion, MMSE())
    found = rays_route.solve(task)
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
    found = rays_route.solve(Task(problem, WeightedTV(delta, weight), MMSE()))
    assert MMSE().value(found.matrix, problem) == pytest.approx(MMSE().value(published, problem), rel=1e-12)


def test_optimum_over_enumerated_rays_is_that_of_the_direct_program() -> None:
    rng = np.random.default_rng(2)
    W, prior = rng.dirichlet(np.ones(5), size=3), rng.dirichlet(np.ones(3))
    problem = Problem(n=5).hidden(data_given_secret=W, secret_prior=prior)
    loss, e = rng.exponential(size=(5, 4)), math.exp(0.8)
    found = rays_route.solve(Task(problem, LDP(0.8), ExpectedLoss(loss)))
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


@pytest.mark.parametrize("kind", [LDP, LIP, MaxLift, MaximalLeakage, StrongL1])
def test_rays_of_thousands_of_inputs_are_countless_and_no_overflow(kind: type) -> None:
    n = 1500
    problem = Problem(prior=np.full(n, 1 / n), values=np.arange(float(n)))
    assert kind(0.5).ray_count(problem) == np.inf and kind(0.5).rays(problem) is None
    assert BlockLDP(0.5, (tuple(range(n)),)).ray_count(problem) == np.inf
