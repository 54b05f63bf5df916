"""Mechanism.renyi_profile: the definition with fifty digits, its ends, and that divergences add up over reports."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import mechdesign as md
from mechdesign.accounting import privacy_profile as accounting
from mechdesign.accounting import renyi_profile as renyi_accounting
from mechdesign.exact import round_rows

ORDERS = (1.0, 1.0 + 1e-9, 1.001, 2.0, 7.5, 300.0, math.inf)


def divergence(first, second, order):
    """Return D_a of two rows of integers with fifty digits."""
    total = mpmath.mpf(sum(map(int, first)))
    pairs = [(mpmath.mpf(int(p)) / total, mpmath.mpf(int(q)) / total) for p, q in zip(first, second, strict=True) if p]
    if math.isinf(order):
        return max(mpmath.log(p / q) for p, q in pairs)
    if order == 1:
        return mpmath.fsum(p * mpmath.log(p / q) for p, q in pairs)
    a = mpmath.mpf(order)
    return mpmath.log(mpmath.fsum(p**a * q ** (1 - a) for p, q in pairs)) / (a - 1)


def drawn(n, m, spread, rng):
    rows = round_rows(rng.dirichlet(np.full(m, spread), size=n) * 0.99 + 0.01 / m)
    return md.Mechanism(rows / 2.0**53, [str(y) for y in range(m)])


@pytest.mark.parametrize("spread", [0.3, 1.0, 1e4])
def test_it_is_the_definition_rounded_up(spread, rng):
    for n, m in ((2, 2), (3, 5), (5, 3)):
        made = drawn(n, m, spread, rng)
        for order, found in zip(ORDERS, made.renyi_profile(ORDERS), strict=True):
            with mpmath.workdps(50):
                rows = made.numerators
                most = max(divergence(a, b, order) for a in rows for b in rows)
                assert mpmath.mpf(math.nextafter(found, 0.0)) < most <= mpmath.mpf(found)


def test_next_to_equal_rows_keep_their_digits():
    step = 2.0**-40
    made = md.Mechanism([[0.5 + step, 0.5 - step], [0.5 - step, 0.5 + step]], ["0", "1"])
    # Half of the order times the variance 4 (2 step)^2.
    assert made.renyi_profile([3.0])[0] == pytest.approx(1.5 * 16 * step**2, rel=1e-9)


def test_it_grows_from_kl_to_the_level_of_ldp(rng):
    made = drawn(4, 5, 1.0, rng)
    profile = made.renyi_profile(ORDERS)
    assert np.all(np.diff(profile) > 0)
    assert profile[-1] == pytest.approx(float(md.audit(made, md.LDP(1.0))), rel=1e-12)


def test_divergences_of_several_reports_add_up(rng):
    first, second = drawn(3, 3, 1.0, rng), drawn(3, 2, 1.0, rng)
    for order in (1.0, 2.0, 40.0):
        both = md.together([first, first]).renyi_profile(order)[0]
        assert both == pytest.approx(2 * first.renyi_profile(order)[0], rel=1e-9)
        mixed = md.together([first, second]).renyi_profile(order)[0]
        assert mixed <= (first.renyi_profile(order)[0] + second.renyi_profile(order)[0]) * (1 + 1e-9)


def test_an_output_that_rules_out_an_input_is_infinite_and_silence_is_zero():
    assert md.Mechanism([[1.0, 0.0], [0.5, 0.5]], ["0", "1"]).renyi_profile([1.0, 2.0]).tolist() == [math.inf] * 2
    assert md.Mechanism([[0.5, 0.5], [0.5, 0.5]], ["0", "1"]).renyi_profile(ORDERS).tolist() == [0.0] * len(ORDERS)


def test_many_pairs_that_tie_get_a_bound(monkeypatch):
    made = md.baselines.randomised_response(md.Problem(n=6), 1.0)
    exact = made.renyi_profile([2.0])[0]
    monkeypatch.setattr(renyi_accounting, "MOST_TIES", 3)
    assert exact < made.renyi_profile([2.0])[0] <= exact + 1e-11


@pytest.mark.parametrize("wrong", [[0.5], [math.nan], [2e4], "1", [[2.0]], [-math.inf], []])
def test_other_orders_are_refused(wrong):
    with pytest.raises(md.DomainError, match="orders"):
        md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["0", "1"]).renyi_profile(wrong)


def test_one_order_is_a_profile_of_one():
    assert md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["0", "1"]).renyi_profile(2).shape == (1,)


def test_pairs_that_floats_do_not_tell_apart_are_all_looked_at():
    # Rows of one float each: the largest ratio is a pair's whose floats are those of another.
    base, step = 2**80, 2**10
    rows = [[base, base], [base + step, base - step], [base + 2 * step, base - 2 * step]]
    numerators = np.array(rows, dtype=object)
    assert len({float(row[0]) for row in rows}) == 1
    with mpmath.workdps(50):
        most = divergence(rows[2], rows[0], math.inf), divergence(rows[0], rows[2], math.inf)
        assert mpmath.mpf(renyi_accounting.renyi_profile(numerators, [math.inf])[0]) >= max(most)
    assert accounting.privacy_profile(numerators, [0.0])[0] >= 2 * step / (2 * base)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-5, 1e-3, 0.1])
def test_concentrated_privacy_of_small_levels_is_half_the_square(epsilon):
    rho = md.baselines.randomised_response(md.Problem(n=2), epsilon).zcdp()
    # At order 1, where it is least, it is tanh(e/2) e: half of the square up to a share of e^2 / 12.
    assert rho == pytest.approx(math.tanh(epsilon / 2) * epsilon, rel=1e-3)
