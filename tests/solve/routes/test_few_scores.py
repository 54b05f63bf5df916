"""Few outputs for one number: against closed forms, other numbers of outputs, and the definition of the variance."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md

INTERVAL = md.Problem.from_interval(-1.0, 1.0, points=9)


def mean(outputs, epsilon=2.0, problem=INTERVAL, notion=md.LDP, **keywords):
    return md.design(problem, notion(epsilon), md.UnbiasedMean(), outputs=outputs, gap=0.99, **keywords)


def test_two_outputs_are_stochastic_rounding():
    two = md.design(md.Problem.from_interval(-1.0, 1.0), md.LDP(1.0), md.UnbiasedMean(), outputs=2, gap=0.99)
    assert two.value == pytest.approx(1.0 / np.tanh(0.5) ** 2, rel=1e-9)


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_more_outputs_are_never_worse(epsilon):
    made = [mean(outputs, epsilon) for outputs in (2, 3, 4, 5, 6)]
    values = [each.value for each in made]
    assert values == sorted(values, reverse=True) and values[1] < 0.95 * values[0]
    for outputs, each in zip((2, 3, 4, 5, 6), made, strict=True):
        assert each.mechanism.used_outputs <= outputs and each.audit.holds and each.bound <= each.value


def test_three_and_four_outputs_are_as_good_as_published_ones():
    # The least variances of three and of four outputs over the interval, by local search: 1.089 and 1.0511 times the
    # optimum at epsilon 2, which is .8655.
    wide = md.Problem.from_interval(-1.0, 1.0, points=33)
    assert mean(3, problem=wide).value <= 1.10 * 0.8655
    assert mean(4, problem=wide).value <= 1.0511 * 0.8655


@pytest.mark.parametrize("notion", [md.LDP, md.LIP])
@pytest.mark.parametrize("objective", [md.UnbiasedMean(), md.UnbiasedMean(worst=False), md.InformationDesign("c")])
def test_few_outputs_at_a_small_cost(notion, objective, rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(9, 2.0)), values=np.sort(rng.normal(size=9)))
    best = md.design(problem, notion(1.5), objective, gap=1e-3)
    few = md.design(problem, notion(1.5), objective, gap=1e-3, within=0.05)
    assert few.mechanism.used_outputs < best.mechanism.used_outputs and few.gap <= 0.05
    assert best.bound <= few.value <= 1.06 * best.value
    assert few.value == pytest.approx(objective.value(few.matrix, problem), rel=1e-9)


def test_estimates_of_few_outputs_are_unbiased():
    made = mean(4)
    values = np.linspace(-1.0, 1.0, 9)
    estimates = md.UnbiasedMean().estimates(made.matrix, INTERVAL)
    assert np.allclose(made.matrix @ estimates, values, atol=1e-9)
    assert (made.matrix @ estimates**2 - values**2).max() <= made.value * (1 + 1e-9)
