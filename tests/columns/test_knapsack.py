"""Sets that fit a capacity, against all sets in fractions; columns under bounds of the lift that few sets describe."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

import mechdesign as md
from mechdesign.columns import knapsack
from mechdesign.columns.knapsack import certainly_fit, sets_that_fit
from mechdesign.solve.pricing.bounded_lift import lifts, majorant
from mechdesign.solve.routes import weights
from mechdesign.solve.task import Task

TENTH = Fraction(0.1)
#: Random ones; ties; sums that fill the capacity to the last bit, or miss it by one; sizes far apart.
KNAPSACKS = {
    "random": (Fraction(1.7), [Fraction(float(size)) for size in np.random.default_rng(4).random(9)]),
    "equal": (3 * TENTH, [TENTH] * 7),
    "full": (Fraction(1), [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4), Fraction(3, 4), Fraction(1)]),
    "a bit more": (
        Fraction(1),
        [Fraction(1) + Fraction(2) ** -80, Fraction(1) - Fraction(2) ** -80, Fraction(2) ** -80],
    ),
    "far apart": (Fraction(1), [Fraction(2) ** -k for k in range(0, 60, 6)]),
    "none fits": (Fraction(1, 8), [Fraction(1), Fraction(2)]),
}


def by_hand(capacity, items):
    """Return what is left by each set that fits, by a loop over all sets."""
    sets = (chosen for k in range(len(items) + 1) for chosen in combinations(range(len(items)), k))
    left = {frozenset(chosen): capacity - sum((items[x] for x in chosen), Fraction(0)) for chosen in sets}
    return {chosen: float(rest) for chosen, rest in left.items() if rest >= 0}


def differs(capacity, items):
    """Return how the sets that are found differ from those of the loop, or nothing."""
    found, expected = sets_that_fit(capacity, items, 2.0 ** len(items)), by_hand(capacity, items)
    made = {frozenset(np.flatnonzero(found.member[:, s]).tolist()): found.left[s] for s in range(len(found.left))}
    if len(made) != len(found.left) or made.keys() != expected.keys():
        return f"{len(found.left)} sets for {len(expected)}"
    off = max(abs(made[chosen] - rest) / max(rest, 1e-300) for chosen, rest in expected.items())
    return f"off by {off:.1e}" if off > 2.0**-52 else None


@pytest.mark.parametrize("name", KNAPSACKS)
def test_the_sets_that_fit_are_those_of_a_loop(name):
    capacity, items = KNAPSACKS[name]
    assert differs(capacity, items) is None
    assert certainly_fit(float(capacity), np.array([float(item) for item in items])) <= len(by_hand(capacity, items))


@pytest.mark.parametrize("name", KNAPSACKS)
def test_they_are_in_binary_order(name):
    capacity, items = KNAPSACKS[name]
    numbers = 2 ** np.arange(len(items)) @ sets_that_fit(capacity, items, 2.0 ** len(items)).member
    assert np.all(np.diff(numbers) > 0)


@pytest.mark.parametrize("name", KNAPSACKS)
def test_what_an_item_is_more_than_a_set_leaves_keeps_its_last_digits(name):
    capacity, items = KNAPSACKS[name]
    found = sets_that_fit(capacity, items, 2.0 ** len(items))
    item, chosen = np.nonzero(~found.member)
    for x, s, more in zip(item, chosen, found.lacking(item, chosen), strict=True):
        exact = float(items[x] + sum(np.array(items)[found.member[:, s]], Fraction(0)) - capacity)
        assert abs(more - exact) <= 2.0**-52 * abs(exact)


@pytest.mark.parametrize("name", ["random", "equal", "full"])
def test_no_more_sets_are_listed_than_asked_for(name):
    capacity, items = KNAPSACKS[name]
    count = len(by_hand(capacity, items))
    assert sets_that_fit(capacity, items, count) is not None and sets_that_fit(capacity, items, count - 1) is None


def test_planted_sums_without_their_last_digits_are_caught(monkeypatch):
    monkeypatch.setattr(knapsack, "add", lambda left, right: (left[0] + right[0], 0.0 * left[0]))
    monkeypatch.setattr(knapsack, "CANCELLED", 0.0)
    assert differs(*KNAPSACKS["a bit more"]) is not None


#: More inputs than all sets of can be listed, of which few fit together.
MANY = md.Problem(prior=np.random.default_rng(7).dirichlet(np.full(30, 2.0)))


@pytest.mark.parametrize("notion", [md.LIP(4.0), md.MaxLift(3.0), md.AsymmetricLIP(1.0, 4.0)])
def test_rays_of_many_inputs_are_the_vertices(notion):
    """Each has one entry between the ends at most, and there are as many as a loop over the full sets counts."""
    lower, upper = notion.ends
    low, high = np.exp(-lower), np.exp(upper)
    rays = notion.columns(MANY).rays().columns
    given = rays / (MANY.prior @ rays)
    assert np.all(given >= low * (1 - 1e-9)) and np.all(given <= high * (1 + 1e-9))
    between = (given > low + 1e-9 * high) & (given < high * (1 - 1e-9))
    assert between.sum(axis=0).max() == 1
    assert rays.shape[1] == vertex_count(MANY.prior, low, high) == notion.columns(MANY).ray_count()


def vertex_count(prior, low, high):
    """Return how many full sets leave a part of another input, by recursion in ascending order."""
    size = (high - low) * prior
    order = np.argsort(-size)

    def count(full, start, left):
        found = sum(size[x] > left for x in range(len(prior)) if x not in full)
        for place in range(start, len(order)):
            if size[order[place]] <= left:
                found += count(full | {order[place]}, place + 1, left - size[order[place]])
        return found

    return count(frozenset(), 0, 1.0 - low)


@pytest.mark.parametrize("objective", [md.MutualInformation(), md.HistogramMMSE()])
@pytest.mark.parametrize("notion", [md.LIP(4.0), md.MaxLift(3.0)])
def test_where_few_sets_fit_the_gap_closes(notion, objective):
    """Chords of the lift, which know no list of rays, are above it by more than the gap; no route is better."""
    found = md.design(MANY, notion, objective)
    assert found.route == "rays" and found.gap <= 1e-9
    utility = objective.to_utility(found.value, MANY)
    chords = float(majorant(lifts(notion, MANY), objective).sum())
    assert utility * (1.0 + 1e-5) < chords < utility * 1.05
    assert utility >= objective.to_utility(md.design(MANY, notion, objective, route="known", gap=1.0).value, MANY)


def test_the_information_matrix_of_twenty_categories_is_best_where_few_sets_fit():
    problem = md.Problem(prior=np.random.default_rng(2).dirichlet(np.full(20, 3.0)))
    found = md.design(problem, md.LIP(4.0), md.InformationDesign("A", problem.prior))
    assert found.route == "weights" and found.gap <= 1e-6


@pytest.mark.parametrize("epsilon", [1e-4, 0.01, 0.06])
def test_rays_of_many_inputs_in_the_ball_are_the_vertices(epsilon):
    """An input gains half of epsilon, others lose all, one a part: as many as a loop over the sets that lose counts."""
    rays = md.StrongL1(epsilon).columns(MANY).rays().columns
    prior = MANY.prior
    posterior = rays * prior[:, None] / (prior @ rays)
    moved = posterior - prior[:, None]
    assert np.abs(moved).sum(axis=0) == pytest.approx(np.full(rays.shape[1], epsilon), rel=1e-6)
    assert np.all((moved > 1e-12).sum(axis=0) == 1)
    between = (moved < -1e-12) & (posterior > 1e-12)
    assert between.sum(axis=0).max() <= 1
    lost, count = losing_sets(prior, epsilon / 2.0), 0
    for chosen, left in lost:
        parts = [x for x in range(len(prior)) if x not in chosen and prior[x] > left]
        count += len(parts) * (len(prior) - len(chosen) - 1)
    assert rays.shape[1] == count


def losing_sets(prior, half):
    """Return the sets that have no more than `half`, each with what is left of it, by recursion."""
    order = np.argsort(prior)

    def grown(chosen, start, left):
        yield chosen, left
        for place in range(start, len(order)):
            if prior[order[place]] <= left:
                yield from grown(chosen | {order[place]}, place + 1, left - prior[order[place]])

    return list(grown(frozenset(), 0, half))


@pytest.mark.parametrize("objective", [md.MutualInformation(), md.HistogramMMSE(), md.MMSE()])
def test_at_small_levels_of_the_ball_the_gap_closes(objective):
    problem = md.Problem(prior=MANY.prior, values=np.arange(30.0))
    found = md.design(problem, md.StrongL1(0.01), objective)
    assert found.gap <= 1e-9 and found.audit.holds
    utility = objective.to_utility(found.value, problem)
    assert utility >= objective.to_utility(
        md.design(problem, md.StrongL1(0.01), objective, route="known", gap=1.0).value, problem
    )


def test_a_program_over_weights_of_many_rays_says_that_it_takes_long():
    """Thousands of rays of 30 inputs are refused within ten seconds, dozens are not."""
    within = 12.0
    for epsilon, is_long in ((3.0, True), (5.0, False)):
        task = Task(MANY, md.LIP(epsilon), md.InformationDesign("A", MANY.prior))
        assert (weights.ROUTE.size(task).first > within) == is_long


def test_a_count_is_an_upper_bound_where_more_sets_fit_than_are_listed():
    assert md.LIP(1.0).columns(MANY).ray_count() == 30 * 2.0**29 and md.LIP(1.0).columns(MANY).rays() is None
    assert md.LIP(4.0).columns(MANY).ray_count() < comb(30, 4)
