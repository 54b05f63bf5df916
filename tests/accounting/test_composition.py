"""Composition, held against exact products of matrices, and against published numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.accounting import loss_grid
from mechdesign.accounting.composition import composition
from mechdesign.accounting.loss_grid import LossGrid
from mechdesign.accounting.privacy_loss import privacy_loss


def drawn(seed, n=3, m=3, zeros=False):
    rng = np.random.default_rng(seed)
    rows = rng.integers(1, 40, size=(n, m))
    if zeros:
        rows[0, 0] = 0
    return md.Mechanism([[str(Fraction(int(entry), int(row.sum()))) for entry in row] for row in rows])


def exact(mechanisms, epsilon):
    return float(md.together(mechanisms).privacy_profile([epsilon])[0])


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_bounds_enclose_the_product_of_matrices(seed, zeros):
    one = drawn(seed, zeros=zeros)
    for times in (1, 2, 3, 4):
        found = one.composed(times)
        for epsilon in (0.0, 0.3, 1.0, 2.5):
            true = exact([one] * times, epsilon)
            assert found.delta_below(epsilon) <= true * (1 + 1e-12) + 1e-300
            assert true <= found.delta(epsilon) * (1 + 1e-12)
            assert found.delta(epsilon) - found.delta_below(epsilon) <= 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_mechanisms_of_one_input_are_composed(seed):
    first, second = drawn(seed), drawn(seed + 10, m=2)
    found = md.composed([first, second, first])
    for epsilon in (0.0, 0.5, 1.5):
        true = exact([first, second, first], epsilon)
        assert found.delta_below(epsilon) <= true * (1 + 1e-12)
        assert true <= found.delta(epsilon) * (1 + 1e-12) <= true + 5e-3
    assert found.reports == 3


def test_the_published_number_of_sixteen_reports():
    """Kairouz, Oh, Viswanath 2015: sixteen answers of two values at epsilon .1 each, delta(.8)."""
    sixteen = md.baselines.randomised_response(md.Problem(n=2), 0.1).composed(16)
    for found in (sixteen.delta(0.8), sixteen.delta_below(0.8)):
        assert found == pytest.approx(0.00381714334001682, rel=1e-10)
    # Their formula, term by term.
    from math import comb, exp

    total = (
        sum(comb(16, i) * max(exp(0.1 * (16 - i)) - exp(0.8 + 0.1 * i), 0.0) for i in range(17)) / (1 + exp(0.1)) ** 16
    )
    assert sixteen.delta(0.8) == pytest.approx(total, rel=1e-10)


@pytest.mark.parametrize("times", [30, 1000])
def test_many_reports_are_the_binomial_sum(times):
    from scipy.stats import binom

    epsilon = 0.05
    found = md.baselines.randomised_response(md.Problem(n=2), epsilon).composed(times)
    share = np.exp(epsilon) / (1 + np.exp(epsilon))
    for level in (0.1, 0.5, 2.0):
        ones = np.arange(times + 1)
        loss = epsilon * (2.0 * ones - times)
        true = float((binom.pmf(ones, times, share) * np.maximum(-np.expm1(level - loss), 0.0)).sum())
        assert found.delta_below(level) <= true * (1 + 1e-9) and true <= found.delta(level) * (1 + 1e-9)
        assert found.delta(level) == pytest.approx(true, rel=1e-8)


def test_levels_and_deltas_are_inverse():
    found = md.baselines.randomised_response(md.Problem(n=3), 0.3).composed(20)
    for delta in (1e-3, 1e-6, 1e-12):
        above, below = found.epsilon(delta), found.epsilon_below(delta)
        assert below <= above <= below + 1e-6
        assert found.delta(above) <= delta < found.delta_below(below - 1e-9)
    assert found.epsilon(0.0) == pytest.approx(6.0, abs=1e-9) and found.epsilon(1.0) == 0.0


def test_a_report_that_rules_out_an_input_has_an_infinite_level():
    one = md.Mechanism([["1/2", "1/2"], ["0", "1"]])
    loss = one.privacy_loss(0, 1)
    assert np.isinf(loss.losses[-1]) and loss.infinite == 0.5
    found = one.composed(3)
    assert found.epsilon(0.1) == np.inf and found.delta(5.0) == pytest.approx(0.875, rel=1e-12)
    assert md.Mechanism([["9/10", "1/10"], ["9/10", "1/10"]]).composed(5).delta(0.0) < 1e-300


def test_many_pairs_are_bounded_by_a_randomised_response():
    rng = np.random.default_rng(3)
    rows = rng.integers(10, 30, size=(8, 6))
    one = md.Mechanism([[str(Fraction(int(entry), int(row.sum()))) for entry in row] for row in rows])
    found = one.composed(2)
    assert not found.covers_all and len(found.dominating) == 1
    for epsilon in (0.0, 0.5, 1.0):
        true = exact([one, one], epsilon)
        assert found.delta_below(epsilon) <= true * (1 + 1e-12) and true <= found.delta(epsilon) * (1 + 1e-12)


def test_mechanisms_without_a_matrix_are_composed():
    words = md.baselines.projective_response(md.Problem(n=10**5), 0.5)
    few = md.baselines.projective_response(md.Problem(n=13), 0.5, order=3)
    assert words.privacy_loss(0, 7).losses.tolist() == pytest.approx([-0.5, 0.0, 0.5], abs=1e-12)
    rows = [[few.family.probability(x, y) for y in range(few.family.outputs)] for x in (0, 1)]
    loss = privacy_loss(*[[int(p * rows[0][0].denominator * 10**40) for p in row] for row in rows])
    assert few.privacy_loss(0, 1).probabilities == pytest.approx(loss.probabilities, abs=1e-12)
    found = words.composed(100)
    assert found.epsilon_below(1e-6) <= found.epsilon(1e-6) <= found.epsilon_below(1e-6) + 1e-6
    assert found.epsilon(1e-6) < 50.0


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_zcdp_is_the_supremum_over_orders(epsilon):
    one = md.baselines.randomised_response(md.Problem(n=2), epsilon)
    orders = np.concatenate([np.linspace(1.0001, 3.0, 300), np.geomspace(3.0, 1e3, 200)])
    least = float((one.renyi_profile(orders) / orders).max())
    assert least * (1 - 1e-9) <= one.zcdp() <= least * 1.0015
    assert one.zcdp() <= epsilon**2 / 2.0 * 1.001
    assert md.Mechanism([["1/2", "1/2"], ["0", "1"]]).zcdp() == np.inf


class RoundedToNearest(LossGrid):
    """A planted defect: what is cut off at the top of an upper bound is lost."""

    def _cut(self):
        made = super()._cut()
        return RoundedToNearest(made.first, made.masses, self.beyond, made.error, made.upward, made.step)


def test_a_cut_loses_nothing_from_an_upper_bound(monkeypatch):
    monkeypatch.setattr("mechdesign.accounting.loss_grid.TAIL", 1e-3)

    def total(kind):
        law = kind(0, np.array([0.4995, 0.5, 0.0005]), 0.0, 0.0, True, 1.0)
        summed = law.times(8)
        return float(summed.masses.sum()) + summed.beyond

    assert total(LossGrid) >= 1.0 - 1e-12
    assert total(RoundedToNearest) < 1.0 - 1e-4


@pytest.mark.parametrize(
    "ask",
    [
        lambda one: one.composed(0),
        lambda one: one.composed(2).delta(-1.0),
        lambda one: one.composed(2).epsilon(1.5),
        lambda one: one.composed(2).epsilon_below(-0.1),
        lambda one: one.privacy_loss(0, 5),
        lambda one: md.composed([]),
        lambda one: md.composed([one, "another"]),
        lambda one: md.composed([one, md.baselines.randomised_response(md.Problem(n=3), 1.0)]),
    ],
)
def test_what_is_no_composition_is_refused_in_a_sentence(ask):
    with pytest.raises(md.DomainError):
        ask(md.baselines.randomised_response(md.Problem(n=2), 1.0))


def test_rows_of_one_input_betray_nothing():
    assert composition([((np.array([[3, 1]], dtype=object),), 4)]).delta(0.0) < 1e-300


def test_reports_that_no_other_input_has_are_composed():
    """Two inputs without a common output beside others that have some: an infinite loss alone."""
    made = md.Mechanism([["1/2", "1/2", "0"], ["0", "0", "1"], ["1/3", "1/3", "1/3"]])
    other = drawn(2)
    found = md.composed([made, other])
    assert 1.0 - 1e-9 < found.delta_below(1.0) <= found.delta(1.0) <= 1.0
    assert 1.0 - 1e-9 < made.composed(3).delta_below(0.5) <= 1.0


def of_many(epsilon, count, level):
    """Return delta of `count` reports of one bit at `epsilon` each, from the binomial law of their losses."""
    from scipy.stats import binom

    held = np.arange(count + 1)
    losses = epsilon * (2.0 * held - count)
    law = binom.pmf(held, count, 1.0 / (1.0 + np.exp(-epsilon)))
    return float((law * np.maximum(-np.expm1(level - losses), 0.0)).sum())


@pytest.mark.parametrize("most", [1 << 15, 1 << 9])
@pytest.mark.parametrize(("epsilon", "count"), [(0.1, 100), (0.02, 4000), (0.003, 200_000)])
def test_many_reports_are_enclosed_by_laws_whose_step_doubles(epsilon, count, most, monkeypatch):
    monkeypatch.setattr(loss_grid, "MOST", most)
    found = md.baselines.randomised_response(md.Problem(n=2), epsilon).composed(count)
    for level in (0.0, 0.5, 2.0):
        true = of_many(epsilon, count, level)
        assert found.delta_below(level) <= true * (1 + 1e-9) and true <= found.delta(level) * (1 + 1e-9)
        # Coarser laws add next to nothing from above: each doubling a millionth of the spread at 2^15 multiples.
        assert found.delta(level) <= true * (1.0 + (1e-4 if most > 1 << 12 else 0.05))


def test_planted_a_doubled_step_that_rounds_losses_down_is_caught(monkeypatch):
    """Planted: what lies between two multiples goes down in an upper bound, too."""
    down = LossGrid.coarser
    monkeypatch.setattr(loss_grid, "MOST", 1 << 7)
    monkeypatch.setattr(LossGrid, "coarser", lambda law: replace(down(replace(law, upward=False)), upward=law.upward))
    found = md.baselines.randomised_response(md.Problem(n=2), 0.02).composed(4000)
    assert found.delta(0.5) < of_many(0.02, 4000, 0.5)


def test_a_thousand_million_reports_are_those_of_a_normal_law():
    from scipy.stats import norm

    found = md.baselines.randomised_response(md.Problem(n=2), 1e-5).composed(10**9)
    mu = 1e-5 * np.sqrt(1e9)
    true = float(norm.cdf(-1 / mu + mu / 2) - np.e * norm.cdf(-1 / mu - mu / 2))
    assert found.delta_below(1.0) < true < found.delta(1.0) < true * 1.001
