"""The power of a test of two groups: by the formula of Warner's design, by simulation, and turned round."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

import mechdesign as md

YES_NO = md.Problem(labels=["no", "yes"])


def by_hand(p, first, second, people, level):
    """Return the power by the variance of Warner's estimate: the truth is told with probability p."""
    variances = [s * (1 - s) + p * (1 - p) / (2 * p - 1) ** 2 for s in (first, second)]
    distance = abs(second - first) / math.sqrt(sum(variances) / people)
    limit = norm.ppf(0.5 + level / 2)
    return norm.cdf(distance - limit) + norm.cdf(-distance - limit)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize(("share", "difference"), [(0.1, 0.05), (0.3, -0.2), (0.5, 0.5), (0.02, -0.02)])
@pytest.mark.parametrize(("people", "level"), [(1, 0.95), (400, 0.95), (3000, 0.99), (10**6, 0.5)])
def test_of_two_answers_it_is_warners_formula(epsilon, share, difference, people, level):
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    found = md.baselines.randomised_response(YES_NO, epsilon).power(
        difference, people, level, theta=[1 - share, share], of="yes"
    )
    assert found == pytest.approx(by_hand(p, share, share + difference, people, level), rel=1e-6)


def test_so_many_surveys_find_the_difference():
    """By Wald's test of the difference of two estimates, in simulated surveys."""
    rng, survey = np.random.default_rng(3), md.Problem(labels=["a", "b", "c"])
    mechanism = md.baselines.subset_selection(survey, 1.5)
    first, second = [0.5, 0.3, 0.2], [0.4375, 0.2625, 0.3]
    people = mechanism.people_needed(difference=0.1, power=0.7, theta=first, of="c")
    found = 0
    for _ in range(400):
        groups = [
            mechanism.estimate(mechanism.simulate(rng.choice(3, people, p=law), rng, by="index"), method="unbiased")
            for law in (first, second)
        ]
        apart = groups[0].difference(groups[1])
        found += abs(apart.frequencies[2]) > norm.ppf(0.975) * apart.standard_errors[2]
    assert found / 400 == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize("power", [0.06, 0.5, 0.8, 0.999])
@pytest.mark.parametrize("difference", [0.02, -0.3])
def test_no_fewer_people_have_that_power(power, difference):
    mechanism = md.baselines.randomised_response(md.Problem(n=4), 1.0)
    theta = [0.4, 0.3, 0.2, 0.1]
    needed = mechanism.people_needed(difference=difference, power=power, theta=theta, of=0)
    assert mechanism.power(difference, needed, theta=theta, of="0") >= power - 1e-12
    assert needed == 1 or mechanism.power(difference, needed - 1, theta=theta, of=0) < power


def test_of_nothing_said_it_is_the_widest_share_with_a_power_of_four_in_five():
    mechanism = md.baselines.randomised_response(md.Problem(labels=["a", "b", "c"]), 1.0)
    theta = [0.2, 0.5, 0.3]
    assert mechanism.power(0.1, 500, theta=theta) == mechanism.power(0.1, 500, theta=theta, of="b")
    assert mechanism.power(0.1, 500) == mechanism.power(0.1, 500, of="c")
    needed = mechanism.people_needed(difference=0.1)
    assert needed == mechanism.people_needed(difference=0.1, power=0.8, of="c", theta=[1 / 3] * 3)
    made = md.design(YES_NO, md.LDP(1.0), md.InformationDesign("A"))
    assert made.people_needed(difference=0.1) == made.mechanism.people_needed(difference=0.1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: m.power(0, 10), "difference is 0, but no number of people finds a difference of 0"),
        (lambda m: m.power(0.6, 10), 'but "yes" has a share of 0.5 in the first group, and would have 1.1'),
        (lambda m: m.power(2, 10), "difference is 2"),
        (lambda m: m.power(0.1, 0), "people is 0"),
        (lambda m: m.power(0.1, 10.5), "people is 10.5"),
        (lambda m: m.power(0.1, 10, 1.0), "level is 1.0, but it has to be above 0 and below 1"),
        (lambda m: m.power(0.1, 10, of="yess"), 'of is yess, but .* did you mean "yes"'),
        (lambda m: m.power(-0.1, 10, theta=[0, 1], of="yes"), "has a share of 1 in the first group"),
        (lambda m: m.people_needed(), "error and difference is neither of them"),
        (lambda m: m.people_needed(0.1, difference=0.1), "error and difference is both of them"),
        (lambda m: m.people_needed(0.1, power=0.8), "power is 0.8, but an error has to do with no test"),
        (lambda m: m.people_needed(0.1, of="yes"), "of is yes, but an error has to do with no test"),
        (lambda m: m.people_needed(difference=0.1, power=0.05), "power is 0.05, but it has to be above 0.05"),
        (lambda m: m.people_needed(difference=0.1, power=1.0), "power is 1.0"),
    ],
)
def test_what_cannot_be_planned_is_refused(call, said):
    with pytest.raises(md.DomainError, match=said):
        call(md.baselines.randomised_response(YES_NO, 1.0))


def test_a_mechanism_has_to_distinguish_answers():
    with pytest.raises(md.DomainError, match="mechanism is of one input"):
        md.Mechanism([[1.0]], ["0"]).power(0.1, 10)
    with pytest.raises(md.UnsupportedError, match="do not identify the frequencies"):
        md.Mechanism([[0.5, 0.5], [0.5, 0.5]], ["0", "1"]).power(0.1, 10)
