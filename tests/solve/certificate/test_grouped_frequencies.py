"""Bounds and matrices of unequal frequencies: sound against all sets and all mechanisms, and near each other."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.solve.certificate import grouped_frequencies as grouped
from mechdesign.solve.certificate.grouped_frequencies import least_by_groups
from mechdesign.solve.pricing.grouped_sets import GroupedPricing
from mechdesign.solve.pricing.input_groups import GroupedSlope, InputGroups
from mechdesign.solve.search.block_matrix import block_matrix
from mechdesign.solve.search.counts_of_sets import best_counts
from mechdesign.solve.search.grouped_sets import best_slope
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.manners import check_bound


def some_theta(n, rng, kind):
    drawn = {
        "dirichlet": lambda: rng.dirichlet(np.ones(n)),
        "zipf": lambda: rng.permutation(1.0 / np.arange(1.0, n + 1.0)),
        "levels": lambda: np.where(np.arange(n) < n // 2, 3.0, 1.0),
        "next to equal": lambda: 1.0 + 1e-13 * rng.random(n),
    }[kind]()
    return drawn / drawn.sum()


def some_slope(groups, rng):
    """Return any numbers of a slope's shape, most of them near what a search comes to."""
    b = len(groups.sizes)
    root = rng.normal(size=(b, b)) * rng.choice([0.1, 1.0])
    made = GroupedSlope(rng.random(b) * rng.choice([0.1, 3.0]), root @ root.T, rng.normal(size=b), float(rng.normal()))
    return made.with_total(made.total + abs(made.rows).sum())


def split(theta, rise, rng):
    n = len(theta)
    alone = int(rng.integers(0, min(3, n - 3) + 1))
    rest = n - alone
    cut = int(rng.integers(2, rest - 1)) if rest >= 4 and rng.random() < 0.7 else rest
    sizes = [*[1.0] * alone, cut, *([rest - cut] if rest - cut else [])]
    return InputGroups.of_sizes(theta, rise, np.array(sizes, dtype=float))


def largest_by_all_sets(groups, slope):
    """Return the largest ``(v' G v - (rows . v) m - total m^2) / rise^2`` over all sets, from the n x n matrix G."""
    n = len(groups.theta)
    ends = np.concatenate([[0], np.cumsum(groups.sizes)]).astype(int)
    G, rows, U = np.zeros((n, n)), np.zeros(n), np.zeros((n, len(groups.sizes)))
    for b, (first, last) in enumerate(itertools.pairwise(ends)):
        size = last - first
        G[first:last, first:last] = slope.within[b] * (np.eye(size) - 1.0 / size)
        rows[first:last], U[first:last, b] = slope.rows[b], 1.0 / np.sqrt(size)
    G += U @ slope.between @ U.T
    v = 1.0 + groups.rise * np.array(list(itertools.product((0.0, 1.0), repeat=n))).T
    m = groups.theta @ v
    return float((np.einsum("xs,xy,ys->s", v, G, v) - (rows @ v) * m - slope.total * m**2).max()) / groups.rise**2


def pricing_is_sound(seed):
    """Return by how much the bound passes the largest of all sets, relative to its own size."""
    rng = np.random.default_rng([3, seed])
    theta = some_theta(int(rng.integers(4, 10)), rng, str(rng.choice(["dirichlet", "zipf", "levels", "next to equal"])))
    groups = split(theta, float(np.expm1(rng.choice([0.3, 1.0, 2.5]))), rng)
    slope = some_slope(groups, rng).projected(groups)
    largest, priced = largest_by_all_sets(groups, slope), GroupedPricing(groups, slope).bound(1e-6)
    assert priced.bound >= largest - 1e-12 * (1.0 + abs(largest)), (seed, priced.bound, largest)
    return priced.bound - largest


def test_no_set_passes_the_price_of_all_sets():
    beyond = [pricing_is_sound(seed) for seed in range(120)]
    # Relaxed sets are somewhat better than sets: nearly always by little.
    assert np.median(beyond) < 1.0


def test_a_price_that_leaves_out_what_curves_upwards_is_caught(monkeypatch):
    original = GroupedPricing._make_curvature

    def flat(self):
        original(self)
        self.kappa = 0.0

    monkeypatch.setattr(GroupedPricing, "_make_curvature", flat)
    with pytest.raises(AssertionError):
        list(map(pricing_is_sound, range(120)))


def optimum(theta, epsilon):
    """Return the certified least variance over all sets, and its bound."""
    made = md.design(md.Problem(n=len(theta)), md.LDP(epsilon), md.InformationDesign("A", theta=theta), route="weights")
    return made.value


def bound_is_sound(seed):
    rng = np.random.default_rng([5, seed])
    n, epsilon = int(rng.integers(4, 8)), float(rng.choice([0.5, 1.0, 2.0]))
    theta = some_theta(n, rng, str(rng.choice(["dirichlet", "zipf", "levels"])))
    problem, objective = md.Problem(n=n), md.InformationDesign("A", theta=theta)
    groups = split(theta, float(np.expm1(epsilon)), rng)
    packed = [some_slope(groups, rng).packed(groups.sizes), best_slope(theta, float(np.expm1(epsilon)), np.inf)[0]]
    value = optimum(theta, epsilon)
    bounds = [found[0] - found[1] for p in packed if (found := least_by_groups(md.LDP(epsilon), objective, problem, p))]
    assert all(bound <= value * (1.0 + 1e-9) for bound in bounds), (seed, bounds, value)
    return max(bounds, default=0.0) / value


@pytest.mark.slow
def test_no_mechanism_passes_the_bound():
    near = [bound_is_sound(seed) for seed in range(12)]
    assert np.median(near) > 0.8


def test_a_bound_that_forgets_what_sets_pass_is_caught(monkeypatch):
    original = GroupedPricing.bound

    def forgetful(self, *arguments):
        return replace(original(self, *arguments), bound=0.0)

    monkeypatch.setattr(GroupedPricing, "bound", forgetful)
    with pytest.raises(AssertionError):
        list(map(bound_is_sound, range(12)))


@pytest.mark.slow
@pytest.mark.thinned(24)
@pytest.mark.parametrize(
    ("kind", "epsilon", "most"), [("zipf", 0.5, 5e-3), ("dirichlet", 1.0, 8e-3), ("levels", 1.0, 5e-3)]
)
def test_unequal_frequencies_of_sixty_categories_have_a_small_certified_gap(kind, epsilon, most, tmp_path):
    theta = some_theta(60, np.random.default_rng(2), kind)
    problem = md.Problem(prior=theta)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, md.LDP(epsilon), md.InformationDesign("A"))
    assert made.route == "blocks" and made.audit.holds and made.gap < most
    check_bound(made)
    again = md.load(made.mechanism.save(tmp_path / "a.json"))
    assert again.claimed.bound == made.bound


def test_the_most_frequent_inputs_by_themselves_are_better_than_shifts_of_all():
    theta, epsilon = some_theta(60, np.random.default_rng(0), "zipf"), 1.0
    problem, objective = md.Problem(n=60), md.InformationDesign("A", theta=theta)
    groups = InputGroups.of_sizes(theta, float(np.expm1(epsilon)), np.array([1.0] * 4 + [56.0]))
    matrix = block_matrix(groups, best_counts(groups), 16)
    assert np.abs(matrix.sum(axis=1) - 1.0).max() < 1e-12
    assert (matrix.max(axis=0) / matrix.min(axis=0)).max() <= np.exp(epsilon) * (1.0 + 1e-12)
    even = md.design(problem, md.LDP(epsilon), md.InformationDesign("A", theta=np.full(60, 1 / 60)), gap=0.1)
    assert objective.value(matrix, problem) < 0.995 * objective.value(even.matrix, problem)


@pytest.mark.parametrize(
    "packed",
    [None, np.eye(6), np.zeros((4, 3)), np.full((5, 4), 7.0), np.ones((7, 6)), np.full((4, 3), np.nan)],
    ids=["none", "another slope", "zeros", "wrong sizes", "all alone", "no numbers"],
)
def test_any_array_in_a_file_bounds_soundly_or_not_at_all(packed):
    problem = md.Problem(prior=[0.4, 0.2, 0.2, 0.1, 0.05, 0.05])
    with np.errstate(all="ignore"):
        found = least_by_groups(md.LDP(1.0), md.InformationDesign("A"), problem, packed)
    assert found is None or found[0] - found[1] <= optimum(np.asarray(problem.prior), 1.0)


@pytest.mark.parametrize(
    ("notion", "objective"),
    [
        (md.LIP(1.0), md.InformationDesign("A")),
        (md.LDP(1.0), md.InformationDesign("D")),
        (md.LDP(1.0), md.InformationDesign("A", weights=[1, 2, 3, 4, 5])),
        (md.LDP(20.0), md.InformationDesign("A")),
    ],
    ids=str,
)
def test_other_questions_have_no_such_bound(notion, objective):
    assert grouped.rise_of(notion, objective, md.Problem(prior=[0.2] * 5)) is None


def test_time_ends_the_search_with_what_it_has():
    problem = md.Problem(prior=some_theta(80, np.random.default_rng(1), "zipf"))
    with warnings.catch_warnings(), reading(CountingClock()):
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, md.LDP(1.0), md.InformationDesign("A"), time_limit=1.0)
    check_bound(made)
    assert made.audit.holds
