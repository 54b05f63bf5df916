"""Bounds by reference frequencies under LDP: true for whatever is given, near the optimum for what is found."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import mechdesign as md
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.solve.certificate import reference_frequencies
from mechdesign.solve.certificate.reference_frequencies import (
    ReferenceForm,
    heaviest,
    least_by_reference,
    of_reference,
    slope_of,
)
from mechdesign.solve.search import heavy_inputs
from mechdesign.solve.search import reference_frequencies as search
from mechdesign.solve.search.drawn_sets import OfSets
from mechdesign.solve.search.heavy_inputs import with_heavy_inputs
from mechdesign.solve.search.reference_frequencies import best_reference

LEVELS = (0.5, 1.0, 2.0)
CRITERIA = {
    "A": md.InformationDesign("A"),
    "weighted": md.InformationDesign("A", weights=[1, 5, 1, 2, 1, 3]),
    "prefix": md.InformationDesign("A", queries="prefix"),
    "one": md.InformationDesign("A", queries=np.eye(6)[:2]),
    "D": md.InformationDesign("D"),
    "E": md.InformationDesign("E"),
    "worst": md.InformationDesign("worst", queries="prefix"),
}


def information(matrix, theta):
    """Return ``sum_y q_y q_y' / (theta . q_y)``, entry by entry of the definition."""
    columns = matrix.T
    return sum(np.outer(q, q) / (theta @ q) for q in columns if theta @ q > 0)


def some_matrix(n, epsilon, rng):
    """Return a matrix of LDP: columns with entries between 1 and e^epsilon, and one that makes rows sum to 1."""
    columns = np.exp(epsilon * rng.choice([rng.random((n, 4)), rng.integers(0, 2, size=(n, 4))]))
    columns *= rng.random(4) + 0.01
    low = columns.sum(axis=1).max()
    rest = low - columns.sum(axis=1)
    last = rest + max(np.ptp(rest) / np.expm1(epsilon) - rest.min(), 0.0) + 1e-9
    matrix = np.column_stack([columns, last])
    return matrix / matrix.sum(axis=1, keepdims=True)


def best_form(objective, problem, epsilon):
    return with_heavy_inputs(objective, problem, epsilon, best_reference(objective, problem, epsilon))


def all_columns(n, epsilon):
    return np.array(list(itertools.product((1.0, np.exp(epsilon)), repeat=n)))


def some_form(theta, epsilon, rng):
    """Return a form of any numbers, most of them near what a search comes to."""
    n, count = len(theta), int(rng.integers(0, len(theta) + 1))
    extra = rng.normal(size=(count, count)) * rng.choice([0.0, 0.01, 1.0])
    beyond = np.sinh(epsilon / 2) ** 2 * rng.choice([0.5, 1.0, 1.5])
    return ReferenceForm(rng.dirichlet(np.ones(n)), float(beyond), heaviest(theta, count), extra + extra.T)


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 5.0])
def test_the_least_value_is_below_every_column(epsilon, rng):
    """Against all columns; every set of heavy inputs is looked at, so if all are heavy it is the least one."""
    for _ in range(60):
        n = int(rng.integers(2, 8))
        form = some_form(rng.dirichlet(np.ones(n)), epsilon, rng)
        columns = all_columns(n, epsilon)
        least = min(0.0, float(((columns @ form.matrix()) * columns).sum(axis=1).min()))
        found, size = form.least(epsilon), float((columns.max() * n) ** 2 * np.abs(form.matrix()).max())
        assert found <= least + 1e-13 * size
        assert len(form.heavy) < n or found >= least - 1e-11 * size


def test_the_slope_is_the_form_along_contrasts(rng):
    for _ in range(20):
        theta = rng.dirichlet(np.ones(5))
        form = some_form(theta, 1.0, rng)
        across = np.eye(5) - np.outer(theta, np.ones(5))
        found, (entries, sums) = slope_of(form, theta), form.sizes
        assert np.allclose(found, -across @ form.matrix() @ across.T, atol=1e-12)
        assert form.total == pytest.approx(form.matrix().sum(), abs=1e-12) and np.all(
            entries >= np.abs(form.matrix()) - 1e-12
        )
        assert np.allclose(form.sums, form.matrix().sum(axis=1), atol=1e-12) and np.all(
            sums >= np.abs(form.sums) - 1e-12
        )
        again = ReferenceForm.unpacked(form.packed(), theta)
        assert np.allclose(again.matrix(), form.matrix(), atol=1e-15)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_information_of_every_mechanism_is_at_most_the_total(epsilon, rng):
    for _ in range(100):
        n = int(rng.integers(2, 7))
        matrix = some_matrix(n, epsilon, rng)
        theta = rng.dirichlet(np.ones(n))
        form = of_reference(rng.dirichlet(np.ones(n)), epsilon)
        assert np.trace(slope_of(form, theta) @ information(matrix, theta)) <= form.total * (1 + 1e-9)
    # Sets of the mass 1 / (1 + E) reach it.
    even, sets = np.full(4, 0.25), np.where(np.eye(4) > 0, 3.0, 1.0) / 6.0
    form = of_reference(even, math.log(3.0))
    assert np.trace(slope_of(form, even) @ information(sets, even)) == pytest.approx(form.total)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0])
@pytest.mark.parametrize("name", CRITERIA)
def test_whatever_is_claimed_bounds_the_optimum(epsilon, name, rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(6, 1.0)))
    objective, notion = CRITERIA[name], md.LDP(epsilon)
    best = md.design(problem, notion, objective).value
    found = best_form(objective, problem, epsilon).packed()
    own = least_by_reference(notion, objective, problem, found)
    assert own is not None and own[0] <= best
    for size in (1e-6, 1e-3, 0.1, 1.0):
        for _ in range(10):
            moved = least_by_reference(notion, objective, problem, found * np.exp(size * rng.normal(size=found.shape)))
            assert moved is None or moved[0] <= best


@pytest.mark.parametrize(("name", "short"), [("A", 0.012), ("prefix", 0.012), ("D", 0.01), ("worst", 0.02)])
def test_it_is_near_the_optimum(name, short):
    """What columns of sets of any mass leave: a hundredth at these levels, more where sets are small."""
    problem, objective = md.Problem(n=10), CRITERIA["A"] if name == "A" else CRITERIA[name]
    for epsilon in (0.5, 1.0):
        best = md.design(problem, md.LDP(epsilon), objective).bound
        found = of_reference(best_reference(objective, problem, epsilon).nu, epsilon).packed()
        least = least_by_reference(md.LDP(epsilon), objective, problem, found)[0]
        assert best - short * abs(best) <= least <= best


@pytest.mark.parametrize("epsilon", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("kind", ["zipf", "even", "one"])
def test_with_heavy_inputs_it_is_nearer(kind, epsilon):
    """Six inputs: the bound is the optimum, to the digits of the program over all rays."""
    theta = {"zipf": 1.0 / np.arange(1, 7), "even": np.ones(6), "one": [9, 1, 1, 1, 1, 1]}[kind]
    problem, objective, notion = md.Problem(prior=theta / np.sum(theta)), CRITERIA["A"], md.LDP(epsilon)
    best = md.design(problem, notion, objective).value
    form = best_form(objective, problem, epsilon)
    least = least_by_reference(notion, objective, problem, form.packed())[0]
    alone = of_reference(best_reference(objective, problem, epsilon).nu, epsilon)
    without = least_by_reference(notion, objective, problem, alone.packed())[0]
    assert len(form.heavy) and without < least <= best and least >= 0.999 * best


@pytest.mark.parametrize("name", ["A", "prefix", "one", "D", "E", "worst"])
def test_the_gradient_is_of_the_bound(name, rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(6, 5.0)))
    bound = search._Bound(CRITERIA[name], problem, 1.0)
    point = bound.first() + 0.01 * rng.normal(size=len(bound.first()))
    value, gradient = bound.at(point)
    for place, slope in enumerate(gradient):
        moved = [bound.at(point + step * np.eye(len(point))[place])[0] for step in (1e-5, -1e-5)]
        assert (moved[0] - moved[1]) / 2e-5 == pytest.approx(slope, abs=1e-5 * (1 + abs(value)))


@pytest.mark.parametrize("name", ["A", "prefix", "D", "E", "worst"])
def test_the_derivatives_with_heavy_inputs_are_of_the_bound(name, rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(6, 5.0)))
    found = best_reference(CRITERIA[name], problem, 2.0)
    at = ReferenceForm(found.nu, float(np.sinh(1.0) ** 2), heaviest(problem.prior, 3), np.zeros((3, 3)))
    heavy = heavy_inputs._Heavy(CRITERIA[name], problem, 2.0, found.weights, at)
    point = heavy.first + 0.01 * rng.normal(size=len(heavy.first))
    for place in range(len(point)):
        step = 1e-6 * np.eye(len(point))[place]
        rise = (heavy.at(point + step)[0] - heavy.at(point - step)[0]) / 2e-6
        assert rise == pytest.approx(heavy.at(point)[1][place], abs=1e-5)
        rises = (heavy.values(point + step) - heavy.values(point - step)) / 2e-6
        assert np.allclose(rises, heavy.slopes(point)[:, place], atol=1e-5)


def test_values_below_0_that_are_not_charged_are_caught(monkeypatch):
    """Planted: a form of less beyond 1 is negative on some columns; uncharged, its bound passes the optimum."""
    problem, notion = md.Problem(n=8), md.LDP(1.0)
    form = ReferenceForm(np.full(8, 0.125), 0.5 * math.sinh(0.5) ** 2, np.zeros(0, dtype=np.intp), np.zeros((0, 0)))
    best = md.design(problem, notion, CRITERIA["A"]).value
    assert least_by_reference(notion, CRITERIA["A"], problem, form.packed())[0] <= best
    monkeypatch.setattr(ReferenceForm, "least", lambda self, epsilon: 0.0)
    assert least_by_reference(notion, CRITERIA["A"], problem, form.packed())[0] > best


def test_a_slope_that_forgets_the_frequencies_is_caught(monkeypatch):
    """Planted: without the terms in theta equal frequencies would bound the mechanisms of every theta."""
    shares = 1.0 / np.arange(1.0, 9.0)
    problem, notion = md.Problem(prior=shares / shares.sum()), md.LDP(1.0)
    claimed = of_reference(np.full(8, 0.125), 1.0).packed()
    best = md.design(problem, notion, CRITERIA["A"]).value
    right = reference_frequencies.slope_of
    monkeypatch.setattr(reference_frequencies, "slope_of", lambda form, theta: right(form, np.full(8, 0.125)))
    assert least_by_reference(notion, CRITERIA["A"], problem, claimed)[0] > best


def test_sets_of_heavy_inputs_that_are_left_out_are_caught(monkeypatch):
    """Planted: only the set of all heavy inputs and of none are looked at."""
    problem, notion, objective = md.Problem(n=4), md.LDP(1.0), CRITERIA["A"]
    extra = -0.2 * (np.eye(4) - 0.25)
    form = ReferenceForm(np.full(4, 0.25), math.sinh(0.5) ** 2, np.arange(4), extra)
    best = md.design(problem, notion, objective).value
    assert least_by_reference(notion, objective, problem, form.packed())[0] <= best
    monkeypatch.setattr(reference_frequencies.itertools, "product", lambda values, repeat: [(0.0,) * repeat])
    assert least_by_reference(notion, objective, problem, form.packed())[0] > best


def test_other_notions_shapes_and_numbers_have_none():
    problem, objective, even = md.Problem(prior=np.full(4, 0.25)), CRITERIA["A"], of_reference(np.full(4, 0.25), 1.0)
    right = even.packed()
    assert least_by_reference(md.LDP(1.0), objective, problem, right) is not None
    assert least_by_reference(md.LIP(1.0), objective, problem, right) is None
    wrong = [None, np.eye(4), np.ones(4), -right, 0.0 * right, np.full((1, 5), np.nan), np.full((6, 5), 0.5)]
    rows = np.array([[1, 1, 1, np.inf, 1], [1, 1, 1, 1, -1], [1, 0, 0, 0, 1], [1e308] * 5, [1, 1, 1, 1, 1e200]])
    for claimed in (*wrong, *rows[:, None, :]):
        assert least_by_reference(md.LDP(1.0), objective, problem, claimed) is None
    for epsilon in (0.0, 1e-200, 700.0):
        assert least_by_reference(md.LDP(epsilon), objective, problem, right) is None


@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 6.0])
def test_the_information_found_is_on_the_slope(epsilon, rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(9, 2.0)))
    found = best_reference(CRITERIA["A"], problem, epsilon)
    form, basis = of_reference(found.nu, epsilon), contrasts(9)
    slope = basis.T @ slope_of(form, problem.prior) @ basis
    covariance = np.trace(np.linalg.inv(found.information)) * np.trace(slope @ found.information) / form.total
    own = least_by_reference(md.LDP(epsilon), CRITERIA["A"], problem, form.packed())
    assert covariance == pytest.approx(own[0], rel=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
def test_columns_are_private_and_make_a_mechanism(weighted, rng):
    problem, ratio = md.Problem(prior=rng.dirichlet(np.full(12, 2.0))), float(np.exp(1.5))
    found = best_reference(md.InformationDesign("A", queries="prefix"), problem, 1.5)
    first = (np.where(np.eye(12) > 0, ratio, 1.0), np.full(12, 1.0 / (11.0 + ratio))) if weighted else None
    columns, weights = OfSets(found, problem.prior, ratio, first).draw(100, 1)
    assert set(np.unique(columns)) == {1.0, ratio}
    assert np.all(weights >= 0) and np.allclose(columns @ weights, 1.0)
