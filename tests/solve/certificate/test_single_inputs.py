"""The form of single inputs: below every column, true for whatever is given, near where single inputs are reported."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.certificate import single_inputs
from mechdesign.solve.certificate.reference_frequencies import least_by_reference, slope_of
from mechdesign.solve.certificate.single_inputs import SinglesForm
from mechdesign.solve.search import single_inputs as search
from mechdesign.solve.search.single_inputs import of_single_inputs

NONE = np.zeros(0)
CRITERIA = [
    md.InformationDesign("A"),
    md.InformationDesign("A", weights=[1, 5, 1, 2, 1, 3]),
    md.InformationDesign("D"),
    md.InformationDesign("A", queries="prefix"),
]


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_the_least_value_is_below_every_column(epsilon, rng):
    for _ in range(60):
        n = int(rng.integers(2, 8))
        form = SinglesForm(rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n)) * rng.choice([0.1, 1.0]))
        columns = np.array(list(itertools.product((1.0, np.exp(epsilon)), repeat=n)))
        values = ((columns @ form.matrix()) * columns).sum(axis=1)
        assert form.least(epsilon) <= min(0.0, float(values.min())) + 1e-12 * float(np.abs(values).max())


def test_the_form_found_is_0_on_single_inputs(rng):
    theta = rng.dirichlet(np.full(6, 3.0))
    form = of_single_inputs(CRITERIA[0], md.Problem(prior=theta), 4.0, NONE)
    W, columns = form.matrix(), np.where(np.eye(6) > 0, np.exp(4.0), 1.0)
    assert np.allclose(((columns @ W) * columns).sum(axis=1), 0.0, atol=1e-9)
    assert form.total == pytest.approx(W.sum()) and np.allclose(form.sums, W.sum(axis=1))
    across = np.eye(6) - np.outer(theta, np.ones(6))
    assert np.allclose(slope_of(form, theta), -across @ W @ across.T)
    assert form.least(4.0) >= -1e-9


@pytest.mark.parametrize("epsilon", [3.0, 5.0, 9.0])
@pytest.mark.parametrize("number", range(len(CRITERIA)))
def test_whatever_is_claimed_bounds_the_optimum(number, epsilon, rng):
    problem, objective = md.Problem(prior=rng.dirichlet(np.full(6, 3.0))), CRITERIA[number]
    best = md.design(problem, md.LDP(epsilon), objective, route="weights").value
    found = of_single_inputs(objective, problem, epsilon, NONE).packed()
    own = least_by_reference(md.LDP(epsilon), objective, problem, found)
    assert own[0] <= best
    for size in (1e-6, 1e-3, 0.1):
        for _ in range(10):
            moved = least_by_reference(
                md.LDP(epsilon), objective, problem, found * np.exp(size * rng.normal(size=(2, 6)))
            )
            assert moved is None or moved[0] <= best
    # Randomised response is nearly optimal there.
    if epsilon > 3.0 and objective.criterion == "A" and objective.queries is None:
        assert own[0] >= best - 0.01 * abs(best)


def test_the_gradient_is_of_the_bound(rng):
    bound = search._Singles(CRITERIA[0], md.Problem(prior=rng.dirichlet(np.full(6, 3.0))), 3.0, NONE)
    point = rng.normal(size=6)
    for place, slope in enumerate(bound.at(point)[1]):
        step = 1e-6 * np.eye(6)[place]
        assert (bound.at(point + step)[0] - bound.at(point - step)[0]) / 2e-6 == pytest.approx(slope, abs=1e-6)


def test_pairs_that_are_not_looked_at_are_caught(monkeypatch, rng):
    """Planted: sets of two inputs and more are left out, and a form without a floor passes the optimum."""
    theta = np.array([0.5, 0.3, 0.1, 0.05, 0.03, 0.02])
    problem, notion = md.Problem(prior=theta), md.LDP(1.0)
    best = md.design(problem, notion, CRITERIA[0]).value
    monkeypatch.setattr(single_inputs.np, "sort", lambda z: np.full(len(z), 1e3))
    with monkeypatch.context() as without:
        without.setattr(search.math, "sqrt", lambda number: 0.0)
        form = of_single_inputs(CRITERIA[0], problem, 1.0, NONE)
    assert least_by_reference(notion, CRITERIA[0], problem, form.packed())[0] > best


def test_other_levels_and_numbers_have_none():
    problem, objective = md.Problem(n=20), CRITERIA[0]
    assert of_single_inputs(objective, problem, 1.0, NONE) is None
    assert of_single_inputs(objective, problem, 20.0, NONE) is None
    for wrong in (None, np.ones((3, 20)), -np.ones((2, 20)), np.full((2, 20), np.nan), np.full((2, 20), 1e200)):
        assert SinglesForm.unpacked(wrong, 20) is None
