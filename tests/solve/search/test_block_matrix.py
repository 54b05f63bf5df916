"""Matrices of sets of grouped inputs and their shifts: rows that sum to one, private, better than shifts of all."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.solve.pricing.input_groups import InputGroups
from mechdesign.solve.search.block_matrix import block_matrix
from mechdesign.solve.search.counts_of_sets import best_counts
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.manners import check_bound


def zipf(n):
    theta = np.random.default_rng(0).permutation(1.0 / np.arange(1.0, n + 1.0))
    return theta / theta.sum()


@pytest.mark.parametrize(
    ("sizes", "share"), [([*[1] * 4, 56], 0.995), ([*[1] * 4, 8, 48], 0.995), ([*[1] * 6, 9, 45], 0.995)]
)
def test_the_most_frequent_inputs_by_themselves_are_better_than_shifts_of_all(sizes, share):
    theta, epsilon = zipf(60), 1.0
    problem, objective = md.Problem(n=60), md.InformationDesign("A", theta=theta)
    groups = InputGroups.of_sizes(theta, float(np.expm1(epsilon)), np.array(sizes, dtype=float))
    matrix = block_matrix(groups, best_counts(groups), 30)
    assert np.abs(matrix.sum(axis=1) - 1.0).max() < 1e-12
    assert (matrix.max(axis=0) / matrix.min(axis=0)).max() <= np.exp(epsilon) * (1.0 + 1e-12)
    even = md.design(problem, md.LDP(epsilon), md.InformationDesign("A", theta=np.full(60, 1 / 60)), gap=0.1)
    assert objective.value(matrix, problem) < share * objective.value(even.matrix, problem)


def test_time_ends_the_search_with_what_it_has():
    with warnings.catch_warnings(), reading(CountingClock()):
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(md.Problem(prior=zipf(80)), md.LDP(1.0), md.InformationDesign("A"), time_limit=1.0)
    check_bound(made)
    assert made.audit.holds
