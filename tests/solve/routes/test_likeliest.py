"""The route likeliest: histogram error under maximal leakage at any number of inputs."""

import math
from itertools import product

import numpy as np
import pytest

import mechdesign as md


def skewed(n, rng):
    return md.Problem(prior=rng.dirichlet(np.ones(n)))


@pytest.mark.parametrize("n", [2, 3, 6, 9])
@pytest.mark.parametrize("epsilon", [0.01, 0.4, math.log(2), 1.3, 5.0])
def test_it_is_the_optimum_over_all_sets(n, epsilon, rng):
    problem, notion = skewed(n, rng), md.MaximalLeakage(epsilon)
    made = md.design(problem, notion, md.HistogramMMSE())
    other = md.design(problem, notion, md.HistogramMMSE(), route="rays")
    assert made.route == "likeliest" and made.audit.holds
    assert made.value == pytest.approx(other.value, abs=1e-10) and made.bound == pytest.approx(other.bound, abs=1e-10)


@pytest.mark.parametrize("n", [60, 1000])
@pytest.mark.parametrize("epsilon", [0.3, 2.0, math.log(3)])
def test_many_inputs_have_few_outputs_and_no_gap(n, epsilon, rng):
    problem = skewed(n, rng)
    made = md.design(problem, md.MaximalLeakage(epsilon), md.HistogramMMSE())
    assert made.route == "likeliest" and made.audit.holds and made.gap < 1e-9
    assert made.matrix.shape[1] <= math.exp(epsilon) + 2
    assert made.bound < made.value + 1e-9 < md.HistogramMMSE().value(np.ones((n, 1)), problem)


def test_equal_probabilities_and_levels_that_reveal_all():
    even = md.Problem(prior=np.full(5, 0.2))
    # Of five equally likely inputs k outputs identify k / 5.
    assert md.design(even, md.MaximalLeakage(math.log(2)), md.HistogramMMSE()).value == pytest.approx(0.6, abs=1e-9)
    assert md.design(even, md.MaximalLeakage(math.log(5) + 1e-9), md.HistogramMMSE()).value == 0.0


@pytest.mark.parametrize("outputs", [2, 3])
def test_with_too_few_outputs_fewer_inputs_are_revealed_under_a_true_bound(outputs, rng):
    problem, notion = skewed(6, rng), md.MaximalLeakage(1.0)
    best = md.design(problem, notion, md.HistogramMMSE(), outputs=4)
    assert best.route == "likeliest" and best.matrix.shape[1] == 4 and best.gap < 1e-9
    with pytest.warns(md.GapWarning):
        made = md.design(problem, notion, md.HistogramMMSE(), outputs=outputs)
    assert made.matrix.shape[1] <= outputs and made.audit.holds
    assert best.bound - 1e-9 <= made.bound <= made.value
    # Every partition of the inputs into so many sets whose leakage is allowed.
    shares = [np.eye(outputs)[list(places)] for places in product(range(outputs), repeat=6)]
    private = [each for each in shares if len(np.flatnonzero(each.any(axis=0))) <= math.e]
    assert made.value <= min(md.HistogramMMSE().value(each, problem) for each in private) + 1e-9
