"""Intervals and estimates against numbers by hand, other formulas, and exact arithmetic."""

from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from mechdesign.accounting.privacy_profile import privacy_profile
from mechdesign.estimation.identifiability import identifiability
from mechdesign.estimation.intervals import confidence, delta, score
from mechdesign.estimation.likelihood import certified_gap
from mechdesign.estimation.linear import Linear

#: 3/4 stays, 1/8 goes to each other input.
NUMERATORS = np.array([[6, 1, 1], [1, 6, 1], [1, 1, 6]])


def linear_of(shares, theta, reports=100):
    """Return the linear estimate from reports of `NUMERATORS`."""
    directions = identifiability(NUMERATORS).directions
    return Linear(NUMERATORS / 8.0, np.array(shares), reports, np.array(theta), directions)


def test_half_a_report_of_each_input_is_added_where_covariances_are_taken():
    near = linear_of([1.0, 0.0, 0.0], [1.0, 0.0, 0.0], reports=10).near
    assert near == pytest.approx([10.5 / 11.5, 0.5 / 11.5, 0.5 / 11.5], rel=1e-15)


@pytest.mark.parametrize("how", ["score", "delta", "profile"])
def test_simultaneous_intervals_are_each_of_the_level_that_bonferroni_asks_for(how):
    linear, weights = linear_of([0.5, 0.3, 0.2], [0.6, 0.28, 0.12]), np.eye(3)
    together = confidence(linear, weights, 0.94, how, simultaneous=True)
    assert together == pytest.approx(confidence(linear, weights, 0.98, how), abs=1e-9)
    assert np.all(np.diff(together) > np.diff(confidence(linear, weights, 0.97, how)))


def test_the_width_of_the_normal_interval_is_that_of_its_quantile():
    linear = linear_of([0.5, 0.3, 0.2], [0.6, 0.28, 0.12])
    widths = np.diff(confidence(linear, np.eye(3)[:1], 0.95, "delta"))
    # By the inverse (I - 1/8) / (5/8) a report of the first output counts for 1.6 more than the others.
    error = [1.6 * np.sqrt(0.5 * 0.5 / 100)]
    assert widths[0, 0] == pytest.approx(2.0 * NormalDist().inv_cdf(0.975) * error[0], rel=1e-12)


def test_far_outside_of_the_simplex_the_normal_interval_stands_for_wilsons():
    # All reports are the first output: its input has the estimate (1 - 1/8) / (5/8) = 7/5, the others -1/5.
    linear, weights = linear_of([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), np.array([[1.0, -1.0, 0.0]])
    found = score(linear, weights, 0.95)
    assert linear.unbiased(weights)[0] == pytest.approx(1.6, rel=1e-12)
    assert found[0, 0] < 1.6 < found[0, 1] and np.array_equal(found, delta(linear, weights, 0.95))


def test_the_gap_of_a_likelihood_is_never_below_the_exact_one(rng):
    for _ in range(300):
        n, m = rng.integers(2, 6, size=2)
        matrix, theta = rng.dirichlet(np.ones(m), size=n), rng.dirichlet(np.ones(n))
        counts = rng.integers(0, 5, size=m) + (np.arange(m) == 0)
        shares = counts / counts.sum()
        law = [sum(Fraction(theta[x]) * Fraction(matrix[x, y]) for x in range(n)) for y in range(m)]
        slopes = [sum(Fraction(shares[y]) * Fraction(matrix[x, y]) / law[y] for y in range(m)) for x in range(n)]
        assert Fraction(certified_gap(matrix, shares, theta)) >= max(slopes) - 1


def test_weights_are_identified_to_1e_8_of_their_size():
    # The last row is the mean of the others: theta + (1, 1, -2) gives the same reports.
    found = identifiability(np.array([[6, 2], [2, 6], [4, 4]]))
    weights, unseen = np.array([1.0, -1.0, 0.0]), np.array([1.0, 1.0, -2.0])
    assert found.identifies([weights, weights + 1e-9 * unseen]).all()
    assert not found.identifies([weights + 1e-7 * unseen, weights - 1e-5 * unseen]).any()


def test_the_profile_of_rows_that_nearly_tie_is_that_of_the_worst():
    total = 1 << 53
    part = total // 40
    rows = part * np.array([[19, 1, 19, 1], [17, 3, 17, 3], [19, 1, 17, 3], [17, 3, 19, 1]])
    # The last two rows are apart by three units more than the first two, whose entries, and their rounding, are larger.
    rows[3] += [-3, 0, 3, 0]
    rows[:, 1] += total - rows.sum(axis=1)
    found = privacy_profile(rows.astype(object), [0.0])[0]
    assert Fraction(float(found)) >= Fraction(4 * part + 3, total)
