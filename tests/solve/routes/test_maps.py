"""Maps: optimal mechanisms under metric DP by blocks, against linear programs, with bounds that sums alone prove."""

import warnings

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.solve.certificate import flows
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.search.merged_places import Places
from tests.helpers.changed_solvers import taking


def quietly(*asked, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        return md.design(*asked, **more)


def grid(rows, columns):
    return np.array([(i, j) for i in range(rows) for j in range(columns)], dtype=float)


def apart(points):
    return np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))


def least(prior, loss, nats):
    """Return the least expected loss by HiGHS, over all pairs, none left out: feasible to 1e-7."""
    n, m = loss.shape
    rows = []
    for x in range(n):
        for other in range(n):
            if x == other or np.isinf(nats[x, other]):
                continue
            for y in range(m):
                row = np.zeros((n, m))
                row[x, y], row[other, y] = np.exp(-nats[x, other]), -1.0
                rows.append(row.ravel())
    sums = np.kron(np.eye(n), np.ones((1, m)))
    found = linprog((prior[:, None] * loss).ravel(), np.array(rows), np.zeros(len(rows)), sums, np.ones(n))
    return found.fun


def some(n, seed=0):
    rng = np.random.default_rng([n, seed])
    return md.Problem(prior=rng.dirichlet(np.ones(n))), rng


CASES = {
    "a grid of nine": (grid(3, 3), 1.0, lambda d: d),
    "squares of distances": (grid(3, 4), 0.5, lambda d: d**2),
    "right or wrong": (grid(2, 4), 2.0, lambda d: (d > 0).astype(float)),
    "next to no privacy": (grid(3, 3), 6.0, lambda d: d),
    "next to nothing told": (grid(3, 3), 0.01, lambda d: d),
    "fewer decisions": (grid(3, 4), 1.0, lambda d: d[:, ::2]),
    "more decisions": (grid(2, 3), 1.0, lambda d: np.hstack([d, (d[:, :3] + d[:, 3:]) / 2])),
    "a line": (grid(1, 8), 1.0, lambda d: d),
    "random points": (np.random.default_rng(1).random((12, 2)) * 4, 1.0, lambda d: d),
    "clusters": (
        np.random.default_rng(2).normal(size=(12, 2)) / 20 + np.repeat(grid(2, 2), 3, axis=0),
        2.0,
        lambda d: d,
    ),
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", CASES)
def test_it_is_the_optimum_of_the_whole_program(name):
    points, epsilon, made = CASES[name]
    distance = apart(points)
    problem, _ = some(len(points))
    loss = made(distance)
    found = quietly(problem, md.MetricDP(epsilon, distance), md.ExpectedLoss(loss), route="maps")
    best = least(problem.prior, loss, epsilon * distance)
    assert found.audit.holds and found.gap <= 1e-5
    assert found.bound <= best * (1 + 1e-9) + 2e-7 and found.value >= best * (1 - 1e-7)
    assert found.value <= best * (1 + 2e-6) + 2e-7


def test_what_is_infinitely_far_protects_nothing():
    problem, _ = some(6)
    distance = np.full((6, 6), np.inf)
    distance[:3, :3] = distance[3:, 3:] = apart(grid(1, 3))
    loss = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    found = quietly(problem, md.MetricDP(0.7, distance), md.ExpectedLoss(loss), route="maps")
    best = least(problem.prior, loss, 0.7 * distance)
    assert found.value == pytest.approx(best, rel=1e-5) and found.bound <= best * (1 + 1e-9)


def test_a_detour_that_is_shorter_bounds_the_pair():
    problem, _ = some(5)
    distance = apart(grid(1, 5))
    distance[0, 4] = distance[4, 0] = 100.0
    loss = apart(grid(1, 5))
    found = quietly(problem, md.MetricDP(1.0, distance), md.ExpectedLoss(loss), route="maps")
    best = least(problem.prior, loss, apart(grid(1, 5)))
    assert found.value == pytest.approx(best, rel=1e-5) and found.audit.holds


@pytest.mark.slow
def test_a_hundred_places_are_certified_and_auto_takes_it():
    distance = apart(grid(10, 10))
    problem, _ = some(100)
    made = md.design(problem, md.MetricDP(1.0, distance), md.ExpectedLoss(distance))
    exponential = md.baselines.exponential(problem, 1.0, distance)
    beside = md.ExpectedLoss(distance).value(exponential.matrix, problem)
    assert made.route == "maps" and made.gap <= 1e-6 and made.audit.holds and made.value < 0.9 * beside


@pytest.mark.slow
@pytest.mark.parametrize(("points", "epsilon"), [(grid(10, 10), 0.4), (grid(14, 14), 1.0)], ids=["100", "196"])
def test_large_grids_are_certified(points, epsilon):
    problem, _ = some(len(points))
    distance = apart(points)
    made = quietly(problem, md.MetricDP(epsilon, distance), md.ExpectedLoss(distance), gap=1e-4)
    assert made.route == "maps" and made.gap <= 1e-4 and made.audit.holds


def test_a_file_is_derived_again_without_a_solver(tmp_path, monkeypatch):
    problem, _ = some(25)
    distance = apart(grid(5, 5))
    made = quietly(problem, md.MetricDP(1.0, distance), md.ExpectedLoss(distance))
    made.mechanism.save(tmp_path / "map.mechanism.json")
    monkeypatch.setitem(*taking("HIGHS", None))
    again = md.load(tmp_path / "map.mechanism.json")
    assert again.claimed.bound == pytest.approx(made.bound, rel=1e-12)


def test_any_flows_give_a_bound():
    problem, rng = some(6)
    distance, loss = apart(grid(2, 3)), apart(grid(2, 3))
    notion, objective = md.MetricDP(0.8, distance), md.ExpectedLoss(loss)
    best = least(problem.prior, loss, 0.8 * distance)
    own = quietly(problem, notion, objective, route="maps").mechanism.claimed.multipliers
    for size in (0.0, 1e-6, 1e-2, 1.0):
        for _ in range(10):
            table = own.flows.copy()
            table[:, 3] = np.abs(table[:, 3] + size * rng.normal(size=len(table)))
            rows = own.rows + size * rng.normal(size=6)
            for given in (table, table[::2], np.vstack([table, [[9, 0, 1, 1], [0.5, 0, 1, 1], [0, 0, 1, -1]]])):
                bound = -utility_bound(notion, objective, problem, Multipliers(rows, flows=given)).utility
                assert bound <= best * (1 + 1e-9)


# Planted: what arrives is more than the metric lets arrive ------------------------------------------------------------


def test_factors_of_a_shorter_way_are_seen(monkeypatch):
    problem, _ = some(9)
    distance = apart(grid(3, 3))
    notion, objective = md.MetricDP(1.0, distance), md.ExpectedLoss(distance)
    own = quietly(problem, notion, objective, route="maps").mechanism.claimed.multipliers
    best = least(problem.prior, distance, distance)
    monkeypatch.setattr(flows, "factors_below", lambda exponents, sink, source: np.exp(-0.9 * exponents[sink, source]))
    assert -utility_bound(notion, objective, problem, own).utility > best * (1 + 1e-4)


# Inputs that coincide -------------------------------------------------------------------------------------------------

TWICE = np.repeat(grid(2, 3), 2, axis=0)


@pytest.mark.parametrize("nudge", [0.0, 1e-12, 1e-9, 3e-8, 1e-6, 1e-4])
def test_inputs_at_next_to_no_distance_are_one_place(nudge):
    problem, rng = some(12)
    points = TWICE + nudge * np.tile([[0.0, 0.0], [1.0, 0.0]], (6, 1))
    distance, loss = apart(points), rng.random((12, 7))
    found = quietly(problem, md.MetricDP(1.3, distance), md.ExpectedLoss(loss), route="maps")
    best = least(problem.prior, loss, 1.3 * distance)
    assert found.bound <= best * (1 + 1e-9) + 2e-7 and found.gap <= 1e-5 and found.audit.holds
    assert np.allclose(found.matrix[::2], found.matrix[1::2], atol=1e-3)
    assert nudge or (found.matrix[::2] == found.matrix[1::2]).all()


@pytest.mark.parametrize("epsilon", [0.0, 1e-10])
def test_at_no_level_at_all_the_best_output_is_reported(epsilon):
    problem, rng = some(7)
    loss = rng.random((7, 5))
    found = quietly(problem, md.MetricDP(epsilon, apart(grid(1, 7))), md.ExpectedLoss(loss), route="maps")
    assert found.value == pytest.approx((problem.prior @ loss).min()) and found.gap <= 1e-6


def test_multipliers_of_places_that_forget_the_others_are_seen(monkeypatch):
    """Planted: what the other inputs of a place gain is not sent to its first."""
    problem, rng = some(12)
    loss = rng.random((12, 7))
    monkeypatch.setattr(
        Places,
        "flows",
        lambda self, gains, table: np.column_stack([table[:, 0], self.first[table[:, 1:3].astype(int)], table[:, 3]]),
    )
    found = quietly(problem, md.MetricDP(1.3, apart(TWICE)), md.ExpectedLoss(loss), route="maps")
    assert found.gap > 1e-3


def test_a_time_limit_leaves_the_best_so_far():
    from mechdesign.runtime.deadline import reading
    from mechdesign.testing.clock import CountingClock

    problem, _ = some(49)
    distance = apart(grid(7, 7))
    with reading(CountingClock(0.02)):
        made = quietly(problem, md.MetricDP(1.0, distance), md.ExpectedLoss(distance), time_limit=2.0)
    exponential = md.baselines.exponential(problem, 1.0, distance)
    assert made.audit.holds and made.bound <= made.value
    assert made.value <= md.ExpectedLoss(distance).value(exponential.matrix, problem) * (1 + 1e-9)
