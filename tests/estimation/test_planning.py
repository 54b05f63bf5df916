"""How many people are needed: by hand, by simulation, and in words."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

import mechdesign as md
from mechdesign.estimation.planning import error_said, people_said
from mechdesign.reports.page import page

CATEGORIES = md.Problem(labels=["a", "b", "c"])


def by_hand(n, epsilon, error, level):
    """Return the number for randomised response at equal frequencies: the variance of the report's inversion."""
    truth = math.exp(epsilon) / (math.exp(epsilon) + n - 1)
    lie = (1 - truth) / (n - 1)
    share = 1 / n
    # A report is the answer with this probability, and the estimate divides by truth - lie.
    hit = share * truth + (1 - share) * lie
    return math.ceil(NormalDist().inv_cdf(0.5 + level / 2) ** 2 * hit * (1 - hit) / (truth - lie) ** 2 / error**2)


@pytest.mark.parametrize("n", [2, 3, 20])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize(("error", "level"), [(0.01, 0.95), (0.2, 0.5), (1e-4, 0.99)])
def test_randomised_response_needs_what_its_variance_says(n, epsilon, error, level):
    needed = md.baselines.randomised_response(md.Problem(n=n), epsilon).people_needed(error, level)
    assert needed == pytest.approx(by_hand(n, epsilon, error, level), rel=1e-6, abs=1)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_so_many_reports_have_intervals_of_that_width(level, rng):
    made = md.design(md.Problem(prior=[0.2, 0.3, 0.5]), md.LDP(1.0), md.InformationDesign("A"))
    needed = made.people_needed(0.03, level)
    for people, is_enough in ((needed, True), (needed // 2, False)):
        records = rng.choice(3, size=people, p=[0.2, 0.3, 0.5])
        found = made.mechanism.estimate(made.mechanism.simulate(records, rng), method="unbiased")
        widest = 0.5 * float(np.ptp(found.interval(level), axis=1).max())
        assert (widest <= 0.03 * 1.03) is is_enough


def test_more_is_needed_for_more():
    mechanism = md.baselines.subset_selection(md.Problem(n=6), 1.0)
    assert mechanism.people_needed(0.01) == pytest.approx(4 * mechanism.people_needed(0.02), rel=1e-3)
    assert mechanism.people_needed(0.01, 0.99) > mechanism.people_needed(0.01, 0.95)
    assert md.baselines.subset_selection(md.Problem(n=6), 0.5).people_needed(0.01) > mechanism.people_needed(0.01)
    assert 1 <= mechanism.people_needed(0.999) <= 1 + mechanism.people_needed(0.1) / 99


def test_the_population_can_be_given():
    mechanism = md.baselines.randomised_response(CATEGORIES, 3.0)
    sure = mechanism.people_needed(0.01, theta=[0.98, 0.01, 0.01])
    assert sure < mechanism.people_needed(0.01) < mechanism.people_needed(0.01, theta=[0.5, 0.25, 0.25]) * 1.01


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"error": 0}, "error is 0, but it has to be above 0 and below 1"),
        ({"error": 1.0}, "error is 1.0"),
        ({"error": -0.1}, "error is -0.1"),
        ({"error": float("nan")}, "error is nan"),
        ({"error": "1 %"}, "error is 1 %"),
        ({"error": 0.1, "level": 1.0}, "level is 1.0"),
        ({"error": 0.1, "level": 0}, "level is 0"),
        ({"error": 0.1, "theta": [1, 2, 3]}, "theta is a vector that sums to 6"),
        ({"error": 0.1, "theta": [0.5, 0.5]}, "theta"),
    ],
)
def test_what_cannot_be_planned_is_refused(given, said):
    with pytest.raises(md.DomainError, match=said):
        md.baselines.randomised_response(CATEGORIES, 1.0).people_needed(**given)


def test_where_reports_do_not_tell_the_frequencies_no_number_is_enough():
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
    made = md.design(problem, md.LDP(0.3), md.MMSE())
    assert made.matrix.shape[1] == 2
    with pytest.raises(md.UnsupportedError, match="InformationDesign"):
        made.people_needed(0.01)
    assert "reports give every share" not in str(made)


def test_a_design_says_how_many_reports_it_needs():
    made = md.design(md.Problem(labels=["no", "yes"]), md.LDP(1.0), md.InformationDesign("A"))
    assert "45,000 reports give every share within 0.01 (95 % intervals)" in str(made)
    assert "45,000 reports give every share" in page(made.mechanism)


def test_ends_of_what_can_be_planned_are_refused_or_answered():
    response = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 1.0)
    for asked in ({"error": 1e-160}, {"difference": 1e-200}, {"difference": -5e-324}):
        with pytest.raises(md.DomainError, match="it takes more people than floats can count"):
            response.people_needed(**asked)
    # A level next to 1 leaves 5.55e-17 on either side: 8.2924 standard errors.
    level = float(np.nextafter(1.0, 0.0))
    plain, near = response.people_needed(error=0.01), response.people_needed(error=0.01, level=level)
    assert near / plain == pytest.approx((8.2924 / 1.959964) ** 2, rel=1e-3)
    assert 0.0 < response.power(0.1, 1000, level=level) < 1e-8
    found = response.estimate(counts=[700, 300])
    for how in ("score", "delta", "profile"):
        assert np.isfinite(found.interval(level, simultaneous=True, how=how)).all()
    with pytest.raises(md.DomainError, match="how"):
        found.interval(how=["score"])


def test_what_a_number_of_people_gives_is_the_other_way_round():
    response = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 1.0)
    needed = response.people_needed(error=0.01)
    assert error_said(response, needed).startswith(f"{needed:,} reports give every share within 0.01 (95 % intervals)")
    assert "within 0.011 " in error_said(response, needed - 1)
    assert "intervals are as wide as can be" in error_said(response, 2)
    mean = md.design(md.Problem.from_interval(0, 10, points=3), md.LDP(1.0), md.UnbiasedMean(), gap=0.1).mechanism
    said = error_said(mean, 10_000)
    error = float(said.partition(" the mean within ")[2].split()[0])
    needed = mean.people_needed(error=error, queries=mean.inputs.required_values[None, :])
    assert 9_700 <= needed <= 10_000, said


def test_a_mechanism_for_something_else_says_so():
    """Two outputs that tell inputs apart by a hundred-thousandth: no survey is so large."""
    rows = [[0.5, 0.5], [0.5 + 1e-5, 0.5 - 1e-5]]
    assert "it takes over 1e+09 reports" in people_said(md.Mechanism(rows, problem=md.Problem(n=2)))
    assert people_said(md.baselines.randomised_response(md.Problem(n=2), 1.0)).endswith("if all are equal.")
    skewed = md.Problem(prior=[0.3, 0.7])
    assert people_said(md.baselines.randomised_response(skewed, 1.0)).endswith("(95 % intervals).")
