"""Comparisons are counted exactly: against fractions, pair by pair."""

import math
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.bench.judging import privacy_of
from mechdesign.exact import exp_below


def by_hand(matrix, epsilon):
    E, broken = exp_below(epsilon), 0
    exact = [[Fraction(float(entry)) for entry in row] for row in matrix]
    for x, row in enumerate(exact):
        for other, against in enumerate(exact):
            if x != other:
                broken += sum(first > E * second for first, second in zip(row, against, strict=True))
    return broken


def question(n, notion):
    return md.Question(md.Problem(prior=np.full(n, 1.0 / n), values=np.arange(n)), notion, md.AbsoluteError(), None)


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_counted_as_fractions_count_them(seed):
    rng = np.random.default_rng(seed)
    made = md.design(question(5, md.LDP(1.0)).problem, md.LDP(1.0), md.AbsoluteError()).by_decision
    # At the optimum most comparisons hold with equality: the last bit decides.
    for moved in (made, made * (1.0 + 1e-16 * rng.normal(size=made.shape)), made + 1e-9 * rng.normal(size=made.shape)):
        assert privacy_of(moved, question(5, md.LDP(1.0))).violated == by_hand(moved, 1.0)


def test_the_level_is_that_of_what_would_be_deployed():
    matrix = np.array([[0.8, 0.2 + 1e-3], [0.2, 0.8]])
    found = privacy_of(matrix, question(2, md.LDP(1.0)))
    row = matrix / matrix.sum(axis=1, keepdims=True)
    assert found.level == pytest.approx(math.log(row[0, 0] / row[1, 0]))
    assert found.row_error == pytest.approx(1e-3)
    assert found.violated == 2


def test_a_negative_entry_is_an_output_that_rules_an_input_out():
    found = privacy_of(np.array([[1.0 + 1e-12, -1e-12], [0.5, 0.5]]), question(2, md.LDP(1.0)))
    assert math.isinf(found.level)
    assert found.negative == 1
    assert found.least == -1e-12


@pytest.mark.parametrize("notion", [md.LIP(1.0), md.MaxLift(0.5), md.StrongChiSquare(0.4), md.StrongL1(0.4)])
def test_outputs_are_counted_where_the_notion_has_no_pairs(notion):
    asked = question(4, notion)
    made = md.design(asked.problem, notion, md.AbsoluteError()).by_decision
    assert privacy_of(made, asked).violated == 0
    spread = np.array(made)
    spread[0, 0] += 0.2
    assert privacy_of(spread, asked).violated >= 1
    assert privacy_of(spread, asked).excess > 0


def test_a_budget_is_one_comparison():
    asked = question(3, md.MutualInformationPrivacy(0.1))
    assert privacy_of(np.full((3, 3), 1 / 3), asked).violated == 0
    found = privacy_of(np.eye(3), asked)
    assert (found.comparisons, found.violated) == (1, 1)
    assert found.level == pytest.approx(math.log(3.0))
