"""Largest expected losses under metric DP: against the program over all pairs, and bounds of any multipliers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.runtime.deadline import reading
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.search.minimax_columns import MinimaxColumns
from mechdesign.testing.clock import CountingClock


def places(n, seed):
    points = np.random.default_rng(seed).random((n, 2)) * 3.0
    return np.linalg.norm(points[:, None] - points, axis=2)


def grid(side):
    points = np.array([(i, j) for i in range(side) for j in range(side)], dtype=float)
    return np.linalg.norm(points[:, None] - points, axis=2)


def of_losses(distances, kind):
    """Return a loss of every sign and shape, or the distance itself."""
    rng = np.random.default_rng(len(distances))
    return distances if kind == "distance" else rng.normal(size=(len(distances), 5))


def apart_at_no_distance(distances):
    """Return distances of inputs of which the last is at the place of the first."""
    order = np.append(np.arange(len(distances)), 0)
    return distances[np.ix_(order, order)]


@pytest.mark.parametrize("kind", ["distance", "any"])
@pytest.mark.parametrize(
    ("distances", "epsilon"),
    [(grid(3), 1.0), (places(9, 1), 0.5), (places(8, 2), 3.0), (apart_at_no_distance(places(7, 3)), 1.0)],
    ids=["grid", "near", "far", "shared"],
)
def test_it_reaches_the_optimum_of_the_program_over_all_pairs(distances, epsilon, kind):
    problem, notion = md.Problem(n=len(distances)), md.MetricDP(epsilon, distances)
    objective = md.WorstCaseLoss(of_losses(distances, kind))
    best = md.design(problem, notion, objective, route="convex")
    made = md.design(problem, notion, objective, route="minimax", gap=1e-5)
    assert best.bound - 1e-7 <= made.value <= best.value + 2e-5 * max(abs(best.value), 1.0)
    assert made.bound <= best.value + 1e-9 and made.gap <= 1e-4
    assert md.audit(made.matrix, notion, problem).holds


def test_the_bound_holds_with_other_weights_and_flows(rng):
    problem, notion, objective = md.Problem(n=9), md.MetricDP(1.0, grid(3)), md.WorstCaseLoss(grid(3))
    made = md.design(problem, notion, objective, route="minimax", gap=1e-4)
    own = made.mechanism.certificate.multipliers
    best = md.design(problem, notion, objective, route="convex").value
    assert -utility_bound(notion, objective, problem, own).utility == pytest.approx(made.value, rel=1e-4)
    for _ in range(20):
        rows = own.rows + 0.01 * rng.normal(size=9)
        weights, flows = own.weights * rng.random(9), own.flows * np.append(np.ones(3), rng.random())
        for given in (replace(own, rows=rows), replace(own, weights=weights), replace(own, flows=flows)):
            assert -utility_bound(notion, objective, problem, given).utility <= best + 1e-9
    # Without flows the same rows are worth much less.
    assert -utility_bound(notion, objective, problem, Multipliers(own.rows, weights=own.weights)).utility <= best + 1e-9


def test_planted_flows_that_lose_nothing_on_the_way_are_caught(monkeypatch):
    """Planted: what is lent arrives whole, as if all inputs were one."""
    from mechdesign.solve.certificate import flows

    problem, notion, objective = md.Problem(n=9), md.MetricDP(1.0, grid(3)), md.WorstCaseLoss(grid(3))
    own = md.design(problem, notion, objective, route="minimax", gap=1e-4).mechanism.certificate.multipliers
    best = md.design(problem, notion, objective, route="convex").value
    monkeypatch.setattr(flows, "factors_below", lambda exponents, sink, source: np.ones(len(sink)))
    assert -utility_bound(notion, objective, problem, own).utility > best + 1e-3


def test_the_prior_of_its_weights_is_least_favourable_and_a_file_keeps_it(tmp_path):
    problem, notion, objective = md.Problem(n=9), md.MetricDP(1.0, grid(3)), md.WorstCaseLoss(grid(3))
    made = md.design(problem, notion, objective, route="minimax", gap=1e-4)
    prior = objective.least_favourable_prior(made.mechanism.certificate.multipliers.weights, problem)
    at_prior = md.design(md.Problem(prior=prior), notion, md.ExpectedLoss(grid(3)))
    assert at_prior.value == pytest.approx(made.value, rel=1e-3) and at_prior.value >= made.bound - 1e-9
    again = md.load(made.mechanism.save(tmp_path / "map.json"))
    assert again == made.mechanism and again.certificate.bound == made.bound


def test_auto_takes_it_for_many_places_and_a_stopped_search_beats_what_is_known():
    problem, notion, objective = md.Problem(n=64), md.MetricDP(1.0, grid(8)), md.WorstCaseLoss(grid(8))
    with pytest.warns(md.GapWarning):
        known = md.design(problem, notion, objective, route="known").value
    with reading(CountingClock(0.01)), pytest.warns(md.GapWarning):
        made = md.design(problem, notion, objective, time_limit=3.0)
    assert made.route == "minimax" and made.value <= 0.95 * known and 0.0 < made.gap <= 0.2


def test_other_questions_are_refused():
    notion = md.MetricDP(1.0, grid(2))
    asked = [
        (md.LIP(1.0), md.WorstCaseLoss(np.eye(4)), {}),
        (notion, md.WorstCaseLoss(np.eye(4), priors=[[0.25] * 4, [0.1, 0.2, 0.3, 0.4]]), {}),
        (notion, md.MaxOffDiagonal(), {}),
        (notion, md.WorstCaseLoss(np.eye(4)), {"outputs": 2}),
    ]
    for other, objective, keywords in asked:
        with pytest.raises(md.UnsupportedError, match="route minimax refuses"):
            md.design(md.Problem(prior=[0.25] * 4), other, objective, route="minimax", **keywords)


def test_a_program_that_fails_leaves_a_bound_and_what_is_obvious(monkeypatch):
    def failed(*_):
        raise md.SolverError("planted")

    monkeypatch.setattr(MinimaxColumns, "solve", failed)
    problem, notion, objective = md.Problem(n=9), md.MetricDP(1.0, grid(3)), md.WorstCaseLoss(grid(3))
    with pytest.warns(md.GapWarning):
        made = md.design(problem, notion, objective, route="minimax")
    assert 0.5 * made.value <= made.bound <= made.value


@pytest.mark.parametrize("losses", [[[3.0, 2.0]], [[3.0]]])
def test_a_single_place_gets_its_best_decision(losses):
    made = md.design(md.Problem(n=1), md.MetricDP(1.0, [[0.0]]), md.WorstCaseLoss(losses), route="minimax")
    assert made.value == min(losses[0]) and made.gap <= 1e-12
