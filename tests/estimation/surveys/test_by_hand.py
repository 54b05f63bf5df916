"""Variances of survey estimates against sums over people, strata, clusters and replicates that are written out here."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.special import stdtrit

import mechdesign as md
from mechdesign.estimation import Replicates

#: Of weights and reports at random, which come from no one population.
pytestmark = pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")

SURVEY = md.Problem(labels=["never", "rarely", "often"], values=[0, 1, 5])
RESPONSE = md.baselines.randomised_response(SURVEY, 1.5)
#: What a report counts for: of a square matrix that tells everything it is a row of the inverse.
EACH = np.linalg.inv(RESPONSE.matrix)


@pytest.fixture
def people(rng):
    """Reports of 240 people with weights, in three strata of four, six and ten clusters of several sizes."""
    clusters = np.array([4, 6, 10])
    stratum = rng.choice(3, 240, p=[0.2, 0.3, 0.5])
    cluster = (rng.random(240) ** 1.5 * clusters[stratum]).astype(int)
    answers = np.where(rng.random(240) < 0.5, cluster % 3, rng.choice(3, 240))
    weights = rng.lognormal(sigma=0.7, size=240)
    return RESPONSE.simulate(answers, rng, by="index"), weights, stratum, cluster


def linearised(reports, weights, stratum, cluster, sizes=None, member=None):
    """Return the estimates of the three shares and the covariance of them, person by person."""
    member = np.ones(len(reports), dtype=bool) if member is None else member
    weights = weights * member
    estimate = weights @ EACH[reports] / weights.sum()
    each = weights[:, None] * (EACH[reports] - estimate) / weights.sum()
    covariance = np.zeros((3, 3))
    for h in np.unique(stratum):
        names = np.unique(cluster[stratum == h])
        totals = np.array([each[(stratum == h) & (cluster == name)].sum(axis=0) for name in names])
        left = 1.0 if sizes is None else 1.0 - len(names) / sizes[h]
        apart = totals - totals.mean(axis=0)
        covariance += left * len(names) / (len(names) - 1) * apart.T @ apart
    return estimate, covariance


def test_clusters_in_strata(people):
    reports, weights, stratum, cluster = people
    found = RESPONSE.estimate(reports, weights=weights, strata=stratum, clusters=cluster)
    estimate, covariance = linearised(*people)
    np.testing.assert_allclose(found.frequencies, estimate, atol=1e-9)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(found.standard_errors, np.sqrt(np.diag(covariance)), rtol=1e-6)
    mean = found.mean()
    error = np.sqrt(SURVEY.values @ covariance @ SURVEY.values)
    assert float(mean) == pytest.approx(estimate @ SURVEY.values) and mean.standard_error == pytest.approx(error)
    drawn = sum(len(np.unique(cluster[stratum == h])) for h in range(3))
    assert found.survey.degrees == drawn - 3
    reach = stdtrit(drawn - 3, 0.95)
    assert mean.interval(0.9, how="delta")[1] - float(mean) == pytest.approx(reach * error)
    for end in mean.interval(0.9):
        assert squares_apart(found, SURVEY.values, covariance, float(end)) == pytest.approx(reach**2, rel=1e-6)


def squares_apart(found, values, covariance, t):
    """Return the squared distance of a mean from t in units of its variance if it is t, at the survey's size.

    By definition: the population near the estimate, with half a report of each answer added, is moved along the best
    direction until its mean is t; the variance is the one of a single report, times the design effect over Kish's
    number, or over it if the effect is less than one.
    """
    worth, counted = found.effective_reports, EACH @ values
    near = (worth * found.theta + 0.5) / (worth + 1.5)
    law = near @ RESPONSE.matrix
    at = law @ counted
    moved = law + (t - at) * law * (counted - at) / (law @ (counted - at) ** 2)
    variance = moved @ counted**2 - t**2
    shares = found.survey.shares
    spread = shares @ counted**2 - (shares @ counted) ** 2
    effect = max(values @ covariance @ values * worth / spread, 1.0)
    return (shares @ counted - t) ** 2 / (variance * effect / worth)


def test_people_in_strata_are_clusters_of_one(people):
    reports, weights, stratum, _ = people
    found = RESPONSE.estimate(reports, weights=weights, strata=stratum)
    _, covariance = linearised(reports, weights, stratum, np.arange(240))
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-6, atol=1e-12)
    alone = RESPONSE.estimate(reports, weights=weights, strata=stratum, clusters=np.arange(240))
    np.testing.assert_allclose(found.interval(), alone.interval(), rtol=1e-9)


def test_clusters_without_strata_and_weights(people):
    reports, _, stratum, cluster = people
    names = 100 * stratum + cluster
    found = RESPONSE.estimate(reports, clusters=names)
    _, covariance = linearised(reports, np.ones(240), np.zeros(240, dtype=int), names)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-6, atol=1e-12)


def noise(reports, weights, fixed, theta):
    """Return the covariance of the estimates by the mechanism's chance alone, at answers of the law theta."""
    squares = (fixed * weights**2).sum() / weights.sum() ** 2
    centred = np.array([row[:, None] * (EACH - row @ EACH) for row in RESPONSE.matrix])
    return squares * sum(
        share * (EACH - row @ EACH).T @ each for share, row, each in zip(theta, RESPONSE.matrix, centred, strict=True)
    )


def test_a_finite_population_leaves_the_noise(people):
    reports, weights, stratum, cluster = people
    sizes = {0: 9, 1: 6, 2: 40}
    found = RESPONSE.estimate(reports, weights=weights, strata=stratum, clusters=cluster, population=sizes)
    _, covariance = linearised(*people, sizes)
    drawn = np.array([len(np.unique(cluster[stratum == h])) / sizes[h] for h in range(3)])
    fixed = drawn[stratum]
    square = fixed * weights**2
    theta = square @ EACH[reports] / square.sum()
    assert (theta > 0).all()
    np.testing.assert_allclose(
        found.covariance, covariance + noise(reports, weights, fixed, theta), rtol=1e-5, atol=1e-10
    )


def test_of_a_whole_population_only_the_noise_is_left(people):
    reports, _, stratum, _ = people
    sizes = dict(enumerate(np.bincount(stratum)))
    found = RESPONSE.estimate(reports, strata=stratum, population=sizes)
    theta = EACH[reports].mean(axis=0)
    np.testing.assert_allclose(
        found.covariance, noise(reports, np.ones(240), np.ones(240), theta), rtol=1e-5, atol=1e-10
    )


def test_groups_keep_all_clusters(people, rng):
    reports, weights, stratum, cluster = people
    member = rng.random(240) < 0.3
    groups = np.where(member, "few", "many")
    found = RESPONSE.estimate(reports, weights=weights, strata=stratum, clusters=cluster, groups=groups)
    for name, of_it in (("few", member), ("many", ~member)):
        estimate, covariance = linearised(*people, member=of_it)
        np.testing.assert_allclose(found[name].frequencies, estimate, atol=1e-9)
        np.testing.assert_allclose(found[name].covariance, covariance, rtol=1e-6, atol=1e-12)
        there = set(zip(stratum[of_it], cluster[of_it], strict=True))
        assert found[name].survey.degrees == len(there) - len({h for h, _ in there})


@pytest.mark.parametrize("clustered", [True, False])
def test_differences_of_groups_have_the_covariance_of_shared_clusters(people, rng, clustered):
    reports, weights, stratum, cluster = people
    cluster = cluster if clustered else np.arange(240)
    member = rng.random(240) < 0.4
    found = RESPONSE.estimate(
        reports,
        weights=weights,
        strata=stratum,
        clusters=cluster if clustered else None,
        groups=np.where(member, "a", "b"),
    )
    each = np.zeros((240, 3))
    for of_it, sign in ((member, 1.0), (~member, -1.0)):
        heavy = weights * of_it
        estimate = heavy @ EACH[reports] / heavy.sum()
        each += sign * heavy[:, None] * (EACH[reports] - estimate) / heavy.sum()
    variance = np.zeros(3)
    for h in range(3):
        names = np.unique(cluster[stratum == h])
        totals = np.array([each[(stratum == h) & (cluster == name)].sum(axis=0) for name in names])
        variance += len(names) / (len(names) - 1) * ((totals - totals.mean(axis=0)) ** 2).sum(axis=0)
    made = found.difference("a", "b")
    np.testing.assert_allclose(made.standard_errors, np.sqrt(variance), rtol=1e-6)
    low, high = made.interval().T
    assert (low < made.frequencies).all() and (made.frequencies < high).all()


def test_groups_of_people_who_were_drawn_alike_are_estimates_of_their_own(people):
    reports, _, stratum, _ = people
    found = RESPONSE.estimate(reports, groups=stratum)
    for h in range(3):
        alone = RESPONSE.estimate(reports[stratum == h])
        np.testing.assert_array_equal(found[h].interval(), alone.interval())


@pytest.mark.parametrize(
    ("kind", "scale"),
    [
        (Replicates("brr"), 1 / 12),
        (Replicates("fay", rho=0.4), 1 / (12 * 0.36)),
        (Replicates("jk1"), 11 / 12),
        (Replicates("bootstrap"), 1 / 11),
        (Replicates("jkn", rscales=np.arange(12) / 12), np.arange(12) / 12),
        (Replicates("brr", scale=0.5, mse=True), 0.5),
    ],
)
def test_replicates(people, rng, kind, scale):
    reports, weights, *_ = people
    replicate = weights[:, None] * rng.choice([0.2, 1.0, 1.8], (240, 12))
    found = RESPONSE.estimate(reports, weights=weights, replicate_weights=replicate, replicates=kind)
    estimate = weights @ EACH[reports] / weights.sum()
    each = replicate.T @ EACH[reports] / replicate.sum(axis=0)[:, None]
    kept = each[np.broadcast_to(scale, 12) > 0]
    apart = each - (estimate if kind.mse else kept.mean(axis=0))
    np.testing.assert_allclose(found.frequencies, estimate, atol=1e-9)
    np.testing.assert_allclose(found.standard_errors, np.sqrt(np.broadcast_to(scale, 12) @ apart**2), rtol=1e-6)
    assert found.survey.degrees == 11


def test_a_ratio_is_a_conditional_share(people):
    reports, weights, stratum, cluster = people
    found = RESPONSE.estimate(reports, weights=weights, strata=stratum, clusters=cluster)
    made = found.ratio([0, 0, 1], [0, 1, 1])
    estimate, covariance = linearised(*people)
    share = estimate[2] / (estimate[1] + estimate[2])
    gradient = np.array([0, -share, 1 - share]) / (estimate[1] + estimate[2])
    assert float(made) == pytest.approx(share)
    assert made.standard_error == pytest.approx(np.sqrt(gradient @ covariance @ gradient), rel=1e-6)
    ends = made.interval()
    reach = stdtrit(found.survey.degrees, 0.975) * made.standard_error
    assert ends == pytest.approx((share - reach, share + reach), abs=0.03)
    for side, end in enumerate(ends):
        # There the interval of what would be 0 just ends at 0.
        assert found.functional([0, -end, 1 - end]).interval()[side] == pytest.approx(0.0, abs=1e-7) or end in (0, 1)


def test_a_ratio_of_unweighted_reports_has_the_multinomial_variance():
    counts = np.array([300, 500, 400])
    for method in ("likelihood", "unbiased"):
        found = RESPONSE.estimate(counts=counts, method=method)
        made = found.ratio([0, 0, 1], [0, 1, 1])
        shares = counts / 1200
        estimate, covariance = shares @ EACH, EACH.T @ (np.diag(shares) - np.outer(shares, shares)) @ EACH / 1200
        share = estimate[2] / (estimate[1] + estimate[2])
        gradient = np.array([0, -share, 1 - share]) / (estimate[1] + estimate[2])
        assert float(made) == pytest.approx(share, abs=1e-6)
        assert made.standard_error == pytest.approx(np.sqrt(gradient @ covariance @ gradient), rel=3e-3)


def test_a_quantile_is_where_the_interval_of_its_cumulative_share_says(people):
    """Woodruff's interval, with the variance of the design."""
    reports, weights, stratum, cluster = people
    found = RESPONSE.estimate(reports, weights=weights, strata=stratum, clusters=cluster)
    estimate, covariance = linearised(*people)
    made = found.quantile(0.5, 0.8)
    sums = np.cumsum(estimate)[:2]
    lines = np.array([[1, 0, 0], [1, 1, 0]])
    reach = stdtrit(found.survey.degrees, 0.9) * np.sqrt(np.diag(lines @ covariance @ lines.T))
    assert made.index == int(np.argmax(np.append(sums, 1.0) >= 0.5))
    kept = (np.append(sums + reach, 1.0) >= 0.5) & (np.insert(sums - reach, 0, 0.0) < 0.5)
    kept[made.index] = True
    assert (made.low, made.high) == (np.flatnonzero(kept)[0], np.flatnonzero(kept)[-1])


def test_totals_are_shares_of_so_many_people(people):
    reports, weights, stratum, cluster = people
    found = RESPONSE.estimate(reports, weights=weights, strata=stratum, clusters=cluster)
    for row, total in zip(found.rows(0.9), found.totals(1000, 0.9), strict=True):
        assert total["label"] == row["label"]
        assert all(total[name] == 1000 * row[name] for name in ("estimate", "standard_error", "low", "high"))
    assert "Of 1000 people" in str(found.shown(size=1000)[-1])


def test_a_rectangular_mechanism_has_the_variance_of_its_own_linear_estimate(people):
    """Of more outputs than inputs: the estimate of one report is read off by estimates of single-output samples."""
    _, weights, stratum, cluster = people
    four = md.baselines.subset_selection(md.Problem(n=4), 1.0)
    rng = np.random.default_rng(3)
    outputs = rng.integers(0, four.matrix.shape[1], 240)
    found = four.estimate(outputs, weights=weights, strata=stratum, clusters=cluster)
    moved = found.linear.moved(np.eye(4)).T
    each = weights[:, None] * (moved[outputs] - weights @ moved[outputs] / weights.sum()) / weights.sum()
    variance = np.zeros(4)
    for h in range(3):
        names = np.unique(cluster[stratum == h])
        totals = np.array([each[(stratum == h) & (cluster == name)].sum(axis=0) for name in names])
        variance += len(names) / (len(names) - 1) * ((totals - totals.mean(axis=0)) ** 2).sum(axis=0)
    np.testing.assert_allclose(found.standard_errors, np.sqrt(variance), rtol=1e-9)


def test_what_is_printed_says_how_people_were_drawn(people):
    reports, weights, stratum, cluster = people
    weighted = RESPONSE.estimate(reports, weights=weights, strata=stratum, clusters=cluster)
    shown = " ".join(str(weighted).split())
    assert "240 weighted reports" in shown and "design effect" in shown
    assert f"Drawn from 3 strata, {weighted.survey.degrees + 3:.0f} clusters." in shown
    equal = " ".join(str(RESPONSE.estimate(reports, strata=stratum)).split())
    assert "240 reports of equal weights. Drawn from 3 strata." in equal


def test_a_population_is_matched_by_the_labels_of_its_strata(people):
    reports, _, stratum, _ = people
    sizes = np.bincount(stratum) + np.array([50, 900, 10])
    straight = RESPONSE.estimate(reports, strata=stratum, population=dict(enumerate(sizes)))
    turned = pd.Series(sizes, index=[0, 1, 2]).iloc[[2, 0, 1]]
    again = RESPONSE.estimate(reports, strata=stratum, population=turned)
    np.testing.assert_array_equal(again.covariance, straight.covariance)


def test_groups_that_were_stored_still_share_their_clusters(people):
    reports, weights, stratum, cluster = people
    found = RESPONSE.estimate(reports, weights=weights, clusters=cluster, groups=stratum)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.difference(0, 1).interval(), found.difference(0, 1).interval())
    assert (
        found[0]
        .survey.shared(found[1].survey, *[each.linear.centred(np.eye(3)) for each in (found[0], found[1])])
        .any()
    )
