"""Notions against hand-written loops, exact fractions and solvers that are handed their cvxpy constraints."""

from __future__ import annotations

import itertools
import math
from decimal import Context, Decimal

import numpy as np
import pytest

from mechdesign.errors import DomainError
from mechdesign.notions import LDP, LIP, Level, Notion, ProfileDP, WeightedTV
from mechdesign.problem import Problem

PROFILES = np.array([[0.5, 0.25, 0.25], [0.125, 0.625, 0.25], [0.25, 0.0, 0.75]])
SECRET = np.array([[0.75, 0.25, 0.0], [0.125, 0.25, 0.625]])
EDGES = [(0, 1), (2, 1)]
PRIOR = [0.5, 0.125, 0.375]

CASES: list[tuple[Notion, Problem]] = [
    (LDP(1.0), Problem(n=4)),
    (LIP(1.0), Problem(prior=[0.1, 0.2, 0.3, 0.4])),
    (WeightedTV(0.75, 0.5), Problem(n=2)),
    (WeightedTV(0.75, 0.3), Problem(n=2)),
    (WeightedTV(0.45, 0.7), Problem(n=3).hidden(data_given_secret=SECRET)),
    (ProfileDP(0.5, PROFILES, EDGES, sees_profile=False), Problem(n=3)),
    (ProfileDP(0.5, PROFILES, EDGES), Problem(n=3)),
    (ProfileDP(0.5, PROFILES, EDGES, profile_prior=PRIOR), Problem(values=[1, 2, 4])),
]
IDS = [f"{type(notion).__name__}-{index}" for index, (notion, _) in enumerate(CASES)]
each = pytest.mark.parametrize(("notion", "problem"), CASES, ids=IDS)


def random_matrix(rng: np.random.Generator, n: int, outputs: int, power: float = 1.0) -> np.ndarray:
    return rng.dirichlet(np.full(outputs, power), size=n)


def informative_matrix(notion: Notion, inputs: Problem, seed: int) -> np.ndarray:
    """Return a matrix without small entries whose level lies clearly above the least."""
    for attempt in itertools.count(100 * seed):
        matrix = 0.1 / 3 + 0.9 * random_matrix(np.random.default_rng(attempt), inputs.n, 3, 0.5)
        if notion.level(matrix, inputs).value > notion.columns(inputs).least_level * 1.05 + 0.01:
            return matrix
    raise AssertionError("counts for ever")


def random_integers(rng: np.random.Generator, n: int, outputs: int, total: int = 1 << 20) -> np.ndarray:
    """Positive integers whose rows sum to `total`."""
    return 1 + rng.multinomial(total - outputs, rng.dirichlet(np.ones(outputs)), size=n)


def distance(high: float, low: float) -> float:
    """Return ln(high / low), with 0 / 0 no violation."""
    if high == low == 0:
        return 0.0
    return math.inf if low == 0 else (-math.inf if high == 0 else math.log(high / low))


def level_by_hand(notion: Notion, matrix: np.ndarray, given: Problem) -> float:
    """Apply the definition, entry by entry, to the problem as the user gave it."""
    outputs = range(matrix.shape[1])
    if isinstance(notion, ProfileDP):
        k, n = notion.profiles.shape
        row = (lambda i, x: i * n + x) if notion.sees_profile else (lambda i, x: x)
        seen = [
            [sum(notion.profiles[i, x] * matrix[row(i, x), y] for x in range(n)) for y in outputs] for i in range(k)
        ]
        both = [pair for i, j in EDGES for pair in ((i, j), (j, i))]
        return max(distance(seen[i][y], seen[j][y]) for i, j in both for y in outputs)
    W = np.eye(given.n) if given.data_given_secret is None else given.data_given_secret
    seen = [[sum(w[x] * matrix[x, y] for x in range(given.n)) for y in outputs] for w in W]
    if isinstance(notion, WeightedTV):
        return sum(abs((1 - notion.weight) * seen[0][y] - notion.weight * seen[1][y]) for y in outputs)
    if isinstance(notion, LIP):
        assert given.prior is not None
        mass = [sum(p * seen[s][y] for s, p in enumerate(given.prior)) for y in outputs]
        return max(abs(distance(row[y], mass[y])) for row in seen for y in outputs if mass[y] > 0)
    return max(distance(a[y], b[y]) for a, b in itertools.permutations(seen, 2) for y in outputs)


@each
@pytest.mark.parametrize("seed", range(5))
def test_level_is_that_of_a_loop_over_the_definition(notion: Notion, problem: Problem, seed: int) -> None:
    rng = np.random.default_rng(seed)
    inputs = notion.inputs(problem)
    matrix = random_matrix(rng, inputs.n, 4)
    if seed == 3:
        matrix = np.hstack([matrix, np.zeros((inputs.n, 1))])
    assert notion.level(matrix, inputs).value == pytest.approx(level_by_hand(notion, matrix, problem), rel=1e-11)


@each
def test_witness_alone_shows_the_level(notion: Notion, problem: Problem) -> None:
    inputs = notion.inputs(problem)
    matrix = random_matrix(np.random.default_rng(7), inputs.n, 5)
    level = notion.level(matrix, inputs)
    seen = inputs.seen_by_secret(matrix)
    assert level.output is not None
    first = seen[level.inputs[0], level.output]
    if isinstance(notion, WeightedTV):
        terms = np.abs((1 - notion.weight) * seen[0] - notion.weight * seen[1])
        assert level.inputs == (0, 1) and terms[level.output] == terms.max()
        return
    other = inputs.prior @ matrix[:, level.output] if isinstance(notion, LIP) else seen[level.inputs[1], level.output]
    shown = abs(math.log(first / other)) if isinstance(notion, LIP) else math.log(first / other)
    assert shown == pytest.approx(level.value, rel=1e-12)


def test_a_zero_against_a_mass_is_infinite_and_against_a_zero_nothing() -> None:
    matrix = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
    assert LDP(1.0).level(matrix, Problem(n=3)).value == np.inf
    assert LIP(1.0).level(matrix, Problem(prior=[0.25, 0.25, 0.5])).value == np.inf
    unseen = ProfileDP(1.0, np.eye(3), [(0, 1)], sees_profile=False)
    assert unseen.level(matrix, unseen.inputs(Problem(n=3))) == Level(np.inf, (0, 1), 0)
    assert WeightedTV(1.0).level(matrix[:2], Problem(n=2)).value == 1.0
    same = np.array([[0.5, 0.5, 0.0]] * 3)
    assert LDP(1.0).level(same, Problem(n=3)).value == 0.0
    assert LIP(1.0).level(same, Problem(prior=[0.25, 0.25, 0.5])).value == 0.0
    assert unseen.level(same, unseen.inputs(Problem(n=3))).value == 0.0


@each
@pytest.mark.parametrize("solver", ["CLARABEL", "HIGHS"])
def test_constraints_accept_the_level_and_refuse_a_little_less(notion: Notion, problem: Problem, solver: str) -> None:
    cp = pytest.importorskip("cvxpy")
    inputs = notion.inputs(problem)
    for seed in range(2):
        matrix = informative_matrix(notion, inputs, seed)
        level = notion.level(matrix, inputs).value
        assert slack(cp, notion.at(level * (1 + 1e-6)), problem, matrix, solver) <= 1e-7
        assert slack(cp, notion.at(level * (1 - 1e-3)), problem, matrix, solver) >= 1e-5


def slack(cp: object, notion: Notion, problem: Problem, matrix: np.ndarray, solver: str) -> float:
    """Return how far the nearest matrix that meets the notion's constraints is from `matrix`."""
    Q = cp.Variable(matrix.shape)  # type: ignore[attr-defined]
    objective = cp.Minimize(cp.max(cp.abs(Q - matrix)))  # type: ignore[attr-defined]
    program = cp.Problem(objective, notion.constraints(Q, problem))  # type: ignore[attr-defined]
    return float(program.solve(solver=solver))


@each
def test_constraints_of_an_optimum_are_tight(notion: Notion, problem: Problem) -> None:
    cp = pytest.importorskip("cvxpy")
    inputs = notion.inputs(problem)
    Q = cp.Variable((inputs.n, 3), nonneg=True)
    # Output s is worth most for the data that secret s has most often: without the notion, it would be told apart.
    gains = np.eye(3)[inputs.channel.argmax(axis=0) % 3]
    program = cp.Problem(
        cp.Maximize(cp.sum(cp.multiply(gains, Q))), [*notion.constraints(Q, problem), cp.sum(Q, axis=1) == 1]
    )
    program.solve(solver="CLARABEL")
    used = Q.value[:, Q.value.sum(axis=0) > 1e-4]
    assert notion.level(used, inputs).value == pytest.approx(notion.parameter, rel=1e-4)


@each
@pytest.mark.parametrize("seed", range(4))
def test_exact_check_agrees_with_the_level_away_from_it(notion: Notion, problem: Problem, seed: int) -> None:
    inputs = notion.inputs(problem)
    numerators = random_integers(np.random.default_rng(seed), inputs.n, 4)
    level = notion.level(numerators / numerators[0].sum(), inputs).value
    assert notion.at(min(level * (1 + 1e-9), 1.0 if isinstance(notion, WeightedTV) else np.inf)).holds_exactly(
        numerators, inputs
    )
    assert not notion.at(level * (1 - 1e-9)).holds_exactly(numerators, inputs)


# Matrices of integers in which the ratio that the notion bounds is exactly k.
def ldp_at(k: int) -> tuple[type, dict, Problem, np.ndarray]:
    return LDP, {}, Problem(n=2), np.array([[k, 1], [1, k]])


def lip_at(k: int) -> tuple[type, dict, Problem, np.ndarray]:
    # Pr(Y = 0) = 1 / 2 by symmetry, and the least entry is 1 / (2 k).
    return LIP, {}, Problem(prior=[0.5, 0.5]), np.array([[2 * k - 1, 1], [1, 2 * k - 1]])


def profiles_at(k: int) -> tuple[type, dict, Problem, np.ndarray]:
    fields = {"profiles": [[0.75, 0.25], [0.25, 0.75]], "edges": [(0, 1)], "sees_profile": False}
    # 3 a + b = k (a + 3 b) with a = 3 k - 1, b = 3 - k (k <= 3).
    a, b = 3 * k - 1, 3 - k
    return ProfileDP, fields, Problem(n=2), np.array([[a, b], [b, a]])


@pytest.mark.parametrize(
    ("make", "k"),
    [(ldp_at, k) for k in (2, 3, 5, 10)] + [(lip_at, k) for k in (2, 3, 7)] + [(profiles_at, k) for k in (2, 3)],
)
def test_exact_check_at_the_boundary_follows_the_float_epsilon(make, k: int) -> None:  # type: ignore[no-untyped-def]
    kind, fields, problem, numerators = make(k)
    exact = Context(prec=60).ln(Decimal(k))
    epsilon = math.log(k)
    for candidate in (epsilon, math.nextafter(epsilon, 0.0), math.nextafter(epsilon, math.inf)):
        notion = kind(candidate, **fields)
        inputs = notion.inputs(problem)
        assert notion.holds_exactly(numerators, inputs) == (Decimal(candidate) >= exact)
        assert notion.level(numerators / numerators.sum(axis=1, keepdims=True), inputs).value == pytest.approx(
            float(exact), rel=1e-15
        )


def test_float_logarithms_lie_on_both_sides() -> None:
    sides = {k: Decimal(math.log(k)) >= Context(prec=60).ln(Decimal(k)) for k in (2, 3, 5, 7, 10)}
    assert not sides[2] and sides[3], "otherwise the boundary test shows one side only"


@pytest.mark.parametrize(("notion", "problem"), [case for case in CASES if not isinstance(case[0], WeightedTV)])
def test_at_epsilon_zero_only_equal_rows_pass(notion: Notion, problem: Problem) -> None:
    inputs, at_zero = notion.inputs(problem), notion.at(0.0)
    equal = np.tile([3, 1, 4], (inputs.n, 1))
    assert at_zero.holds_exactly(equal, inputs)
    moved = equal.astype(object) * 10**30
    moved[0] += [1, -1, 0]
    assert not at_zero.holds_exactly(moved, inputs)


@each
def test_least_level_is_that_of_the_uninformative_mechanism(notion: Notion, problem: Problem) -> None:
    inputs = notion.inputs(problem)
    constant = np.tile([0.5, 0.125, 0.375], (inputs.n, 1))
    assert notion.level(constant, inputs).value == pytest.approx(notion.columns(inputs).least_level, abs=1e-14)
    if isinstance(notion, WeightedTV):
        assert notion.columns(inputs).least_level == pytest.approx(abs(1 - 2 * notion.weight), rel=1e-15)
    else:
        assert notion.columns(inputs).least_level == 0.0


@each
@pytest.mark.parametrize("seed", range(3))
def test_postprocessing_relabelling_and_mixtures_never_raise_the_level(
    notion: Notion, problem: Problem, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    inputs = notion.inputs(problem)
    matrix, other = random_matrix(rng, inputs.n, 4), random_matrix(rng, inputs.n, 4)
    level = notion.level(matrix, inputs).value
    assert notion.level(matrix @ random_matrix(rng, 4, 3), inputs).value <= level * (1 + 1e-12)
    assert notion.level(matrix[:, [2, 0, 3, 1]], inputs).value == pytest.approx(level, rel=1e-12)
    worse = max(level, notion.level(other, inputs).value)
    assert notion.level(0.3 * matrix + 0.7 * other, inputs).value <= worse * (1 + 1e-12)


@each
def test_budget_costs_what_the_level_counts(notion: Notion, problem: Problem) -> None:
    inputs = notion.inputs(problem)
    budget = notion.columns(inputs).budget()
    if not isinstance(notion, WeightedTV):
        assert not len(budget)
        return
    matrix = random_matrix(np.random.default_rng(3), inputs.n, 4)
    assert budget.pieces.shape == (1, 2, inputs.n)
    assert budget.cost(matrix).sum() == pytest.approx(notion.level(matrix, inputs).value, rel=1e-13)


@each
def test_inputs_is_idempotent_and_content_decides_equality(notion: Notion, problem: Problem) -> None:
    inputs = notion.inputs(problem)
    assert notion.inputs(inputs) is inputs
    assert notion.at(notion.parameter) == notion and hash(notion.at(notion.parameter)) == hash(notion)
    assert notion.at(notion.parameter / 2 + 0.4) != notion
    assert notion.at(0.9).inputs(inputs) is inputs


def test_lip_without_a_prior_is_refused() -> None:
    with pytest.raises(DomainError, match="prior is None, but LIP is relative to the prior"):
        LIP(1.0).inputs(Problem(n=2))
