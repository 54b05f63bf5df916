"""Means under LDP by sets of inputs: against programs over all sets, the formula for intervals, and planted defects."""

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.solve.programs import over_scored_sets
from mechdesign.solve.programs.over_scores import Slopes, Unbiased
from mechdesign.solve.routes import scores
from mechdesign.solve.search import sets_of_values
from mechdesign.solve.search.sets_of_values import SetsOfValues, cheapest, refined
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Task


def least_over_scores(columns, scores, values, theta):
    """Return the least variance by a linear program over the pairs of a column and a score."""
    n, each = len(values), np.repeat(columns / columns.sum(axis=0), len(scores), axis=1)
    t = np.tile(scores, columns.shape[1])
    equal = np.vstack([each, each * t])
    right = np.concatenate([np.ones(n), values])
    if theta is not None:
        found = linprog(theta @ each * t**2, A_eq=equal, b_eq=right)
        return found.fun - theta @ values**2
    cost = np.append(np.zeros(len(t)), 1.0)
    below = np.column_stack([each * t**2, -np.ones(n)])
    bounds = [(0, None)] * len(t) + [(None, None)]
    equal = np.column_stack([equal, np.zeros(2 * n)])
    return linprog(cost, A_ub=below, b_ub=values**2, A_eq=equal, b_eq=right, bounds=bounds).fun


def all_sets(n):
    return np.array(list(itertools.product([False, True], repeat=n))).T


def some_slopes(n, rng):
    return Slopes(rng.normal(size=n) - 0.5, rng.normal(size=n), rng.dirichlet(np.ones(n)), np.zeros(0))


@pytest.mark.parametrize("n", [2, 4, 7])
def test_the_largest_gain_of_a_set_is_that_of_all_sets(n, rng):
    for _ in range(20):
        slopes, rise = some_slopes(n, rng), math.expm1(rng.uniform(0.1, 3.0))
        columns = 1.0 + rise * all_sets(n)
        constant, linear, square = (part @ columns for part in (slopes.rows, slopes.along, slopes.theta))
        wanted = float((constant + linear**2 / (4.0 * square)).max())
        priced = cheapest(slopes, rise)
        assert priced.excess == pytest.approx(wanted, rel=1e-9)
        assert (wanted > 0) == (priced.sets.shape[1] > 0)


def test_scores_between_two_roots_are_all_looked_at(rng, monkeypatch):
    """Planted: the best score is far from every root, where the middle of the interval gains less."""
    slopes, rise = some_slopes(5, rng), 2.0
    found = cheapest(slopes, rise).excess
    clip = np.clip
    monkeypatch.setattr(sets_of_values.np, "clip", lambda t, low, high: clip(0.5 * (low + high), low, high))
    assert cheapest(slopes, rise).excess < found


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("worst", [True, False])
def test_it_is_the_optimum_over_all_sets(epsilon, worst, rng):
    values, prior = np.sort(rng.normal(size=6)), rng.dirichlet(np.full(6, 2.0))
    problem, objective = md.Problem(prior=prior, values=values), md.UnbiasedMean(worst=worst)
    made = md.design(problem, md.LDP(epsilon), objective)
    columns = 1.0 + math.expm1(epsilon) * all_sets(6)
    scores = np.linspace(*np.array([-1.3, 1.3]) * np.abs(values).max() / math.tanh(epsilon / 2), 181)
    least = least_over_scores(columns, scores, values, None if worst else prior)
    # The scores of the linear program are those of a grid.
    assert least * (1 - 3e-3) <= made.bound <= made.value <= least * (1 + 1e-9)
    assert made.gap <= 1e-6 and made.audit.holds


def test_three_hundred_values_have_nearly_the_variance_of_their_interval():
    problem = md.Problem(values=np.linspace(-1.0, 1.0, 300))
    made = md.design(problem, md.LDP(0.5), md.UnbiasedMean())
    formula = 1.0 / (math.tanh(0.25) * math.tanh(math.tanh(0.25))) - 1.0
    assert made.gap <= 1e-6 and made.audit.holds
    # The optimum over some values of the interval is lower, and the value misses the optimum by the gap.
    assert formula * (1 - 1e-5) <= made.bound <= made.value <= formula * (1 + 1e-6)


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 3.0])
def test_a_hundred_ages_are_answered_to_the_asked_gap(epsilon):
    made = md.design(md.Problem(values=range(101)), md.LDP(epsilon), md.UnbiasedMean())
    assert made.gap <= 1e-6 and made.audit.holds and made.matrix.shape[1] <= 303


def test_values_that_nearly_coincide_are_answered_with_the_best_estimates():
    """Regression: the value exceeded the variance of the estimates in the design by a share of 6e-5."""
    values = np.sort(np.random.default_rng(0).exponential(size=101))
    made = md.design(md.Problem(values=values), md.LDP(3.0), md.UnbiasedMean())
    assert made.gap <= 1e-6


def test_a_set_between_chosen_values_may_go_either_way():
    chosen = np.array([0, 2, 4])
    found = refined(np.array([[True], [True], [False]]), chosen, 5)
    assert {tuple(each) for each in found.T.tolist()} == {
        (True, True, True, False, False),
        (True, True, True, True, False),
        (False,) * 5,
    }


@pytest.mark.parametrize("limit", [0.05, 0.3, 1.0])
def test_a_time_limit_leaves_at_least_stochastic_rounding(limit):
    """A linear program that was stopped before it had columns ended in an IndexError."""
    problem, objective = md.Problem(n=400, values=np.linspace(0.0, 1.0, 400)), md.InformationDesign("c")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, md.LDP(1.0), objective, time_limit=limit)
    rounding = md.baselines.stochastic_rounding(problem, 1.0)
    assert made.bound <= made.value <= objective.value(rounding.matrix, problem) * (1 + 1e-9) and made.audit.holds


def test_columns_that_a_stopped_solver_left_empty_are_a_solver_error(rng):
    task = Task(md.Problem(values=range(3)), md.LIP(1.0), md.UnbiasedMean())
    stats = SolverStats("HIGHS", "Time limit reached", 0.0, 0)
    none = Unbiased(np.zeros((3, 2)), np.array([-1.0, 1.0]), some_slopes(3, rng), stats)
    with pytest.raises(md.SolverError, match="without columns"):
        scores._matrix(none, np.array([-1.0, 0.0, 1.0]), task)


def test_a_solver_that_fails_at_sets_leaves_the_search_over_scores(monkeypatch):
    def fails(*_):
        raise md.SolverError("no weights", status="planted")

    monkeypatch.setattr(over_scored_sets.ScoredSets, "of_sets", fails)
    made = md.design(md.Problem(values=range(4)), md.LDP(1.0), md.UnbiasedMean())
    assert made.route == "scores" and made.gap <= 1e-5


def test_a_solver_that_fails_later_leaves_the_last_mechanism(monkeypatch):
    values = np.linspace(-1.0, 1.0, 7)
    search = SetsOfValues(Task(md.Problem(values=values), md.LDP(3.0), md.UnbiasedMean()), values, None, "HIGHS")
    # Without intervals that begin and end between the ends: they are added.
    search.sets = np.hstack([np.tri(7, dtype=bool), ~np.tri(7, dtype=bool)])
    once, asked = over_scored_sets.ScoredSets.of_sets, []

    def fails_later(self, sets):
        asked.append(sets.shape)
        if len(asked) > 1:
            raise md.SolverError("no weights", status="planted")
        return once(self, sets)

    monkeypatch.setattr(over_scored_sets.ScoredSets, "of_sets", fails_later)
    made = search.solve()
    assert len(asked) == 2 and made.columns.sum(axis=1) == pytest.approx(np.ones(7), abs=1e-7)
    assert made.columns @ made.scores == pytest.approx(values, abs=1e-7)


def test_a_vertex_that_no_solver_finds_leaves_the_interior_point(monkeypatch):
    def fails(*_, **__):
        raise md.SolverError("no vertex", status="planted")

    values = np.linspace(-1.0, 1.0, 14)
    search = SetsOfValues(Task(md.Problem(values=values), md.LDP(2.0), md.UnbiasedMean()), values, None, "HIGHS")
    fewest = search.solve()
    monkeypatch.setattr(over_scored_sets, "solve_linear", fails)
    every = search.solve()
    assert fewest.columns.shape[1] <= every.columns.shape[1]
    for made in (fewest, every):
        assert made.columns.sum(axis=1) == pytest.approx(np.ones(14), abs=1e-7)
        assert made.columns @ made.scores == pytest.approx(values, abs=1e-7)
