"""An epsilon for each ordered pair: one way and the other, along chains, beside a metric, and by brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.columns.metric_pairs import needed_one_way
from mechdesign.exact import exp_below


def least_error(epsilons, prior):
    """The least probability of a wrong guess, by a linear program over all pairs."""
    n = len(prior)
    upper = []
    for s, t in itertools.permutations(range(n), 2):
        if math.isfinite(epsilons[s][t]):
            for y in range(n):
                row = np.zeros((n, n))
                row[s, y], row[t, y] = 1.0, -math.exp(epsilons[s][t])
                upper.append(row.ravel())
    cost = -np.diag(prior).ravel()
    rows = np.kron(np.eye(n), np.ones(n))
    found = linprog(cost, np.array(upper), np.zeros(len(upper)), rows, np.ones(n), bounds=(0, None))
    return 1.0 + found.fun


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_is_that_of_a_program_over_all_pairs(seed):
    rng = np.random.default_rng(seed)
    epsilons = rng.uniform(0.1, 2.0, (4, 4)) * (1 - np.eye(4))
    if seed % 2:
        epsilons[rng.random((4, 4)) < 0.3] = math.inf
        np.fill_diagonal(epsilons, 0.0)
    prior = rng.dirichlet(np.ones(4))
    made = md.design(md.Problem(prior=prior), md.PairwiseLDP(epsilons), md.ErrorProbability())
    assert made.value == pytest.approx(least_error(epsilons, prior), abs=1e-7)


def test_two_inputs_by_formula():
    """p <= e^a q and 1 - q <= e^b (1 - p): both are tight."""
    a, b = 2.0, 0.5
    made = md.design(
        md.Problem(prior=[0.5, 0.5]), md.PairwiseLDP([[0.0, a], [b, 0.0]]), md.ErrorProbability(), gap=1e-9
    )
    q = math.expm1(b) / math.expm1(a + b)
    assert made.value == pytest.approx((1 - math.exp(a) * q + q) / 2, abs=1e-9)
    assert made.value < md.design(md.Problem(prior=[0.5, 0.5]), md.LDP(b), md.ErrorProbability()).bound


def test_one_question_under_two_names_has_one_answer():
    line = 0.7 * np.abs(np.subtract.outer(range(5), range(5)))
    survey = md.Problem(prior=[0.1, 0.3, 0.2, 0.25, 0.15], values=range(5))
    for objective in (md.MMSE(), md.ErrorProbability(), md.InformationDesign("A")):
        first = md.design(survey, md.PairwiseLDP(line, 0.5), objective)
        second = md.design(survey, md.MetricDP(0.5, line), objective)
        assert np.array_equal(first.matrix, second.matrix)
    even = md.PairwiseLDP(2.0 * (1 - np.eye(3)), 0.5)
    assert even.plain(md.Problem(n=3)) == md.LDP(1.0)


def test_a_chain_bounds_a_pair_that_is_asked_less_of():
    epsilons = np.array([[0.0, 0.5, 9.0], [0.5, 0.0, 0.25], [9.0, 9.0, 0.0]])
    first, second = needed_one_way(epsilons)
    assert (0, 2) not in set(zip(first.tolist(), second.tolist(), strict=True))
    made = md.design(md.Problem(n=3), md.PairwiseLDP(epsilons), md.InformationDesign("A"), gap=1e-3)
    assert np.max(np.log(made.matrix[0] / made.matrix[2])) <= 0.75 + 1e-9
    assert md.PairwiseLDP(epsilons).columns(md.Problem(n=3)).pair_exponents[0, 2] == pytest.approx(0.75)


def test_the_level_is_the_scale_at_which_it_holds_exactly(rng):
    epsilons = rng.uniform(0.2, 2.0, (3, 3)) * (1 - np.eye(3))
    matrix = rng.dirichlet(np.ones(4), size=3)
    level = md.PairwiseLDP(epsilons).level(matrix, md.Problem(n=3)).value
    largest = max(
        math.log(matrix[s, y] / matrix[t, y]) / epsilons[s, t]
        for s, t in itertools.permutations(range(3), 2)
        for y in range(4)
    )
    assert level == pytest.approx(largest, rel=1e-12)
    whole = np.rint(matrix * 2**52).astype(np.int64)
    whole[:, 0] += 2**52 - whole.sum(axis=1)
    assert md.PairwiseLDP(epsilons, level * (1 + 1e-9)).holds_exactly(whole, md.Problem(n=3))
    assert not md.PairwiseLDP(epsilons, level * (1 - 1e-9)).holds_exactly(whole, md.Problem(n=3))


def test_one_way_alone_is_compared():
    """One unit more than e gives a failure from the first input to the second, and none the other way."""
    ratio, unit = exp_below(1.0), 2**60
    high = unit // 3
    low = -(-high * ratio.denominator // ratio.numerator)
    for moved, fine in ((0, True), (-1, False)):
        matrix = np.array([[high, unit - high], [low + moved, unit - low - moved]], dtype=object)
        assert md.PairwiseLDP([[0.0, 1.0], [math.inf, 0.0]]).holds_exactly(matrix, md.Problem(n=2)) == fine
        assert md.PairwiseLDP([[0.0, 1.0], [math.inf, 0.0]]).holds_exactly(matrix[::-1], md.Problem(n=2))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: md.PairwiseLDP([[0, 1], [-1, 0]]), "at least 0"),
        (lambda: md.PairwiseLDP([[1, 1], [1, 0]]), "the diagonal has to be 0"),
        (lambda: md.PairwiseLDP([[0, 1, 1], [1, 0, 1]]), "square"),
        (lambda: md.PairwiseLDP([[0, 1], [1, 0]], math.inf), "scale is inf"),
        (
            lambda: md.design(md.Problem(n=3), md.PairwiseLDP([[0, 1], [2, 0]]), md.InformationDesign("A")),
            "one row and one column for each of the 3 secrets",
        ),
    ],
)
def test_bad_input_is_refused(asked, said):
    with pytest.raises(md.DomainError, match=said):
        asked()


@pytest.mark.parametrize("route", ["auto", "columns", "rays", "maps"])
@pytest.mark.parametrize("scale", [0.0, 0.5])
def test_pairs_that_are_not_compared_may_be_told_apart_at_any_scale(route, scale):
    """At scale 0 the first two inputs are alike, and the third is revealed: half of .6 is guessed wrong."""
    far = math.inf
    apart = md.PairwiseLDP([[0, 1, far], [2, 0, far], [far, far, 0]], scale)
    made = md.design(md.Problem(prior=[0.3, 0.3, 0.4]), apart, md.ErrorProbability(), route=route, gap=1e-5)
    q = 0.5 if not scale else math.expm1(2 * scale) / math.expm1(3 * scale)
    least = 0.3 * (1 - math.exp(scale) * q + q) if scale else 0.3
    assert made.bound <= least + 1e-12 and least - 1e-12 <= made.value
    assert made.value == pytest.approx(made.bound, rel=2e-5)
