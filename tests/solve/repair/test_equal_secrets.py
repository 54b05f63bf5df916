"""Rows of secrets that differ by less than a solver's tolerance become the same, to the last bit."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.repair.equal_secrets import ALIKE, equalised

PROBLEM = md.Problem(n=5)
ROWS = np.array([[0.3, 0.7], [0.6, 0.4], [0.3, 0.7], [0.6, 0.4], [0.5, 0.5]])


@pytest.mark.parametrize("noise", [0.0, 0.9 * ALIKE])
def test_nearly_equal_rows_become_their_mean(noise):
    given = ROWS + noise * np.array([[1.0, -1.0], [0.0, 0.0], [0.0, 0.0], [1.0, -1.0], [0.0, 0.0]])
    found = equalised(given, PROBLEM)
    expected = ROWS + noise / 2 * np.outer([1.0, 1.0, 1.0, 1.0, 0.0], [1.0, -1.0])
    assert np.allclose(found, expected, rtol=0, atol=1e-15)
    assert np.array_equal(found[0], found[2]) and np.array_equal(found[1], found[3])


def test_without_nearly_equal_rows_there_is_nothing_to_do():
    apart = ROWS + np.outer([0.0, 0.0, 1.2 * ALIKE, -1.2 * ALIKE, 0.0], [1.0, -1.0])
    assert equalised(apart, PROBLEM) is None
    assert equalised(np.eye(5), PROBLEM) is None


def test_rows_of_one_mixture_that_differ_stay_apart():
    """Their random mixture is the same, so that only the rows themselves tell."""
    shares = np.random.default_rng(0).random(3)
    other = np.cross(shares, np.ones(3))
    rows = 1 / 3 + 0.2 * np.outer([0.0, 1.0], other / np.abs(other).max())
    assert np.abs(rows @ shares @ [1.0, -1.0]) < 1e-15
    assert equalised(rows, md.Problem(n=2)) is None


def test_outputs_of_negligible_mass_are_emptied_into_the_heaviest():
    small = ALIKE / 2
    given = np.array([[0.2, small, 0.8 - small], [0.2, 0.0, 0.8], [0.9, 0.0, 0.1]])
    found = equalised(given, md.Problem(n=3))
    assert np.allclose(found, [[0.2, 0.0, 0.8], [0.2, 0.0, 0.8], [0.9, 0.0, 0.1]], rtol=0, atol=1e-15)
    assert not found[:, 1].any() and np.array_equal(found[0], found[1])
    kept = np.array([[0.2, 2 * ALIKE, 0.8 - 2 * ALIKE], [0.2, 2 * ALIKE, 0.8 - 2 * ALIKE], [0.9, 0.0, 0.1]])
    assert np.allclose(equalised(kept, md.Problem(n=3)), kept, rtol=0, atol=1e-15)


def test_hidden_secrets_see_the_same_of_the_nearest_matrix():
    channel = np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [0.0, 0.2, 0.8]])
    problem = md.Problem(n=3).hidden(data_given_secret=channel)
    honest = np.array([[0.9, 0.1], [0.3, 0.7], [0.6, 0.4]])
    assert np.allclose(channel[0] @ honest, channel[1] @ honest)
    given = honest + 0.4 * ALIKE * np.array([[1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0]])
    found = equalised(given, problem)
    assert np.abs((channel[0] - channel[1]) @ found).max() <= 1e-16
    step = channel[0] - channel[1]
    nearest = given - np.outer(step, step @ given) / (step @ step)
    assert np.allclose(found, nearest, rtol=0, atol=1e-14)


def test_what_would_become_negative_is_lifted():
    channel = np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [0.0, 0.2, 0.8]])
    problem = md.Problem(n=3).hidden(data_given_secret=channel)
    given = np.array([[0.0, 1.0], [0.5, 0.5], [0.25 - 0.4 * ALIKE, 0.75 + 0.4 * ALIKE]])
    found = equalised(given, problem)
    assert found.min() == 0.0 and np.allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-15)
    assert np.abs((channel[0] - channel[1]) @ found).max() <= 1e-16 and np.abs(found - given).max() <= ALIKE
