"""The numbers of a printed row are of one estimate: its interval holds it, its standard error is its own, 0 is 0."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

import mechdesign as md

#: Counts here are arbitrary: some come from no population.
pytestmark = pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")

PLACES = md.Problem(labels=["a", "b", "c", "d", "e"], values=[0, 1, 2, 5, 9], prior=[0.1, 0.15, 0.2, 0.25, 0.3])
MECHANISMS = {
    "Warner": lambda: md.rounded([[0.7, 0.3], [0.3, 0.7]], md.LDP(2.0), md.Problem(labels=["A", "B"], values=[0, 1])),
    "response": lambda: md.baselines.randomised_response(PLACES, 1.0),
    "many answers": lambda: md.baselines.randomised_response(md.Problem(n=30, values=np.arange(30)), 2.0),
    "subsets": lambda: md.baselines.subset_selection(PLACES, 1.0),
    "frequencies": lambda: md.design(PLACES, md.LDP(1.0), md.InformationDesign("A")).mechanism,
    "relative": lambda: md.design(PLACES, md.LIP(1.0), md.InformationDesign("A")).mechanism,
    "identity": lambda: md.Mechanism(np.eye(5), list("abcde"), problem=PLACES),
}


@pytest.fixture(scope="module", params=MECHANISMS)
def mechanism(request):
    return MECHANISMS[request.param]()


def counts_of(mechanism, rng):
    """Yield counts of populations, of a few people, and of none: all of one output, and shares at random."""
    inputs, outputs = mechanism.matrix.shape
    for reports in (3, 60, 2000):
        for theta in (np.eye(inputs)[0], np.full(inputs, 1 / inputs), rng.dirichlet(np.full(inputs, 0.3))):
            law = theta @ mechanism.matrix
            yield rng.multinomial(reports, law / law.sum())
        yield reports * np.eye(outputs, dtype=int)[outputs - 1]
        yield rng.multinomial(reports, rng.dirichlet(np.full(outputs, 0.3)))


def strictly_inside(value, low, high, least, most):
    """Whether an interval goes beyond its estimate to both sides, unless that is at the end of what there is."""
    rounding = 1e-9 * (most - least)
    below, above = low < value - rounding, high > value + rounding
    return (below or value <= least + rounding) and (above or value >= most - rounding) and low <= value <= high


def test_intervals_hold_the_printed_estimate_inside(mechanism, rng):
    hows = ("score", "delta", None)
    for counts in counts_of(mechanism, rng):
        found = mechanism.estimate(counts=counts)
        for how in hows:
            for value, (low, high) in zip(found.frequencies, found.interval(how=how), strict=True):
                assert strictly_inside(value, low, high, 0.0, 1.0), (counts, how)
                assert low >= 0.0 and high <= 1.0
        mean = found.mean(method="likelihood")
        ends = mechanism.inputs.values
        assert strictly_inside(float(mean), *mean.interval(), min(ends), max(ends))


def test_unbiased_intervals_hold_the_unbiased_estimate_inside(mechanism, rng):
    n = len(mechanism.matrix)
    for counts in counts_of(mechanism, rng):
        found = mechanism.estimate(counts=counts, method="unbiased")
        # What a report of each output counts for in the estimate of an input: no estimate is beyond the extremes.
        each = found.linear.unbiased(np.eye(n))[:, None] + found.linear.moved(np.eye(n))
        each = each - (found.linear.moved(np.eye(n)) @ found.linear.shares)[:, None]
        for how in ("score", "delta", None):
            for x, (low, high) in enumerate(found.interval(how=how)):
                ends = each[x].min(), each[x].max()
                assert strictly_inside(found.frequencies[x], low, high, *ends), (counts, how)


def coefficients(mechanism, counts):
    """Return what each output counts for in the best linear estimate, from its definition by a pseudo-inverse."""
    found = mechanism.estimate(counts=counts, method="unbiased")
    mass = found.linear.mass
    given = mass > 0
    matrix = mechanism.matrix[:, given]
    weighing = matrix / mass[given]
    return given, np.linalg.solve(weighing @ matrix.T, weighing)


def test_unbiased_standard_errors_are_of_the_linear_estimate(mechanism, rng):
    for counts in counts_of(mechanism, rng):
        given, lines = coefficients(mechanism, counts)
        shares, total = counts[given] / counts.sum(), counts.sum()
        values = lines @ shares
        errors = np.sqrt(np.maximum(lines**2 @ shares - values**2, 0.0) / total)
        found = mechanism.estimate(counts=counts, method="unbiased")
        assert found.frequencies == pytest.approx(values, abs=1e-6)
        rows = found.rows()
        assert [row["standard_error"] for row in rows] == pytest.approx(errors, rel=1e-5, abs=1e-7)
        assert np.sqrt(np.diag(found.covariance)) == pytest.approx(errors, rel=1e-5, abs=1e-7)
        mean = found.mean()
        line = mechanism.inputs.values @ lines
        spread = np.sqrt(max(float(line**2 @ shares - (line @ shares) ** 2), 0.0) / total)
        assert mean.standard_error == pytest.approx(spread, rel=1e-5, abs=1e-6)
        other = mechanism.estimate(counts=counts).mean()
        assert other.standard_error == pytest.approx(spread, rel=1e-3, abs=1e-6)
        assert found.difference(found).standard_errors == pytest.approx(np.sqrt(2) * errors, rel=1e-5, abs=1e-7)


def test_likelihood_standard_errors_are_by_the_information(mechanism, rng):
    for counts in counts_of(mechanism, rng):
        found = mechanism.estimate(counts=counts)
        total, n = counts.sum(), len(mechanism.matrix)
        near = (total * found.theta + 0.5) / (total + 0.5 * n)
        law = near @ mechanism.matrix
        given = law > 0
        weighed = mechanism.matrix[:, given] / law[given]
        # Less what is known: that frequencies sum to one.
        covariance = (np.linalg.inv(weighed @ mechanism.matrix[:, given].T) - np.outer(near, near)) / total
        errors = [row["standard_error"] for row in found.rows()]
        assert errors == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-5)


def test_warner_by_the_textbook():
    warner = MECHANISMS["Warner"]()
    found = warner.estimate(counts=[3, 297], method="unbiased")
    textbook = np.sqrt(0.01 * 0.99 / 300) / (2 * 0.7 - 1)
    assert found.rows()[0]["estimate"] == pytest.approx(-0.725)
    assert found.rows()[0]["standard_error"] == pytest.approx(textbook, rel=1e-9)


def test_limits_that_no_frequency_has_are_explained(mechanism, rng):
    for counts in counts_of(mechanism, rng):
        found = mechanism.estimate(counts=counts, method="unbiased")
        ends = found.interval()
        beyond = ends.min() < -1e-9 or ends.max() > 1 + 1e-9
        assert beyond == ("Limits below 0 or above 1" in str(found).replace("\n  ", " "))
        assert "Limits below 0" not in str(mechanism.estimate(counts=counts))


def test_nothing_is_a_negative_zero(mechanism, rng):
    for counts in counts_of(mechanism, rng):
        for method in ("likelihood", "unbiased"):
            assert "-0.000000" not in str(mechanism.estimate(counts=counts, method=method))
        reports = np.repeat(np.arange(len(counts)), counts)[:100]
        weighted = mechanism.estimate(reports, weights=np.ones(len(reports)))
        assert "-0.000000" not in str(weighted)


@pytest.mark.parametrize("shares", [(500, 300, 200), (600, 200, 200), (200, 200, 600), (2000, 4000, 4000)])
@pytest.mark.parametrize("factor", [1, 1000, 10**9])
def test_a_frequency_of_0_is_0_and_not_negative(shares, factor):
    """Of 0.6, 0.2, 0.2 the reports of one population are counted exactly: what it has none of is 0."""
    response = md.baselines.randomised_response(md.Problem(labels=["A", "B", "C"]), log(3))
    counts = [factor * count for count in shares]
    found = response.estimate(counts=counts, method="unbiased")
    exact = (np.array(shares) / sum(shares) - 0.2) / 0.4
    empty = np.isclose(exact, 0.0, atol=1e-12)
    assert empty.any() and np.all(found.frequencies[empty] == 0.0)
    assert "Negative frequencies" not in str(found)
    reports = np.repeat(np.arange(3), shares)
    weighted = response.estimate(reports, weights=np.full(len(reports), 3.0))
    assert np.all(weighted.frequencies[empty] == 0.0) and "Negative" not in str(weighted)
    assert str(found.functional(empty.astype(float))).startswith("0 (")


def test_a_population_may_be_larger_than_32_bits():
    response = md.baselines.randomised_response(md.Problem(labels=["A", "B"], values=[0, 1]), log(3))
    found = response.estimate(counts=[600, 400])
    assert found.total(8 * 10**9).value == pytest.approx(8e9 * found.mean().value)
    assert sum(row["estimate"] for row in found.totals(8 * 10**9)) == pytest.approx(8e9)
    with pytest.raises(md.DomainError, match=f"at most {2**53}"):
        found.total(2**60)
