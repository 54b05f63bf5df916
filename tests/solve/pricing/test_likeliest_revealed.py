"""Multipliers of the histogram error under maximal leakage: no set of inputs exceeds them."""

from itertools import product

import numpy as np
import pytest

import mechdesign as md
from mechdesign.notions import MaximalLeakage
from mechdesign.solve.pricing.likeliest_revealed import excess, is_of_peaks, multipliers


def sets_of(n):
    return np.array(list(product([0.0, 1.0], repeat=n))[1:])


def drawn(n, rng):
    """Yield priors: even, skewed, with ties, in no order."""
    for concentration in (0.1, 0.3, 1.0, 5.0):
        yield rng.dirichlet(np.full(n, concentration)) + 1e-12
    ties = np.round(rng.dirichlet(np.ones(n)) * 8) + 1
    yield ties / ties.sum()


def gained(sets, prior):
    return sets @ prior**2 / (sets @ prior)


@pytest.mark.parametrize("n", range(2, 11))
def test_no_set_gains_more_and_two_mechanisms_reach_the_bound(n, rng):
    sets = sets_of(n)
    for prior in drawn(n, rng):
        falling = np.sort(prior)[::-1]
        for revealed in range(n):
            found = multipliers(prior, revealed)
            charge = found.budget[0]
            assert np.all(gained(sets, prior) <= sets @ found.rows + charge + 1e-14)
            for more in (0, 1) if revealed < n - 1 else (0,):
                shared = falling[revealed + more :]
                reached = falling[: revealed + more].sum() + (shared**2).sum() / shared.sum()
                assert found.rows.sum() + (revealed + more + 1) * charge == pytest.approx(reached, abs=1e-13)


def test_the_charge_falls_with_the_number_of_inputs_revealed(rng):
    for prior in drawn(40, rng):
        charges = [multipliers(prior, revealed).budget[0] for revealed in range(41)]
        assert np.all(np.diff(charges) <= 1e-15) and charges[-1] == 0.0


@pytest.mark.parametrize("n", [2, 5, 9])
def test_no_column_exceeds_any_multipliers_by_more(n, rng):
    sets = sets_of(n)
    columns = np.vstack([sets, rng.random((300, n)) ** 4]).T
    columns *= n / columns.sum(axis=0)
    for prior in drawn(n, rng):
        problem = md.Problem(prior=prior / prior.sum())
        utility = md.HistogramMMSE().column_utility(columns, problem)
        for _ in range(20):
            near = multipliers(problem.prior, int(rng.integers(n)))
            rows = near.rows + rng.choice([0.0, 1e-9, 0.1]) * rng.normal(size=n)
            charge = max(near.budget[0] + rng.choice([0.0, 1e-9, 0.1]) * rng.normal(), 0.0)
            found = excess(problem, rows, charge)
            bound, rounding = found.bound, found.rounding
            assert np.all(utility - rows @ columns - charge * columns.max(axis=0) <= bound + 1e-14)
            assert 0 <= rounding <= 1e-10


def test_planted_multipliers_of_another_number_of_inputs_are_caught(rng):
    """Planted: the charge of one more input, at which a set gains more."""
    prior = np.array([0.4, 0.3, 0.2, 0.1])
    right, wrong = multipliers(prior, 0), multipliers(prior, 1)
    sets = sets_of(4)
    assert np.any(gained(sets, prior) > sets @ right.rows + wrong.budget[0] + 1e-6)


class Wider(MaximalLeakage):
    """A notion of one's own that allows more, and is not asked for its shape."""

    def holds_exactly(self, numerators, problem):
        return MaximalLeakage(2.0 * self.epsilon).holds_exactly(numerators, problem)


@pytest.mark.parametrize(
    ("problem", "notion", "objective"),
    [
        (md.Problem(prior=[0.5, 0.3, 0.2]), md.LDP(1.0), md.HistogramMMSE()),
        (md.Problem(prior=[0.5, 0.3, 0.2]), Wider(1.0), md.HistogramMMSE()),
        (md.Problem(prior=[0.5, 0.3, 0.2]), md.MaximalLeakage(1.0), md.MutualInformation()),
        (
            md.Problem(n=3).hidden(data_given_secret=[[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]], secret_prior=[0.5, 0.5]),
            md.MaximalLeakage(0.3),
            md.HistogramMMSE(),
        ),
    ],
)
def test_it_is_about_the_sum_of_largest_entries_alone(problem, notion, objective):
    assert not is_of_peaks(notion, objective, problem)
