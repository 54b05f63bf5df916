"""Weighted total variation at its least level, in fractions, and the problems it refuses."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from mechdesign.errors import DomainError, InfeasibleError
from mechdesign.notions import WeightedTV
from mechdesign.problem import Problem
from tests.notions.test_notions import PROFILES


@pytest.mark.parametrize("weight", [0.5, 0.3, 0.1, 0.9, 1 / 3, 0.7, 0.01])
def test_weighted_tv_boundary_in_fractions(weight: float) -> None:
    w, numerators = Fraction(weight), np.array([[7, 1], [2, 6]])
    total = sum(abs((1 - w) * int(a) - w * int(b)) for a, b in numerators.T) / 8
    delta = float(total)
    problem = Problem(n=2)
    for candidate in (delta, math.nextafter(delta, 0.0), math.nextafter(delta, 1.0)):
        allowed = max(Fraction(candidate), abs(1 - 2 * w))
        assert WeightedTV(candidate, weight).holds_exactly(numerators, problem) == (total <= allowed)


@pytest.mark.parametrize("weight", [0.5, 0.3, 0.1, 0.9, 1 / 3, 0.7, 0.01])
def test_weighted_tv_at_its_least_level_allows_the_uninformative_mechanism(weight: float) -> None:
    problem, least = Problem(n=2), abs(1 - 2 * Fraction(weight))
    below = math.nextafter(float(least), 0.0)
    for delta in (float(least), below, max(float(least) - 9e-13, 0.0)):
        notion = WeightedTV(delta, weight)
        inputs = notion.inputs(problem)
        assert notion.holds_exactly(np.array([[3, 5], [3, 5]]), inputs)
        assert Fraction(notion.columns(inputs).budget().limits[0]) >= least
        assert notion.columns(inputs).budget().limits[0] == pytest.approx(float(least), abs=2e-16)
    assert ("taken as" in str(WeightedTV(max(below, 0.0), weight))) == (Fraction(max(below, 0.0)) < least)


def test_weighted_tv_at_its_least_level_refuses_whatever_changes_sides() -> None:
    # At weight 1/2 the least level is 0: only equal rows remain.
    problem, numerators = Problem(n=2), np.array([[10**20 + 1, 10**20 - 1], [10**20, 10**20]], dtype=object)
    assert not WeightedTV(0.0).holds_exactly(numerators, problem)
    assert WeightedTV(0.5e-20 * (1 + 1e-15)).holds_exactly(numerators, problem)
    # Elsewhere a matrix whose likelihood ratios stay on one side of the weight tells as little as none.
    least = WeightedTV(0.5, 0.25)
    assert least.holds_exactly(np.array([[2, 2], [3, 1]]), problem)
    assert least.holds_exactly(np.array([[1, 3], [3, 1]]), problem)
    assert not least.holds_exactly(
        np.array([[10**20 - 1, 3 * 10**20 + 1], [3 * 10**20, 10**20]], dtype=object), problem
    )


def test_weighted_tv_below_its_least_level_refuses_everything() -> None:
    constant = np.array([[3, 5], [3, 5]])
    assert not WeightedTV(0.4 - 2e-12, 0.3).holds_exactly(constant, Problem(n=2))
    assert WeightedTV(0.4 - 0.9e-12, 0.3).holds_exactly(constant, Problem(n=2))


def test_delta_below_the_least_level_is_infeasible() -> None:
    for delta in (0.3, 0.4 - 2e-12):
        with pytest.raises(InfeasibleError, match=r"at weight 0.3: the least is \|1 - 2 weight\| = 0.4; ask for"):
            WeightedTV(delta, 0.3).inputs(Problem(n=2))
    WeightedTV(0.4 - 0.9e-12, 0.3).inputs(Problem(n=2))


def test_weighted_tv_needs_two_secrets() -> None:
    with pytest.raises(DomainError, match=r"problem is one with 3 values of the secret, .*exactly two; hide a secret"):
        WeightedTV(0.5).inputs(Problem(n=3))
    with pytest.raises(DomainError, match="one with 3 values"):
        WeightedTV(0.5).inputs(Problem(n=2).hidden(data_given_secret=[[0.5, 0.5], [0.1, 0.9], [1.0, 0.0]]))
    assert WeightedTV(0.5).inputs(Problem(n=3).hidden(data_given_secret=PROFILES[:2])).n == 3
