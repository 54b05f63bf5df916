"""Exponents by one design for each of some orders: against the search over a list of rays, and bounds in between."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.objectives.exponent import shortfall
from mechdesign.runtime.deadline import reading
from mechdesign.solve.certificate import between_orders as bounds
from mechdesign.solve.certificate import bound, exponents
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.routes import order_by_order, orders
from mechdesign.solve.search import designs_by_order
from mechdesign.solve.task import Task
from mechdesign.testing.clock import CountingClock
from tests.helpers import brute_force
from tests.helpers.changed_routes import changed

KINDS = {
    "Chernoff": md.ChernoffExponent,
    "Hoeffding at 0": lambda first, second: md.HoeffdingExponent(0.0, first, second),
    "Hoeffding at 0.004": lambda first, second: md.HoeffdingExponent(0.004, first, second),
    "Hoeffding at 9": lambda first, second: md.HoeffdingExponent(9.0, first, second),
}
NOTIONS = (md.LDP(1.0), md.LIP(0.8), md.MaxLift(0.7), md.UtilityOptimizedLDP(1.0, [0, 1, 2]), md.LDP(0.05))


@pytest.fixture
def unlisted(monkeypatch):
    """Let every list of extreme rays be too long."""
    for module in (exponents, orders, bound):
        monkeypatch.setattr(module, "is_listed", lambda notion, problem: False)


def drawn(n, seed=0):
    """Return a problem of n inputs and two hypotheses."""
    rng = np.random.default_rng([n, seed])
    return md.Problem(prior=rng.dirichlet(np.ones(n))), *rng.dirichlet(np.ones(n), size=2)


@pytest.mark.thinned(10)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("notion", [*NOTIONS, md.MaximalLeakage(0.3)], ids=str)
def test_the_same_as_over_a_list_of_rays(notion, kind, unlisted, monkeypatch):
    problem, first, second = drawn(5)
    objective = KINDS[kind](first, second)
    made = md.design(problem, notion, objective)
    again = utility_bound(notion, objective, problem, made.mechanism.certificate.multipliers).utility
    monkeypatch.undo()
    listed = md.design(problem, notion, objective)
    assert made.route == "orders" and made.gap <= 1e-6 and made.audit.holds
    assert made.value == pytest.approx(listed.value, rel=2e-6, abs=1e-12)
    # The bound of either, rebuilt from its multipliers, holds the other's mechanism.
    assert made.bound >= listed.value * (1 - 1e-12) and listed.bound >= made.value * (1 - 1e-12)
    assert again == pytest.approx(made.bound, rel=1e-6, abs=1e-12)


@pytest.mark.thinned(7)
@pytest.mark.parametrize("kind", ["Chernoff", "Hoeffding at 0.004"])
@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(1.0), md.MaximalLeakage(0.3)], ids=str)
def test_sixty_inputs_are_certified_and_load(notion, kind, tmp_path):
    problem, first, second = drawn(60)
    made = md.design(problem, notion, KINDS[kind](first, second), gap=1e-4)
    assert made.route == "orders" and made.gap <= 1e-4
    made.mechanism.save(tmp_path / "q.json")
    assert md.load(tmp_path / "q.json").certificate.bound == pytest.approx(made.bound, rel=1e-4)


def pairs(rng, count=40):
    """Return distributions of the output under both hypotheses, of random mechanisms of LDP."""
    for _ in range(count):
        rays = brute_force.ldp_vectors(4, 1.2)
        weights = rng.dirichlet(np.full(rays.shape[1], 0.3))
        columns = rays * weights
        matrix = columns / columns.sum(axis=1, keepdims=True)
        first, second = rng.dirichlet(np.ones(4), size=2)
        yield first @ matrix, second @ matrix


def above(p, s, nodes, factor=1.0):
    """Tell whether the bound between orders lies above the exponent at every order."""
    objective = md.ChernoffExponent([0.5, 0.5], [0.4, 0.6])
    most = shortfall(p, s, nodes[:, None]).sum(axis=1)
    found = bounds.between_orders(objective, nodes, most, factor * float(np.abs(np.log(p / s)).max()))
    grid = np.linspace(0.0, 1.0, 2001)
    reached = -np.log1p(-shortfall(p, s, grid[:, None]).sum(axis=1))
    return bool(np.all(found[np.searchsorted(nodes, grid[1:])] >= reached[1:] - 1e-12))


def test_bounds_hold_between_orders(rng):
    for p, s in pairs(rng):
        nodes = np.sort(rng.uniform(0.05, 0.95, size=rng.integers(1, 6)))
        assert above(p, s, nodes)


def test_planted_chords_without_curvature_are_caught(rng, monkeypatch):
    """Planted: the chord between two orders, which a concave function lies above."""
    monkeypatch.setattr(
        bounds, "_lines", lambda low, high, at_low, at_high, logs: iter([(np.minimum(at_low, 1e9), at_high)])
    )
    assert not all(above(p, s, np.array([0.2, 0.8])) for p, s in pairs(rng))


def test_planted_constant_without_the_ratio_is_caught():
    """Planted: ``2 / (t (1-t))`` alone, which is too little where likelihood ratios are large."""
    # One output that is very rare under one hypothesis: the exponent is largest at order 0.933, between two nodes.
    p, s = np.array([1e-30, 1.0]), np.array([0.5, 0.5])
    nodes = np.array([0.925, 0.941])
    assert above(p, s, nodes) and not above(p, s, nodes, factor=0.0)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("order", [1e-17, 5e-324, 1 - 1e-16, 1e-9, np.nan])
def test_hostile_orders_bound_all_the_same(order):
    problem, first, second = drawn(14)
    objective = md.ChernoffExponent(first, second)
    made = md.design(problem, md.LDP(1.0), objective)
    for lines in ([[order, *np.zeros(14)]], [[order, *np.ones(14)], [0.5, *np.zeros(14)]]):
        found = utility_bound(md.LDP(1.0), objective, problem, Multipliers(np.zeros(14), by_order=np.array(lines)))
        assert found.utility >= made.value


def test_ctrl_c_inside_a_design_ends_the_search(monkeypatch):
    problem, first, second = drawn(14)
    route, designed = order_by_order.ROUTES[0], []

    def interrupted(candidate):
        designed.append(candidate)
        return replace(candidate, interrupted=len(designed) == 2)

    monkeypatch.setattr(order_by_order, "ROUTES", (changed(route, interrupted),))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, md.LDP(1.0), md.ChernoffExponent(first, second))
    assert made.interrupted and len(designed) == 2 and made.audit.holds and "interrupted" in made.note


def test_what_has_no_quick_design_at_an_order_or_an_infinite_exponent_is_refused():
    n = 40
    problem = md.Problem(prior=np.full(n, 1 / n))
    first, second = np.repeat([2.0 / n, 0.0], n // 2), np.repeat([0.0, 2.0 / n], n // 2)
    exponent = md.ChernoffExponent(first, second)
    for notion in (md.MaximalLeakage(0.5), md.MutualInformationPrivacy(0.1)):
        assert "no route answers at a fixed order" in orders.ROUTE.refusal(Task(problem, notion, exponent))
    everywhere = np.linspace(0.5, 1.5, n) / n
    for pair in ((first, second), (everywhere, second), (second, everywhere)):
        # A lift of e leaves room for an output of the inputs alone that one hypothesis rules out.
        exponent = md.ChernoffExponent(*pair)
        assert bounds.largest_log(md.MaxLift(1.0), exponent, problem) is None
        assert orders.ROUTE.refusal(Task(problem, md.MaxLift(1.0), exponent))
        assert bounds.largest_log(md.MaxLift(0.5), md.ChernoffExponent(*pair), problem) < 3.0
    assert "from one hypothesis alone" in orders.ROUTE.refusal(Task(problem, md.MaxLift(1.0), exponent))
    # Under LDP every input can give every output: no exponent is infinite.
    made = md.design(md.Problem(n=n), md.LDP(1.0), md.ChernoffExponent(first, second), gap=1e-3)
    assert made.gap <= 1e-3


def test_a_limit_leaves_a_true_bound():
    problem, first, second = drawn(80)
    objective = md.ChernoffExponent(first, second)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        best = md.design(problem, md.LIP(1.0), objective, gap=1e-3)
        with reading(CountingClock(1e-3)):
            made = md.design(problem, md.LIP(1.0), objective, time_limit=0.5)
    assert made.audit.holds and made.value <= best.bound and made.bound >= best.value


@pytest.mark.parametrize("kind", ["Chernoff", "Hoeffding at 0.004"])
@pytest.mark.parametrize("limit", [0.0, 0.02, 0.1, 0.3])
def test_a_limit_before_the_first_design_leaves_the_best_known_mechanism(kind, limit, unlisted):
    problem, first, second = drawn(12)
    with warnings.catch_warnings(), reading(CountingClock()):
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, md.LIP(1.0), KINDS[kind](first, second), time_limit=limit)
        assert made.audit.holds and made.value <= made.bound


def test_a_search_that_found_nothing_is_caught(unlisted, monkeypatch):
    """Planted: the search goes on as if its first order had been designed for."""
    monkeypatch.setattr(order_by_order, "require_time", lambda _: None)
    monkeypatch.setattr(order_by_order.DesignsByOrder, "design", lambda *_: True)
    problem, first, second = drawn(12)
    with pytest.raises(ValueError, match="empty"):
        md.design(problem, md.LIP(1.0), md.ChernoffExponent(first, second), time_limit=60.0)


@pytest.mark.parametrize("notion", [md.BlockLDP(1.0, [range(9)]), md.LIP(0.8)], ids=["blocks", "LIP"])
def test_a_dozen_designs_bound_all_orders(notion, unlisted, monkeypatch):
    # Orders next to the best alone leave those far from it, and thereby the exponent, bounded by next to nothing.
    problem, first, second = drawn(16)
    monkeypatch.setattr(order_by_order, "MOST_DESIGNS", 12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, notion, md.ChernoffExponent(first, second))
    assert made.route == "orders" and made.gap <= 5e-3


def test_what_a_stopped_solver_has_is_not_taken_for_a_mechanism(unlisted, monkeypatch):
    problem, first, second = drawn(6)
    route, designed = order_by_order.ROUTES[0], []

    def revealing(candidate):
        designed.append(candidate)
        return replace(candidate, matrix=np.eye(problem.n)) if len(designed) > 2 else candidate

    monkeypatch.setattr(order_by_order, "ROUTES", (changed(route, revealing),))
    monkeypatch.setattr(designs_by_order, "is_late", lambda: len(designed) > 2)
    made = md.design(problem, md.LDP(1.0), md.ChernoffExponent(first, second), gap=1e-5)
    assert len(designed) > 3 and made.gap <= 1e-5


@pytest.mark.parametrize("rare", [1e-8, 1e-12])
def test_a_rare_input_that_the_identity_may_tell_has_the_identity_s_exponent(rare):
    # What a solver leaves at the first order is constant here: of that the best order is 1, where no divergence is.
    problem = md.Problem(prior=[rare, 1.0 - rare])
    objective = md.HoeffdingExponent(1e-3, [0.9, 0.1], [0.1, 0.9])
    made = md.design(problem, md.MutualInformationPrivacy(0.1), objective)
    assert made.value == pytest.approx(objective.value(np.eye(2), problem), rel=1e-9) and made.gap <= 1e-6
