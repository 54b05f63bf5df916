"""Designs of two rounds: exact levels, values by brute force, bounds, and published protocols by formula."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import mechdesign as md

A = md.InformationDesign("A")


def law_of_sequences(rounds, count):
    """Return the law of all sequences of reports, shape (n, sequences)."""
    kept, fresh = rounds.permanent.matrix, rounds.instantaneous.matrix
    columns = [kept @ fresh[:, ys].prod(axis=1) for ys in product(range(fresh.shape[1]), repeat=count)]
    return np.stack(columns, axis=1)


@pytest.mark.parametrize(("n", "lifetime", "one"), [(2, 2.0, 1.0), (4, 3.0, 1.5), (10, 3.0, 1.0)])
def test_one_pair_reaches_both_optima(n, lifetime, one):
    """The best of one report and the best of a lifetime in one pair: no single report and no lifetime is better."""
    people = md.Problem(n=n)
    made = md.design_longitudinal(people, md.LDP(lifetime), md.LDP(one), A)
    assert made.rounds.one_report <= one and made.rounds.lifetime <= lifetime
    single, every = (md.design(people, md.LDP(level), A) for level in (one, lifetime))
    assert made.value == pytest.approx(single.value, rel=1e-6) and made.bound == single.bound
    assert A.value(made.rounds.seen_at_last, people) == pytest.approx(every.value, rel=1e-6)
    assert A.value(made.rounds.mechanism.matrix, people) == pytest.approx(made.value, rel=1e-6)


@pytest.mark.parametrize("count", [2, 3])
def test_the_value_is_of_the_law_of_all_reports(count):
    people = md.Problem(n=3)
    made = md.design_longitudinal(people, md.LDP(2.0), md.LDP(0.7), A, reports=count)
    assert made.value == pytest.approx(A.value(law_of_sequences(made.rounds, count), people), rel=1e-9)
    assert made.bound <= made.value and made.bound == made.permanent.bound
    assert made.rounds.reports(count) <= 2.0


def test_frequencies_that_are_known_are_used():
    people = md.Problem(prior=[0.6, 0.2, 0.1, 0.1])
    made = md.design_longitudinal(people, md.LDP(2.5), md.LDP(1.0), A, reports=math.inf)
    assert made.rounds.one_report <= 1.0 and made.rounds.lifetime <= 2.5
    assert made.value == pytest.approx(made.permanent.value, rel=1e-6)
    # Of the pairs with that value the one is returned that is best for one report.
    assert min(one for _, one, _, every in made.tried if every <= made.value * (1 + 1e-6)) == pytest.approx(
        A.value(made.rounds.mechanism.matrix, people), rel=1e-6
    )


def test_published_protocols_are_the_matrices_of_their_rounds():
    """RAPPOR, L-OSUE and L-GRR of three inputs, by the products of their matrices."""
    n, lifetime, one = 3, 3.0, 1.0
    formulas = md.baselines.longitudinal_variances(n, lifetime, one)
    bits = np.array(list(product((0, 1), repeat=n)))

    def of_bits(held, other):
        """Return the matrix of n independent bits, and the variance of the estimate that counts each bit alone."""
        shares = np.where(np.eye(n, dtype=bool), held, other)
        matrix = np.prod(np.where(bits[None, :, :] == 1, shares[:, None, :], 1.0 - shares[:, None, :]), axis=2)
        scores = (bits - other) / (held - other)
        return matrix, sum(
            float(np.mean(matrix @ scores[:, at] ** 2) - np.mean(matrix @ scores[:, at]) ** 2) for at in range(n)
        )

    for name, ends in (
        ("RAPPOR", lambda e: (1 / (1 + math.exp(-e / 2)), 1 / (1 + math.exp(e / 2)))),
        ("L-OSUE", lambda e: (0.5, 1 / (1 + math.exp(e)))),
    ):
        for value, epsilon in zip(formulas[name], (one, lifetime), strict=True):
            matrix, variance = of_bits(*ends(epsilon))
            assert value == pytest.approx(variance, rel=1e-12)
            # Each has the level that it is named after.
            assert np.log((matrix.max(axis=0) / matrix.min(axis=0)).max()) == pytest.approx(epsilon, rel=1e-9)
    # The fresh bits of RAPPOR: kept with a probability, which leads from the one level to the other.
    held, first = ends_of_rappor(lifetime), ends_of_rappor(one)
    keep = (first + held - 1.0) / (2.0 * held - 1.0)
    assert keep * held + (1.0 - keep) * (1.0 - held) == pytest.approx(first) and 0.5 < keep < 1.0
    response = md.baselines.randomised_response(md.Problem(n=n), one)
    assert formulas["L-GRR"][0] == pytest.approx(A.value(response.matrix, md.Problem(n=n)), rel=1e-9)
    assert formulas["dBitFlipPM, all bits"] == (formulas["RAPPOR"][0],) * 2


def ends_of_rappor(epsilon):
    return 1.0 / (1.0 + math.exp(-epsilon / 2.0))


def test_no_published_protocol_is_better_at_either_end():
    made = md.design_longitudinal(md.Problem(n=10), md.LDP(3.0), md.LDP(1.0), A)
    single, every = made.value, made.permanent.bound
    for one, most in md.baselines.longitudinal_variances(10, 3.0, 1.0).values():
        assert single < one and every <= most * (1 + 1e-9)
    assert "LOLOHA" in str(made) and "gap" in str(made)


@pytest.mark.parametrize(
    ("lifetime", "one", "reports"), [(1.0, 2.0, 1), (2.0, 1.0, 0), (2.0, 1.0, 1.5), (2.0, 1.0, 10**6)]
)
def test_levels_and_reports_outside_their_domains_are_refused(lifetime, one, reports):
    with pytest.raises(md.DomainError):
        md.design_longitudinal(md.Problem(n=3), md.LDP(lifetime), md.LDP(one), A, reports=reports)


def test_other_notions_are_refused():
    with pytest.raises(md.UnsupportedError, match="one_report"):
        md.design_longitudinal(md.Problem(prior=[0.5, 0.5]), md.LDP(2.0), md.LIP(1.0), A)


def test_information_of_several_reports():
    """Maximised: more reports carry more, and at most the permanent report."""
    people, information = md.Problem(prior=[0.5, 0.3, 0.2]), md.MutualInformation()
    found = [md.design_longitudinal(people, md.LDP(2.0), md.LDP(0.8), information, reports=k) for k in (1, 3, math.inf)]
    assert found[0].value < found[1].value < found[2].value <= found[2].bound
    for made in found:
        assert made.value <= made.bound * (1 + 1e-9)
    assert found[0].bound == found[0].single.bound and found[0].gap < 1e-5


def test_inputs_without_a_matrix_are_refused():
    with pytest.raises(md.UnsupportedError, match="longitudinal"):
        md.design_longitudinal(md.Problem(n=10**5), md.LDP(2.0), md.LDP(1.0), A)


class TestPlanted:
    """Wrong variants, each of which a check catches."""

    def test_noise_that_is_left_out(self, monkeypatch):
        from mechdesign.studies import longitudinal_design as module

        made = md.design_longitudinal(md.Problem(n=4), md.LDP(3.0), md.LDP(1.5), A)
        target = made.single.mechanism
        share, found = module._instantaneous(made.permanent.mechanism.matrix, target.matrix)
        monkeypatch.setattr(module, "NOISE", (0.0,))
        # A matrix whose level is a little larger than asked is none without the noise.
        assert share == 1.0
        assert module._private(made.permanent.mechanism, found, target, 1.5 - 1e-9) is None


def test_levels_at_which_powers_overflow_are_those_without_noise():
    found = md.baselines.longitudinal_variances(4, 2000.0, 900.0)
    # n r (1 - r) at r = 1 / n, for what tells the truth.
    assert found["L-GRR"] == found["RAPPOR"] == pytest.approx((0.75, 0.75))
    assert all(np.isfinite(pair).all() for pair in found.values())
