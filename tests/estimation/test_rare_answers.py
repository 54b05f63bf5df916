"""Coverage of intervals of rare answers in surveys, by simulation, and of conditional shares, over all outcomes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multinomial

import mechdesign as md

RESPONSE = md.baselines.randomised_response(md.Problem(labels=["rare", "some", "most"]), 8.0)
SAMPLES, PEOPLE = 300, 100
SHARES = np.array([0.02, 0.05, 0.93])
#: Three standard errors of a simulated coverage below 0.95.
LEAST = 0.95 - 3 * np.sqrt(0.95 * 0.05 / SAMPLES)


def answered(laws, rng):
    """Return an answer of each person from the laws of all, shape (people, 3)."""
    return (rng.random(len(laws))[:, None] > np.cumsum(laws, axis=1)).sum(axis=1).clip(0, 2)


def weighted(rng):
    """Weights that do not depend on answers."""
    return np.tile(SHARES, (PEOPLE, 1)), {"weights": rng.lognormal(sigma=0.8, size=PEOPLE)}


def stratified(rng):
    """Two strata, one of which has most of the rare answers."""
    apart = np.array([0.015, 0.03, -0.045])
    laws = np.where(np.arange(PEOPLE)[:, None] % 2, SHARES + apart, SHARES - apart)
    return laws, {"strata": [person % 2 for person in range(PEOPLE)]}


def clustered(rng):
    """Twenty clusters, whose people are alike."""
    laws = rng.dirichlet(20 * SHARES, size=20)
    return np.repeat(laws, PEOPLE // 20, axis=0), {"clusters": [person // 5 for person in range(PEOPLE)]}


def coverage(design, how, rng):
    """Return the share of samples in which the interval of each answer holds its share."""
    held = np.zeros(3)
    for _ in range(SAMPLES):
        laws, survey = design(rng)
        reports = RESPONSE.simulate(answered(laws, rng), rng, by="index")
        ends = RESPONSE.estimate(reports, by="index", **survey).interval(how=how)
        held += (ends[:, 0] <= SHARES) & (ends[:, 1] >= SHARES)
    return held / SAMPLES


@pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")
@pytest.mark.parametrize("design", [weighted, stratified, clustered])
def test_intervals_of_rare_answers_hold(design, rng):
    assert (coverage(design, None, rng) >= LEAST).all()


@pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")
def test_students_intervals_of_rare_answers_are_caught(rng):
    assert coverage(clustered, "delta", rng).min() < LEAST


@pytest.mark.parametrize("method", ["likelihood", "unbiased"])
@pytest.mark.parametrize("shares", [(0.02, 0.04, 0.94), (0.1, 0.2, 0.7)])
def test_intervals_of_conditional_shares_hold_over_all_outcomes(shares, method):
    people = 30
    counts = np.array([(a, b, people - a - b) for a in range(people + 1) for b in range(people + 1 - a)])
    chances = multinomial.pmf(counts, people, np.array(shares) @ RESPONSE.matrix)
    held = met = students = 0.0
    for count, chance in zip(counts[chances > 1e-4], chances[chances > 1e-4], strict=True):
        try:
            made = RESPONSE.estimate(counts=count, method=method).ratio([0, 1, 0], [1, 1, 0])
        except md.DomainError:
            # Nobody is estimated to have one of the two answers.
            continue
        low, high = made.interval()
        true, half = shares[1] / (shares[0] + shares[1]), 1.96 * made.standard_error
        met += chance
        held += chance * (low <= true <= high)
        students += chance * (abs(made.value - true) <= half)
        assert low >= min(0.0, made.value) and high <= max(1.0, made.value)
    assert held / met > 0.915
    if method == "unbiased":
        assert students / met < 0.9, "the linear interval would do"


def in_weights(weight, counts=(198, 2, 0)):
    """Return the interval of a mean of 0, 1 and 5 if the reports of 1 have a weight, and all others 1."""
    made = md.baselines.randomised_response(md.Problem(values=[0, 1, 5]), 8.0)
    reports = np.repeat([0, 1, 2], counts)
    return made.estimate(reports, by="index", weights=np.where(reports == 1, weight, 1.0)).mean().interval()


def test_an_answer_that_nobody_reported_may_be_there_whatever_the_weights():
    # Where the variance is improper the interval once fell to a tenth of its width.
    assert in_weights(0.4)[1] == pytest.approx(in_weights(0.45)[1], rel=0.02)
    assert in_weights(1.0)[1] == pytest.approx(5 * 0.0184, rel=0.05)


def test_equal_weights_have_the_interval_of_no_weights_far_outside_of_the_simplex():
    made = md.baselines.randomised_response(md.Problem(values=[0, 1, 5]), 2.0)
    reports = np.repeat([0, 1], [480, 20])
    with pytest.warns(md.FitWarning):
        plain = made.estimate(reports, by="index", method="unbiased").mean().interval()
    with pytest.warns(md.FitWarning):
        weighted = made.estimate(reports, by="index", weights=np.ones(500)).mean().interval()
    # But for Student's quantile.
    assert weighted == pytest.approx(plain, rel=5e-3)


def test_intervals_of_a_ratio_grow_with_the_level_from_all_reports_alike():
    made = md.baselines.randomised_response(md.Problem(labels=["a", "b"]), 8.0)
    found = made.estimate(np.ones(40, dtype=int), by="index", weights=np.ones(40))
    ratio = found.ratio([0, 1], [1, -1])
    ends = np.array([ratio.interval(level) for level in (0.01, 0.5, 0.8, 0.95)])
    assert (np.diff(ends[:, 0]) < 0).all() and (np.diff(ends[:, 1]) >= 0).all()
    # b / (a - b) falls with a.
    most = found.interval(0.5)[0, 1]
    assert ends[1, 0] == pytest.approx((1 - most) / (2 * most - 1), rel=1e-6)


def test_a_ratio_of_what_is_negative_is_the_same_ratio():
    found = RESPONSE.estimate(counts=[30, 20, 50])
    ends = found.ratio([0, 1, 0], [1, 1, 0]).interval()
    assert found.ratio([0, -1, 0], [-1, -1, 0]).interval() == pytest.approx(ends, rel=1e-9)
    assert found.ratio([0, 1, 0], [-1, -1, 0]).interval() == pytest.approx((-ends[1], -ends[0]), rel=1e-9)
    # One that is far above what any population has ends where those do.
    assert found.ratio([0, 1, 0], [1, 1, 0]).interval(1 - 1e-12)[1] <= 1.0
