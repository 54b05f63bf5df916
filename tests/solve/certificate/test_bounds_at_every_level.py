"""Bounds against exact values: of the returned matrix, and of randomised response that is private in fractions."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

import mechdesign as md
from mechdesign.baselines import strongest_randomised_response
from mechdesign.solve.certificate import claims
from tests.helpers import exact_values
from tests.helpers.exact_values import exact, response
from tests.objectives.test_next_to_nothing import ACCURATE, HONEST, whole
from tests.planted.functions import PlainMean

LEVELS = (1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 0.1, 1.0)
NOTIONS = {"LDP": md.LDP, "LIP": md.LIP, "MaxLift": md.MaxLift}
ASKED = {
    **{name: maker for name, (maker, _) in (ACCURATE | HONEST).items() if name != "LeakageLoss"},
    "MaxOffDiagonal": lambda rng, n: md.MaxOffDiagonal(),
    "WorstCaseLoss": lambda rng, n: md.WorstCaseLoss(rng.exponential(size=(n, n))),
}

pytestmark = pytest.mark.filterwarnings("ignore::mechdesign.errors.GapWarning")


def passes(objective, problem, matrix, bound):
    """Tell whether the exact value of a matrix is better than a bound, and by how much."""
    value = exact_values.value(objective, problem, matrix)
    beyond = value - exact(bound) if objective.sense == "maximise" else exact(bound) - value
    return float(beyond)


@pytest.mark.thinned(20)
@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("name", ASKED)
def test_nothing_exactly_private_passes_the_bound(name, notion, rng):
    for level in LEVELS:
        for n in (2, 3):
            objective, problem, asked = ASKED[name](rng, n), whole(rng, n), NOTIONS[notion](level)
            made = md.design(problem, asked, objective)
            assert passes(objective, problem, made.by_decision, made.bound) <= 0
            rivals = [strongest_randomised_response(asked, problem)]
            if notion == "LDP":
                rivals.append(response(n, level))
            for rival in rivals:
                assert passes(objective, problem, rival, made.bound) <= 0


@pytest.mark.thinned(4)
@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("name", ASKED)
def test_gaps_are_what_they_are_said_to_be(name, notion, rng):
    """No gap is less than the distance of the exact value from the bound, over its divisor."""
    for level in (1e-9, 1e-3, 1.0):
        objective, problem = ASKED[name](rng, 3), whole(rng, 3)
        made = md.design(problem, NOTIONS[notion](level), objective)
        value = exact_values.value(objective, problem, made.by_decision)
        distance = abs(value - exact(made.bound))
        least, most = objective.uninformative(problem), objective.no_privacy(problem)
        span = abs(least - most) if np.isfinite(most) else 1.0
        divisor = max(abs(made.value), abs(made.bound), 1e-6 * span)
        assert exact(made.gap) * exact(divisor) >= distance * (1 - mpmath.mpf("1e-14"))
        if name in ACCURATE and least == 0 and np.isfinite(made.gap_of_gain):
            assert exact(made.gap_of_gain) * value >= distance * (1 - mpmath.mpf("1e-14"))


def test_a_bound_that_only_the_returned_matrix_could_pass():
    """40 of 198 such bounds were below what randomised response reaches."""
    objective, problem = md.JensenShannon([0.9, 0.1], [0.95, 0.05]), md.Problem(n=2)
    made = md.design(problem, md.LDP(1e-5), objective)
    best = response(2, 1e-5)
    assert Fraction(best[0, 0]) / Fraction(best[1, 0]) <= 1 + Fraction(1, 10**5) + Fraction(1, 10**10)
    assert passes(objective, problem, best, made.bound) <= 0
    assert made.gap_of_gain <= 1e-6


def test_a_generator_of_ones_own_that_cancels_has_a_sound_bound():
    problem = md.Problem(n=2)
    for level in (1e-8, 1e-6, 1e-5, 1e-4, 1e-3):
        for pair in (([0.9, 0.1], [0.95, 0.05]), ([0.3, 0.7], [0.6, 0.4]), ([0.5, 0.5], [0.51, 0.49])):
            objective = md.FDivergence(PlainMean(), *pair)
            made = md.design(problem, md.LDP(level), objective)
            assert passes(objective, problem, response(2, level), made.bound) <= 0


def test_a_bound_without_the_values_rounding_is_caught(monkeypatch, rng):
    """Planted: the bound is the value's, not beyond what the value may be off."""
    caught = 0
    monkeypatch.setattr(
        claims,
        "_outward",
        lambda objective, problem, value, own, utility: float(
            objective.from_utility(max(utility - 1e-12 * abs(utility), objective.to_utility(value, problem)), problem)
        ),
    )
    for _ in range(20):
        objective, problem = md.KLDivergence(rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3))), md.Problem(n=3)
        made = md.design(problem, md.LDP(1.0), objective)
        caught += passes(objective, problem, made.by_decision, made.bound) > 0
    assert caught


def test_a_gap_of_zero_is_no_rounding(rng):
    for level, zero in ((0.0, True), (1.0, False)):
        objective = md.KLDivergence([0.5, 0.3, 0.2], [0.2, 0.3, 0.5])
        made = md.design(md.Problem(n=3), md.LDP(level), objective)
        assert (made.gap == 0.0) == zero == (made.bound == made.value)
        assert (made.gap_of_gain == 0.0) == zero


def test_a_gap_hidden_by_its_divisor_is_said(rng):
    """At 1e-12 the multiples of 2**-53 alone cost more than is asked of what is gained."""
    objective, problem = md.FisherInformation([0.2, 0.3, 0.5], [-1.0, 0.5, 0.5]), md.Problem(n=3)
    made = md.design(problem, md.LDP(1e-9), objective)
    assert made.gap_of_gain <= 1e-3 and made.shortfall(1e-6) is None
    with pytest.warns(md.errors.GapWarning, match=r"What the mechanism gains .* share of .* ask for a level at which"):
        made = md.design(problem, md.LDP(1e-12), objective)
    assert made.gap <= 1e-6 and 1e-3 < made.gap_of_gain < 0.1
