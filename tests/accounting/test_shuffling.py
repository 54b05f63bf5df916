"""Shuffled reports: both bounds beside the exact law of the multiset, for all data of a few people."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.accounting import positive_part as module
from mechdesign.accounting.positive_part import positive_part


def multiset(matrix, inputs):
    """Return the law of the counts of the outputs."""
    law = Counter({(0,) * matrix.shape[1]: 1.0})
    for x in inputs:
        after = Counter()
        for counts, p in law.items():
            for y in np.flatnonzero(matrix[x]):
                after[tuple(c + (k == y) for k, c in enumerate(counts))] += p * matrix[x, y]
        law = after
    return law


def exact(matrix, people, epsilon, reports=1):
    """Return the delta of the multiset of all people's reports, `reports` of each person's input."""
    worst = 0.0
    for x, z in permutations(range(len(matrix)), 2):
        for others in combinations_with_replacement(range(len(matrix)), people - 1):
            p, q = (multiset(matrix, (one, *others) * reports) for one in (x, z))
            worst = max(worst, sum(max(mass - np.exp(epsilon) * q.get(key, 0.0), 0.0) for key, mass in p.items()))
    return worst


def drawn(seed, zeros=False):
    rng = np.random.default_rng(seed)
    rows = rng.integers(2, 20, size=rng.integers(2, 4, size=2))
    if zeros:
        rows[0, 0] = 0
    return md.Mechanism([[str(Fraction(int(entry), int(row.sum()))) for entry in row] for row in rows])


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_the_law_of_the_multiset_lies_between(seed, zeros):
    made = drawn(seed, zeros)
    for people, epsilon in ((2, 0.1), (3, 0.3), (5, 0.2)):
        true, found = exact(made.matrix, people, epsilon), made.shuffled(people)
        assert found.delta_below(epsilon) <= true + 1e-14
        assert true <= found.delta(epsilon) + 1e-14
        assert found.delta(epsilon) <= 4.0 * true + 1e-9


@pytest.mark.parametrize(("n", "m", "people"), [(2, 4, 6), (4, 4, 4), (4, 3, 5), (3, 4, 6)])
def test_the_law_of_the_multiset_of_more_people_lies_between(n, m, people):
    rows = np.random.default_rng(n * m).integers(2, 20, size=(n, m))
    made = md.Mechanism([[str(Fraction(int(entry), int(row.sum()))) for entry in row] for row in rows])
    found = made.shuffled(people)
    for epsilon in (0.0, 0.4):
        true = exact(made.matrix, people, epsilon)
        assert found.delta_below(epsilon) <= true + 1e-14
        assert true <= found.delta(epsilon) + 1e-14
        assert found.delta(epsilon) <= 4.0 * true


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("people", "reports"), [(2, 2), (3, 2), (2, 3)])
def test_several_reports_of_each_person_lie_between(seed, people, reports):
    made = drawn(seed)
    found = made.shuffled(people, reports=reports)
    for epsilon in (0.0, 0.3, 1.0):
        true = exact(made.matrix, people, epsilon, reports)
        assert found.delta_below(epsilon) <= true + 1e-14
        assert true <= found.delta(epsilon) + 1e-14
    # More reports betray more, and the bounds say so.
    assert found.delta_below(0.0) > 0.5 * made.shuffled(people).delta_below(0.0)
    assert found.delta(0.3) >= made.shuffled(people).delta_below(0.3)


def test_several_reports_of_many_people_are_bounded_closely():
    made = md.baselines.randomised_response(md.Problem(n=2), 0.5)
    found = made.shuffled(10_000, reports=3)
    assert 0.0 < found.epsilon_below(1e-6) <= found.epsilon(1e-6) <= 1.5 * found.epsilon_below(1e-6)
    assert found.epsilon(1e-6) > made.shuffled(10_000).epsilon(1e-6)
    family = md.baselines.projective_response(md.Problem(n=10**4), 1.0)
    twice = family.shuffled(10**5, reports=2)
    assert family.shuffled(10**5).epsilon(1e-6) < twice.epsilon_below(1e-6) <= twice.epsilon(1e-6) < 0.1


def test_who_does_not_follow_the_protocol_hides_nobody():
    made = md.baselines.randomised_response(md.Problem(n=5), 1.0)
    assert made.shuffled(1000, honest=400).epsilon(1e-6) == made.shuffled(400).epsilon(1e-6)
    assert made.shuffled(1000, honest=1000).epsilon(1e-6) == made.shuffled(1000).epsilon(1e-6)


@pytest.mark.parametrize("upward", [False, True])
def test_the_positive_part_is_a_sum_over_counts(upward):
    from scipy.stats import binom

    for count, share, low in ((5, 0.3, -1.0), (400, 0.2, -0.4), (10_000, 0.1, -0.2)):
        ones = np.arange(count + 1)
        true = float(binom.pmf(ones, count, share) @ np.maximum(ones * 1.0 + (count - ones) * low, 0.0))
        found = positive_part(np.array([1.0, low]), np.array([share, 1.0 - share]), count, upward=upward)
        assert (found >= true * (1 - 1e-10)) if upward else (found <= true * (1 + 1e-10))
        assert found == pytest.approx(true, rel=1e-2 if upward else 0.15)


def test_published_levels():
    """Levels that other code computed from the same bound: k-ary response of 10 answers, delta 1e-6."""
    for epsilon, wanted in ((1.0, (0.0802, 0.0066, 0.0019)), (2.0, (0.2728, 0.0231, 0.0066))):
        made = md.baselines.randomised_response(md.Problem(n=10), epsilon)
        found = [made.shuffled(people).epsilon(1e-6) for people in (1_000, 100_000, 10**6)]
        assert found == pytest.approx(wanted, abs=5.1e-5)


def variation_ratio(epsilon, level, variation, people):
    """Return the delta of Wang et al. 2024 at a level, of a local epsilon and the total variation of two rows.

    With the variation of binary randomised response it is the stronger clone of Feldman et al. 2023.
    """
    from scipy.stats import binom

    p = np.exp(epsilon)
    alpha = variation / (p - 1.0)
    rest, share = 1.0 - alpha - alpha * p, variation / (p - 1.0)
    clones = np.arange(people)
    weights = binom.pmf(clones, people - 1, 2.0 * share)
    seen = weights > 1e-25
    c, weights = clones[seen], weights[seen]
    slope = alpha * (p / share - 1.0 / share + np.exp(level) * (p / share - 1.0 / share))

    def beyond(count):
        others = rest * (people - count) / (1.0 - 2.0 * share)
        needed = (np.exp(level) * p - 1.0) * alpha * count / share + (np.exp(level) - 1.0) * others
        return np.ceil(needed / slope)

    of_first, of_second = binom.sf(beyond(c + 1) - 2, c, 0.5), binom.sf(beyond(c + 1) - 1, c, 0.5)
    of_rest = binom.sf(beyond(c) - 1, c, 0.5)
    own = p * alpha * of_first + alpha * of_second + rest * of_rest
    other = alpha * of_first + p * alpha * of_second + rest * of_rest
    return float(weights @ (own - np.exp(level) * other))


@pytest.mark.parametrize(("epsilon", "people"), [(1.0, 1_000), (1.0, 100_000), (2.0, 100_000), (3.0, 10_000)])
def test_bounds_of_other_papers(epsilon, people):
    """Variation ratios (Wang et al. 2024) and stronger clones (Feldman et al. 2023): equal for k-ary response."""
    p, delta = np.exp(epsilon), 1e-6
    rows = {
        "k-ary": (md.baselines.randomised_response(md.Problem(n=10), epsilon), (p - 1) / (p + 9)),
        "clones": (md.baselines.randomised_response(md.Problem(n=2), epsilon), (p - 1) / (p + 1)),
        "subsets": (md.baselines.subset_selection(md.Problem(n=10), epsilon, 3), 28 * (p - 1) / (36 * p + 84)),
    }
    for made, variation in rows.values():
        low, high = 0.0, epsilon
        for _ in range(25):
            middle = 0.5 * (low + high)
            is_kept = variation_ratio(epsilon, middle, variation, people) <= delta
            low, high = (low, middle) if is_kept else (middle, high)
        assert made.shuffled(people).epsilon(delta) == pytest.approx(high, rel=5e-3)


def test_small_deltas_keep_their_digits():
    made = md.baselines.randomised_response(md.Problem(n=10), 1.0)
    found = made.shuffled(10_000)
    for delta in (1e-6, 1e-12, 1e-18):
        above, below = found.epsilon(delta), found.epsilon_below(delta)
        assert below <= above <= 1.05 * below
        assert found.delta(above) <= delta


@pytest.mark.filterwarnings("error")
def test_losses_of_very_unlike_sizes_do_not_overflow():
    """The tilt of the losses themselves, used for their law on the grid, made e^(theta loss) overflow."""
    share, gain, people = 3.35125362e-04, 0.18193766, 10_000
    losses = np.array([gain, -8.88556717e06, -2979.77605, -2979.77605, 0.0])
    probabilities = np.array([share] * 4 + [1.0 - 4.0 * share])
    # One negative loss outweighs ten thousand gains: none of them may occur.
    true = gain * people * share * (1.0 - 3.0 * share) ** (people - 1)
    for upward in (False, True):
        found = positive_part(losses, probabilities, people, upward=upward)
        assert found >= true if upward else 0.0 <= found <= true


def test_with_delta_zero_shuffled_reports_have_the_level_of_single_ones():
    made = md.baselines.randomised_response(md.Problem(n=2), 4.3)
    assert made.shuffled(100).epsilon(0.0) == pytest.approx(4.3, rel=1e-9)
    assert md.Mechanism([["1/2", "1/2"], ["0", "1"]]).shuffled(100).epsilon(0.0) == np.inf


def test_more_people_hide_better_and_never_worse_than_a_report_alone():
    made = md.baselines.randomised_response(md.Problem(n=4), 1.0)
    levels = [made.shuffled(people).epsilon(1e-5) for people in (2, 100, 10_000)]
    assert levels == sorted(levels, reverse=True)
    assert made.shuffled(2).delta(0.5) <= made.privacy_profile([0.5])[0] * (1 + 1e-12)
    assert made.shuffled(50).delta(2.0) == 0.0


class TestPlanted:
    """Wrong variants of the arithmetic, each of which a test here catches."""

    def test_losses_rounded_down_in_an_upper_bound(self, monkeypatch):
        monkeypatch.setattr(module, "_split", lambda losses, p, step: (np.floor(losses / step).astype(int), p))
        law = np.array([0.35, -0.4]), np.array([0.5, 0.5])
        true = 2.0 * 0.35 * 0.25 + 0.0
        monkeypatch.setattr(module, "GRID", 64)
        assert positive_part(*law, 2, upward=True) < true

    def test_losses_split_in_a_lower_bound(self, monkeypatch):
        monkeypatch.setattr(module, "_shrunk", module._split)
        monkeypatch.setattr(module, "GRID", 64)
        law = np.array([0.37, -0.4]), np.array([0.5, 0.5])
        assert positive_part(*law, 2, upward=False) > 2.0 * 0.37 * 0.25


@pytest.mark.parametrize(
    "ask",
    [
        lambda one: one.shuffled(1),
        lambda one: one.shuffled(10, honest=1),
        lambda one: one.shuffled(10, honest=11),
        lambda one: one.shuffled(10, reports=0),
        lambda one: one.shuffled(10, reports=500),
        lambda one: one.shuffled(10).delta(-0.1),
        lambda one: one.shuffled(10).epsilon(-0.1),
        lambda one: one.shuffled(10).epsilon_below(2.0),
    ],
)
def test_what_is_no_shuffle_is_refused_in_a_sentence(ask):
    with pytest.raises(md.DomainError):
        ask(md.baselines.randomised_response(md.Problem(n=3), 1.0))


@pytest.mark.parametrize("people", [2, 50])
def test_families_have_the_bounds_of_their_matrices(people):
    from mechdesign.families import ProjectiveGeometry, SubsetSelection, SymmetricUnaryEncoding, TwoGroups
    from mechdesign.mechanism import ImplicitMechanism

    ratio = Fraction(9, 4)
    for family in (
        ProjectiveGeometry(7, ratio, 2, 3),
        SubsetSelection(5, ratio, 5, 1, 2),
        TwoGroups(7, ratio, (0, 3, 6), alone=(4, 3), covered=(3, 2), beside=(4, 1), share=0.5),
        SymmetricUnaryEncoding(4, ratio),
    ):
        made = ImplicitMechanism(family, notion=md.LDP(float(np.log(2.25)) + 1e-12))
        inside = family.incidence()
        rows = [
            [low * (ratio if own else 1) for low, own in zip(family.least_of_each(), line, strict=True)]
            for line in inside
        ]
        by_matrix = md.Mechanism([[str(entry) for entry in row] for row in rows]).shuffled(people)
        for epsilon in (0.0, 0.2):
            found = made.shuffled(people)
            # The least row of a unary encoding is too small for the report of all bits.
            exact = not isinstance(family, SymmetricUnaryEncoding)
            assert found.delta(epsilon) >= by_matrix.delta(epsilon) * (1 - 1e-6)
            assert not exact or found.delta(epsilon) == pytest.approx(by_matrix.delta(epsilon), rel=1e-4)
            assert found.delta_below(epsilon) <= by_matrix.delta(epsilon) * (1 + 1e-9)


def test_a_million_categories_are_shuffled():
    words = md.baselines.projective_response(md.Problem(n=10**6), 1.0).shuffled(10**5)
    assert 0.0 < words.epsilon_below(1e-6) < words.epsilon(1e-6) < 0.02


def test_reports_of_one_input_reveal_nothing():
    found = md.Mechanism([[0.5, 0.5]]).shuffled(10)
    assert found.epsilon(1e-6) == found.epsilon_below(1e-6) == found.delta(0.1) == found.delta_below(0.1) == 0.0


def test_levels_beyond_the_powers_of_floats_have_a_delta():
    # One input never gives the last output, which the last input gives half of the time.
    rules_out = md.Mechanism([[0.75, 0.25, 0.0], [0.25, 0.75, 0.0], [0.25, 0.25, 0.5]], ["a", "b", "c"]).shuffled(5)
    response = md.baselines.randomised_response(md.Problem(n=2), 1.0)
    for level in (699.0, 709.0, 710.0, 1e6):
        assert rules_out.delta_below(level) <= 0.5 <= rules_out.delta(level) == pytest.approx(0.5)
        assert rules_out.delta_below(level) == pytest.approx(0.5)
        for reports in (1, 2):
            found = response.shuffled(5, reports=reports)
            assert found.delta(level) == found.delta_below(level) == 0.0
