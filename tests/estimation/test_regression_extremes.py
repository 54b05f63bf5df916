"""Regressions far from the data, in units near the ends of floats, and of other people: right, or refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import mechdesign as md

RESPONSE = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], problem=md.Problem(labels=["no", "yes"]))


def test_predictions_far_from_the_data_are_not_certain(rng):
    """By hand: of two answers the log-odds are a line, whose standard error grows with the covariate."""
    z = rng.normal(size=300)
    reports = (rng.random(300) < 0.5 + 0.02 * z).astype(int)
    found = RESPONSE.regression(reports, {"z": z})
    far = np.array([0.0, 3.0, 400.0, -400.0, 1e5, 1e300])
    line = np.column_stack([np.ones(6), far])
    odds, error = line @ found.coefficients[0], np.sqrt(np.einsum("pi,ij,pj->p", line / 1e150, found.covariance, line))
    ends = [odds + sign * 1.959964 * error * 1e75 for sign in (-1.0, 1.0)]
    predicted = found.predict({"z": far})
    np.testing.assert_allclose(predicted.interval()[:, 1, :], expit(np.stack(ends, axis=1)), rtol=1e-5)
    np.testing.assert_allclose(predicted.interval()[:, 0, 0], expit(-ends[1]), rtol=1e-5)
    p = expit(odds)
    np.testing.assert_allclose(predicted.standard_errors[:2, 1], (p * (1 - p))[:2] * error[:2] * 1e75, rtol=1e-9)
    np.testing.assert_allclose(predicted.probabilities[:, 1], p, rtol=1e-12)


def test_what_no_float_holds_is_refused_and_not_published(rng):
    z = rng.normal(size=300)
    reports = (rng.random(300) < 0.5 + 0.1 * z / np.abs(z).max()).astype(int)
    for size in (1e-310, 1e-200, 1e200):
        with pytest.raises(md.DomainError, match=r'covariates\["z"\] is .*another unit'):
            RESPONSE.regression(reports, {"z": z * size})
    plain = RESPONSE.regression(reports, {"z": z})
    for size in (1e-100, 1e100):
        other = RESPONSE.regression(reports, {"z": z * size})
        np.testing.assert_allclose(other.coefficients[0] * [1, size], plain.coefficients[0], rtol=1e-6)
        np.testing.assert_allclose(other.standard_errors[0] * [1, size], plain.standard_errors[0], rtol=1e-6)
    with pytest.raises(md.DomainError, match="covariates, row 1 is too large"):
        RESPONSE.regression(reports, {"z": z / 1e100}).predict({"z": [0.0, 1e300]})


def test_a_likelihood_that_falls_with_more_terms_is_of_other_people(rng):
    z, other = rng.normal(size=(2, 500))
    reports = (rng.random(500) < np.where(z > 0, 0.7, 0.3)).astype(int)
    turned = RESPONSE.regression(reports[::-1].copy(), {"z": z, "other": other})
    with pytest.raises(md.DomainError, match="a smaller likelihood: people are in another order"):
        RESPONSE.regression(reports, {"z": z}).likelihood_ratio(turned)
