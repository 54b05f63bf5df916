"""Mutual information and histogram MMSE under bounds of the lift, where the rays are too many to list."""

import math
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.pricing import bounded_lift
from mechdesign.solve.pricing.bounded_lift import lifts, majorant
from mechdesign.solve.routes.lifts import ROUTE, plan_of_any_size
from mechdesign.solve.task import Task
from tests.helpers import brute_force as brute

OBJECTIVES = (md.MutualInformation(), md.HistogramMMSE())
NOTIONS = (md.LIP(0.7), md.LIP(2.0), md.MaxLift(0.8), md.AsymmetricLIP(0.5, 1.5))


def by_hand(objective, columns, prior):
    """Return the utility of each column from its definition."""
    if isinstance(objective, md.MutualInformation):
        return brute.information(columns, prior)
    joint = np.asarray(prior)[:, None] * columns
    return (joint**2).sum(axis=0) / joint.sum(axis=0)


@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
@pytest.mark.parametrize("notion", NOTIONS, ids=str)
def test_chords_lie_above_every_column(notion, objective, even, rng):
    for n in (1, 2, 4, 7):
        prior = rng.dirichlet(np.full(n, 0.7)) + 1e-6
        prior = np.full(n, 1 / n) if even else prior / prior.sum()
        problem = md.Problem(prior=prior)
        above = majorant(lifts(notion, problem), objective)
        columns = notion.columns(problem).rays().columns
        columns = np.hstack([columns, columns @ rng.dirichlet(np.ones(columns.shape[1]), size=20).T])
        worth = by_hand(objective, columns, prior)
        assert np.all(above @ columns >= worth - 1e-12 * (1 + worth))


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
@pytest.mark.parametrize("notion", NOTIONS, ids=str)
def test_value_and_bound_hold_the_optimum(notion, objective, rng):
    for n in (2, 4, 6):
        problem = md.Problem(prior=[0.6, 0.25, 0.1, 0.05] if n == 4 else np.full(n, 1 / n))
        best = md.design(problem, notion, objective, route="rays").value
        candidate = replace(ROUTE, plan=plan_of_any_size).solve(Task(problem, notion, objective))
        reached = by_hand(objective, candidate.matrix, problem.prior).sum()
        optimum = objective.to_utility(best, problem)
        assert reached <= optimum * (1 + 1e-8) + 1e-12
        assert reached >= 0.97 * optimum
        assert candidate.multipliers.rows.sum() >= optimum * (1 - 1e-9)


def test_planted_tangents_would_be_caught(rng):
    # The tangent at 1 lies below a convex function: what the chords are mistaken for most easily.
    prior = rng.dirichlet(np.ones(5))
    columns = md.LIP(1.0).columns(md.Problem(prior=prior)).rays().columns
    assert np.any(0.0 * prior @ columns < brute.information(columns, prior) - 1e-6)


def ends(notion):
    """Return the least and the largest lift that a notion allows."""
    if isinstance(notion, md.AsymmetricLIP):
        return math.exp(-notion.lower), math.exp(notion.upper)
    return 0.0 if isinstance(notion, md.MaxLift) else math.exp(-notion.epsilon), math.exp(notion.epsilon)


def term(objective, lift, n):
    """Return what an input of mass 1 / n adds to the utility of a column of mass one."""
    if isinstance(objective, md.HistogramMMSE):
        return lift**2 / n**2
    return lift * math.log(lift) / n if lift > 0 else 0.0


@pytest.mark.thinned(8)
@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
@pytest.mark.parametrize("notion", NOTIONS, ids=str)
@pytest.mark.parametrize("n", [24, 60])
def test_equally_likely_inputs_are_solved_exactly(notion, objective, n):
    low, high = ends(notion)
    reach = n * (1 - low) / (high - low)
    full, share = int(reach), reach - int(reach)
    terms = [high] * full + [low + share * (high - low)] + [low] * (n - full - 1)
    best = math.fsum(term(objective, lift, n) for lift in terms)
    problem = md.Problem(prior=np.full(n, 1 / n))
    made = md.design(problem, notion, objective, gap=1e-9)
    # Where few sets of inputs fit, as of some fractions of 24, their rays are listed.
    assert made.route in ("lifts", *(["rays"] if n == 24 else [])) and made.audit.holds
    utilities = [objective.to_utility(number, problem) for number in (made.value, made.bound)]
    # The gap is relative to the value, beside which a utility may be small.
    assert utilities == pytest.approx([best, best], rel=1e-9, abs=1e-9 * abs(made.value))


def test_planted_less_than_what_is_missed_is_caught(monkeypatch):
    """Planted: twice of what every column stays below the chords; the optimum then passes the bound."""
    monkeypatch.setattr(bounded_lift, "missed", lambda *given, true=bounded_lift.missed: 2.0 * true(*given))
    prior = np.full(7, 1 / 7)
    columns = md.LIP(1.0).columns(md.Problem(prior=prior)).rays().columns
    above = majorant(lifts(md.LIP(1.0), md.Problem(prior=prior)), md.MutualInformation())
    assert np.any(above @ columns < brute.information(columns, prior) * (1 - 1e-6))


@pytest.mark.thinned(8)
@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
def test_edges(objective, rng):
    prior = rng.dirichlet(np.ones(20))
    nothing = md.design(md.Problem(prior=prior), md.LIP(0.0), objective)
    assert nothing.gap <= 1e-9 and nothing.matrix.max(axis=0).min() > 0
    everything = md.design(md.Problem(prior=prior), md.MaxLift(50.0), objective)
    assert everything.gap <= 1e-6
    skewed = md.Problem(prior=np.append(0.9999, np.full(19, 1e-4 / 19)))
    with pytest.warns(md.GapWarning):
        made = md.design(skewed, md.LIP(1.0), objective, gap=1e-9)
    assert made.audit.holds and (made.bound - made.value) * (1 if objective.sense == "maximise" else -1) >= 0


def test_route_refuses_other_cones():
    for asked in (
        Task(md.Problem(prior=[0.5, 0.5]), md.LDP(1.0), md.MutualInformation()),
        Task(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LIP(1.0), md.MMSE()),
    ):
        assert "bounds of the lift" in ROUTE.refusal(asked)
    assert "rays is exact" in ROUTE.refusal(Task(md.Problem(prior=[0.5, 0.5]), md.LIP(1.0), md.MutualInformation()))
