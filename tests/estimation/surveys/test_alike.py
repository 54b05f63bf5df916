"""Reports that are all alike do not show how much people differ: no interval may then say that all is known."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md

ASKED = md.Mechanism(np.eye(2), ["a", "b"])
#: The largest error of an estimate of 0 from ten reports: a share of a quarter gives no "b" in ten with 0.056.
FAR = 0.05


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
    assert (found.interval()[1, 1], found.interval()[0, 0]) == pytest.approx((0.149, 0.851), abs=FAR)
    low, high = found.ratio([0, 1], [1, 1]).interval()
    assert high > 0.1 and low < 0


def test_a_ratio_of_alike_reports_without_a_survey_is_not_certain_either():
    found = ASKED.estimate(["a"] * 10, method="unbiased")
    low, high = found.ratio([0, 1], [1, 1]).interval()
    assert high == pytest.approx(found.functional([0, 1]).interval(how="delta")[1])
    assert low < -0.05 and high > 0.05


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
