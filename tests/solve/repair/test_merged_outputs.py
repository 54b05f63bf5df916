"""Outputs are merged where they say the same, or where that costs hardly anything, the cheapest first."""

from itertools import combinations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import until
from mechdesign.solve.repair import merged_outputs as module
from mechdesign.solve.repair.merged_outputs import merge_alike, merge_proportional

PROBLEM = md.Problem(prior=[0.2, 0.3, 0.5])
INFORMATION = md.MutualInformation()
A, B, C = np.array([0.2, 0.5, 0.1]), np.array([0.3, 0.1, 0.1]), np.array([0.1, 0.1, 0.4])


def test_proportional_columns_are_added_up_in_the_order_of_the_first():
    found = merge_proportional(np.column_stack([A, B, 2 * A, C, 0.5 * B]))
    assert np.allclose(found, np.column_stack([3 * A, 1.5 * B, C]), rtol=1e-15, atol=0)
    found = merge_proportional(np.column_stack([C, A, 1e-9 * C]))
    assert np.allclose(found, np.column_stack([(1 + 1e-9) * C, A]), rtol=1e-15, atol=0)


@pytest.mark.parametrize("size", [1.0, 1e-6])
def test_columns_that_differ_by_more_than_rounding_stay(size):
    near = A + np.array([0.0, 0.0, 1e-10])
    assert merge_proportional(size * np.column_stack([A, B, near])).shape == (3, 3)
    near = A + np.array([0.0, 0.0, 1e-15])
    assert merge_proportional(size * np.column_stack([A, B, near])).shape == (3, 2)


def test_columns_of_the_same_weighted_sum_that_differ_stay():
    weights = np.random.default_rng(0).random(3)
    other = np.array([1.0, 0.3, 0.3 + 0.2 * weights[1] / weights[2]])
    columns = np.column_stack([[1.0, 0.5, 0.3], other, 2 * other])
    assert abs(weights @ (columns[:, 0] - columns[:, 1])) < 1e-15
    assert np.allclose(merge_proportional(columns), np.column_stack([columns[:, 0], 3 * other]), rtol=1e-14)


def test_one_column_stays():
    assert merge_proportional(A[:, None]).tolist() == A[:, None].tolist()


def pair_by_pair(columns, objective, problem, share):
    """Return columns merged of all pairs, the cheapest first, all costs anew at each step."""
    kept = list(columns.T)

    def worth(column):
        return float(objective.column_utility(column[:, None], problem)[0])

    left = share * sum(abs(worth(column)) for column in kept)
    while len(kept) > 1:
        pairs = list(combinations(range(len(kept)), 2))
        losses = [worth(kept[i]) + worth(kept[j]) - worth(kept[i] + kept[j]) for i, j in pairs]
        i, j = pairs[int(np.argmin(losses))]
        left -= max(min(losses), 0.0)
        if left < 0:
            break
        kept[i] = kept[i] + kept[j]
        del kept[j]
    return np.column_stack(kept)


@pytest.mark.parametrize("at_once", [1, 10, 1 << 20])
@pytest.mark.parametrize("share", [0.0, 1e-3, 0.1, 0.4, 10.0])
def test_pairs_are_merged_as_one_by_one(share, at_once, monkeypatch):
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        columns = rng.dirichlet(np.full(8, 0.7), size=3)
        given = columns.copy()
        found = merge_alike(columns, INFORMATION, PROBLEM, share)
        expected = pair_by_pair(columns, INFORMATION, PROBLEM, share)
        assert found.shape == expected.shape and np.allclose(found, expected, rtol=0, atol=1e-15)
        assert np.array_equal(columns, given)


def test_empty_columns_are_left_out():
    columns = np.column_stack([A, 0 * A, B])
    assert np.array_equal(merge_alike(columns, INFORMATION, PROBLEM), columns[:, [0, 2]])
    values = md.Problem(prior=[0.2, 0.3, 0.5], values=[0.0, 1.0, 3.0])
    assert merge_alike(columns, md.MMSE(), values).shape == (3, 2)
    with until(0.0):
        assert np.array_equal(merge_alike(columns, INFORMATION, PROBLEM), columns[:, [0, 2]])


def test_two_of_ratio_type_become_one():
    values = md.Problem(prior=[0.2, 0.3, 0.5], values=[0.0, 1.0, 3.0])
    assert np.allclose(merge_alike(np.column_stack([A, 2 * A]), md.MMSE(), values), 3 * A[:, None])
    assert np.allclose(merge_alike(np.column_stack([A, B]), md.MMSE(), values, 10.0), (A + B)[:, None])
    assert merge_alike(np.column_stack([A, B]), md.MMSE(), values).shape == (3, 2)


def test_too_many_pairs_are_not_compared(monkeypatch):
    columns = np.column_stack([A, B, 2 * A, C])
    monkeypatch.setattr(module, "MOST_COMPARED", 4 * 3 // 2 * 3)
    assert merge_alike(columns, INFORMATION, PROBLEM).shape == (3, 3)
    monkeypatch.setattr(module, "MOST_COMPARED", 4 * 3 // 2 * 3 - 1)
    assert np.array_equal(merge_alike(columns, INFORMATION, PROBLEM), columns)


@pytest.mark.parametrize(
    ("losses", "left", "chosen"),
    [
        ([3.0, 1.0, 2.0], 0.5, []),
        ([3.0, 1.0, 2.0], 1.0, [1]),
        ([3.0, 1.0, 2.0], 2.5, [1]),
        ([1.0, 2.0, 1.0], 3.0, [0, 2]),
        ([1.0, 1.0, 1.0], 3.0, [0]),
        ([1.0, 2.0, 1.5, 0.5], 4.0, [0, 3]),
        ([1.0, 2.0, 1.5, 0.5], 3.9, [3]),
        ([0.0], 0.0, [0]),
    ],
)
def test_neighbours_are_merged_at_once_where_none_changes_what_another_costs(losses, left, chosen):
    found, lost = module._cheapest(np.array(losses), left)
    assert found.tolist() == chosen and lost == sum(losses[place] for place in chosen)
