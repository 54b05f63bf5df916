"""The semidefinite bound of workloads under LDP: sound for whatever it is given, near the optimum for what is found."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.certificate import relaxed_signs
from mechdesign.solve.certificate.relaxed_signs import least_by_signs, lifted, packed
from mechdesign.solve.search.sign_moments import OfSigns, sign_moments
from mechdesign.solve.search.worst_weights import smooth_criterion

LEVELS = (0.5, 1.0, 2.0)


def workloads(n):
    return {"all": np.eye(n), "prefix": md.queries.prefix(n), "one": np.eye(n)[:2]}


def moments(objective, problem, ratio):
    return sign_moments(
        objective.theta_of(problem), objective.loading(problem), smooth_criterion(objective, problem), float(ratio)
    )


def test_columns_are_lifted_signs(rng):
    signs = rng.choice([-1.0, 1.0], size=5)
    column = np.append(1.0, signs) @ lifted(3.0, 5)
    assert np.array_equal(column, np.where(signs > 0, 3.0, 1.0))


@pytest.mark.parametrize("epsilon", LEVELS)
@pytest.mark.parametrize("name", ["all", "prefix", "one"])
def test_whatever_is_claimed_bounds_the_optimum(epsilon, name, rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(6, 3.0)))
    objective, notion = md.InformationDesign("A", queries=workloads(6)[name]), md.LDP(epsilon)
    best = md.design(problem, notion, objective).value
    found = moments(objective, problem, np.exp(epsilon))
    own = least_by_signs(notion, objective, problem, found.rows, packed(found.slope, found.delta))
    assert own is not None and own[0] <= best
    for size in (1e-6, 1e-3, 0.1, 1.0, 10.0):
        for _ in range(10):
            slope = found.slope + size * rng.normal(size=(6, 6))
            rows, delta = found.rows + size * rng.normal(size=6), found.delta + size * rng.normal(size=7)
            moved = least_by_signs(notion, objective, problem, rows, packed(slope, delta))
            assert moved is None or moved[0] <= best


@pytest.mark.parametrize("name", ["all", "prefix"])
def test_it_is_near_the_optimum(name):
    """What signs without the triangle inequalities leave: a hundredth at these levels, more where sets are small."""
    problem = md.Problem(n=10)
    objective = md.InformationDesign("A", queries=workloads(10)[name])
    for epsilon, short in ((0.5, 0.01), (1.0, 0.012)):
        best = md.design(problem, md.LDP(epsilon), objective).bound
        found = moments(objective, problem, np.exp(epsilon))
        least = least_by_signs(md.LDP(epsilon), objective, problem, found.rows, packed(found.slope, found.delta))[0]
        assert best * (1 - short) <= least <= best


def test_a_smaller_ratio_is_caught(monkeypatch):
    """Planted: columns of less than e^epsilon have less information, and the bound passes the optimum."""
    problem, objective, notion = md.Problem(n=8), md.InformationDesign("A", queries=np.eye(8)), md.LDP(1.0)
    best = md.design(problem, notion, objective).value
    right = relaxed_signs.lifted
    monkeypatch.setattr(relaxed_signs, "lifted", lambda ratio, n: right(0.9 * ratio, n))
    found = moments(objective, problem, 0.9 * np.e)
    wrong = least_by_signs(notion, objective, problem, found.rows, packed(found.slope, found.delta))
    assert wrong[0] > best


def test_other_notions_and_shapes_have_none():
    problem, objective = md.Problem(prior=np.full(4, 0.25)), md.InformationDesign("A", queries=np.eye(4))
    claimed = packed(np.eye(4), np.ones(5))
    assert least_by_signs(md.LIP(1.0), objective, problem, np.zeros(4), claimed) is None
    assert least_by_signs(md.LDP(1.0), objective, problem, np.zeros(4), np.eye(4)) is None
    assert least_by_signs(md.LDP(1.0), objective, problem, np.zeros(4), None) is None


def test_columns_are_private_and_make_a_mechanism(rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(12, 2.0)))
    objective = md.InformationDesign("A", queries=md.queries.prefix(12))
    found = moments(objective, problem, np.exp(1.5))
    columns, weights = OfSigns(found, objective.theta_of(problem), float(np.exp(1.5))).draw(100, 1)
    assert set(np.unique(columns)) == {1.0, float(np.exp(1.5))}
    assert np.all(weights >= 0) and np.allclose(columns @ weights, 1.0)
