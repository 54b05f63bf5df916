"""Differences of two groups: by hand, with the coverage that intervals promise, refused where they mean nothing."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.estimation import differences

#: Of reports that are drawn at random, or of no population.
ANY_REPORTS = pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")

RESPONSE = md.baselines.randomised_response(md.Problem(labels=["no", "yes"], values=[0, 1]), 1.0)
FOUR = md.Problem(labels=["a", "b", "c", "d"], values=[0, 1, 2, 5])


def test_of_two_answers_it_is_that_of_inverted_shares():
    a, b = (RESPONSE.estimate(counts=counts) for counts in ([600, 400], [450, 550]))
    truth, lie = RESPONSE.matrix[0]
    found = a.difference(b)
    assert found.frequencies == pytest.approx([0.15 / (truth - lie), -0.15 / (truth - lie)])
    variance = 0.6 * 0.4 / 1000 + 0.45 * 0.55 / 1000
    assert found.standard_errors == pytest.approx(np.sqrt(variance) / (truth - lie), rel=2e-3)
    assert found.mean()["difference"] == pytest.approx(found.frequencies[1])
    low, high = found.interval()[1]
    assert low < found.frequencies[1] < high and found.interval(0.99)[1, 0] < low
    assert np.all(np.ptp(found.interval(simultaneous=True), axis=1) >= np.ptp(found.interval(), axis=1) - 1e-12)


def test_turned_round_it_is_its_negative():
    a, b = (RESPONSE.estimate(counts=counts) for counts in ([30, 10], [5, 15]))
    there, back = a.difference(b), b.difference(a)
    assert there.frequencies == pytest.approx(-back.frequencies)
    assert there.interval() == pytest.approx(-back.interval()[:, ::-1])


def coverage(people, level, trials, rng):
    """Return the share of intervals that hold the true difference of one share and of the mean."""
    mechanism = md.baselines.subset_selection(FOUR, 1.5)
    truths = np.array([0.7, 0.2, 0.1, 0.0]), np.array([0.4, 0.3, 0.2, 0.1])
    laws = [truth @ mechanism.matrix for truth in truths]
    held = []
    for _ in range(trials):
        counts = [rng.multinomial(size, law / law.sum()) for size, law in zip(people, laws, strict=True)]
        found = mechanism.estimate(counts=counts[0]).difference(mechanism.estimate(counts=counts[1]))
        apart, mean = truths[0] - truths[1], found.mean(level=level)
        low, high = found.interval(level)[0]
        wanted = float(apart @ FOUR.values)
        held.append((low <= apart[0] <= high, mean["low"] <= wanted <= mean["high"]))
    return np.mean(held, axis=0)


@ANY_REPORTS
@pytest.mark.thinned(8)
@pytest.mark.parametrize("people", [(40, 40), (200, 60)])
def test_intervals_hold_the_truth_as_often_as_they_say(people, rng):
    trials = 400
    of_share, of_mean = coverage(people, 0.9, trials, rng)
    # Four standard errors of a share of so many trials, and a point for few reports.
    slack = 4 * np.sqrt(0.09 / trials) + 0.01
    assert abs(of_share - 0.9) < slack and abs(of_mean - 0.9) < slack


@ANY_REPORTS
def test_intervals_that_forget_one_group_are_caught(monkeypatch, rng):
    """Planted: the second group's noise is left out."""
    true = differences.Difference._ends

    def one_sided(self, lines, level, simultaneous):
        found, values = true(self, lines, level, simultaneous), self._values(lines)[:, None]
        return values + 0.6 * (found - values)

    monkeypatch.setattr(differences.Difference, "_ends", one_sided)
    with pytest.raises(AssertionError):
        test_intervals_hold_the_truth_as_often_as_they_say((40, 40), rng)


def test_two_mechanisms_may_have_asked_the_two_groups(rng):
    other = md.baselines.subset_selection(FOUR, 1.0)
    first = md.baselines.randomised_response(FOUR, 2.0).estimate(counts=[50, 20, 20, 10])
    second = other.estimate(counts=rng.multinomial(100, np.full(other.matrix.shape[1], 1 / other.matrix.shape[1])))
    found = first.difference(second)
    assert found.frequencies.sum() == pytest.approx(0, abs=1e-12) and len(found.to_pandas()) == 4
    assert "100 reports against 100" in str(found) and "mean" in str(found)


def test_groups_that_cannot_be_compared_are_refused():
    turned = md.baselines.randomised_response(md.Problem(labels=["yes", "no"]), 1.0)
    here = RESPONSE.estimate(counts=[6, 4])
    for other, said in (
        ([0.5, 0.5], "other is .*has to be an Estimate"),
        (md.baselines.randomised_response(FOUR, 1.0).estimate(counts=[1, 2, 3, 4]), "not asked for the same 2 values"),
        (turned.estimate(counts=[1, 2]), "in one order"),
    ):
        with pytest.raises(md.DomainError, match=said):
            here.difference(other)
    with pytest.raises(md.DomainError, match="level"):
        here.difference(here).interval(95)
    bare = md.baselines.randomised_response(md.Problem(n=2), 1.0).estimate(counts=[6, 4])
    with pytest.raises(md.DomainError, match="the problem has none"):
        bare.difference(bare).mean()
    blind = md.Mechanism([[0.5, 0.5]] * 2, ["a", "b"]).estimate(counts=[6, 4])
    with pytest.raises(md.UnsupportedError, match="frequencies"):
        blind.difference(blind)


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_differences_of_groups_are_in_the_unit_of_the_values(size, rng):
    response = md.Mechanism([[0.75, 0.25], [0.25, 0.75]])
    clusters = np.arange(120) // 6
    reports = (rng.random(120) < 0.3 + 0.4 * (clusters % 2)).astype(int)
    found = response.estimate(reports, clusters=clusters, groups=["a", "b"] * 60).difference("a", "b")
    plain, large = found.mean([0.0, 1.0]), found.mean([0.0, size])
    assert large == pytest.approx({name: number * size for name, number in plain.items()}, rel=1e-9, abs=0)
