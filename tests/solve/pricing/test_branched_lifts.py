"""Excess over lifts with bounds, by branch and bound, against all vertices; columns that it finds close a gap."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.solve.pricing import branched_lifts
from mechdesign.solve.pricing.bounded_lift import lifts, majorant
from mechdesign.solve.pricing.branched_lifts import excess_of_lifts
from mechdesign.solve.pricing.oracles import LIFTS
from mechdesign.solve.pricing.utility_of_lifts import EntropyOfLifts, utility_of_lifts
from mechdesign.solve.search.bracket import Start, bracket
from mechdesign.solve.search.incumbent import incumbent
from mechdesign.solve.search.pooled_columns import PooledColumns
from mechdesign.solve.task import Task

OBJECTIVES = (md.MutualInformation(), md.HistogramMMSE())
NOTIONS = (md.LIP(0.3), md.LIP(2.0), md.MaxLift(0.7), md.AsymmetricLIP(1.5, 0.4))
TOLERANCE = 1e-9


def asked(notion, objective, seed, n=9):
    """Return a question with multipliers near those of the optimum, and the columns of all its vertices at mass one."""
    rng = np.random.default_rng(seed)
    problem = md.Problem(prior=rng.dirichlet(np.full(n, 2.0)))
    bounds = lifts(notion, problem)
    lam = majorant(bounds, objective) * (1.0 + 0.05 * rng.normal(size=n))
    vertices = notion.columns(problem).rays().columns
    return problem, bounds, lam, vertices / (problem.prior @ vertices)


def wrong(notion, objective, seed):
    """Return what is wrong with the bound on the largest excess, or nothing."""
    problem, bounds, lam, vertices = asked(notion, objective, seed)
    found = excess_of_lifts(bounds, utility_of_lifts(objective), lam, TOLERANCE)
    largest = float((objective.column_utility(vertices, problem) - lam @ vertices).max())
    if found.bound < largest - 1e-13:
        return f"{largest - found.bound:.1e} too low"
    return f"{found.bound - largest:.1e} too high" if found.bound > largest + 2.0 * TOLERANCE else None


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
@pytest.mark.parametrize("notion", NOTIONS, ids=str)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_bound_is_the_largest_excess_of_all_vertices(notion, objective, seed):
    assert wrong(notion, objective, seed) is None


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
@pytest.mark.parametrize("notion", NOTIONS, ids=str)
def test_columns_that_are_handed_back_are_within_the_bounds(notion, objective):
    problem, bounds, lam, vertices = asked(notion, objective, 5)
    columns = excess_of_lifts(bounds, utility_of_lifts(objective), lam, TOLERANCE).columns
    assert problem.prior @ columns == pytest.approx(np.ones(columns.shape[1]), abs=1e-12)
    assert np.all(columns >= bounds.low) and np.all(columns <= bounds.high[:, None])
    gained = objective.column_utility(columns, problem) - lam @ columns
    assert gained.max() == pytest.approx(float((objective.column_utility(vertices, problem) - lam @ vertices).max()))


@pytest.mark.parametrize("ends", [1, 40, 400])
def test_a_search_that_ends_early_is_sound(ends, monkeypatch):
    monkeypatch.setattr(branched_lifts, "MOST_ENDS", ends)
    for seed in range(5):
        found = wrong(md.LIP(2.0), md.MutualInformation(), seed)
        assert found is None or found.endswith("too high")


def test_planted_bounds_are_caught(monkeypatch):
    class BelowItsChord(EntropyOfLifts):
        def at(self, prior, lifts):
            return super().at(prior, lifts) - 0.05 * prior * np.maximum(lifts - 1.0, 0.0)

    monkeypatch.setattr(branched_lifts, "MISSED", -1.0)
    assert wrong(md.LIP(2.0), md.MutualInformation(), 0) == "inf too low"
    monkeypatch.undo()
    problem, bounds, lam, vertices = asked(md.LIP(2.0), md.MutualInformation(), 0)
    less = excess_of_lifts(bounds, BelowItsChord(), lam, TOLERANCE).bound
    assert less < float((md.MutualInformation().column_utility(vertices, problem) - lam @ vertices).max()) - 1e-6


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
def test_the_route_reaches_the_optimum_over_all_rays(objective, monkeypatch):
    """The linear program over the list of rays knows neither chords nor boxes."""
    problem = md.Problem(prior=np.random.default_rng(3).dirichlet(np.full(14, 3.0)))
    exact = md.design(problem, md.LIP(1.0), objective, route="rays")
    monkeypatch.setattr("mechdesign.solve.routes.rays.refusal_for_rays", lambda task: None)
    found = md.design(problem, md.LIP(1.0), objective, route="lifts", gap=1e-7)
    assert found.gap <= 1e-7
    assert found.value == pytest.approx(exact.value, rel=2e-7) and found.bound == pytest.approx(exact.bound, rel=2e-7)


def test_what_a_solver_was_stopped_at_is_no_mechanism():
    """Planted: weights of three times the mass, whose utility is three times that of a mechanism."""
    problem, objective = md.Problem(prior=[0.5, 0.5]), md.MutualInformation()
    best = incumbent(Task(problem, md.LIP(1.0), objective), 9, 3)
    columns = np.array([[1.5, 0.5], [0.5, 1.5]])
    for weight, reached in [(1.5, 0.0), (0.5, float(objective.column_utility(0.5 * columns, problem).sum()))]:
        starts = [Start(np.ones((2, 1)), Multipliers(np.ones(2))), Start(weight * columns)]
        bracket(best, PooledColumns(best.task, objective, "HIGHS", 0), LIFTS, starts)
        assert best.reached == reached and np.array_equal(best.found.sum(axis=1), [1.0, 1.0])
