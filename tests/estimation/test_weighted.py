"""Estimates from weighted reports: by definition from each person's own report, with the variance of their weights."""

import numpy as np
import pytest
from scipy.special import stdtrit

import mechdesign as md

#: Of reports that are drawn at random, or of no population.
pytestmark = pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")

SURVEY = md.Problem(labels=["never", "rarely", "often"], values=[0, 1, 5])
TRUTH = np.array([0.6, 0.25, 0.15])


@pytest.fixture(scope="module")
def response():
    return md.baselines.randomised_response(SURVEY, 1.5)


def people(response, rng, count, skew=1.0):
    """Return reports of so many people, and their weights."""
    weights = rng.lognormal(sigma=skew, size=count)
    answers = rng.choice(3, count, p=TRUTH)
    return response.simulate(answers, rng, by="index"), weights


def test_it_is_the_weighted_mean_of_what_each_report_says(response, rng):
    """Of a square matrix that tells everything, the linear estimate of one report is a row of the inverse."""
    reports, weights = people(response, rng, 300)
    found = response.estimate(reports, weights=weights)
    each = np.linalg.inv(response.matrix)[reports]
    shares = weights / weights.sum()
    values = shares @ each
    np.testing.assert_allclose(found.frequencies, values, atol=1e-9)
    errors = np.sqrt(300 / 299 * (shares[:, None] ** 2 * (each - values) ** 2).sum(axis=0))
    np.testing.assert_allclose(found.standard_errors, errors, rtol=1e-6)
    mean = found.mean()
    assert mean.value == pytest.approx(values @ SURVEY.values, abs=1e-9)
    assert mean.standard_error == pytest.approx(
        np.sqrt(300 / 299 * (shares**2 * (each @ SURVEY.values - values @ SURVEY.values) ** 2).sum()), rel=1e-6
    )
    assert found.effective_reports == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert found.design_effect == pytest.approx(300 / found.effective_reports)


def test_equal_weights_are_the_unbiased_estimate(response, rng):
    reports, _ = people(response, rng, 500)
    plain = response.estimate(reports, method="unbiased")
    found = response.estimate(reports, weights=np.full(500, 7.0))
    np.testing.assert_allclose(found.frequencies, plain.frequencies, atol=1e-7)
    assert found.design_effect == pytest.approx(1.0)
    np.testing.assert_allclose(found.interval(), plain.interval(how="delta"), atol=4e-3)


def test_a_factor_of_all_weights_changes_nothing(response, rng):
    reports, weights = people(response, rng, 200)
    found = response.estimate(reports, weights=weights)
    for factor in (1e-300, 1e300):
        again = response.estimate(reports, weights=weights * factor)
        np.testing.assert_allclose(again.interval(), found.interval(), rtol=1e-9)


def test_totals_are_means_of_so_many_people(response, rng):
    reports, weights = people(response, rng, 200)
    found = response.estimate(reports, weights=weights)
    total, mean = found.total(1e6), found.mean()
    assert total.value == pytest.approx(1e6 * mean.value, rel=1e-12)
    assert total.standard_error == pytest.approx(1e6 * mean.standard_error, rel=1e-12)
    assert total.interval() == pytest.approx(tuple(1e6 * end for end in mean.interval()), rel=1e-9)
    assert "design effect" in str(found) and "mean" in str(found)


def missed(response, interval, count=600, size=400):
    """Return in which share of samples the interval of the share of "often" misses the truth."""
    rng = np.random.default_rng(17)
    wrong = 0
    for _ in range(count):
        reports, weights = people(response, rng, size)
        low, high = interval(response.estimate(reports, weights=weights))
        wrong += not low <= TRUTH[2] <= high
    return wrong / count


def test_intervals_hold_the_truth_as_often_as_they_say(response):
    most = 0.1 + 3 * np.sqrt(0.1 * 0.9 / 600)
    assert missed(response, lambda found: found.interval(0.9)[2]) <= most


def test_weights_that_are_counted_as_equal_are_caught(response):
    """Takes the reports for as many of equal weights: its intervals are too narrow by the root of the design effect."""

    def bold(found):
        equal = response.estimate(counts=found.counts, method="unbiased")
        low, high = equal.interval(0.9)[2]
        return found.frequencies[2] - (high - low) / 2, found.frequencies[2] + (high - low) / 2

    assert missed(response, bold) > 0.1 + 3 * np.sqrt(0.1 * 0.9 / 600)


def test_simultaneous_intervals_are_wider(response, rng):
    reports, weights = people(response, rng, 200)
    found = response.estimate(reports, weights=weights)
    one, all_of = found.interval(0.9), found.interval(0.9, simultaneous=True)
    assert (all_of[:, 0] < one[:, 0]).all() and (all_of[:, 1] > one[:, 1]).all()
    np.testing.assert_allclose(all_of, found.interval(1 - 0.1 / 3), rtol=1e-12)


def test_few_reports_are_said_to_be_few(response):
    assert "These are few" in str(response.estimate([0, 1, 2] * 3, weights=[1.0] * 9))
    assert "These are few" not in str(response.estimate([0, 1, 2] * 10, weights=[1.0] * 30))
    assert "fewer than 5 reports" in str(response.estimate([0, 1, 2], weights=[1.0, 1.0, 1.0]))
    # Of one report no variance is known.
    assert np.isinf(response.estimate([0], weights=[2.0]).standard_errors).all()


@pytest.mark.parametrize(
    ("reports", "weights", "words"),
    [
        ([0, 1], [1.0], "there are 2 reports"),
        ([0, 1], [1.0, -0.5], r"weights\[1\] is -0.5"),
        ([0, 1], [1.0, float("nan")], r"weights\[1\] is nan"),
        ([0, 1], [float("inf"), 1.0], r"weights\[0\] is inf"),
        ([0, 1], [0.0, 0.0], "all zero"),
        ([0, 1], "ab", "weights"),
        ([0, 1], [True, False], "weights"),
        ([0, 9], [1.0, 1.0], "reports"),
        ([0, None], [1.0, 1.0], "reports"),
    ],
)
def test_bad_weights_and_reports_are_refused(response, reports, weights, words):
    with pytest.raises(md.DomainError, match=words):
        response.estimate(reports, weights=weights)


def test_counts_have_no_weights(response):
    with pytest.raises(md.DomainError, match="counts do not say whose report is whose"):
        response.estimate(counts=[1, 1, 1], weights=[1.0, 1.0, 1.0])


def test_what_reports_do_not_tell_is_refused(rng):
    two = md.Mechanism([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]], ["x", "y"], problem=SURVEY)
    found = two.estimate([0, 1, 1], weights=[1.0, 2.0, 3.0])
    assert "the matrix has rank 2 for 3 inputs" in " ".join(str(found).split())
    for asked in (lambda: found.frequencies, found.interval, found.mean):
        with pytest.raises(md.UnsupportedError):
            asked()


def covered(response, reports, skew, trials=2000, level=0.95):
    """Return the share of intervals of the mean that hold it, where weights are lognormal."""
    rng = np.random.default_rng(29)
    truth, held = float(TRUTH @ SURVEY.values), 0
    for _ in range(trials):
        seen, weights = people(response, rng, reports, skew)
        low, high = response.estimate(seen, weights=weights).mean().interval(level)
        held += low <= truth <= high
    return held / trials


@pytest.mark.parametrize(("reports", "skew"), [(30, 2.0), (200, 3.0), (30, 1.0), (300, 1.5), (200, 1.0)])
def test_intervals_of_heavy_weights_hold_the_truth_as_often_as_they_say(response, reports, skew):
    assert 0.93 <= covered(response, reports, skew) <= 0.97


def test_two_reports_of_which_one_decides_all(response):
    found = response.estimate([0, 2], weights=[1e-10, 1.0])
    assert found.effective_reports == pytest.approx(1.0)
    mean = found.mean()
    # One report says as much as one report does: two that differ vary by half of their difference at least.
    each = np.linalg.inv(response.matrix) @ SURVEY.values
    assert mean.standard_error > 0.4 * abs(each[0] - each[2])
    assert mean.interval()[0] < mean.value - 10 * mean.standard_error
    assert "fewer than 5 reports" in " ".join(str(found).split())
    alike = response.estimate([2, 2], weights=[1e-10, 1.0]).mean()
    assert alike.standard_error > 1.0


def test_few_reports_have_the_variance_of_all_of_them_over_what_they_are_worth(response):
    reports, weights = np.array([0, 1, 2, 0, 1, 2, 0, 0]), np.array([9.0, 1, 1, 1, 4, 1, 1, 1])
    found = response.estimate(reports, weights=weights)
    each = np.linalg.inv(response.matrix) @ SURVEY.values
    worth = weights.sum() ** 2 / (weights**2).sum()
    law = (np.bincount(reports) + 0.5 * np.ones(3) @ response.matrix) / (8 + 1.5)
    variance = law @ each**2 - (law @ each) ** 2
    assert found.mean().standard_error == pytest.approx(np.sqrt(variance / worth), rel=1e-6)
    reach = found.mean().interval(how="delta")[1] - found.mean().value
    assert reach == pytest.approx(stdtrit(7, 0.975) * found.mean().standard_error, rel=1e-9)
