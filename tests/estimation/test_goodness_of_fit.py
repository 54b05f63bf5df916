"""The test of fit: exact of two outputs, right under the null, small where reports are of another design."""

from __future__ import annotations

from math import comb, exp, lgamma, log

import numpy as np
import pytest
from scipy.stats import binom

import mechdesign as md
from mechdesign.estimation import goodness_of_fit as goodness
from mechdesign.estimation.goodness_of_fit import UNLIKELY, goodness_of_fit

WARNER = np.array([[0.7, 0.3], [0.3, 0.7]])


def response(n, epsilon):
    return md.baselines.randomised_response(md.Problem(n=n, values=np.arange(n)), epsilon)


def fit_of(matrix, counts):
    return goodness_of_fit(matrix, np.asarray(counts), int(np.linalg.matrix_rank(matrix)))


def test_of_two_outputs_it_is_the_binomial_tail():
    found = fit_of(WARNER, [3, 297])
    assert found.p_value == pytest.approx(binom.cdf(3, 300, 0.3), rel=1e-9) and found.bound == found.p_value
    assert fit_of(WARNER, [297, 3]).p_value == pytest.approx(found.p_value, rel=1e-9)
    assert fit_of(WARNER, [90, 210]).p_value == fit_of(WARNER, [150, 150]).p_value == 1.0
    assert fit_of(WARNER, [3, 297]).method == "exact" and fit_of(WARNER, [150, 150]).degrees == 0


def likelihood_ratio(count, total, low, high):
    """Return twice the log-likelihood that the nearest law lacks, where rounding does not count."""
    nearest = min(max(count / total, low), high)
    cells = ((count, total * nearest), (total - count, total * (1 - nearest)))
    return round(2 * sum(seen * log(seen / expected) for seen, expected in cells if seen), 9)


@pytest.mark.parametrize(("low", "high"), [(0.3, 0.7), (0.5, 0.5), (0.45, 0.52), (0.0, 0.4), (0.2, 1.0)])
def test_of_two_outputs_it_is_the_worst_case_over_all_populations(low, high):
    total = 25
    matrix = np.array([[low, 1 - low], [high, 1 - high]])
    ratios = [likelihood_ratio(count, total, low, high) for count in range(total + 1)]
    for count in range(total + 1):
        as_far = [c for c in range(total + 1) if ratios[c] >= ratios[count]]
        laws = np.linspace(low, high, 101)
        worst = max(sum(comb(total, c) * q**c * (1 - q) ** (total - c) for c in as_far) for q in laws)
        if (low == 0 and count == 0) or (high == 1 and count == total):
            worst = 1.0
        assert fit_of(matrix, [count, total - count]).p_value == pytest.approx(worst, rel=1e-6)


def test_agrawals_bound_holds_of_every_trinomial_law(rng):
    """Against the exact law of the relative entropy, by summing over all counts."""
    total = 20
    counts = np.array([(a, b, total - a - b) for a in range(total + 1) for b in range(total + 1 - a)])
    for law in (np.full(3, 1 / 3), np.array([0.6, 0.3, 0.1]), rng.dirichlet(np.ones(3))):
        fixed = np.tile(law, (2, 1))
        found = [fit_of(fixed, each) for each in counts]
        logs = [lgamma(total + 1) - sum(lgamma(c + 1) for c in each) + float(each @ np.log(law)) for each in counts]
        chance, bounds = np.exp(logs), np.array([each.bound for each in found])
        assert chance.sum() == pytest.approx(1)
        for bound in np.unique(bounds):
            assert chance[bounds <= bound].sum() <= bound * (1 + 1e-9)


def low_rank(rng):
    return rng.dirichlet(np.ones(3), size=12) @ rng.dirichlet(np.ones(20), size=3)


NULLS = {
    "square": (lambda rng: response(5, 1.0).matrix, 1500),
    "square, few reports": (lambda rng: response(40, 1.0).matrix, 100),
    "more outputs": (lambda rng: md.baselines.subset_selection(md.Problem(n=6), 1.0).matrix, 800),
    "low rank": (low_rank, 1500),
    "low rank, few reports": (low_rank, 60),
    "fewer outputs": (lambda rng: rng.dirichlet(np.ones(4), size=9), 500),
    "zeros": (lambda rng: np.kron(np.eye(2), response(3, 1.0).matrix), 300),
    "two outputs": (lambda rng: WARNER, 200),
}


@pytest.mark.parametrize("name", NULLS)
def test_under_the_design_small_p_values_are_as_rare_as_they_say(name, rng):
    make, reports = NULLS[name]
    matrix = make(rng)
    # An input alone is the law on the boundary; a mixture of few is where most of its neighbours are.
    for theta in (np.eye(len(matrix))[0], rng.dirichlet(np.full(len(matrix), 0.3))):
        law = theta @ matrix
        drawn = rng.multinomial(reports, law / law.sum(), size=400)
        found = [fit_of(matrix, counts) for counts in drawn]
        for level in (0.2, 0.05, 0.01):
            slack = 4 * np.sqrt(level / 400)
            assert np.mean([each.p_value <= level for each in found]) <= level + slack
            assert np.mean([each.bound <= level for each in found]) <= level + slack


def test_a_test_that_counts_too_few_degrees_is_caught(rng):
    """Planted defect: one degree of freedom for a population at a corner of the simplex."""
    from scipy.stats import chi2

    matrix = response(5, 1.0).matrix
    drawn = [fit_of(matrix, counts) for counts in rng.multinomial(1500, matrix[0], size=400)]
    assert np.mean([chi2.sf(each.statistic, 1) <= 0.05 for each in drawn]) > 0.05 + 4 * np.sqrt(0.05 / 400)


@pytest.mark.parametrize("n", [3, 6, 40])
def test_swapped_outputs_and_other_mechanisms_are_seen(n, rng):
    mechanism = response(n, 3.0)
    subsets = md.baselines.subset_selection(md.Problem(n=6), 1.0)
    counts = rng.multinomial(3000, np.eye(n)[0] @ mechanism.matrix)
    assert fit_of(mechanism.matrix, counts).fits
    # All report the first output: the design would have made some of them report another.
    assert fit_of(mechanism.matrix, [3000] + [0] * (n - 1)).p_value < 1e-9
    # Reports of a mechanism that lies less often are of no population either.
    bold = rng.multinomial(3000, response(n, 6.0).matrix[0])
    assert fit_of(mechanism.matrix, bold).p_value < 1e-9
    shares = subsets.matrix[0][rng.permutation(subsets.matrix.shape[1])]
    assert fit_of(subsets.matrix, rng.multinomial(3000, shares / shares.sum())).p_value < 1e-6


def test_an_output_that_is_hardly_ever_given_is_seen_among_many():
    matrix = np.full((2, 500), 1 / 499)
    matrix[:, 7] = 1e-9
    matrix /= matrix.sum(axis=1, keepdims=True)
    counts = np.full(500, 2)
    assert fit_of(matrix, counts).p_value < 1e-6
    counts[7] = 0
    assert fit_of(matrix, counts).fits


def test_of_thousands_of_outputs_few_pools_are_made(monkeypatch, rng):
    """The likeliest population of the pools takes the cube of their number."""
    sizes = []
    true = goodness.likeliest

    def watched(rows, *rest):
        sizes.append(rows.shape)
        return true(rows, *rest)

    monkeypatch.setattr(goodness, "likeliest", watched)
    mechanism = response(2000, 3.0)
    counts = rng.multinomial(8000, rng.dirichlet(np.full(2000, 0.3)) @ mechanism.matrix)
    found = mechanism.estimate(counts=counts).fit
    assert found.method == "pooled" and found.fits
    assert [max(shape) <= goodness.POOLS for shape in sizes] == [True]


def test_estimates_warn_and_say_what_it_usually_means():
    warner = md.rounded(WARNER, md.LDP(2.0), md.Problem(labels=["A", "not A"]), outputs=["yes", "no"])
    for keywords in ({"method": "likelihood"}, {"method": "unbiased"}):
        with pytest.warns(md.FitWarning, match="do not fit the design") as seen:
            found = warner.estimate(counts=[3, 297], **keywords)
        assert seen[0].filename == __file__
        assert "1.2e-41 (exact)" in str(found) and "outputs in another order" in " ".join(str(found).split())
        assert found.fit.p_value == pytest.approx(1.2e-41, rel=0.02)
    with pytest.warns(md.FitWarning):
        weighted = warner.estimate(np.repeat([0, 1], [3, 297]), weights=np.arange(300) % 7 + 1.0)
    assert weighted.fit == found.fit and "do not fit the design" in " ".join(str(weighted).split())
    fine = warner.estimate(counts=[120, 180])
    assert fine.fit.fits and "do not fit" not in str(fine)


def test_outputs_that_expect_two_reports_each_are_taken_together_in_threes():
    counts = np.array([0, 0, 0, 1, 2, 3, 4, 4, 2, 3, 3, 2])
    found = fit_of(np.full((2, 12), 1 / 12), counts)
    # Of 6 reports expected in each group there were 0, 6, 10 and 8.
    ratio = 2 * (10 * log(10 / 6) + 8 * log(8 / 6))
    assert found.method == "pooled" and found.degrees == 3 and found.statistic == pytest.approx(ratio, rel=1e-6)


def test_an_output_that_should_be_frequent_and_is_not_there_bounds_the_probability():
    found = fit_of(np.array([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]), [0, 20, 20])
    # Either tail of each of three outputs, and the other bound beside these.
    assert found.bound == pytest.approx(2 * 2 * 3 * 0.5**40, rel=1e-9)


def test_an_output_that_is_never_given_is_no_degree_of_freedom():
    matrix = np.array([[0.5, 0.25, 0.25, 0.0], [0.25, 0.5, 0.25, 0.0]])
    counts = np.array([370, 390, 240, 0])
    assert fit_of(matrix, counts) == fit_of(matrix[:, :3], counts[:3])
    assert fit_of(np.ones((3, 1)), [5]).p_value == 1.0


def test_the_fit_is_of_the_nearest_law_where_it_is_known():
    """Of three equal rows the law is known: Pearson's test and the likelihood ratio agree on many reports."""
    law = np.array([0.2, 0.3, 0.5])
    counts = np.array([2080, 2960, 4960])
    found = fit_of(np.tile(law, (3, 1)), counts)
    pearson = float(((counts - 10_000 * law) ** 2 / (10_000 * law)).sum())
    assert found.degrees == 2 and found.statistic == pytest.approx(pearson, rel=0.02)
    assert found.p_value == pytest.approx(exp(-found.statistic / 2), rel=1e-2) and found.p_value > UNLIKELY
