"""One pair for all pairs of inputs: its divergences, its compositions, and the library dp-accounting."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.accounting import dominating_pair
from mechdesign.accounting.dominating_pair import dominating_loss


def drawn(seed, n=4, m=4, zeros=False):
    rng = np.random.default_rng(seed)
    rows = rng.integers(1, 40, size=(n, m))
    if zeros:
        rows[0, 0] = 0
    return md.Mechanism([[str(Fraction(int(entry), int(row.sum()))) for entry in row] for row in rows])


def divergence(loss, ratio):
    """Return the sum of (P - ratio Q)_+ of the exact masses of a loss."""
    return float(sum(max(p - Fraction(ratio) * q, Fraction(0)) for p, q in loss.exact))


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_pair_dominates_all_pairs_of_rows_at_all_ratios(seed, zeros):
    made = drawn(seed, zeros=zeros)
    loss = dominating_loss(made.compared_rows)
    for ratio in np.exp(np.random.default_rng(seed).uniform(-5.0, 5.0, size=40)):
        pairs = permutations(made.matrix, 2)
        true = max(float(np.maximum(p - ratio * q, 0.0).sum()) for p, q in pairs)
        assert true - 1e-15 <= divergence(loss, ratio) <= true + 1e-4


@pytest.mark.parametrize("zeros", [False, True])
def test_compositions_of_the_pair_bound_the_product_of_matrices(monkeypatch, zeros):
    one = drawn(7, zeros=zeros)
    every = one.composed(3)
    monkeypatch.setattr(sys.modules["mechdesign.accounting.composition"], "MOST_PAIRS", 4)
    found = one.composed(3)
    assert every.covers_all and not found.covers_all
    for epsilon in (0.0, 0.5, 1.5, 4.0):
        true = float(md.together([one] * 3).privacy_profile([epsilon])[0])
        assert found.delta_below(epsilon) <= true * (1 + 1e-12) and true <= found.delta(epsilon) * (1 + 1e-12)
        assert every.delta(epsilon) <= found.delta(epsilon) * (1 + 1e-3)


def test_many_reports_of_many_inputs_are_far_below_the_sum_of_their_levels():
    """A randomised response with the largest ratio, which bounded them before, keeps the sum for 100 reports."""
    one = drawn(1, n=12, m=12)
    found, level = one.composed(100), float(md.audit(one, md.LDP(1.0)))
    assert not found.covers_all
    assert found.epsilon(1e-6) < 0.6 * 100 * level
    assert found.epsilon(1e-6) < 1.25 * found.epsilon_below(1e-6)


@pytest.mark.parametrize("size", [1e2, 1e5, 1e9, 1e13])
def test_weak_reports_have_the_sum_of_their_levels_with_delta_zero(size):
    """Rows that differ by little: what rounding left beyond the largest ratio counted as an infinite loss."""
    rows = np.random.default_rng(0).integers(int(size), int(size) + 40, size=(8, 8))
    made = md.Mechanism([[str(Fraction(int(entry), int(row.sum()))) for entry in row] for row in rows])
    found, level = made.composed(10), float(md.audit(made, md.LDP(9.0)))
    assert not found.covers_all and not found.is_infinite
    assert found.epsilon(0.0) == pytest.approx(10 * level, rel=1e-6, abs=1e-12)
    assert found.epsilon(1e-18) <= found.epsilon(0.0) and found.epsilon(0.05) <= found.epsilon(1e-18)


@pytest.mark.parametrize("delta", [1e-18, 1e-30, 1e-200])
def test_no_delta_asks_for_more_than_delta_zero(delta):
    one = drawn(2)
    for found in (
        one.composed(5),
        one.shuffled(50),
        md.baselines.randomised_response(md.Problem(n=2), 0.1).composed(16),
    ):
        assert found.epsilon_below(delta) <= found.epsilon(delta) <= found.epsilon(0.0) * (1 + 1e-9)


class TestPlanted:
    """Wrong variants, each of which a test here catches."""

    def test_divergences_of_every_second_row(self, monkeypatch):
        made = drawn(0)
        honest = dominating_pair._divergences
        monkeypatch.setattr(dominating_pair, "_divergences", lambda sets, at: honest([s[::2] for s in sets], at))
        loss = dominating_loss(made.compared_rows)
        true = max(float(np.maximum(p - q, 0.0).sum()) for p, q in permutations(made.matrix, 2))
        assert divergence(loss, 1.0) < true

    def test_divergences_rounded_downward(self, monkeypatch):
        made = drawn(0)
        honest = dominating_pair._divergences
        monkeypatch.setattr(dominating_pair, "_divergences", lambda sets, at: honest(sets, at) * (1.0 - 1e-3))
        loss = dominating_loss(made.compared_rows)
        true = max(float(np.maximum(p - q, 0.0).sum()) for p, q in permutations(made.matrix, 2))
        assert divergence(loss, 1.0) < true


class TestDpAccounting:
    """Its numbers: recorded with version 0.6.0, and by the library itself where it is installed.

    Recorded by ``from_two_probability_mass_functions`` of the rows (losses rounded up to multiples of 1e-5), and
    ``self_compose``.
    """

    @pytest.mark.parametrize(
        ("rows", "times", "delta", "epsilon"),
        [
            ([[0.75, 0.25], [0.25, 0.75]], 16, 1e-6, 17.57782022047045),
            ([[0.55, 0.45], [0.45, 0.55]], 100, 1e-5, 9.79065922848578),
            ([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]], 30, 1e-6, 23.141064417000504),
            ([[0.6, 0.4], [0.5, 0.5]], 50, 1e-4, 5.790835556260083),
        ],
    )
    def test_recorded_levels(self, rows, times, delta, epsilon):
        found = md.Mechanism(rows).composed(times)
        assert found.epsilon_below(delta) <= epsilon
        # Theirs are rounded up by a multiple for each report, and truncate tails upward.
        assert found.epsilon(delta) == pytest.approx(epsilon, abs=2e-5 * times + 1e-3)

    def test_a_mechanism_goes_there_and_what_is_there_comes_here(self):
        distributions = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
        made = drawn(3)
        theirs = made.to_dp_accounting(1e-5).self_compose(20)
        ours = made.composed(20)
        for delta in (1e-3, 1e-6):
            assert ours.epsilon_below(delta) <= theirs.get_epsilon_for_delta(delta)
            assert theirs.get_epsilon_for_delta(delta) == pytest.approx(ours.epsilon(delta), rel=0.05)
        noise = distributions.from_gaussian_mechanism(3.0, value_discretization_interval=1e-4)
        both = md.composed([made, noise])
        true = made.to_dp_accounting(1e-4).compose(noise)
        for epsilon in (0.5, 1.5, 3.0):
            assert both.delta(epsilon) == pytest.approx(true.get_delta_for_epsilon(epsilon), rel=0.05)
        assert both.reports == 2
        assert both.delta_below(1.0) <= made.composed(1).delta(1.0)


def test_without_the_library_an_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    with pytest.raises(md.UnsupportedError, match=r"mechdesign\[accounting\]"):
        drawn(0).to_dp_accounting()
    with pytest.raises(md.DomainError, match="interval"):
        drawn(0).to_dp_accounting(0.0)
