"""The route near_prior: information and histograms under StrongL1 and StrongChiSquare, where the rays are too many."""

import math
import warnings

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.routes import near_prior, rays
from mechdesign.solve.routes.near_prior import ROUTE
from mechdesign.solve.search import columns_near_prior
from mechdesign.solve.task import Refusal, Task

OBJECTIVES = (md.MutualInformation(), md.HistogramMMSE())


def designed(problem, notion, objective, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        return md.design(problem, notion, objective, **keywords)


@pytest.mark.parametrize(
    ("notion", "objective", "share"),
    [
        (md.StrongL1(0.5), OBJECTIVES[0], 1e-2),
        (md.StrongL1(0.5), OBJECTIVES[1], 1e-2),
        (md.StrongChiSquare(0.5), OBJECTIVES[0], 2e-3),
        (md.StrongChiSquare(0.5), OBJECTIVES[1], 0.08),
    ],
    ids=str,
)
def test_designs_of_many_inputs_gain_nearly_what_the_bound_does(notion, objective, share, rng, tmp_path):
    problem = md.Problem(prior=rng.dirichlet(np.full(60, 2.0)))
    made = designed(problem, notion, objective)
    assert made.route == "near_prior" and made.audit.holds
    idle = objective.uninformative(problem)
    assert abs(made.value - made.bound) <= share * abs(made.bound - idle)
    loaded = md.load(made.mechanism.save(tmp_path / "a.json"))
    assert math.isclose(loaded.certificate.bound, made.bound, rel_tol=1e-12)


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
@pytest.mark.parametrize("epsilon", [0.3, 1.2])
def test_designs_of_few_inputs_are_near_those_over_rays(epsilon, objective, rng, monkeypatch):
    monkeypatch.setattr(rays, "refusal_for_rays", lambda task: None)
    for n in (2, 6):
        problem = md.Problem(prior=rng.dirichlet(np.full(n, 3.0)))
        best = designed(problem, md.StrongL1(epsilon), objective, route="rays").value
        made = designed(problem, md.StrongL1(epsilon), objective, route="near_prior")
        optimum, value, bound = (objective.to_utility(v, problem) for v in (best, made.value, made.bound))
        assert value <= optimum * (1 + 1e-9) and bound >= optimum * (1 - 1e-9)
        assert value >= optimum - 1e-6 * abs(optimum), "the vertices that multipliers ask for make the optimum"


@pytest.mark.parametrize(
    "notion", [md.StrongL1(0.5), md.StrongL1(3.0), md.StrongChiSquare(0.5), md.StrongChiSquare(1e3)]
)
@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
def test_one_input_and_no_limit_are_answered(notion, objective, monkeypatch):
    monkeypatch.setattr(rays, "refusal_for_rays", lambda task: None)
    for prior in ([1.0], [0.999, 0.001], np.full(9, 1 / 9)):
        problem = md.Problem(prior=prior)
        made = designed(problem, notion, objective, route="near_prior")
        assert made.audit.holds
        if notion.epsilon > 2.0:
            assert math.isclose(made.value, objective.no_privacy(problem), rel_tol=1e-6, abs_tol=1e-9)


@pytest.mark.slow
def test_hundreds_of_inputs_some_of_them_rare_reach_the_bound():
    """What was reached was a tenth of it."""
    prior = np.random.default_rng([300, 5]).dirichlet(np.full(300, 0.5)) + 1e-9
    made = designed(md.Problem(prior=prior / prior.sum()), md.StrongL1(0.5), OBJECTIVES[0])
    assert made.route == "near_prior" and made.gap <= 5e-3


def test_columns_without_nearest_weights_are_weighed_by_a_program(rng, monkeypatch):
    problem = md.Problem(prior=rng.dirichlet(np.full(60, 2.0)))
    monkeypatch.setattr(columns_near_prior, "nearest_weights", lambda columns, weights: None)
    monkeypatch.setattr(near_prior, "MOST_ENTRIES", 1 << 16)
    made = designed(problem, md.StrongL1(0.5), OBJECTIVES[0])
    assert made.route == "near_prior" and abs(made.value - made.bound) <= 0.1 * made.bound


def test_it_leaves_what_rays_answer_exactly_to_them():
    plan = ROUTE.asked(Task(md.Problem(prior=[0.2] * 5), md.StrongL1(0.5), md.HistogramMMSE()))
    assert isinstance(plan, Refusal) and "the route rays is exact" in plan.why
    refused = ROUTE.asked(Task(md.Problem(prior=[0.2] * 5), md.LIP(0.5), md.HistogramMMSE()))
    assert isinstance(refused, Refusal) and "StrongL1 and StrongChiSquare" in refused.why


def test_constraints_of_ones_own_are_refused():
    problem = md.Problem(prior=np.full(30, 1 / 30))
    rule = {"subject_to": lambda Q: [Q[0, 0] >= 0.1]}
    with pytest.raises(md.UnsupportedError, match="constraints of your own need the convex route"):
        md.design(problem, md.StrongL1(0.5), md.HistogramMMSE(), route="near_prior", **rule)
