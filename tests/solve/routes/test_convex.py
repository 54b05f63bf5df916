"""The convex route against hand-written linear programs (all pairs, scipy), and its two certificates."""

import math
import warnings
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.notions import Budget, Cone
from mechdesign.runtime.deadline import Clock, reading
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.certificate.convex import Duals, row_bound
from mechdesign.solve.programs.over_matrix import build, run
from mechdesign.solve.routes import convex
from mechdesign.solve.solvers import catalogue
from mechdesign.solve.task import Task
from mechdesign.testing.clock import CountingClock
from tests.helpers import brute_force as brute

SOLVERS = ("CLARABEL", "ECOS", "SCS", "HIGHS")
E = math.e


def by_hand(cone_rows, cost=None, pieces=None, extra=None, upper=1.0):
    """Return the least ``cost . Q`` (or ``max_k pieces_k . Q``) over private Q: scipy, every inequality written out.

    Pieces are given as matrices; `extra` are further pairs ``(matrix, limit)`` with ``sum(matrix * Q) <= limit``.
    """
    shape = (cost if cost is not None else pieces[0]).shape
    n, m = shape
    left, right = [], []
    for y in range(m):
        for row in cone_rows:
            entry = np.zeros((n, m))
            entry[:, y] = -row
            left.append(np.append(entry.ravel(), 0.0))
            right.append(0.0)
    for matrix, limit in extra or ():
        left.append(np.append(matrix.ravel(), 0.0))
        right.append(limit)
    for piece in pieces or ():
        left.append(np.append(piece.ravel(), -1.0))
        right.append(0.0)
    goal = np.zeros(n * m + 1)
    if cost is not None:
        goal[:-1] = cost.ravel()
    else:
        goal[-1] = 1.0
    sums = np.hstack([np.kron(np.eye(n), np.ones((1, m))), np.zeros((n, 1))])
    bounds = [(0, upper)] * (n * m) + [(None, None) if pieces else (0, 0)]
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(goal, np.array(left), right, sums, np.ones(n), bounds, method="highs", options=tight)
    assert found.status == 0, found.message
    return found.fun


def question(kind, n, rng, loss=None):
    """Return problem, objective, and its cost matrix or its pieces as matrices."""
    prior = rng.dirichlet(np.ones(n)) * 0.9 + 0.1 / n
    problem = md.Problem(prior=prior)
    if loss is None:
        loss = rng.exponential(size=(n, n + 1)) + np.abs(np.subtract.outer(np.arange(n), np.arange(n + 1)))
    if kind == "ExpectedLoss":
        return problem, md.ExpectedLoss(loss), {"cost": prior[:, None] * loss}
    if kind == "WorstCaseLoss":
        pieces = [np.where(np.arange(n)[:, None] == x, loss, 0.0) for x in range(n)]
        return problem, md.WorstCaseLoss(loss), {"pieces": pieces}
    units = [np.zeros((n, n)) for _ in range(n * n)]
    for index, unit in enumerate(units):
        unit.flat[index] = 1.0
    off = [unit for index, unit in enumerate(units) if index % (n + 1)]
    return problem, md.MaxOffDiagonal(), {"pieces": off}


KINDS = ("ExpectedLoss", "WorstCaseLoss", "MaxOffDiagonal")


# Values ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 6, 15])
@pytest.mark.parametrize("kind", KINDS)
def test_ldp_optima_equal_the_program_with_all_pairs(kind, n, rng):
    problem, objective, arrays = question(kind, n, rng)
    truth = by_hand(brute.ldp_rows(n, 1.0), **arrays)
    for solver in SOLVERS:
        made = md.design(problem, md.LDP(1.0), objective, route="convex", solver=solver)
        assert made.solver_stats.name == solver
        assert made.value == pytest.approx(truth, rel=1e-7), solver
        assert made.bound == pytest.approx(truth, rel=1e-7), solver
        assert made.bound <= truth * (1 + 1e-11), solver
        assert brute.is_ldp(made.matrix, 1.0)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_lip_optima_equal_the_program_with_every_inequality(kind, solver, rng):
    problem, objective, arrays = question(kind, 6, rng)
    truth = by_hand(brute.lip_rows(problem.prior, 0.5), **arrays)
    made = md.design(problem, md.LIP(0.5), objective, route="convex", solver=solver)
    assert made.value == pytest.approx(truth, rel=1e-7)
    assert made.bound == pytest.approx(truth, rel=1e-7)
    assert brute.is_lip(made.matrix, problem.prior, 0.5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_hidden_secret_constrains_what_is_seen_of_it(kind, rng):
    _problem, objective, arrays = question(kind, 4, rng)
    channel = rng.dirichlet(np.ones(4), size=3)
    hidden = md.Problem(n=4, prior=channel.mean(axis=0)).hidden(data_given_secret=channel, secret_prior=np.ones(3) / 3)
    if kind == "ExpectedLoss":
        arrays = {"cost": hidden.prior[:, None] * objective.loss}
    truth = by_hand(brute.ldp_rows(3, 0.3) @ channel, **arrays)
    for solver in SOLVERS:
        made = md.design(hidden, md.LDP(0.3), objective, route="convex", solver=solver)
        assert made.value == pytest.approx(truth, rel=1e-7, abs=1e-9), solver
        assert made.gap <= 1e-6
        assert brute.is_ldp(made.matrix, 0.3, channel)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weight", [0.5, 0.4])
def test_a_budget_is_one_more_constraint_with_its_own_multiplier(kind, weight, rng):
    # Losses near zero and one: telling the inputs apart pays, so the budget binds.
    loss = 1.0 - np.eye(2, 3) + 0.2 * rng.random((2, 3))
    problem, objective, arrays = question(kind, 2, rng, loss)
    delta, m = 0.35, objective.outputs(problem)
    # |a_y| <= b_y for all y, sum b <= delta: every choice of signs of sum_y s_y a_y <= delta.
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * m)).reshape(m, -1).T
    extra = [(np.outer([1 - weight, -weight], s), delta) for s in signs]
    truth = by_hand(np.zeros((0, 2)), extra=extra, **arrays)
    for solver in SOLVERS:
        made = md.design(problem, md.WeightedTV(delta, weight), objective, route="convex", solver=solver)
        assert made.value == pytest.approx(truth, rel=1e-7), solver
        assert made.bound == pytest.approx(truth, rel=1e-7), solver
        assert made.mechanism.certificate.multipliers.budget > 0


@pytest.mark.parametrize("sees_profile", [True, False])
@pytest.mark.parametrize("kind", ["WorstCaseLoss", "MaxOffDiagonal"])
def test_profiles_are_a_cone_of_edges(kind, sees_profile, rng):
    profiles, epsilon = rng.dirichlet(np.ones(3), size=3), 0.2
    notion = md.ProfileDP(epsilon, profiles, edges=[(0, 1), (1, 2)], sees_profile=sees_profile)
    loss = rng.exponential(size=(3, 3))
    objective = md.WorstCaseLoss(loss) if kind == "WorstCaseLoss" else md.MaxOffDiagonal()
    width = 3 if sees_profile else 1
    seen = np.zeros((3, 3 * width))
    for i in range(3):
        start = 3 * i if sees_profile else 0
        seen[i, start : start + 3] = profiles[i]
    rows = np.array([E**epsilon * seen[j] - seen[i] for i, j in [(0, 1), (1, 0), (1, 2), (2, 1)]])
    datum = np.tile(np.arange(3), width)
    pieces = []
    for x in range(3 * width):
        for d in range(3):
            piece = np.zeros((3 * width, 3))
            piece[x, d] = 1.0
            if kind == "MaxOffDiagonal" and d != datum[x]:
                pieces.append(piece)
        if kind == "WorstCaseLoss":
            piece = np.zeros((3 * width, 3))
            piece[x] = loss[datum[x]]
            pieces.append(piece)
    truth = by_hand(rows, pieces=pieces)
    for solver in SOLVERS:
        made = md.design(md.Problem(n=3), notion, objective, route="convex", solver=solver)
        assert made.value == pytest.approx(truth, rel=1e-7, abs=1e-9), solver
        assert made.gap <= 1e-6, solver


@pytest.mark.parametrize("notion", [md.LDP(0.7), md.LIP(0.7)], ids=str)
def test_linear_objectives_agree_with_columns_and_rays(notion, rng):
    problem, objective, _ = question("ExpectedLoss", 7, rng)
    values = [md.design(problem, notion, objective, route=route).value for route in ("convex", "columns", "rays")]
    assert values == pytest.approx([values[0]] * 3, rel=1e-7)


def test_level_zero_gives_the_best_constant_mechanism(rng):
    problem, objective, arrays = question("ExpectedLoss", 4, rng)
    made = md.design(problem, md.LDP(0.0), objective, route="convex")
    assert made.value == pytest.approx(arrays["cost"].sum(axis=0).min(), rel=1e-7)
    assert np.all(made.matrix == made.matrix[0])


def test_units_do_not_matter(rng):
    problem, objective, _ = question("WorstCaseLoss", 4, rng)
    one = md.design(problem, md.LDP(1.0), objective, route="convex")
    for unit in (1e-9, 1e9):
        other = md.design(problem, md.LDP(1.0), md.WorstCaseLoss(unit * objective.loss), route="convex")
        assert other.value / unit == pytest.approx(one.value, rel=1e-7)
        assert other.gap <= 1e-6


# Certificates ---------------------------------------------------------------------------------------------------


def duals_of(program, task, objective):
    """Return the solver's multipliers as arrays."""
    weights = None if program.pieces is None else program.pieces.dual_value
    budget = task.columns.budget()
    cone = np.zeros((0, program.Q.shape[1])) if len(budget) else program.rules[1].dual_value
    if not len(budget):
        return Duals(cone * program.scale, weights)
    peaks = program.rules[-2].dual_value.reshape(*budget.pieces.shape[:2], -1)
    return Duals(cone, weights, program.rules[-1].dual_value * program.scale, peaks)


CASES = [
    (kind, notion, n)
    for kind in KINDS
    for notion, n in [(md.LDP(1.0), 5), (md.LIP(0.6), 5), (md.WeightedTV(0.4, 0.45), 2)]
]


@pytest.mark.parametrize(("kind", "notion", "n"), CASES, ids=str)
def test_both_certificates_are_within_1e6_for_the_solvers_multipliers(kind, notion, n, rng):
    problem, objective, _ = question(kind, n, rng)
    task = Task(problem, notion, objective, solver="CLARABEL")
    program = build(task, lambda Q: [])
    run(program, task, task.solver)
    optimum = program.problem.value * program.scale
    duals = duals_of(program, task, objective)
    cost = objective.cost(problem) if kind == "ExpectedLoss" else objective.minorant(duals.weights, problem)
    bound = row_bound(
        cost, duals, notion.columns(problem).cone(), notion.columns(problem).normal, notion.columns(problem).budget()
    )
    assert bound.value == pytest.approx(optimum, rel=1e-6)
    given = md.mechanism.Multipliers(-bound.rows, duals.budget, duals.weights)
    other = -utility_bound(notion, objective, problem, given).utility
    assert other == pytest.approx(optimum, rel=1e-6)
    # The row multipliers that one certificate hands to the other cannot make it worse.
    assert other >= bound.value - 1e-12 * abs(optimum)


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("kind", "notion", "n"), CASES, ids=str)
def test_both_certificates_are_sound_for_random_multipliers(kind, notion, n, rng):
    problem, objective, _ = question(kind, n, rng)
    truth = md.design(problem, notion, objective, route="convex", solver="HIGHS").value
    cone, budget = notion.columns(problem).cone(), notion.columns(problem).budget()
    m = objective.outputs(problem)
    reached = -math.inf
    for _ in range(300):
        size = 10.0 ** rng.uniform(-3, 1)
        weights = rng.normal(size=len(objective.pieces(problem).toarray())) if kind != "ExpectedLoss" else None
        peaks = rng.normal(size=(*budget.pieces.shape[:2], m))
        duals = Duals(
            size * rng.normal(size=(len(cone.on_column), m)), weights, size * rng.normal(size=len(budget)), peaks
        )
        cost = objective.cost(problem) if weights is None else objective.minorant(weights, problem)
        bound = row_bound(cost, duals, cone, notion.columns(problem).normal, budget)
        assert bound.value <= truth * (1 + 1e-9)
        for rows in (-bound.rows, size * rng.normal(size=n)):
            given = md.mechanism.Multipliers(rows, duals.budget, weights)
            other = -utility_bound(notion, objective, problem, given).utility
            assert other <= truth * (1 + 1e-9)
            reached = max(reached, other)
    assert reached > 0, "a bound of minus infinity would pass too"


def test_the_soundness_check_sees_unboxed_auxiliary_variables(rng):
    problem, _objective, arrays = question("ExpectedLoss", 4, rng)
    truth = by_hand(brute.ldp_rows(4, 1.0), **arrays)
    cone = md.LDP(1.0).cone(problem)
    planted = Cone(cone.on_column, cone.on_auxiliary, 0.0)
    normal = np.full(4, 0.25)
    # Only the rows -q + e t >= 0: without the box their multipliers raise the cost for nothing.
    on_upper = -10.0 * np.minimum(cone.on_column.sum(axis=1), 0.0)
    duals = Duals(np.tile(on_upper[:, None], (1, 5)))
    assert row_bound(arrays["cost"], duals, planted, normal, Budget.none(4)).value > truth
    assert row_bound(arrays["cost"], duals, cone, normal, Budget.none(4)).value <= truth


def test_multipliers_are_clipped_to_the_dual_cone(rng):
    _, _, arrays = question("ExpectedLoss", 4, rng)
    cone = Cone.of_rows(brute.ldp_rows(4, 1.0))
    truth = by_hand(cone.on_column, **arrays)
    negative = -np.ones((len(cone.on_column), 5))
    unclipped = arrays["cost"] - cone.on_column.T @ negative
    assert unclipped.min(axis=1).sum() > truth
    assert row_bound(arrays["cost"], Duals(negative), cone, np.full(4, 0.25), Budget.none(4)).value <= truth


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e200, -1e300])
@pytest.mark.parametrize("field", ["rows", "budget", "weights"])
def test_multipliers_that_are_no_numbers_bound_like_zeros(field, number, rng):
    problem, objective, _ = question("WorstCaseLoss", 4, rng)
    given = {"rows": np.ones(4), "budget": np.zeros(1), "weights": np.ones(4)}
    given[field] = np.append(given[field][:-1], number)
    bound = utility_bound(md.LDP(1.0), objective, problem, md.mechanism.Multipliers(**given))
    zeros = utility_bound(md.LDP(1.0), objective, problem, md.mechanism.Multipliers(np.zeros(4)))
    assert bound == zeros
    assert math.isfinite(bound.utility)


def test_the_better_of_both_row_multipliers_is_taken(rng):
    problem, objective, _ = question("ExpectedLoss", 5, rng)
    task = Task(problem, md.LDP(1.0), objective, solver="SCS")
    taken = convex.ROUTE.solve(task).multipliers
    program = build(task, lambda Q: [])
    run(program, task, task.solver)
    theirs = md.mechanism.Multipliers(program.rows.dual_value * program.scale)
    bounds = [utility_bound(md.LDP(1.0), objective, problem, each).utility for each in (taken, theirs)]
    assert bounds[0] <= bounds[1]


def test_multipliers_of_the_rows_agree_with_finite_differences():
    # The optimum of the binary problem under row sums (1 + h, 1) is known: lam_0 = d(optimum) / dh.
    prior = np.array([0.6, 0.4])
    problem, objective = md.Problem(prior=prior), md.ExpectedLoss([[0, 1], [1, 0]])
    rows = convex.ROUTE.solve(Task(problem, md.LDP(1.0), objective, solver="HIGHS")).multipliers.rows

    def optimum(h):
        sums = np.array([1.0 + h, 1.0])
        left = np.kron(brute.ldp_rows(2, 1.0), np.eye(2))
        cost = (prior[:, None] * [[0, 1], [1, 0]]).ravel()
        return linprog(cost, -left, np.zeros(4), np.kron(np.eye(2), np.ones((1, 2))), sums).fun

    assert -rows[0] == pytest.approx((optimum(1e-3) - optimum(-1e-3)) / 2e-3, rel=1e-6)


# Refusals, statuses, manners ------------------------------------------------------------------------------------


def test_sublinear_objectives_are_refused_with_the_reason():
    problem = md.Problem(prior=[0.5, 0.5], values=[0, 1])
    with pytest.raises(
        md.UnsupportedError, match=r"convex utility, which is no convex program over Q.*rays and columns"
    ):
        md.design(problem, md.LDP(1.0), md.MMSE(), route="convex")


def test_fewer_outputs_than_decisions_are_refused(rng):
    problem, objective, _ = question("WorstCaseLoss", 3, rng)
    with pytest.raises(md.UnsupportedError, match="4 decisions, and which 2 of them"):
        md.design(problem, md.LDP(1.0), objective, route="convex", outputs=2)
    assert md.design(problem, md.LDP(1.0), objective, route="convex", outputs=4).gap <= 1e-6


def test_stages_are_timed(rng):
    problem, objective, _ = question("WorstCaseLoss", 12, rng)
    made = md.design(problem, md.LDP(1.0), objective, route="convex")
    assert made.gap <= 1e-6 and min(made.timings[stage] for stage in ("build", "compile", "solve")) > 0


class Still(CountingClock):
    """On which solvers with a clock of their own are given what is left, which is all."""

    def __init__(self):
        super().__init__(0.0)

    def solver_limit(self, seconds):
        return Clock().solver_limit(seconds)


@pytest.mark.parametrize(
    ("solver", "option"),
    [("CLARABEL", "time_limit"), ("SCS", "time_limit_secs"), ("HIGHS", "time_limit"), ("ECOS", None)],
)
def test_the_time_limit_reaches_the_solvers_that_have_one(solver, option, rng, monkeypatch):
    problem, objective, _ = question("ExpectedLoss", 3, rng)
    asked = {}
    original = cp.Problem.solve

    def spy(self, **options):
        asked.update(options)
        return original(self, **options)

    monkeypatch.setattr(cp.Problem, "solve", spy)
    with reading(Still()):
        md.design(problem, md.LDP(1.0), objective, route="convex", solver=solver, time_limit=50.0)
    limits = {name: value for name, value in asked.items() if "time" in name}
    assert set(limits) == ({option} if option else set())
    assert all(0 < value <= 50.0 for value in limits.values())


def test_an_inaccurate_answer_is_certified_and_its_status_kept(rng, monkeypatch):
    problem, objective, arrays = question("ExpectedLoss", 5, rng)
    truth = by_hand(brute.ldp_rows(5, 1.0), **arrays)
    few = {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iters": 60}
    brief = replace(catalogue.SOLVERS["SCS"].through_cvxpy, options=lambda tolerance: few)
    monkeypatch.setitem(catalogue.SOLVERS, "SCS", replace(catalogue.SOLVERS["SCS"], through_cvxpy=brief))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = md.design(problem, md.LDP(1.0), objective, route="convex", solver="SCS")
    assert made.solver_stats.status == "optimal_inaccurate"
    assert {warning.category for warning in seen} <= {md.GapWarning}
    assert made.bound <= truth <= made.value * (1 + 1e-12)


def test_the_simplex_method_takes_more_entries_of_programs_over_pairs():
    places = np.random.default_rng(0).random((36, 2))
    distance = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    objective = md.WorstCaseLoss(distance)
    assert convex.preferred(Task(md.Problem(n=36), md.MetricDP(1.0, distance), objective)) == "HIGHS"
    assert convex.preferred(Task(md.Problem(n=36), md.ApproximateLDP(1.0, 0.1), objective)) == "CLARABEL"
