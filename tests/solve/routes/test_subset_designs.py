"""Information design under LDP where the subsets are too many to list: priced all the same."""

import itertools
import math

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.pricing.subset_quadratic import by_subsets, priced


def subset_selection(n, epsilon):
    """Return the A-value at uniform theta of the best subset size: the information is the same for all contrasts.

    With columns ``1 + (E - 1) 1_S`` over all S of size k, ``M = m I`` and its trace is the sum over columns.
    """
    most = math.exp(epsilon)
    values = []
    for k in range(1, n):
        column = np.where(np.arange(n) < k, most, 1.0)
        # Columns of all C(n, k) subsets add up to C(n, k) times their mean in each row.
        trace = ((column - column.mean()) ** 2).sum() / column.mean() / column.mean()
        values.append((n - 1) ** 2 / trace)
    return min(values)


def over_all(theta, slope, lam, epsilon):
    """Return the largest excess per mass over all subsets, one at a time."""
    n, best = len(theta), -math.inf
    for members in itertools.product([0.0, 1.0], repeat=n):
        q = 1.0 + (math.exp(epsilon) - 1.0) * np.array(members)
        best = max(best, float((q @ slope @ q / (theta @ q) - lam @ q) / q.mean()))
    return best


@pytest.mark.thinned(8)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.5])
def test_uniform_frequencies_have_the_best_subset_selection(epsilon):
    n = 15
    problem = md.Problem(prior=np.full(n, 1 / n))
    found = md.design(problem, md.LDP(epsilon), md.InformationDesign("A"))
    assert found.gap <= 1e-6
    assert found.value == pytest.approx(subset_selection(n, epsilon), rel=1e-6)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("criterion", ["A", "D", "E"])
def test_skewed_frequencies_are_certified(criterion):
    theta = np.linspace(1.0, 2.0, 15)
    # The worst contrast is the worst of many: its program is solved less closely.
    asked = 1e-5 if criterion == "E" else 1e-6
    found = md.design(md.Problem(prior=theta / theta.sum()), md.LDP(1.0), md.InformationDesign(criterion), gap=asked)
    assert found.gap <= asked
    assert found.audit.holds


@pytest.mark.slow
@pytest.mark.parametrize("skew", [1.0, 2.0, 8.0])
def test_many_inputs_are_certified(skew):
    theta = np.linspace(1.0, skew, 20)
    found = md.design(md.Problem(prior=theta / theta.sum()), md.LDP(1.0), md.InformationDesign("A"))
    assert found.gap <= 1e-6


@pytest.mark.parametrize("n", [10, 15])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_equal_contrasts_have_a_tight_worst_one(n, epsilon):
    found = md.design(md.Problem(prior=np.full(n, 1 / n)), md.LDP(epsilon), md.InformationDesign("E"), gap=1e-5)
    assert found.gap <= 1e-5
    assert found.value == pytest.approx(subset_selection(n, epsilon) / (n - 1), rel=1e-5)


@pytest.mark.parametrize("n", [3, 13])
def test_pricing_finds_the_largest_of_all_subsets(n, rng):
    theta, lam = rng.dirichlet(np.ones(n)), rng.normal(size=n)
    problem, asked, notion = md.Problem(prior=theta), md.InformationDesign("A"), md.LDP(1.2)
    root = rng.normal(size=(n, n - 1))
    slope = asked.positive_slope(root @ root.T, problem)
    basis = np.linalg.svd(np.ones((1, n)))[2][1:]
    whole = asked.positive_slope(None, problem)
    best = priced(notion, asked, problem, slope, lam, np.full(n, 1 / n), 3)
    q = 1.0 + (math.exp(1.2) - 1.0) * best[:, 0]
    reached = (asked.linear_utility(slope, q[:, None], problem)[0] - lam @ q) / q.mean()
    assert whole.shape == slope.shape
    # The identity as slope, so that its contrasts are those of any basis.
    same = priced(notion, asked, problem, whole, lam, np.full(n, 1 / n))[:, 0]
    q_same = 1.0 + (math.exp(1.2) - 1.0) * same
    told = float(((basis @ q_same) ** 2).sum() / (theta @ q_same) - lam @ q_same) / q_same.mean()
    assert told == pytest.approx(over_all(theta, basis.T @ basis, lam, 1.2), rel=1e-10)
    everyone = np.array(list(itertools.product([0.0, 1.0], repeat=n))).T
    q = 1.0 + (math.exp(1.2) - 1.0) * everyone
    all_of_them = (asked.linear_utility(slope, q, problem) - lam @ q) / q.mean(axis=0)
    assert reached == pytest.approx(all_of_them.max(), rel=1e-10)


def test_bound_is_sound_for_any_multipliers(rng):
    n = 15
    theta = rng.dirichlet(np.full(n, 5.0))
    problem, notion, asked = md.Problem(prior=theta), md.LDP(1.0), md.InformationDesign("A")
    assert by_subsets(notion, problem)
    reached = asked.to_utility(md.design(problem, notion, asked).value, problem)
    for size in (0.1, 1.0, 10.0):
        root = size * rng.normal(size=(n, n))
        multipliers = Multipliers(size * rng.normal(size=n), np.zeros(0), root @ root.T)
        assert utility_bound(notion, asked, problem, multipliers).utility >= reached - 1e-9


def test_more_inputs_than_can_be_priced_are_refused_by_name():
    with pytest.raises(md.UnsupportedError, match="extreme rays for 23 inputs"):
        md.design(md.Problem(prior=np.full(23, 1 / 23)), md.LDP(1.0), md.InformationDesign("A"), route="weights")
