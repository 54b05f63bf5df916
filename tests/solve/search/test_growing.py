"""Programs over a band that start from one decision are as good as the program over all of them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.solve.choose import ROUTES
from mechdesign.solve.routes import columns
from mechdesign.solve.search import column_generation as generation
from mechdesign.solve.task import Task
from mechdesign.solve.task import warm_start as following
from mechdesign.solve.task.warm_program import WarmProgram
from tests.solve.routes.test_random_instances import answered

SEEDS = 12
MANY = 120


def drawn(seed):
    """Return a question: sizes of the rule, every linear objective, bands with and without a mass, ties and atoms."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([12, 14, 17, 20, 25, 30]))
    prior = (rng.dirichlet(np.ones(n)) + 1e-4, rng.dirichlet(np.ones(n)) ** 3 + 1e-6, np.append(np.ones(n - 1), 1e4))
    prior = prior[seed % 3] / prior[seed % 3].sum()
    values = (rng.normal(size=n), rng.integers(0, 5, size=n).astype(float), np.exp(3.0 * rng.normal(size=n)))
    problem = md.Problem(prior=prior, values=values[seed // 3 % 3])
    epsilon = float(np.exp(rng.uniform(np.log(0.05), np.log(12.0))))
    notion = (md.LDP, md.LIP, md.MaxLift)[seed % 3](epsilon)
    losses = (md.AbsoluteError(), md.HammingLoss(), md.ExpectedLoss(rng.random((n, int(rng.integers(2, n))))))
    return problem, notion, losses[seed // 9 % 3]


def optimum(problem, notion, objective):
    """Return the least cost over all private matrices, from the inequalities of the notion by scipy alone."""
    prior, cost = problem.prior / problem.prior.sum(), objective.cost(problem)
    n, count = cost.shape
    grow, lift = np.exp(-notion.epsilon), np.exp(notion.epsilon)
    # Variables: the entries of Q, by decision, and for LDP the largest of each column.
    entries, each = n * count, np.zeros((0, n))
    wide = isinstance(notion, md.LDP)
    above = [np.eye(n) - lift * np.tile(prior, (n, 1))]
    if isinstance(notion, md.LIP):
        above.append(grow * np.tile(prior, (n, 1)) - np.eye(n))
    each = np.vstack([np.eye(n), -np.eye(n)]) if wide else np.vstack(above)
    beside = np.concatenate([-np.ones(n), np.full(n, grow)])[:, None] if wide else np.zeros((len(each), 0))
    width = entries + count * beside.shape[1]
    rows = np.zeros((count * len(each), width))
    for d in range(count):
        at = slice(d * len(each), (d + 1) * len(each))
        rows[at, d * n : (d + 1) * n] = each
        rows[at, entries + d : entries + d + beside.shape[1]] = beside
    sums = np.hstack([np.tile(np.eye(n), count), np.zeros((n, width - entries))])
    goal = np.concatenate([cost.T.ravel(), np.zeros(width - entries)])
    scale = np.abs(goal).max()
    found = linprog(goal / scale, rows, np.zeros(len(rows)), sums, np.ones(n), method="highs-ipm")
    assert found.status == 0, found.message
    return found.fun * scale


def assert_as_good(seed):
    problem, notion, objective = drawn(seed)
    made = md.design(problem, notion, objective)
    best = optimum(problem, notion, objective)
    span = abs(objective.uninformative(problem) - objective.no_privacy(problem))
    assert made.gap <= 1e-6
    assert abs(made.value - best) <= 1e-6 * max(abs(best), 1e-2 * span)
    assert made.audit.holds


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_it_reaches_the_program_over_all_decisions(seed):
    assert_as_good(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS, MANY))
def test_it_reaches_the_program_over_all_decisions_on_many(seed):
    assert_as_good(seed)


@pytest.mark.parametrize("seed", range(40))
def test_it_reaches_the_brute_force_where_there_is_one(seed, monkeypatch):
    monkeypatch.setattr(following, "LEAST_GROWN", 1)
    answered("columns by decisions", seed)


def ball(seed):
    """Return a question over a ball about the mass, of more inputs than are solved over at once."""
    problem, _, objective = drawn(seed)
    level = float(np.exp(np.random.default_rng(seed).uniform(np.log(0.02), np.log(1.5))))
    return problem, (md.StrongL1, md.StrongChiSquare)[seed % 2](level), objective


def assert_as_good_as_one_program(seed):
    """Hold a ball's design against one cvxpy program over all of Q, which is the less accurate of the two."""
    problem, notion, objective = ball(seed)
    made = md.design(problem, notion, objective)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        whole = md.design(problem, notion, objective, route="convex")
    span = abs(objective.uninformative(problem) - objective.no_privacy(problem))
    assert made.route == "columns" and " of " in made.note
    assert made.gap <= 1e-6 and whole.gap <= 1e-3
    assert abs(made.value - whole.value) <= (2e-6 + whole.gap) * max(abs(whole.value), 1e-2 * span)
    assert made.bound <= whole.value * (1 + 1e-9) and whole.bound <= made.value * (1 + 1e-9)
    assert made.audit.holds


@pytest.mark.parametrize("seed", range(4))
def test_balls_reach_one_program_over_the_matrix(seed):
    assert_as_good_as_one_program(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 40))
def test_balls_reach_one_program_over_the_matrix_on_many(seed):
    assert_as_good_as_one_program(seed)


def test_a_frontier_of_balls_starts_from_one_decision_too():
    problem, _, objective = drawn(0)
    levels = [0.1, 0.2, 0.4]
    for notion in (md.StrongL1, md.StrongChiSquare):
        traced = md.frontier(problem, notion, objective, levels)
        for level, made in zip(levels, traced, strict=True):
            assert made.gap <= 1e-6
            assert made.value == pytest.approx(md.design(problem, notion(level), objective).value, rel=2e-6)


def test_decisions_are_added_as_far_as_memory_allows():
    rng = np.random.default_rng(1)
    problem = md.Problem(prior=rng.dirichlet(np.ones(60)), values=rng.normal(size=60))
    question = problem, md.StrongChiSquare(0.3), md.AbsoluteError()
    asked = ROUTES["columns"].size(Task(*question)).bytes / 1e9
    assert md.design(*question, memory_limit=1.01 * asked).gap <= 1e-6
    with pytest.raises(md.UnsupportedError, match="memory_limit"):
        md.design(*question, memory_limit=0.9 * asked, route="columns")


def test_a_search_says_where_memory_ends_it(monkeypatch):
    rng = np.random.default_rng(1)
    problem = md.Problem(prior=rng.dirichlet(np.ones(60)), values=rng.normal(size=60))
    question = problem, md.StrongChiSquare(0.3), md.AbsoluteError()
    # As if the estimate were of one decision: there is room for that, and not for thirteen.
    limit = ROUTES["columns"].size(Task(*question)).bytes / 1e9 / 10
    monkeypatch.setattr(columns, "OF_GROWN", 1)
    with pytest.warns(md.GapWarning):
        few = md.design(*question, memory_limit=limit)
    assert "1 of 60 decisions" in few.note and f"more than the memory_limit of {limit:g} GB" in few.note
    assert few.gap > 1e-6 and few.audit.holds


def test_most_decisions_are_never_asked():
    problem = md.Problem(prior=np.full(30, 1 / 30), values=np.arange(30.0))
    made = md.design(problem, md.LDP(0.5), md.AbsoluteError())
    assert made.solver_stats.name == "HIGHS"
    assert int(made.note.split()[1]) < 20
    # The matrix has a column for each of them all the same.
    assert made.by_decision.shape == (30, 30)


def test_planted_decisions_that_are_never_added_are_caught(monkeypatch):
    # Neither the search nor what looks at its gap sees that it is open.
    monkeypatch.setattr(generation, "LEFT_OF_WHOLE", 1e9)
    monkeypatch.setattr(generation, "LEFT", 1e9)
    problem, notion, objective = drawn(0)
    with pytest.warns(md.GapWarning):
        made = md.design(problem, notion, objective, route="columns")
    assert made.value > optimum(problem, notion, objective) * (1 + 1e-3)
    # Where no route is named another one follows.
    assert md.design(problem, notion, objective).gap <= 1e-6


def test_a_program_that_fails_is_solved_whole(monkeypatch):
    def fails(*_, **__):
        raise md.SolverError("HIGHS crashed (planted).", status="crashed")

    problem, notion, objective = drawn(0)
    best = md.design(problem, notion, objective).value
    monkeypatch.setattr(WarmProgram, "solve", fails)
    made = md.design(problem, notion, objective)
    assert made.gap <= 1e-6 and made.value == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("objective", [md.AbsoluteError(), md.HammingLoss()], ids=str)
def test_where_next_to_nothing_is_lost_the_whole_program_is_solved(objective):
    rng = np.random.default_rng(5)
    for n in (12, 20, 30):
        problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))
        made = md.design(problem, md.LIP(20.0), objective)
        # Values of 1e-9, of which a millionth is asked for all the same.
        assert made.gap <= 1e-6 and made.audit.holds


def test_a_solver_that_is_named_takes_it_from_nothing():
    problem, notion, objective = drawn(0)
    for solver in ("STRUCTURED", "CLARABEL"):
        made = md.design(problem, notion, objective, solver=solver)
        assert made.solver_stats.name == solver
        assert made.note.startswith("over ") and "of" not in made.note.split()
