"""A question of many inputs is answered: by the best known mechanism with a true bound where no other route does."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.designing import finish as finishing
from mechdesign.runtime.deadline import reading
from mechdesign.solve import choose as routes
from mechdesign.solve.certificate import claims
from mechdesign.solve.task import Refusal
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.manners import check_bound
from mechdesign.testing.sized import NOTIONS, some_pair

#: What every other route refused from some fifty inputs on, a pair of each kind of objective.
REFUSED = [
    ("ApproximateLDP", "MutualInformation", 60),
    ("ApproximateLDP", "KLDivergence", 60),
    ("ApproximateLDP", "WorstCaseLoss", 60),
    ("StrongL1", "HistogramMMSE", 60),
    ("BoundedPriorLIP", "MutualInformation", 60),
    ("LDP", "ChernoffExponent", 60),
    ("LIP", "HoeffdingExponent", 60),
    ("MaxLift", "HanKobayashiExponent", 60),
    ("StrongChiSquare", "HistogramMMSE", 40),
    ("MaximalLeakage", "MutualInformation", 60),
]


def answered(notion, objective, n, **keywords):
    problem, made, wanted = some_pair(notion, objective, n, np.random.default_rng(n))
    with warnings.catch_warnings(), reading(CountingClock(0.002)):
        warnings.simplefilter("ignore", md.GapWarning)
        return md.design(problem, made, wanted, time_limit=2.0, **keywords)


@pytest.mark.thinned(192)
@pytest.mark.parametrize(("notion", "objective", "n"), REFUSED)
def test_what_no_route_answers_has_the_best_known_mechanism_and_a_true_bound(notion, objective, n, tmp_path):
    made = answered(notion, objective, n)
    assert made.audit.holds
    check_bound(made)
    inputs = made.mechanism.inputs
    asked = made.mechanism.asked.objective
    idle = asked.to_utility(asked.uninformative(inputs), inputs)
    assert asked.to_utility(made.value, inputs) >= idle - 1e-9 * abs(idle)
    # What the file claims follows from it: the bound, or, with more time than there was, a better one.
    loaded = md.load(made.mechanism.save(tmp_path / "a.json")).claimed.bound
    assert asked.to_utility(loaded, inputs) <= asked.to_utility(made.bound, inputs)


def test_the_last_resort_says_what_it_is_and_why_no_other_route_answers():
    made = answered("BoundedPriorLIP", "HistogramMMSE", 60)
    assert made.route == "known" and "best known mechanism" in made.reason
    assert {"rays", "columns", "lifts"} <= set(made.refusals)
    assert all(made.refusals.values())


def test_a_rule_of_ones_own_that_no_route_takes_is_still_refused():
    problem = md.Problem(prior=[0.2] * 5, values=range(5))
    with pytest.raises(md.UnsupportedError, match="No route answers"):
        md.design(problem, md.LDP(1.0), md.MMSE(), subject_to=lambda Q: [Q[0, 0] <= 0.5])


def test_what_is_still_refused_is_refused_in_three_lines():
    with pytest.raises(md.UnsupportedError) as told:
        md.design(md.Problem(n=30), md.LDP(1.0), md.InformationDesign("A"), outputs=20)
    assert len(str(told.value)) <= 360 and str(told.value).count("raise outputs") == 1


def test_metric_privacy_is_no_worse_than_the_known_mechanisms():
    n = 60
    line = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) / 8.0
    problem, objective = md.Problem(prior=[1 / n] * n, values=range(n)), md.HistogramMMSE()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, md.MetricDP(1.0, line), objective, time_limit=2.0)
    for known in (md.baselines.exponential(problem, 1.0, line), md.baselines.geometric(problem, 1 / 8)):
        assert made.value <= objective.value(known.matrix, problem)


@pytest.mark.slow
def test_information_on_a_line_is_no_worse_than_the_geometric_mechanism():
    n = 40
    line = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) / 8.0
    problem, objective = md.Problem(prior=[1 / n] * n), md.MutualInformation()
    with warnings.catch_warnings(), reading(CountingClock(0.002)):
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, md.MetricDP(1.0, line), objective, time_limit=2.0)
    assert made.value >= objective.value(md.baselines.geometric(problem, 1 / 8).matrix, problem)


def test_a_bound_of_the_last_resort_that_is_no_bound_is_caught(monkeypatch):
    """Planted: the value of telling nothing stands for the value without privacy."""
    bound = claims._without_privacy

    def idle(objective, problem):
        true = bound(objective, problem)
        least = objective.to_utility(objective.uninformative(problem), problem)
        return claims.Bound(least, true.rounding)

    monkeypatch.setattr(claims, "_without_privacy", idle)
    monkeypatch.setattr(claims, "_clipped", lambda utility, *_: utility)
    with pytest.raises(md.CertificateError):
        answered("ApproximateLDP", "MutualInformation", 60)


def test_without_the_last_resort_the_question_is_refused(monkeypatch):
    """Planted: the route `known` refuses, as it did."""
    assert finishing.KNOWN is routes.known.ROUTE
    refusing = replace(routes.known.ROUTE, plan=lambda task: Refusal("there is no certificate"))
    monkeypatch.setattr(routes.known, "ROUTE", refusing)
    with pytest.raises(md.UnsupportedError, match="No route answers"):
        answered("BoundedPriorLIP", "HistogramMMSE", 60)


@pytest.mark.slow
@pytest.mark.parametrize("notion", NOTIONS)
def test_every_objective_has_an_answer_at_sixty_inputs(notion):
    from mechdesign.testing.sized import OBJECTIVES

    for objective in OBJECTIVES:
        asked = some_pair(notion, objective, 60, np.random.default_rng(60))
        if asked is None:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", md.GapWarning)
            # Of real seconds: a conic solver takes tens of minutes for some of these, and its clock is the real one.
            made = md.design(*asked, time_limit=2.0)
        assert made.audit.holds
        check_bound(made)
