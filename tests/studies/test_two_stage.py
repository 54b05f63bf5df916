"""Two stages: bounds that hold the prior, a design that is private under every prior within them, shares of people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md

GUESSED = md.Problem(prior=[0.4, 0.3, 0.2, 0.1], values=[0, 1, 2, 3])
FIRST = md.design(GUESSED, md.LDP(1.0), md.InformationDesign("A")).mechanism


def counted(people, prior=GUESSED.prior):
    """Return the first stage's estimate from the counts that a prior leads to one expects."""
    return FIRST.estimate(counts=np.round(people * (prior @ FIRST.matrix)).astype(int))


def test_the_second_mechanism_is_private_under_every_prior_within_the_bounds(rng):
    found = md.two_stage(counted(20_000), 1.0, md.MMSE())
    assert found.design.gap <= 1e-6 and found.design.value < found.local.value
    matrix = found.mechanism.matrix
    low, high = found.bounds.T
    assert np.all(low <= GUESSED.prior) and np.all(GUESSED.prior <= high)
    for _ in range(300):
        prior = low + (high - low) * rng.random(4)
        prior *= 1.0 / prior.sum()
        if np.all((low <= prior) & (prior <= high)):
            lifts = np.log(matrix / (prior @ matrix))
            assert np.abs(lifts).max() <= 1.0 + 1e-9
    assert found.local_level == pytest.approx(md.LDP(0.0).level(matrix, GUESSED).value)
    assert "whatever" not in str(found) and "nothing is promised" in str(found)


def test_a_prior_that_is_taken_for_certain_is_not_private_under_the_truth():
    """Planted: LIP at the estimate itself, from few reports of a population that is another."""
    truth = np.array([0.34, 0.33, 0.22, 0.11])
    estimate = counted(2_000)
    certain = md.design(
        md.Problem(prior=estimate.frequencies, values=GUESSED.values), md.LIP(1.0), md.MMSE()
    ).mechanism.matrix
    within = md.two_stage(estimate, 1.0, md.MMSE())
    assert np.all((within.bounds[:, 0] <= truth) & (truth <= within.bounds[:, 1]))
    assert np.abs(np.log(certain / (truth @ certain))).max() > 1.0 + 1e-3
    assert np.abs(np.log(within.mechanism.matrix / (truth @ within.mechanism.matrix))).max() <= 1.0 + 1e-9


def test_the_bounds_hold_as_often_as_is_said():
    """Of 300 draws of the first stage; planted: the intervals of single frequencies hold all at once less often."""
    rng, every, single = np.random.default_rng(11), 0, 0
    for _ in range(300):
        estimate = FIRST.estimate(counts=rng.multinomial(3_000, GUESSED.prior @ FIRST.matrix))
        holds = [
            np.all((bounds[:, 0] <= GUESSED.prior) & (GUESSED.prior <= bounds[:, 1]))
            for bounds in (estimate.interval(0.9, simultaneous=True), estimate.interval(0.9))
        ]
        every, single = every + holds[0], single + holds[1]
    assert every >= 0.87 * 300 > single


def test_many_first_reports_lead_to_the_design_for_the_prior_itself():
    few, many = (md.two_stage(counted(people), 1.0, md.MMSE()).design.value for people in (10**4, 10**9))
    exact = md.design(GUESSED, md.LIP(1.0), md.MMSE()).value
    assert exact < many < few and many == pytest.approx(exact, rel=1e-3)


def test_shares_of_people_are_weighed_by_the_values_of_both_stages():
    found = md.two_stage_shares(GUESSED, FIRST, 1.0, md.MMSE(), 100_000, shares=[0.05, 0.3])
    own = md.MMSE().value(FIRST.matrix, GUESSED)
    assert found.mean == pytest.approx(found.shares * own + (1.0 - found.shares) * found.second)
    assert found.widest[0] > found.widest[1] and found.second[0] > found.second[1]
    assert found.best == 0.05 and found.mean.min() < found.local
    assert found.local == pytest.approx(md.design(GUESSED, md.LDP(1.0), md.MMSE()).value)
    guesses = md.two_stage_shares(GUESSED, FIRST, 1.0, md.HammingLoss(), 100_000, shares=[0.1])
    assert guesses.mean[0] < guesses.local


def test_what_is_no_estimate_and_no_share_is_refused():
    with pytest.raises(md.DomainError, match="of the class Estimate"):
        md.two_stage(GUESSED, 1.0, md.MMSE())
    with pytest.raises(md.DomainError, match="level"):
        md.two_stage(counted(1000), 1.0, md.MMSE(), level=1.0)
    with pytest.raises(md.DomainError, match=r"shares\[1\]"):
        md.two_stage_shares(GUESSED, FIRST, 1.0, md.MMSE(), 1000, shares=[0.5, 1.0])
    with pytest.raises(md.DomainError, match="over 4 answers"):
        md.two_stage_shares(md.Problem(prior=[0.5, 0.5], values=[0, 1]), FIRST, 1.0, md.MMSE(), 1000)
    with pytest.raises(md.DomainError, match="nothing to compare"):
        md.two_stage_shares(GUESSED, FIRST, 1.0, md.MMSE(), 1000, shares=[])
    with pytest.raises(md.DomainError, match="give a sequence"):
        md.two_stage_shares(GUESSED, FIRST, 1.0, md.MMSE(), 1000, shares=0.1)
    with pytest.raises(md.DomainError, match="of 2 people is nobody"):
        md.two_stage_shares(GUESSED, FIRST, 1.0, md.MMSE(), 2)
    named = [replace(GUESSED, labels=tuple(names)) for names in ("abcd", "dcba")]
    first = md.design(named[0], md.LDP(1.0), md.InformationDesign("A")).mechanism
    with pytest.raises(md.DomainError, match="give the answers in that order"):
        md.two_stage_shares(named[1], first, 1.0, md.MMSE(), 1000)
    hidden = GUESSED.hidden(secret_given_data=[[0.9, 0.2, 0.1, 0.5], [0.1, 0.8, 0.9, 0.5]])
    with pytest.raises(md.UnsupportedError, match="the answers themselves"):
        md.two_stage_shares(hidden, FIRST, 1.0, md.MMSE(), 1000)


def test_an_answer_that_nobody_seems_to_give_keeps_a_place_within_its_bounds():
    """The estimated frequency of a rare answer is often 0, and its interval begins there."""
    survey = md.Problem(n=3, values=[0, 1, 2])
    first = md.design(survey, md.LDP(1.0), md.InformationDesign("A")).mechanism
    drawn = (np.random.default_rng(seed).multinomial(200, [0.9, 0.09, 0.01] @ first.matrix) for seed in range(20))
    estimate = next(made for counts in drawn if (made := first.estimate(counts=counts)).frequencies.min() == 0.0)
    found = md.two_stage(estimate, 1.0, md.MMSE())
    prior, (low, high) = found.mechanism.asked.problem.prior, found.bounds.T
    assert prior.min() > 0.0 and np.all(low <= prior) and np.all(prior <= high) and found.design.gap <= 1e-6


def test_reports_of_a_survey_with_weights_are_an_estimate_too():
    answers = np.repeat([0, 1, 2, 3], [400, 300, 200, 100])
    reports, weights = FIRST.simulate(answers, seed=3), np.random.default_rng(4).uniform(0.5, 1.5, 1000)
    found = md.two_stage(FIRST.estimate(reports, weights=weights), 1.0, md.MMSE())
    assert found.design.gap <= 1e-6 and np.all(found.bounds[:, 0] < found.bounds[:, 1])
