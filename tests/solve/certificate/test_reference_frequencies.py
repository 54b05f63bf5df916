"""Bounds by reference frequencies under LDP: true for whatever is given, near the optimum for what is found."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mechdesign as md
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.solve.certificate import reference_frequencies
from mechdesign.solve.certificate.reference_frequencies import least_by_reference, slope_at, stretch
from mechdesign.solve.search import reference_frequencies as search
from mechdesign.solve.search.drawn_sets import OfSets
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


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_information_of_every_mechanism_is_at_most_one_along_the_slope(epsilon, rng):
    near = 0.0
    for _ in range(200):
        n = int(rng.integers(2, 7))
        matrix = some_matrix(n, epsilon, rng)
        assert md.LDP(epsilon).level(matrix, md.Problem(n=n)).value <= epsilon * (1 + 1e-9)
        theta, nu = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
        reached = np.trace(slope_at(nu, theta, stretch(epsilon)) @ information(matrix, theta))
        assert reached <= 1 + 1e-9
        near = max(near, reached)
    # Sets of mass 1 / (1 + E) reach it.
    E = 3.0
    sets = np.where(np.eye(4) > 0, E, 1.0) / (E + 3.0)
    even = np.full(4, 0.25)
    assert np.trace(slope_at(even, even, stretch(math.log(E))) @ information(sets, even)) == pytest.approx(1.0)


@pytest.mark.parametrize("epsilon", LEVELS)
@pytest.mark.parametrize("name", CRITERIA)
def test_whatever_is_claimed_bounds_the_optimum(epsilon, name, rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(6, 3.0)))
    objective, notion = CRITERIA[name], md.LDP(epsilon)
    best = md.design(problem, notion, objective).value
    found = best_reference(objective, problem, epsilon).nu
    own = least_by_reference(notion, objective, problem, found)
    assert own is not None and own[0] <= best
    for size in (1e-6, 1e-3, 0.1, 1.0):
        for _ in range(10):
            moved = least_by_reference(notion, objective, problem, found * np.exp(size * rng.normal(size=6)))
            assert moved is None or moved[0] <= best
            # Other frequencies than the best ones bound less, up to the rounding and the last steps of the search.
            assert moved is None or moved[0] <= own[0] + 2e-3 * abs(own[0])


@pytest.mark.parametrize(("name", "short"), [("A", 0.012), ("prefix", 0.012), ("D", 0.01), ("worst", 0.02)])
def test_it_is_near_the_optimum(name, short):
    """What columns of sets of any mass leave: a hundredth at these levels, more where sets are small."""
    problem, objective = md.Problem(n=10), CRITERIA["A"] if name == "A" else CRITERIA[name]
    for epsilon in (0.5, 1.0):
        best = md.design(problem, md.LDP(epsilon), objective).bound
        found = best_reference(objective, problem, epsilon).nu
        least = least_by_reference(md.LDP(epsilon), objective, problem, found)[0]
        assert best - short * abs(best) <= least <= best


@pytest.mark.parametrize("name", ["A", "prefix", "one", "D", "E", "worst"])
def test_the_gradient_is_of_the_bound(name, rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(6, 5.0)))
    bound = search._Bound(CRITERIA[name], problem, 1.0)
    point = bound.first() + 0.01 * rng.normal(size=len(bound.first()))
    value, gradient = bound.at(point)
    for place, slope in enumerate(gradient):
        moved = [bound.at(point + step * np.eye(len(point))[place])[0] for step in (1e-5, -1e-5)]
        assert (moved[0] - moved[1]) / 2e-5 == pytest.approx(slope, abs=1e-5 * (1 + abs(value)))


def test_a_smaller_ratio_is_caught(monkeypatch):
    """Planted: columns of less than e^epsilon have less information, and the bound passes the optimum."""
    problem, objective, notion = md.Problem(n=8), CRITERIA["A"], md.LDP(1.0)
    best = md.design(problem, notion, objective).value
    right = reference_frequencies.stretch
    monkeypatch.setattr(reference_frequencies, "stretch", lambda epsilon: right(0.9 * epsilon))
    wrong = least_by_reference(notion, objective, problem, np.full(8, 1.0))
    assert wrong[0] > best


def test_a_slope_that_forgets_where_the_mass_is_taken_is_caught(monkeypatch, rng):
    """Planted: without ``(nu - theta)(nu - theta)'`` equal frequencies would bound those of every theta."""
    monkeypatch.setattr(reference_frequencies, "slope_at", lambda nu, theta, c: c * (np.diag(nu) - np.outer(nu, nu)))
    problem, notion = md.Problem(prior=1 / np.arange(1, 9) / np.sum(1 / np.arange(1, 9))), md.LDP(1.0)
    wrong = least_by_reference(notion, CRITERIA["A"], problem, np.full(8, 1.0))
    assert wrong[0] > md.design(problem, notion, CRITERIA["A"]).value


def test_other_notions_shapes_and_numbers_have_none():
    problem, objective, even = md.Problem(prior=np.full(4, 0.25)), CRITERIA["A"], np.full(4, 0.25)
    assert least_by_reference(md.LDP(1.0), objective, problem, even) is not None
    assert least_by_reference(md.LIP(1.0), objective, problem, even) is None
    wrong = (None, np.eye(4), np.ones(3), -even, np.zeros(4), [0.5, 0.5, np.nan, 0.0], [1, 1, 1, np.inf], [1, 0, 0, 0])
    for claimed in wrong:
        assert least_by_reference(md.LDP(1.0), objective, problem, claimed) is None
    for epsilon in (0.0, 700.0):
        assert least_by_reference(md.LDP(epsilon), objective, problem, even) is None
    assert least_by_reference(md.LDP(1e-200), objective, problem, even)[0] > 1e119


@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 6.0])
def test_the_information_found_is_on_the_slope(epsilon, rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(9, 2.0)))
    found = best_reference(CRITERIA["A"], problem, epsilon)
    basis = contrasts(9)
    slope = basis.T @ slope_at(found.nu, problem.prior, stretch(epsilon)) @ basis
    assert np.trace(slope @ found.information) == pytest.approx(1.0)
    covariance = np.trace(np.linalg.inv(found.information))
    assert covariance == pytest.approx(
        least_by_reference(md.LDP(epsilon), CRITERIA["A"], problem, found.nu)[0], rel=1e-5
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_columns_are_private_and_make_a_mechanism(weighted, rng):
    problem, ratio = md.Problem(prior=rng.dirichlet(np.full(12, 2.0))), float(np.exp(1.5))
    found = best_reference(md.InformationDesign("A", queries="prefix"), problem, 1.5)
    first = (np.where(np.eye(12) > 0, ratio, 1.0), np.full(12, 1.0 / (11.0 + ratio))) if weighted else None
    columns, weights = OfSets(found, problem.prior, ratio, first).draw(100, 1)
    assert set(np.unique(columns)) == {1.0, ratio}
    assert np.all(weights >= 0) and np.allclose(columns @ weights, 1.0)
