"""The columns of a map become private by their closure, and by no more of the start than their sums make necessary."""

import numpy as np
import pytest

from mechdesign.solve.interior_point.map_program import MapProgram
from mechdesign.solve.repair.private_map import private_map

LINE = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))


def program(epsilon=0.8, points=LINE):
    return MapProgram.of(points**2, epsilon * points)


def excess(asked, columns):
    """Return by how much a column is above what its neighbours allow, at most."""
    return float((columns[:, :, None] * asked.factors - columns[:, None, :]).max())


@pytest.mark.parametrize("seed", range(4))
def test_any_columns_become_private_and_sum_to_one(seed):
    asked = program()
    columns = np.random.default_rng(seed).dirichlet(np.full(5, 0.3), size=5).T
    assert excess(asked, columns) > 0.01
    found = private_map(asked, columns)
    assert excess(asked, found) <= 0.0 and np.abs(found.sum(axis=0) - 1.0).max() <= 1e-15 and found.min() > 0
    closed = np.array([[max(c[s] * asked.factors[s, x] for s in range(5)) for x in range(5)] for c in columns])
    closed /= closed.sum(axis=0)
    # The share of the start, by the entry that it moves most: a little less of it would not do.
    at = np.unravel_index(np.abs(asked.start - closed).argmax(), closed.shape)
    share = (found - closed)[at] / (asked.start - closed)[at]
    assert 0.0 < share < 1.0 and excess(asked, (1.0 - 0.999 * share) * closed + 0.999 * share * asked.start) > 0
    # It is larger by a trillionth than the share at which the worst pair of inputs is private.
    over = closed[:, :, None] * asked.factors - closed[:, None, :]
    room = asked.start[:, None, :] - asked.start[:, :, None] * asked.factors
    least = (over[over > 0] / (over + room)[over > 0]).max()
    assert 1.0 + 0.8e-12 < share / least < 1.0 + 1.3e-12
    assert np.allclose(found, (1.0 - share) * closed + share * asked.start, rtol=0, atol=1e-14)


def test_private_columns_move_by_a_rounding():
    asked = program()
    assert np.abs(private_map(asked, asked.start) - asked.start).max() <= 1e-14
    between = 0.5 * asked.start + 0.1
    assert np.abs(private_map(asked, between) - between).max() <= 1e-14


def test_columns_of_any_size_are_divided_by_their_sums():
    asked = program()
    assert np.abs(private_map(asked, 3.0 * asked.start) - asked.start).max() <= 1e-14
