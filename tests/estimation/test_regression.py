"""Regression of hidden answers: against likelihoods written anew, ordinary regression, derivatives and coverage."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2, norm

import mechdesign as md
from mechdesign.estimation.regression import fitting
from mechdesign.estimation.regression.likelihood import THIRD, Likelihood, pooled
from mechdesign.estimation.regression.newton import distance, inverse

YES_NO = md.Problem(labels=["no", "yes"])
THREE = md.Problem(labels=["never", "rarely", "often"])
TRUTHFUL = md.Mechanism(np.eye(2), ["no", "yes"], problem=YES_NO)
WARNER = md.baselines.randomised_response(YES_NO, 1.0)
#: A forced answer to one in four: the truth with probability 3/4, "yes" with 1/8 and "no" with 1/8.
FORCED = md.Mechanism([[0.875, 0.125], [0.125, 0.875]], ["no", "yes"], problem=YES_NO)
#: Each category with three quarters or more, so that half of the information is left.
MIXED = md.Mechanism([[0.75, 0.125, 0.125], [0.25, 0.5, 0.25], [0.125, 0.25, 0.625]], THREE.labels, problem=THREE)


def log_likelihood(flat, matrix, reports, columns, weights=None):
    """Return the log-likelihood, person by person."""
    scores = np.column_stack([np.zeros(len(columns)), columns @ flat.reshape(len(matrix) - 1, -1).T])
    law = np.exp(scores - scores.max(axis=1, keepdims=True))
    law /= law.sum(axis=1, keepdims=True)
    each = np.log((law * matrix[:, reports].T).sum(axis=1))
    return float(each.sum() if weights is None else weights @ each)


def by_brute_force(matrix, reports, columns, rng, starts=8, weights=None):
    """Return the best of many runs of a general optimiser."""
    size = (len(matrix) - 1) * columns.shape[1]
    runs = [
        minimize(lambda b: -log_likelihood(b, matrix, reports, columns, weights), start, method="BFGS", tol=1e-9)
        for start in [np.zeros(size), *(rng.normal(size=size) for _ in range(starts))]
    ]
    return min(runs, key=lambda run: run.fun)


def people(rng, count, mechanism, slopes, columns=None):
    """Return covariates with an intercept, and reports of answers that depend on them."""
    columns = np.column_stack([np.ones(count), rng.normal(size=(count, 2))]) if columns is None else columns
    scores = np.column_stack([np.zeros(count), columns @ np.atleast_2d(slopes).T])
    law = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    answers = (rng.random((count, 1)) > law.cumsum(axis=1)).sum(axis=1)
    return columns, mechanism.simulate(answers, rng, by="index")


def test_of_true_answers_it_is_ordinary_logistic_regression(rng):
    columns, reports = people(rng, 400, TRUTHFUL, [-0.5, 1.0, 0.0])
    found = TRUTHFUL.regression(reports, columns[:, 1:])
    # Iteratively reweighted least squares.
    b = np.zeros(3)
    for _ in range(30):
        p = 1 / (1 + np.exp(-columns @ b))
        information = columns.T @ (columns * (p * (1 - p))[:, None])
        b = b + np.linalg.solve(information, columns.T @ (reports - p))
    assert found.coefficients[0] == pytest.approx(b, abs=1e-8)
    assert found.covariance == pytest.approx(np.linalg.inv(information), rel=1e-7)
    assert found.terms == ("intercept", "z0", "z1") and found.starts == 1 and found.gap < 1e-8
    assert found.odds_ratios == pytest.approx(np.exp(found.coefficients))


def test_of_a_table_of_two_by_two_it_is_the_ratio_of_odds():
    reports = np.repeat([1, 0, 1, 0], [30, 70, 45, 55])
    found = TRUTHFUL.regression(reports, {"group": ["a"] * 100 + ["b"] * 100})
    assert found.odds_ratios[0, 1] == pytest.approx(45 * 70 / (55 * 30), rel=1e-9)
    assert found.standard_errors[0, 1] == pytest.approx(np.sqrt(1 / 30 + 1 / 70 + 1 / 45 + 1 / 55), rel=1e-8)


@pytest.mark.parametrize("mechanism", [WARNER, FORCED])
def test_of_groups_it_is_the_log_odds_of_their_corrected_shares(mechanism):
    """With an indicator for each group the likelihood has a formula: shares are (observed - lie) / (truth - lie)."""
    lie, truth = mechanism.matrix[:, 1]
    seen = np.array([0.35, 0.5, 0.62])
    reports = np.concatenate([np.repeat([1, 0], [round(1000 * s), 1000 - round(1000 * s)]) for s in seen])
    found = mechanism.regression(reports, {"group": np.repeat(["a", "b", "c"], 1000)})
    shares = (seen - lie) / (truth - lie)
    odds = np.log(shares / (1 - shares))
    assert found.coefficients[0] == pytest.approx([odds[0], odds[1] - odds[0], odds[2] - odds[0]], abs=1e-8)
    variances = seen * (1 - seen) / 1000 / (truth - lie) ** 2 / (shares * (1 - shares)) ** 2
    errors = np.sqrt([variances[0], variances[0] + variances[1], variances[0] + variances[2]])
    assert found.standard_errors[0] == pytest.approx(errors, rel=1e-8)
    predicted = found.predict({"group": ["c", "a"]})
    assert predicted.probabilities[:, 1] == pytest.approx(shares[[2, 0]], abs=1e-9)
    error = np.sqrt(seen * (1 - seen) / 1000) / (truth - lie)
    assert predicted.standard_errors == pytest.approx(np.tile(error[[2, 0], None], 2), rel=1e-7)
    ends = predicted.interval(0.9)[:, 1]
    reach = norm.ppf(0.95) * np.sqrt(variances[[2, 0]])
    assert np.log(ends / (1 - ends)) == pytest.approx(odds[[2, 0], None] + [-1, 1] * reach[:, None], abs=1e-7)


@pytest.mark.parametrize("mechanism", [WARNER, FORCED, md.baselines.randomised_response(YES_NO, 0.5)])
def test_no_optimiser_finds_more_of_two_answers(mechanism, rng):
    columns, reports = people(rng, 1500, mechanism, [-0.5, 1.0, -0.5])
    found = mechanism.regression(reports, columns[:, 1:])
    best = by_brute_force(mechanism.matrix, reports, columns, rng)
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    assert found.coefficients[0] == pytest.approx(best.x, abs=2e-3)


@pytest.mark.parametrize("mechanism", [MIXED, md.baselines.subset_selection(THREE, 2.0)])
def test_no_optimiser_finds_more_of_three_answers(mechanism, rng):
    columns, reports = people(rng, 2000, mechanism, [[0.3, 1.0, -0.5], [-0.3, -1.0, 0.5]])
    found = mechanism.regression(reports, columns[:, 1:], "multinomial")
    best = by_brute_force(mechanism.matrix, reports, columns, rng, 4)
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    assert found.coefficients == pytest.approx(best.x.reshape(2, 3), abs=5e-3)
    assert found.inputs == ("rarely", "often") and found.coefficients.shape == (2, 3)
    turned = mechanism.regression(reports, columns[:, 1:], "multinomial", reference="often")
    assert turned.inputs == ("never", "rarely")
    assert turned.log_likelihood == pytest.approx(found.log_likelihood, abs=1e-8)
    difference = [-found.coefficients[1], found.coefficients[0] - found.coefficients[1]]
    assert turned.coefficients == pytest.approx(np.array(difference), abs=1e-6)
    some = columns[:5, 1:]
    assert turned.predict(some).probabilities == pytest.approx(found.predict(some).probabilities, abs=1e-7)
    assert turned.predict(some).standard_errors == pytest.approx(found.predict(some).standard_errors, abs=1e-7)


def test_derivatives_are_those_of_the_likelihood(rng):
    columns, reports = people(rng, 60, MIXED, [[0.3, 1.0, -0.5], [-0.3, -1.0, 0.5]])
    likelihood = Likelihood(columns, reports, rng.random(60), np.asarray(MIXED.matrix))
    at = rng.normal(size=(2, 3))
    gradient, hessian, _ = likelihood.derivatives(at)
    plain = lambda flat: log_likelihood(flat, MIXED.matrix, reports, columns, likelihood.weights)  # noqa: E731
    assert likelihood.value(at) == pytest.approx(plain(at.reshape(-1)), rel=1e-12)
    step, each = 1e-5, np.eye(6)
    slopes = [(plain(at.reshape(-1) + step * e) - plain(at.reshape(-1) - step * e)) / (2 * step) for e in each]
    assert gradient == pytest.approx(slopes, rel=1e-6, abs=1e-7)
    moved = lambda e: likelihood.derivatives(at + step * e.reshape(2, 3))[0]  # noqa: E731
    curved = np.array([(moved(e) - moved(-e)) / (2 * step) for e in each])
    assert hessian == pytest.approx(curved, rel=1e-6, abs=1e-7)


def test_small_parts_add_up_to_the_whole(rng, monkeypatch):
    columns, reports = people(rng, 50, MIXED, [[0.3, 1.0, -0.5], [-0.3, -1.0, 0.5]])
    made = [Likelihood(columns, reports, np.ones(50), np.asarray(MIXED.matrix)) for _ in range(2)]
    at, covariance = rng.normal(size=(2, 3)), np.eye(6)
    whole = (*made[0].derivatives(at), made[0].value(at), *made[0].third(covariance))
    monkeypatch.setattr("mechdesign.estimation.regression.likelihood.AT_ONCE", 100)
    parts = (*made[1].derivatives(at), made[1].value(at), *made[1].third(covariance))
    for one, other in zip(whole, parts, strict=True):
        assert one == pytest.approx(other, rel=1e-10, abs=1e-10)


def test_third_derivatives_stay_below_their_bound(rng):
    columns, reports = people(rng, 40, MIXED, [[0.3, 1.0, -0.5], [-0.3, -1.0, 0.5]])
    likelihood = Likelihood(columns, reports, np.ones(40), np.asarray(MIXED.matrix))
    spread = rng.normal(size=(6, 6))
    covariance = spread @ spread.T
    bound, _ = likelihood.third(covariance)
    root, step, most = np.linalg.cholesky(covariance), 1e-4, 0.0
    for _ in range(200):
        at, unit = 2.0 * rng.normal(size=(2, 3)), rng.normal(size=6)
        v = root @ (unit / np.linalg.norm(unit))
        ends = [likelihood.derivatives(at + s * step * v.reshape(2, 3))[1] for s in (-1, 1)]
        most = max(most, abs(v @ (ends[1] - ends[0]) @ v) / (2 * step))
    assert 0.01 * bound < most < bound
    # Of two points with the shares 1/2 +- 1/12^(1/2) a third central moment is as large as it can be.
    p = 0.5 + 12**-0.5
    assert abs(p * (1 - p) * (1 - 2 * p)) * 2 == pytest.approx(THIRD)


def test_the_proved_distance_holds(rng):
    """From points that are moved away from the maximum on purpose."""
    columns, reports = people(rng, 2000, FORCED, [-0.5, 1.0, -0.5])
    found = FORCED.regression(reports, columns[:, 1:])
    likelihood = Likelihood(columns, reports, np.ones(2000), np.asarray(FORCED.matrix))
    proved = 0
    for size in (1e-6, 1e-3, 0.03, 0.1, 0.3):
        at = found.coefficients + size * found.standard_errors * rng.normal(size=(1, 3))
        gradient, hessian, _ = likelihood.derivatives(at)
        bound = distance(likelihood, gradient, inverse(-hessian))
        moved = (at - found.coefficients).reshape(-1)
        assert np.sqrt(moved @ -hessian @ moved) <= bound * (1 + 1e-6) + 1e-8
        proved += np.isfinite(bound)
    assert proved >= 3


def test_only_a_positive_definite_matrix_has_an_inverse():
    spread = np.array([[2.0, 1.0], [1.0, 3.0]]) * 1e-9
    assert inverse(spread) == pytest.approx(np.linalg.inv(spread), rel=1e-12)
    for matrix in (-np.eye(2), np.diag([1.0, 0.0]), np.diag([1.0, -1e-320]), np.ones((2, 2)), np.full((2, 2), np.nan)):
        assert inverse(matrix) is None


def test_people_of_one_kind_are_counted_together(rng):
    columns = np.column_stack([rng.integers(0, 3, 500), rng.integers(0, 2, 500)]).astype(float)
    reports, weights = rng.integers(0, 2, 500), rng.random(500)
    first, sums, kinds = pooled(columns, reports, weights)
    assert len(first) == 12
    for kind, (at, total) in enumerate(zip(first, sums, strict=True)):
        alike = (columns == columns[at]).all(axis=1) & (reports == reports[at])
        assert total == pytest.approx(weights[alike].sum()) and np.array_equal(kinds == kind, alike)
    lonely = pooled(rng.random((50, 1)), reports[:50], weights[:50])
    assert np.array_equal(lonely[0], np.arange(50)) and np.array_equal(lonely[1], weights[:50])


def test_units_do_not_matter(rng):
    columns, reports = people(rng, 800, WARNER, [-0.5, 1.0, 0.5])
    found = WARNER.regression(reports, columns[:, 1:])
    other = WARNER.regression(reports, columns[:, 1:] * [1e6, 1e-6] + [2e6, 1.0])
    assert other.log_likelihood == pytest.approx(found.log_likelihood, abs=1e-7)
    assert other.coefficients[0, 1:] * [1e6, 1e-6] == pytest.approx(found.coefficients[0, 1:], rel=1e-4)
    assert other.standard_errors[0, 1:] * [1e6, 1e-6] == pytest.approx(found.standard_errors[0, 1:], rel=1e-4)


def test_weights_count_people_and_the_covariance_is_the_sandwich(rng):
    columns, reports = people(rng, 900, FORCED, [-0.5, 1.0, -0.5])
    weights = rng.choice([0.5, 1.0, 4.0], 900)
    found = FORCED.regression(reports, columns[:, 1:], weights=weights)
    scaled = weights / weights.mean()
    best = by_brute_force(FORCED.matrix, reports, columns, rng, 2, scaled)
    assert found.coefficients[0] == pytest.approx(best.x, abs=2e-3) and found.weighted
    p = 1 / (1 + np.exp(-columns @ found.coefficients[0]))
    lie, truth = FORCED.matrix[:, 1]
    seen = lie + (truth - lie) * p
    slope = (truth - lie) * p * (1 - p)
    scores = (slope * np.where(reports == 1, 1 / seen, -1 / (1 - seen)))[:, None] * columns
    plain = lambda b: log_likelihood(b, FORCED.matrix, reports, columns, scaled)  # noqa: E731
    hessian = _second(plain, found.coefficients[0])
    middle = (scores * scaled[:, None]).T @ (scores * scaled[:, None])
    sandwich = np.linalg.inv(hessian) @ middle @ np.linalg.inv(hessian) * 900 / 899
    assert found.covariance == pytest.approx(sandwich, rel=1e-3)
    with pytest.raises(md.UnsupportedError, match="A survey's reports have no likelihood-ratio test"):
        found.likelihood_ratio(FORCED.regression(reports, columns[:, 1]))
    copies = (2 * weights).astype(int)
    whole = FORCED.regression(np.repeat(reports, copies), np.repeat(columns[:, 1:], copies, axis=0))
    assert whole.coefficients == pytest.approx(found.coefficients, abs=1e-7)


def _second(function, at, step=1e-3):
    each = np.eye(len(at)) * step
    return np.array(
        [
            [(function(at + a + b) - function(at + a - b) - function(at - a + b) + function(at - a - b)) for b in each]
            for a in each
        ]
    ) / (4 * step**2)


def test_intervals_hold_the_truth_as_often_as_they_promise():
    rng = np.random.default_rng(5)
    truth, held, small = np.array([-0.5, 0.8, -0.4]), 0, 0
    for _ in range(120):
        columns, reports = people(rng, 1000, FORCED, truth)
        found = FORCED.regression(reports, columns[:, 1:])
        low, high = found.interval(0.9)[0].T
        held += ((low <= truth) & (truth <= high)).sum()
        # The statistic of a hypothesis that is true is above its quantile of 90 % one time in ten.
        lines = np.array([[0.0, 1.0, 2.0]])
        small += found.wald(lines).p_value <= 0.1
    assert abs(held / 360 - 0.9) < 0.04 and abs(small / 120 - 0.1) < 0.06


def test_tests_are_by_their_formulas(rng):
    columns, reports = people(rng, 1000, FORCED, [-0.5, 1.0, 0.0])
    table = pd.DataFrame({"age": columns[:, 1], "group": np.where(columns[:, 2] > 0, "b", "a")})
    full = FORCED.regression(reports, table)
    less = FORCED.regression(reports, table["age"])
    ratio = full.likelihood_ratio(less)
    assert ratio.statistic == pytest.approx(2 * (full.log_likelihood - less.log_likelihood)) and ratio.degrees == 1
    assert ratio.p_value == pytest.approx(chi2.sf(ratio.statistic, 1)) and ratio == less.likelihood_ratio(full)
    one = full.wald("group")
    assert one.statistic == pytest.approx((full.coefficients[0, 2] / full.standard_errors[0, 2]) ** 2)
    assert one.statistic == pytest.approx(ratio.statistic, abs=0.2)
    assert full.wald("group=b").statistic == one.statistic == full.wald([[0.0, 0.0, 1.0]]).statistic
    both = full.wald(["age", "group"])
    b, c = full.coefficients[0, 1:], full.covariance[1:, 1:]
    assert both.degrees == 2 and both.statistic == pytest.approx(b @ np.linalg.inv(c) @ b)
    assert full.to_pandas()["p_value"][2] == pytest.approx(one.p_value)
    nothing = FORCED.regression(reports, None)
    share = FORCED.estimate(reports).frequencies[1]
    assert nothing.coefficients[0, 0] == pytest.approx(np.log(share / (1 - share)), abs=1e-6)
    assert full.likelihood_ratio(nothing).degrees == 2
    assert "chi-square" in str(one) and "degree of freedom" in str(one)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f, o: f.likelihood_ratio(o), "of 900 other reports, but both regressions have to be of the same"),
        (lambda f, o: f.likelihood_ratio(f), "the terms of one have to be among"),
        (lambda f, o: f.likelihood_ratio("less"), "other is less, but it has to be a Regression"),
        (lambda f, o: f.wald("income"), "term is income, but the regression has no such term; use one of intercept"),
        (lambda f, o: f.wald([]), "a test is of at least one term"),
        (lambda f, o: f.wald(np.eye(2)), "a line has a weight for each of the 3 coefficients"),
        (lambda f, o: f.wald([[1, 0, 0], [2, 0, 0]]), "a combination of the others"),
        (lambda f, o: f.interval(1.0), "level is 1.0, but it has to be between 0 and 1"),
        (lambda f, o: f.predict(np.ones((3, 1))), "covariates is of 1 columns, but the regression was fitted to 2"),
    ],
)
def test_what_is_no_test_is_refused(change, said, rng):
    columns, reports = people(rng, 1000, FORCED, [-0.5, 1.0, 0.0])
    found, other = (FORCED.regression(reports[:n], columns[:n, 1:]) for n in (1000, 900))
    with pytest.raises(md.DomainError, match=said):
        change(found, other)


def test_a_maximum_that_is_not_the_only_one_is_sought_from_several_starts(rng):
    """Few reports of much noise: on some of them coefficients run to infinity, which some optimiser finds, too."""
    weak, without = md.baselines.randomised_response(YES_NO, 0.5), 0
    for _ in range(8):
        columns, reports = people(rng, 400, weak, [0.0, 2.0, 0.0])
        best = by_brute_force(weak.matrix, reports, columns, rng)
        found = fitted_or_nothing(weak, reports, columns[:, 1:])
        if found is None or found.unbounded:
            assert np.abs(columns @ best.x).max() > 8
            without += 1
        else:
            assert found.starts == 5 and found.log_likelihood >= -best.fun - 1e-6
    assert 0 < without < 8


def test_many_people_need_one_start(rng, monkeypatch):
    columns, reports = people(rng, 900, FORCED, [-0.5, 1.0, 0.0])
    found = FORCED.regression(reports, columns[:, 1:])
    monkeypatch.setattr(fitting, "MANY", 899)
    again = FORCED.regression(reports, columns[:, 1:])
    assert (found.starts, again.starts) == (5, 1)
    assert again.coefficients == pytest.approx(found.coefficients, abs=1e-7)


def fitted_or_nothing(mechanism, reports, covariates):
    """Return the regression, None where a coefficient runs to infinity."""
    try:
        return mechanism.regression(reports, covariates)
    except md.DomainError:
        return None


def test_a_coefficient_that_runs_to_infinity_is_named(rng):
    ages = np.arange(60.0)
    with pytest.raises(md.DomainError, match=r'covariates\["age"\] is without a finite .*"yes" runs to infinity'):
        TRUTHFUL.regression((ages > 30).astype(int), {"age": ages})
    reports = np.concatenate([rng.choice(2, 300, p=[0.5, 0.5]), rng.choice(2, 300, p=[0.92, 0.08])])
    groups = ["a"] * 300 + ["b"] * 300
    with pytest.raises(md.DomainError, match=r'covariates\["group=b"\].*"yes" runs to minus infinity'):
        FORCED.regression(reports, {"group": groups, "noise": rng.normal(size=600)})
    with pytest.raises(md.DomainError, match=r'covariates\["group=b"\].*"no" runs to infinity'):
        FORCED.regression(reports, {"group": groups}, reference="yes")
    few = rng.choice(2, 300, p=[0.9, 0.1])
    with pytest.raises(md.DomainError, match=r'covariates\["intercept"\].*"yes" is estimated to be .* nobody'):
        FORCED.regression(few, None)


def test_reports_that_do_not_fit_are_warned_of():
    with pytest.warns(md.FitWarning) as seen, pytest.raises(md.DomainError):
        FORCED.regression([0] * 1000 + [1] * 50, None)
    assert seen[0].filename == __file__


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"family": "probit"}, 'family is probit, but it has to be "logistic" or "multinomial"'),
        ({"reference": "perhaps"}, "reference is perhaps, but the inputs are no, yes"),
        ({"reports": [0, 1, 2, 0]}, r"reports\[2\] is 2"),
        ({"reports": []}, "reports is empty"),
        ({"intercept": 1}, "intercept is 1, but it has to be true or false"),
        ({"covariates": None, "intercept": False}, "without an intercept needs a covariate"),
        ({"covariates": [1.0, 2.0]}, "covariates is of 2 rows, but there are 4 reports"),
        ({"weights": [1, 1]}, "weights is of length 2, but there are 4 reports"),
        ({"weights": [1, 1, -1, 1]}, r"weights\[2\] is -1"),
        ({"covariates": [5, 5, 5, 5]}, r'covariates\["z0"\] is 5 for everybody, but the intercept is such a column'),
        ({"covariates": [0, 0, 0, 0]}, "a column of zeros has no coefficient"),
        ({"covariates": {"a": [1, 2, 3, 5], "b": [2, 4, 6, 10]}}, r'covariates\["b"\] is a combination of a, but'),
    ],
)
def test_what_cannot_be_fitted_is_refused(given, said):
    known = {"reports": [0, 1, 1, 0], "covariates": [1.0, 2.0, 3.0, 4.5], **given}
    with pytest.raises(md.DomainError, match=said):
        WARNER.regression(**known)


def test_a_mechanism_has_to_be_of_the_family_and_identify_the_answers():
    with pytest.raises(md.DomainError, match=r'a logistic regression is of two inputs, .* has 3; give "multinomial"'):
        MIXED.regression([0, 1, 2], [1.0, 2.0, 4.0])
    blind = md.Mechanism([[0.5, 0.5], [0.5, 0.5], [0.25, 0.75]], ["0", "1"], problem=THREE)
    with pytest.raises(md.UnsupportedError, match="The reports do not identify the frequencies, nor coefficients"):
        blind.regression([0, 1, 0, 1], [1.0, 2.0, 3.0, 5.0], "multinomial")
    one = md.Mechanism([[1.0]], ["0"])
    with pytest.raises(md.DomainError, match="mechanism is of one input"):
        one.regression([0], [1.0])


def test_too_many_coefficients_are_refused(monkeypatch):
    monkeypatch.setattr(fitting, "MOST_COEFFICIENTS", 3)
    with pytest.raises(md.DomainError, match=r'is of 4 coefficients, but .* "place", which has 3 columns'):
        WARNER.regression([0, 1, 0, 1], {"place": ["a", "b", "c", "d"]})


def test_it_is_shown_and_saved(tmp_path, rng):
    columns, reports = people(rng, 1000, MIXED, [[0.3, 1.0, -0.5], [-0.3, -1.0, 0.5]])
    found = MIXED.regression(
        reports, {"age": columns[:, 1], "group": np.where(columns[:, 2] > 0, "b", "a")}, "multinomial"
    )
    text = str(found)
    assert (
        'Odds of each input against "never", 1000 reports.' in text and 'Coefficients of group are against "a".' in text
    )
    assert "group=b" in text and repr(found).startswith("Regression(1000 reports, n=3")
    table = found.to_pandas()
    assert list(table["input"]) == ["rarely"] * 3 + ["often"] * 3
    assert table["coefficient"].to_numpy() == pytest.approx(found.coefficients.reshape(-1))
    found.save(tmp_path / "regression.csv")
    assert pd.read_csv(tmp_path / "regression.csv")["low"].to_numpy() == pytest.approx(
        found.interval()[..., 0].reshape(-1)
    )
    predicted = found.predict({"group": ["a"], "age": [0.5]})
    assert "Prediction" in str(predicted) and repr(predicted) == "Prediction(people=1, n=3)"
    assert predicted.to_pandas()["probability"].sum() == pytest.approx(1.0)


def sandwich_by_hand(found, columns, reports, matrix, weights, strata, clusters):
    """Return the covariance of two answers' coefficients, person by person, by derivatives written out."""
    beta, (k, weights) = found.coefficients[0], (columns.shape[1], weights / weights.mean())
    hessian, sums = np.zeros((k, k)), {}
    for z, y, w, h, c in zip(columns, reports, weights, strata, clusters, strict=True):
        p = 1.0 / (1.0 + np.exp(-z @ beta))
        law, slope = (1 - p) * matrix[0, y] + p * matrix[1, y], (matrix[1, y] - matrix[0, y]) * p * (1 - p)
        bend = (matrix[1, y] - matrix[0, y]) * p * (1 - p) * (1 - 2 * p)
        hessian += w * (bend / law - (slope / law) ** 2) * np.outer(z, z)
        sums[h, c] = sums.get((h, c), 0.0) + w * slope / law * z
    middle = np.zeros((k, k))
    for stratum in {h for h, _ in sums}:
        own = np.array([total for (h, _), total in sums.items() if h == stratum])
        apart = own - own.mean(axis=0)
        middle += len(own) / (len(own) - 1) * apart.T @ apart
    inverted = np.linalg.inv(hessian)
    return inverted @ middle @ inverted


@pytest.mark.parametrize(
    "given", [("strata", "clusters", "weights"), ("clusters",), ("strata",), ("strata", "weights")]
)
def test_scores_are_added_up_by_cluster_within_strata(given, rng):
    columns, reports = people(rng, 600, WARNER, [-0.5, 1.0, 0.5])
    strata, clusters = rng.integers(0, 3, 600), rng.integers(0, 8, 600)
    survey = {"strata": strata, "clusters": clusters, "weights": rng.random(600) + 0.2}
    asked = {name: survey[name] for name in given}
    found = WARNER.regression(reports, columns[:, 1:], **asked)
    right = sandwich_by_hand(
        found,
        columns,
        reports,
        WARNER.matrix,
        survey["weights"] if "weights" in given else np.ones(600),
        strata if "strata" in given else np.zeros(600),
        clusters if "clusters" in given else np.arange(600),
    )
    assert found.covariance == pytest.approx(right, rel=1e-6)
    assert found.weighted and ("strata" not in given or "3 strata" in str(found))
    named = WARNER.regression(
        reports,
        columns[:, 1:],
        **{k: v for k, v in asked.items() if k != "clusters"},
        **({"clusters": [f"school {c}" for c in clusters]} if "clusters" in given else {}),
    )
    assert np.array_equal(named.covariance, found.covariance)


def test_clusters_of_people_alike_widen_intervals(rng):
    """Everybody counted twice in a cluster of two has the errors of everybody counted once."""
    columns, reports = people(rng, 500, WARNER, [-0.5, 1.0, 0.5])
    twice = np.repeat(np.arange(500), 2)
    once = WARNER.regression(reports, columns[:, 1:], clusters=np.arange(500))
    both = WARNER.regression(reports[twice], columns[twice, 1:], clusters=twice)
    assert both.covariance == pytest.approx(once.covariance, rel=1e-6)


def test_surveys_of_regressions_are_refused_like_others(rng):
    columns, reports = people(rng, 120, WARNER, [-0.5, 1.0, 0.5])
    with pytest.raises(md.DomainError, match="strata is of length 3, but there are 120 reports"):
        WARNER.regression(reports, columns[:, 1:], strata=[1, 2, 3])
    with pytest.raises(md.DomainError, match="strata is with one report in"):
        WARNER.regression(reports, columns[:, 1:], strata=["a"] + ["b"] * 119)
    with pytest.warns(md.DataWarning, match="1 of 121 reports"):
        left = WARNER.regression(
            [*reports.tolist(), None],
            np.vstack([columns[:, 1:], [[0.0, 0.0]]]),
            clusters=[*np.arange(120) // 2, 99],
            drop_missing=True,
        )
    right = WARNER.regression(reports, columns[:, 1:], clusters=np.arange(120) // 2)
    assert left.covariance == pytest.approx(right.covariance, rel=1e-9)
