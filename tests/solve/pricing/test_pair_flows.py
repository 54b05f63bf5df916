"""Flows between inputs against a program for each functional, and against columns drawn at random."""

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.solve.pricing.pair_flows import PairFlows, by_pairs, pairs_of


def drawn(seed, n):
    """Return flows over n inputs, some pairs without a budget, and functionals of both signs."""
    rng = np.random.default_rng([seed, n])
    most = rng.exponential(size=(n, n)) * (rng.random((n, n)) < 0.7)
    np.fill_diagonal(most, 0.0)
    return (
        PairFlows(float(np.exp(rng.choice([0.0, 0.5, 2.0]))), most),
        rng.normal(size=(6, n)),
        rng.dirichlet(np.ones(n)),
    )


def least(flows, functional, normal):
    """Return ``max h . q - sum nu max(q_x - r q_x', 0)`` over ``c . q = 1``: a program over q and the peaks."""
    n = len(normal)
    first, second = np.nonzero(flows.most)
    pairs = len(first)
    rows = np.zeros((pairs, n + pairs))
    each = np.arange(pairs)
    rows[each, first], rows[each, second], rows[each, n + each] = 1.0, -flows.ratio, -1.0
    cost = np.concatenate([-functional, flows.most[first, second]])
    sums = np.concatenate([normal, np.zeros(pairs)])[None, :]
    return -linprog(cost, A_ub=rows, b_ub=np.zeros(pairs), A_eq=sums, b_eq=[1.0]).fun


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [1, 2, 3, 5, 9])
def test_they_are_never_below_the_program(n, seed):
    flows, functionals, normal = drawn(seed, n)
    found = flows.support(functionals, normal).values
    exact = np.array([least(flows, functional, normal) for functional in functionals])
    assert np.all(found >= exact - 1e-9)
    assert found.max() == pytest.approx(max(float(flows.support(h[None, :], normal).values[0]) for h in functionals))
    # Two inputs leave no detour; from 0 on the search for the least bound ends within 2^-8 of where it starts.
    alone = np.array([flows.support(h[None, :], normal).values[0] for h in functionals])
    assert n > 2 or np.all(alone <= np.maximum(exact, 0.0) + 0.01 * np.abs(functionals / normal).max())


@pytest.mark.parametrize("seed", range(6))
def test_what_the_pairs_cover_is_covered_to_the_last_digits(seed):
    flows, _, normal = drawn(seed, 30)
    rng = np.random.default_rng(seed)
    flow = flows.most * rng.random(flows.most.shape) * (np.arange(30)[:, None] < 12) * (np.arange(30) >= 12)
    functional = flow.sum(axis=1) - flows.ratio * flow.sum(axis=0)
    found = flows.support(functional[None, :], normal)
    assert abs(found.values[0]) <= 1e-12 * np.abs(functional / normal).max()


def test_a_flow_beyond_the_multipliers_is_caught(monkeypatch):
    """Planted: what is shipped is not held to the multipliers of the pairs."""
    flows, functionals, normal = drawn(0, 5)
    exact = np.array([least(flows, functional, normal) for functional in functionals])
    shipped = PairFlows.shipped

    def beyond(self, functional):
        return shipped(PairFlows(self.ratio, np.ones_like(self.most) * 100.0), functional)

    monkeypatch.setattr(PairFlows, "shipped", beyond)
    assert np.any(flows.support(functionals, normal).values < exact - 1e-3)


def test_a_unit_that_takes_one_instead_of_the_ratio_is_caught():
    """Planted: what an input is sent counts once, where the pair takes ``e^epsilon`` of it."""
    _, functionals, normal = drawn(3, 5)
    flows = PairFlows(float(np.exp(2.0)), 10.0 * (1.0 - np.eye(5)))
    exact = np.array([least(flows, functional, normal) for functional in functionals])
    assert np.any(PairFlows(1.0, flows.most).support(functionals, normal).values < exact - 1e-3)


def test_pairs_are_in_the_order_of_the_budgets():
    problem, notion = md.Problem(n=4), md.ApproximateLDP(0.5, 0.2)
    nu = np.arange(1.0, 13.0)
    assert pairs_of(by_pairs(nu, 4)).tolist() == nu.tolist()
    column = np.array([3.0, 1.0, 0.5, 2.0])
    excess = np.maximum(column[:, None] - np.exp(0.5) * column, 0.0)
    assert float(nu @ notion.columns(problem).budget().cost(column[:, None])[:, 0]) == pytest.approx(
        (by_pairs(nu, 4) * excess).sum()
    )
