"""Estimates from the inputs that reports cover: against the mechanism's matrix, by the formulas of a proportion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, norm

import mechdesign as md

WORDS = md.Problem(labels=[f"w{k}" for k in range(12)], values=np.arange(12.0))
RESPONSE = md.baselines.projective_response(WORDS, 1.5)
REPORTS = RESPONSE.simulate([0] * 120 + [3] * 60 + [11] * 20, seed=4, by="index")
FOUND = RESPONSE.estimate(REPORTS)


def by_the_matrix():
    """Return whether each report covers each input, and the probabilities of a cover of one's own and another."""
    matrix = RESPONSE.matrix
    covers = matrix > 0.5 * (matrix.min() + matrix.max())
    own = (matrix * covers).sum(axis=1)[0]
    other = (matrix[0] * covers[1]).sum()
    return covers[:, REPORTS], own, other


def test_frequencies_and_errors_are_those_of_a_proportion():
    covered, own, other = by_the_matrix()
    share = covered.mean(axis=1)
    assert FOUND.unbiased == pytest.approx((share - other) / (own - other), abs=1e-9)
    errors = np.sqrt(share * (1.0 - share) / len(REPORTS)) / (own - other)
    assert FOUND.standard_errors == pytest.approx(errors, rel=1e-9)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("simultaneous", [False, True])
def test_intervals_are_those_of_a_proportion(level, simultaneous):
    covered, own, other = by_the_matrix()
    share, trials, missed = covered.mean(axis=1), len(REPORTS), (1.0 - level) / (12 if simultaneous else 1)
    z = norm.ppf(1.0 - missed / 2.0)
    # Wilson's limits are the roots of (p - share)^2 = z^2 p (1 - p) / trials.
    for found, p in zip(FOUND.interval(level, simultaneous), share, strict=True):
        roots = np.sort(np.roots([1.0 + z**2 / trials, -2.0 * p - z**2 / trials, p**2]))
        assert found == pytest.approx((roots - other) / (own - other), abs=1e-9)
    counts = np.rint(share * trials)
    limits = beta.ppf(missed / 2.0, counts, trials - counts + 1), beta.isf(missed / 2.0, counts + 1, trials - counts)
    exact = FOUND.interval(level=level, simultaneous=simultaneous, how="exact")
    assert exact == pytest.approx((np.column_stack(limits) - other) / (own - other), abs=1e-8)


def test_a_mean_is_the_average_of_what_reports_count_for():
    covered, own, other = by_the_matrix()
    values = np.arange(12.0)
    counted = (values - values.mean()) @ (covered - other) / (own - other)
    found = FOUND.mean()
    assert found.value == pytest.approx(values.mean() + counted.mean(), abs=1e-9)
    assert found.standard_error == pytest.approx(counted.std() / np.sqrt(len(REPORTS)), rel=1e-9)
