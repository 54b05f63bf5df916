"""Reports that are all alike do not show how much people differ: no interval may then say that all is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtrit

import mechdesign as md

ASKED = md.Mechanism(np.eye(2), ["a", "b"])
#: Ten reports have no "b" with a probability of 0.025 if its share is 0.308 (Clopper and Pearson); intervals of few
#: clusters are somewhat wider.
MOST, FAR = 1.0 - 0.025**0.1, 0.05


@pytest.mark.parametrize(
    "survey",
    [
        {"population": 1000},
        {"clusters": list(range(10))},
        {"strata": [0, 1] * 5, "population": {0: 40, 1: 7000}},
        {"weights": [1.0] * 10, "replicate_weights": np.eye(10) + 0.5, "replicates": "jk1"},
    ],
)
def test_ten_who_agree_do_not_prove_that_everybody_does(survey):
    found = ASKED.estimate(["a"] * 10, **survey)
    assert (found.interval()[1, 1], found.interval()[0, 0]) == pytest.approx((MOST, 1.0 - MOST), abs=FAR)
    low, high = found.ratio([0, 1], [1, 1]).interval()
    assert (low, high) == pytest.approx((0.0, MOST), abs=FAR)
    low, high = found.interval(how="delta")[1]
    assert low < 0.0 and high > 0.1


def test_a_ratio_of_alike_reports_without_a_survey_is_not_certain_either():
    found = ASKED.estimate(["a"] * 10, method="unbiased")
    low, high = found.ratio([0, 1], [1, 1]).interval()
    assert (low, high) == pytest.approx((0.0, MOST), abs=1e-6)


def test_two_answers_of_the_same_reports_have_intervals_of_the_same_width():
    # Clusters that are all alike: rounding makes the variance of one answer 0, and of the other 1e-36.
    response = md.baselines.randomised_response(md.Problem(labels=["a", "b", "c"]), 8.0)
    reports, clusters = ["a", "b", "c", "c", "c", "c"] * 20, [person // 6 for person in range(120)]
    found = response.estimate(reports, clusters=clusters)
    for how in (None, "delta"):
        widths = np.ptp(found.interval(how=how), axis=1)
        assert widths[0] == pytest.approx(widths[1], rel=1e-6) and widths[0] > 0.1


def test_equal_weights_change_next_to_nothing_of_an_answer_that_nobody_reported():
    response = md.baselines.randomised_response(md.Problem(labels=["a", "b", "c"]), 8.0)
    reports = ["b"] * 10 + ["c"] * 110
    plain = response.estimate(reports, method="unbiased").interval()[0]
    weighted = response.estimate(reports, weights=[1.0] * 120)
    assert weighted.interval()[0] == pytest.approx(plain, abs=2e-3)
    # Student's quantile of 119 degrees of freedom, not of one.
    low, high = weighted.interval(how="delta")[0]
    assert high - low < 0.03


def test_alike_reports_of_unequal_weight_are_worth_as_many_as_their_weights():
    found = ASKED.estimate(["a"] * 10, weights=[1.0] * 5 + [2.5] * 5, clusters=list(range(10)))
    assert found.effective_reports == pytest.approx(17.5**2 / 36.25)
    # The model's error of one report, with half a report of each answer added: sqrt(p (1 - p)), p = 1/2 of 11.
    low, high = found.interval(how="delta")[1]
    error = np.sqrt(0.5 / 11 * 10.5 / 11 / found.effective_reports)
    assert (high - low) / 2 == pytest.approx(stdtrit(9, 0.975) * error, rel=1e-6)


def test_the_noise_of_a_few_is_not_all_that_is_unknown():
    noisy = md.Mechanism([[0.9, 0.1], [0.1, 0.9]], ["a", "b"])
    few = noisy.estimate(["a"] * 10, population=10**6).interval()
    many = noisy.estimate(["a"] * 10, clusters=list(range(10))).interval()
    np.testing.assert_allclose(few, many, rtol=1e-3)


def test_a_population_that_was_drawn_as_a_whole_is_known():
    assert ASKED.estimate(["a"] * 10, population=10).interval().tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_rounding_of_strata_that_agree_within_is_no_variance():
    strata = [0] * 7 + [1] * 11
    found = ASKED.estimate(["a"] * 7 + ["b"] * 11, strata=strata, weights=[0.3] * 7 + [0.7] * 11)
    assert found.standard_errors.tolist() == [0.0, 0.0]
    assert found.interval()[0, 1] - found.interval()[0, 0] > 0.1
