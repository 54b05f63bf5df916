"""Weights that make a mechanism of given columns, nearest to given ones."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import mechdesign as md
from mechdesign.solve.pricing.near_prior import near_prior
from mechdesign.solve.programs.nearest_weights import nearest_weights
from mechdesign.solve.search.columns_near_prior import source_of


def drawn(rng, n, m):
    """Return columns of random subsets at mass one, with equal weights, that nearly make a mechanism."""
    columns = np.where(rng.random((n, m)) < 0.4, 2.0, 0.5)
    columns *= n / columns.sum(axis=0)
    return columns, np.full(m, 1.0 / m)


@pytest.mark.parametrize("n", [2, 5, 12])
def test_weights_make_a_mechanism_and_are_the_nearest(n, rng):
    columns, near = drawn(rng, n, 12 * n)
    found = nearest_weights(columns, near)
    assert found is not None and np.all(found >= 0)
    assert columns @ found == pytest.approx(np.ones(n), abs=1e-12)
    # By penalty: the rows weigh a thousand times what the distance does.
    heavy = 1e3
    both = np.vstack([heavy * columns, np.eye(len(near))])
    other = lsq_linear(both, np.concatenate([np.full(n, heavy), near]), bounds=(0.0, np.inf), tol=1e-14).x
    assert found == pytest.approx(other, abs=1e-5)


def test_none_where_an_input_is_in_no_column(rng):
    columns, near = drawn(rng, 4, 20)
    columns[2] = 0.0
    assert nearest_weights(columns, near) is None


def test_weights_that_are_right_stay():
    columns = np.array([[1.5, 0.5], [0.5, 1.5]])
    assert nearest_weights(columns, np.array([0.5, 0.5])).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("epsilon", [0.1, 0.5])
@pytest.mark.parametrize("seed", range(8))
def test_rare_inputs_leave_the_weights_exact(epsilon, seed):
    rng = np.random.default_rng([60, seed])
    prior = rng.dirichlet(np.ones(60))
    prior[rng.permutation(60)[:6]] = 10.0 ** rng.uniform(-7.0, -4.0, 6)
    problem, notion, objective = md.Problem(prior=prior / prior.sum()), md.StrongL1(epsilon), md.MutualInformation()
    columns, weights = source_of(notion, objective, problem, near_prior(notion, objective, problem)).first(3000)
    assert weights is not None, "a step that rounding hides is a step"
    assert np.abs(columns @ weights - 1.0).max() <= 1e-12
