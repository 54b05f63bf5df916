"""One or more instances of every member: a new member adds its line here, and all contracts run on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mechdesign import notions, objectives
from mechdesign.domains import Array
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.solve.task import Task
from mechdesign.testing import edges
from mechdesign.testing.contract import require
from mechdesign.testing.generators import random_prior, random_problem

Rng = np.random.Generator


def _profiles(rng: Rng, k: int = 3, n: int = 2) -> Array:
    return np.asarray(rng.dirichlet(np.ones(n), size=k))


def _pair(rng: Rng, n: int = 3) -> dict[str, Array]:
    return {"first": random_prior(n, rng), "second": random_prior(n, rng)}


def _widened(rng: Rng) -> Problem:
    """Return a problem over pairs (profile, datum), as a notion that sees the profile makes it."""
    prior = random_prior(2, rng)
    notion = notions.ProfileDP(1.0, _profiles(rng, 2, 3), ((0, 1),), profile_prior=prior)
    return notion.inputs(Problem(values=rng.normal(size=3)))


def _around(problem: Problem, epsilon: float, reach: float) -> tuple[Notion, Problem]:
    """Return LIP for the priors within `reach` of the problem's own, and the problem."""
    prior = problem.prior_of_secret
    assert prior is not None
    lower, upper = np.maximum(prior - reach, 0.0), np.minimum(prior + reach, 1.0)
    return notions.BoundedPriorLIP(epsilon, lower, upper), problem


def _tilt(rng: Rng, n: int = 3) -> dict[str, Array]:
    direction = rng.normal(size=n)
    return {"theta": random_prior(n, rng), "direction": direction - direction.mean()}


#: Distances of four places on a line, of the corners of a square by its streets, and with a detour that is shorter,
#: no protection across, and fractions.
LINE = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
GRID = np.array([[0.0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]])
DETOUR = np.array(
    [[0.0, 0.3, 2, math.inf], [0.3, 0, 0.7, math.inf], [2, 0.7, 0, math.inf], [math.inf, math.inf, math.inf, 0]]
)


def _prior_box(rng: Rng, n: int) -> tuple[Array, Array]:
    inside = random_prior(n, rng)
    return rng.uniform(0.2, 1.0, size=n) * inside, inside + rng.uniform(size=n) * (1.0 - inside)


#: Notion and problem as a user gives them; few inputs, since the clauses enumerate rays.
NOTIONS: dict[str, tuple[Callable[[Rng], tuple[Notion, Problem]], ...]] = {
    "ApproximateLDP": (
        lambda rng: (notions.ApproximateLDP(0.5, 0.2), random_problem(3, rng)),
        lambda rng: (notions.ApproximateLDP(0.0, 0.3), Problem(n=3)),
        lambda rng: (notions.ApproximateLDP(1.0, 0.1), Problem(n=2)),
        lambda rng: (notions.ApproximateLDP(0.2, 0.1), random_problem(3, rng, secrets=3)),
    ),
    "BoundedPriorLIP": (
        lambda rng: _around(random_problem(3, rng), 0.5, 0.1),
        lambda rng: _around(random_problem(4, rng, skew=2.0), 1.0, 0.3),
        lambda rng: (notions.BoundedPriorLIP(2.0, np.array([0.0, 0.3]), np.array([0.7, 1.0])), Problem(n=2)),
        lambda rng: _around(random_problem(4, rng, secrets=3), 0.7, 0.05),
    ),
    "AsymmetricLIP": (
        lambda rng: (notions.AsymmetricLIP(0.3, 0.6), random_problem(3, rng)),
        lambda rng: (notions.AsymmetricLIP(1.5, 0.4), random_problem(4, rng, skew=2.0)),
        lambda rng: (notions.AsymmetricLIP(0.5, math.inf), random_problem(4, rng)),
        lambda rng: (notions.AsymmetricLIP(math.inf, 0.5), random_problem(3, rng)),
        lambda rng: (notions.AsymmetricLIP(0.7, 0.3), random_problem(4, rng, secrets=3)),
        lambda rng: (notions.AsymmetricLIP(0.4, math.inf), random_problem(4, rng, secrets=2)),
    ),
    "BlockLDP": (
        lambda rng: (notions.BlockLDP(0.5, ((0, 2), (1, 3))), random_problem(4, rng)),
        lambda rng: (notions.BlockLDP(2.0, ((0, 1, 3),)), Problem(n=4)),
        lambda rng: (notions.BlockLDP(1.0, ((1, 2),)), random_problem(3, rng, secrets=3)),
    ),
    "CentralizedIP": (
        lambda rng: (notions.CentralizedIP(0.5, ((0.3, 0.7),) * 3), Problem(values=np.arange(4.0))),
        lambda rng: (
            notions.CentralizedIP(1.0, (tuple(random_prior(2, rng)), tuple(random_prior(3, rng)))),
            Problem(n=4),
        ),
    ),
    "StrongChiSquare": (
        lambda rng: (notions.StrongChiSquare(0.5), random_problem(3, rng)),
        lambda rng: (notions.StrongChiSquare(1.5), random_problem(4, rng, skew=2.0)),
        lambda rng: (notions.StrongChiSquare(0.3), random_problem(4, rng, secrets=3)),
    ),
    "StrongL1": (
        lambda rng: (notions.StrongL1(0.5), random_problem(3, rng)),
        lambda rng: (notions.StrongL1(1.2), random_problem(4, rng, skew=2.0)),
        lambda rng: (notions.StrongL1(0.3), random_problem(4, rng, secrets=3)),
    ),
    "Intersection": (
        lambda rng: (notions.LDP(1.0) & notions.LIP(0.6), random_problem(3, rng, skew=2.0)),
        lambda rng: (notions.LIP(0.5) & notions.LDP(0.7), random_problem(3, rng, secrets=2)),
        lambda rng: (notions.LDP(0.8) & notions.UtilityOptimizedLDP(0.5, (0,)), random_problem(3, rng)),
        lambda rng: (
            notions.UtilityOptimizedLDP(0.9, (0,)) & notions.UtilityOptimizedLDP(0.6, (1,)),
            random_problem(4, rng),
        ),
    ),
    "LDP": (
        lambda rng: (notions.LDP(0.3), random_problem(4, rng)),
        lambda rng: (notions.LDP(2.0), Problem(n=3)),
        lambda rng: (notions.LDP(1.0), random_problem(3, rng, secrets=3)),
        lambda rng: (notions.LDP(0.7), random_problem(4, rng, secrets=2)),
    ),
    "LIP": (
        lambda rng: (notions.LIP(0.3), random_problem(3, rng)),
        lambda rng: (notions.LIP(2.0), random_problem(4, rng, skew=2.0)),
        lambda rng: (notions.LIP(1.0), random_problem(3, rng, secrets=3)),
        lambda rng: (notions.LIP(0.7), random_problem(4, rng, secrets=2)),
    ),
    "MaxLift": (
        lambda rng: (notions.MaxLift(0.3), random_problem(3, rng)),
        lambda rng: (notions.MaxLift(1.0), random_problem(4, rng, skew=2.0)),
        lambda rng: (notions.MaxLift(0.2), random_problem(4, rng, secrets=3)),
    ),
    "MetricDP": (
        lambda rng: (notions.MetricDP(0.7, LINE), random_problem(4, rng)),
        lambda rng: (notions.MetricDP(1.0, GRID), Problem(n=4)),
        lambda rng: (notions.MetricDP(0.5, DETOUR), Problem(n=4)),
        lambda rng: (notions.MetricDP(0.5, LINE[:3, :3]), random_problem(4, rng, secrets=3)),
    ),
    "MaximalLeakage": (
        lambda rng: (notions.MaximalLeakage(0.4), random_problem(4, rng)),
        lambda rng: (notions.MaximalLeakage(0.8), Problem(n=3)),
        lambda rng: (notions.MaximalLeakage(0.2), random_problem(4, rng, secrets=3)),
    ),
    "MutualInformationPrivacy": (
        lambda rng: (notions.MutualInformationPrivacy(0.2), random_problem(4, rng)),
        lambda rng: (notions.MutualInformationPrivacy(0.05), random_problem(3, rng, skew=2.0)),
        lambda rng: (notions.MutualInformationPrivacy(0.02), random_problem(4, rng, secrets=3)),
    ),
    "ProfileDP": (
        lambda rng: (notions.ProfileDP(1.0, _profiles(rng), ((0, 1), (1, 2))), random_problem(2, rng)),
        lambda rng: (notions.ProfileDP(0.5, _profiles(rng, 3, 3), ((0, 1), (0, 2)), sees_profile=False), Problem(n=3)),
        lambda rng: (
            notions.ProfileDP(0.7, _profiles(rng, 2), ((0, 1),), profile_prior=random_prior(2, rng)),
            Problem(values=np.array([0.0, 1.0])),
        ),
    ),
    "UtilityOptimizedLDP": (
        lambda rng: (notions.UtilityOptimizedLDP(0.7, (0, 2)), random_problem(4, rng)),
        lambda rng: (notions.UtilityOptimizedLDP(1.5, (1,)), Problem(n=3)),
        lambda rng: (notions.UtilityOptimizedLDP(1.0, ()), random_problem(3, rng)),
    ),
    "WorstCaseLIP": (
        lambda rng: (notions.WorstCaseLIP(0.3), random_problem(4, rng)),
        lambda rng: (notions.WorstCaseLIP(2.0), Problem(n=3)),
        lambda rng: (notions.WorstCaseLIP(0.7), random_problem(4, rng, secrets=3)),
    ),
    "WeightedTV": (
        lambda rng: (notions.WeightedTV(0.4), random_problem(2, rng)),
        lambda rng: (notions.WeightedTV(0.7, 0.3), Problem(n=2)),
        lambda rng: (notions.WeightedTV(0.5, 0.4), random_problem(4, rng, secrets=2)),
    ),
}

#: Matrices closer to the edge of the notion than floats can tell.
EDGES: dict[str, Callable[[], edges.Edge]] = {
    "AsymmetricLIP": edges.asymmetric_edge,
    "BlockLDP": edges.block_edge,
    "MaxLift": edges.max_lift_edge,
    "MetricDP": edges.metric_edge,
    "WorstCaseLIP": edges.worst_case_edge,
    "ApproximateLDP": edges.approximate_ldp_edge,
    "BoundedPriorLIP": edges.bounded_prior_edge,
    "CentralizedIP": edges.centralized_edge,
    "StrongChiSquare": edges.strong_chi_square_edge,
    "StrongL1": edges.strong_l1_edge,
    "Intersection": edges.intersection_edge,
    "LDP": edges.ldp_edge,
    "LIP": edges.lip_edge,
    "MaximalLeakage": edges.maximal_leakage_edge,
    "MutualInformationPrivacy": edges.information_edge,
    "ProfileDP": edges.profile_edge,
    "UtilityOptimizedLDP": edges.utility_optimized_edge,
    "WeightedTV": edges.weighted_tv_edge,
}

#: Objective and problem over the mechanism's inputs.
OBJECTIVES: dict[str, tuple[Callable[[Rng], tuple[Objective, Problem]], ...]] = {
    "AbsoluteError": (
        lambda rng: (objectives.AbsoluteError(), random_problem(4, rng)),
        lambda rng: (objectives.AbsoluteError(), _widened(rng)),
    ),
    "ChernoffExponent": (lambda rng: (objectives.ChernoffExponent(**_pair(rng)), Problem(n=3)),),
    "ChiSquare": (lambda rng: (objectives.ChiSquare(**_pair(rng)), Problem(n=3)),),
    "ErrorProbability": (
        lambda rng: (objectives.ErrorProbability(), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.ErrorProbability(), _widened(rng)),
    ),
    "ExpectedLoss": (
        lambda rng: (objectives.ExpectedLoss(rng.exponential(size=(3, 4))), random_problem(3, rng)),
        lambda rng: (objectives.ExpectedLoss(rng.normal(size=(3, 2))), _widened(rng)),
    ),
    "FDivergence": (
        lambda rng: (objectives.FDivergence(objectives.ChiSquareGenerator(), **_pair(rng, 4)), Problem(n=4)),
        lambda rng: (objectives.FDivergence(objectives.HellingerGenerator(), **_pair(rng)), Problem(n=3)),
        lambda rng: (objectives.FDivergence(objectives.PowerGenerator(2.5), **_pair(rng)), Problem(n=3)),
    ),
    "FisherInformation": (lambda rng: (objectives.FisherInformation(**_tilt(rng)), Problem(n=3)),),
    "HammingLoss": (
        lambda rng: (objectives.HammingLoss(), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.HammingLoss(), _widened(rng)),
    ),
    "HanKobayashiExponent": (
        lambda rng: (objectives.HanKobayashiExponent(0.3, **_pair(rng)), Problem(n=3)),
        lambda rng: (objectives.HanKobayashiExponent(3.0, **_pair(rng, 4)), Problem(n=4)),
    ),
    "Hellinger": (lambda rng: (objectives.Hellinger(**_pair(rng)), Problem(n=3)),),
    "HistogramMMSE": (
        lambda rng: (objectives.HistogramMMSE(), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.HistogramMMSE(), _widened(rng)),
    ),
    "HoeffdingExponent": (
        lambda rng: (objectives.HoeffdingExponent(0.01, **_pair(rng)), Problem(n=3)),
        lambda rng: (objectives.HoeffdingExponent(0.0, **_pair(rng, 4)), Problem(n=4)),
    ),
    "InformationDesign": (
        lambda rng: (objectives.InformationDesign("A", weights=rng.exponential(size=4)), random_problem(4, rng)),
        lambda rng: (objectives.InformationDesign("D"), _widened(rng)),
        lambda rng: (objectives.InformationDesign("E", random_prior(3, rng)), Problem(n=3)),
    ),
    "JensenShannon": (lambda rng: (objectives.JensenShannon(**_pair(rng, 4)), Problem(n=4)),),
    "KLDivergence": (lambda rng: (objectives.KLDivergence(**_pair(rng, 4)), Problem(n=4)),),
    "LeakageLoss": (
        lambda rng: (objectives.LeakageLoss(), Problem(n=3)),
        lambda rng: (objectives.LeakageLoss(), _widened(rng)),
    ),
    "MMSE": (
        lambda rng: (objectives.MMSE(), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.MMSE(), _widened(rng)),
    ),
    "MaxOffDiagonal": (
        lambda rng: (objectives.MaxOffDiagonal(), Problem(n=3)),
        lambda rng: (objectives.MaxOffDiagonal(), _widened(rng)),
    ),
    "MutualInformation": (
        lambda rng: (objectives.MutualInformation(), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.MutualInformation(), _widened(rng)),
        lambda rng: (objectives.MutualInformation(minimize=True), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.MutualInformation(minimize=True), _widened(rng)),
    ),
    "RenyiDivergence": (
        lambda rng: (objectives.RenyiDivergence(2.0, **_pair(rng)), Problem(n=3)),
        lambda rng: (objectives.RenyiDivergence(0.3, **_pair(rng, 4)), Problem(n=4)),
        lambda rng: (objectives.RenyiDivergence(1.4, **_pair(rng)), Problem(n=3)),
        lambda rng: (objectives.RenyiDivergence(5.0, **_pair(rng)), Problem(n=3)),
    ),
    "TotalVariation": (lambda rng: (objectives.TotalVariation(**_pair(rng, 4)), Problem(n=4)),),
    "WorstCaseLoss": (
        lambda rng: (objectives.WorstCaseLoss(rng.exponential(size=(3, 4))), Problem(n=3)),
        lambda rng: (objectives.WorstCaseLoss(rng.normal(size=(3, 2))), _widened(rng)),
        lambda rng: (
            objectives.WorstCaseLoss(rng.normal(size=(3, 2)), rng.dirichlet(np.ones(3), size=2)),
            Problem(n=3),
        ),
        lambda rng: (objectives.WorstCaseLoss(rng.normal(size=(4, 3)), _prior_box(rng, 4)), Problem(n=4)),
    ),
}


@dataclass(frozen=True)
class Anchor:
    """The value of randomised response with ratio 3 (entries 3/4 and 1/4), worked out by hand: it fixes the unit."""

    objective: Objective
    problem: Problem
    value: float
    why: str


def keeps_unit(anchor: Anchor) -> None:
    """The value of randomised response is the one worked out by hand, in the unit of the docstring."""
    found = anchor.objective.value(np.array([[0.75, 0.25], [0.25, 0.75]]), anchor.problem)
    far = abs(found - anchor.value)
    require(far <= 1e-12 * abs(anchor.value), f"randomised response has the value {found!r}, by hand {anchor.why}")


_COIN = Problem(prior=np.array([0.5, 0.5]), values=np.array([0.0, 2.0]))
_LOSS = np.array([[0.0, 2.0], [4.0, 0.0]])
_ENDS: dict[str, Any] = {"first": [1.0, 0.0], "second": [0.0, 1.0]}
_CASES: dict[str, tuple[Objective, float, str]] = {
    "AbsoluteError": (objectives.AbsoluteError(), 0.5, "a quarter of the distance 2"),
    "ChernoffExponent": (objectives.ChernoffExponent(**_ENDS), math.log(4 / 3) / 2, "-ln(2 sqrt(3/16)) nats"),
    "ChiSquare": (objectives.ChiSquare(**_ENDS), 4 / 3, "(1/2)^2 / (1/4) + (1/2)^2 / (3/4)"),
    "ErrorProbability": (objectives.ErrorProbability(), 0.25, "1 - 3/4"),
    "ExpectedLoss": (objectives.ExpectedLoss(_LOSS), 0.75, "(2/4 + 4/4) / 2"),
    "FDivergence": (objectives.FDivergence(objectives.KLGenerator(), **_ENDS), math.log(3) / 2, "(1/2) ln 3 nats"),
    "FisherInformation": (
        objectives.FisherInformation(np.array([0.5, 0.5]), np.array([1.0, -1.0])),
        1.0,
        "2 (1/2)^2 / (1/2)",
    ),
    "HammingLoss": (objectives.HammingLoss(), 0.25, "1/4"),
    "HanKobayashiExponent": (objectives.HanKobayashiExponent(2.0, **_ENDS), 2 - math.log(3), "2 - ln 3 nats"),
    "Hellinger": (objectives.Hellinger(**_ENDS), 1 - math.sqrt(3) / 2, "1 - 2 sqrt(3) / 4"),
    "HistogramMMSE": (objectives.HistogramMMSE(), 0.375, "(3/4) 2 (1/4)^2 + (1/4) 2 (3/4)^2"),
    "InformationDesign": (objectives.InformationDesign("A"), 2.0, "1 / (2 (1/2)^2), twice a variance of 1"),
    "JensenShannon": (
        objectives.JensenShannon(**_ENDS),
        0.75 * math.log(3) - math.log(2),
        "(3/4) ln(3/2) + (1/4) ln(1/2) nats",
    ),
    "HoeffdingExponent": (
        objectives.HoeffdingExponent(math.log(4 / 3) / 2, **_ENDS),
        math.log(4 / 3) / 2,
        "the relative entropy of a fair coin to either hypothesis, (1/2) ln(4/3) nats",
    ),
    "KLDivergence": (objectives.KLDivergence(**_ENDS), math.log(3) / 2, "(3/4 - 1/4) ln 3 nats"),
    "LeakageLoss": (objectives.LeakageLoss(), math.log(1.5), "ln(3/4 + 3/4) nats"),
    "MMSE": (objectives.MMSE(), 0.75, "the posterior variance 4 (3/4) (1/4)"),
    "MaxOffDiagonal": (objectives.MaxOffDiagonal(), 0.25, "1/4"),
    "MutualInformation": (
        objectives.MutualInformation(),
        0.75 * math.log(3) - math.log(2),
        "(3/4) ln(3/2) + (1/4) ln(1/2) nats",
    ),
    "RenyiDivergence": (
        objectives.RenyiDivergence(2.0, **_ENDS),
        math.log(7 / 3),
        "ln((3/4)^2 / (1/4) + (1/4)^2 / (3/4)) nats",
    ),
    "TotalVariation": (objectives.TotalVariation(**_ENDS), 0.5, "3/4 - 1/4"),
    "WorstCaseLoss": (objectives.WorstCaseLoss(_LOSS), 1.0, "4/4"),
}
#: What fixes the unit of each objective.
ANCHORS = {name: Anchor(objective, _COIN, value, why) for name, (objective, value, why) in _CASES.items()}


def task(notion: Notion, problem: Problem, objective: Objective) -> Task:
    """Return the question to a route, over the mechanism's inputs."""
    inputs = notion.inputs(problem)
    objective.check(inputs)
    return Task(inputs, notion, objective)


def tasks(rng: Rng) -> dict[str, Task]:
    """Return questions of few inputs: every notion and every kind of objective occurs."""
    problem, hidden = random_problem(3, rng, skew=2.0), random_problem(4, rng, secrets=2)
    two, data = random_problem(2, rng), Problem(values=np.array([0.0, 1.0, 3.0]))
    profiles = notions.ProfileDP(0.8, _profiles(rng, 2, 3), ((0, 1),), profile_prior=random_prior(2, rng))
    blind = notions.ProfileDP(0.5, _profiles(rng, 2, 3), ((0, 1),), sees_profile=False)
    loss = rng.exponential(size=(3, 3))
    box, _ = _around(problem, 1.0, 0.1)
    records = notions.CentralizedIP(0.7, ((0.4, 0.6),) * 3)
    return {
        "LDP, MMSE": task(notions.LDP(1.0), problem, objectives.MMSE()),
        "LDP, Fisher": task(notions.LDP(0.5), problem, objectives.FisherInformation(**_tilt(rng))),
        "LDP, information": task(notions.LDP(2.0), problem, objectives.MutualInformation()),
        "LDP, error": task(notions.LDP(1.0), problem, objectives.ErrorProbability()),
        "LDP, histogram": task(notions.LDP(1.0), problem, objectives.HistogramMMSE()),
        "LDP, Renyi": task(notions.LDP(1.0), problem, objectives.RenyiDivergence(3.0, **_pair(rng))),
        "LDP, loss": task(notions.LDP(1.0), problem, objectives.ExpectedLoss(loss)),
        "LDP, worst loss": task(notions.LDP(1.0), problem, objectives.WorstCaseLoss(loss)),
        "LDP, hidden, divergence": task(notions.LDP(1.0), hidden, objectives.KLDivergence(**_pair(rng, 4))),
        "LDP and LIP, MMSE": task(notions.LDP(1.0) & notions.LIP(0.5), problem, objectives.MMSE()),
        "LDP and LIP, loss": task(notions.LDP(0.8) & notions.LIP(0.5), problem, objectives.ExpectedLoss(loss)),
        "LIP and LDP, worst loss": task(notions.LIP(0.5) & notions.LDP(0.8), problem, objectives.WorstCaseLoss(loss)),
        "LDP and TV, MMSE": task(notions.LDP(1.5) & notions.WeightedTV(0.5), two, objectives.MMSE()),
        "TV and TV, off-diagonal": task(
            notions.WeightedTV(0.6, 0.4) & notions.WeightedTV(0.5), two, objectives.MaxOffDiagonal()
        ),
        "LIP, MMSE": task(notions.LIP(1.0), problem, objectives.MMSE()),
        "LIP, variation": task(notions.LIP(0.4), problem, objectives.TotalVariation(**_pair(rng))),
        "LIP, Renyi": task(notions.LIP(0.7), problem, objectives.RenyiDivergence(0.5, **_pair(rng))),
        "LIP, Jensen-Shannon": task(notions.LIP(0.7), problem, objectives.JensenShannon(**_pair(rng))),
        "LIP, absolute": task(notions.LIP(1.0), problem, objectives.AbsoluteError()),
        "LIP, off-diagonal": task(notions.LIP(1.0), problem, objectives.MaxOffDiagonal()),
        "LIP, hidden, MMSE": task(notions.LIP(0.5), hidden, objectives.MMSE()),
        "TV, MMSE": task(notions.WeightedTV(0.5), two, objectives.MMSE()),
        "TV, error": task(notions.WeightedTV(0.6, 0.4), two, objectives.ErrorProbability()),
        "TV, Hamming": task(notions.WeightedTV(0.6, 0.4), two, objectives.HammingLoss()),
        "TV, divergence": task(notions.WeightedTV(0.5), two, objectives.Hellinger(**_pair(rng, 2))),
        "TV, off-diagonal": task(notions.WeightedTV(0.5), two, objectives.MaxOffDiagonal()),
        "profiles, MMSE": task(profiles, data, objectives.MMSE()),
        "profiles, worst loss": task(profiles, data, objectives.WorstCaseLoss(loss)),
        "blind, variation": task(blind, data, objectives.TotalVariation(**_pair(rng))),
        "union, MMSE": task(notions.UtilityOptimizedLDP(1.0, (0,)), problem, objectives.MMSE()),
        "union, information": task(notions.UtilityOptimizedLDP(0.5, (0, 2)), problem, objectives.MutualInformation()),
        "union, loss": task(notions.UtilityOptimizedLDP(1.0, (1,)), problem, objectives.ExpectedLoss(loss)),
        "union, worst loss": task(notions.UtilityOptimizedLDP(1.0, (1, 2)), problem, objectives.WorstCaseLoss(loss)),
        "union, off-diagonal": task(notions.UtilityOptimizedLDP(1.0, (2,)), problem, objectives.MaxOffDiagonal()),
        "approximate, MMSE": task(notions.ApproximateLDP(0.5, 0.2), problem, objectives.MMSE()),
        "approximate, information": task(notions.ApproximateLDP(0.0, 0.3), problem, objectives.MutualInformation()),
        "approximate, worst loss": task(notions.ApproximateLDP(0.5, 0.1), problem, objectives.WorstCaseLoss(loss)),
        "leakage, MMSE": task(notions.MaximalLeakage(0.4), problem, objectives.MMSE()),
        "leakage, loss": task(notions.MaximalLeakage(0.3), problem, objectives.ExpectedLoss(loss)),
        "leakage, hidden, variation": task(
            notions.MaximalLeakage(0.1), hidden, objectives.TotalVariation(**_pair(rng, 4))
        ),
        "information, loss": task(notions.MutualInformationPrivacy(0.2), problem, objectives.ExpectedLoss(loss)),
        "information, worst loss": task(notions.MutualInformationPrivacy(0.1), problem, objectives.WorstCaseLoss(loss)),
        "information, hidden, absolute": task(
            notions.MutualInformationPrivacy(0.01), hidden, objectives.AbsoluteError()
        ),
        "box, MMSE": task(box, problem, objectives.MMSE()),
        "box, worst loss": task(box, problem, objectives.WorstCaseLoss(loss)),
        "chi-square, loss": task(notions.StrongChiSquare(0.5), problem, objectives.ExpectedLoss(loss)),
        "chi-square, worst loss": task(notions.StrongChiSquare(0.5), problem, objectives.WorstCaseLoss(loss)),
        "chi-square, hidden, absolute": task(notions.StrongChiSquare(0.2), hidden, objectives.AbsoluteError()),
        "l1, MMSE": task(notions.StrongL1(0.5), problem, objectives.MMSE()),
        "records, MMSE": task(records, Problem(values=np.arange(4.0)), objectives.MMSE()),
        "lift, MMSE": task(notions.MaxLift(0.5), problem, objectives.MMSE()),
        "lift, loss": task(notions.MaxLift(0.5), problem, objectives.ExpectedLoss(loss)),
        "lift, hidden, divergence": task(notions.MaxLift(0.2), hidden, objectives.KLDivergence(**_pair(rng, 4))),
        "lower lift, worst loss": task(notions.AsymmetricLIP(0.7, math.inf), problem, objectives.WorstCaseLoss(loss)),
        "two lifts, information": task(notions.AsymmetricLIP(0.8, 0.4), problem, objectives.MutualInformation()),
        "every prior, MMSE": task(notions.WorstCaseLIP(1.0), problem, objectives.MMSE()),
        "line, MMSE": task(notions.MetricDP(0.7, LINE[:3, :3]), problem, objectives.MMSE()),
        "line, loss": task(notions.MetricDP(0.7, LINE[:3, :3]), problem, objectives.ExpectedLoss(loss)),
        "blocks, MMSE": task(notions.BlockLDP(1.0, ((0, 2),)), problem, objectives.MMSE()),
        "blocks, worst loss": task(notions.BlockLDP(1.0, ((1, 2),)), problem, objectives.WorstCaseLoss(loss)),
        "two inputs, LIP": task(notions.LIP(1.0), _COIN, objectives.MMSE()),
        "LDP, covariance": task(notions.LDP(1.0), problem, objectives.InformationDesign("A")),
        "LIP, determinant": task(notions.LIP(1.0), problem, objectives.InformationDesign("D")),
        "LDP, hidden, contrast": task(notions.LDP(0.5), hidden, objectives.InformationDesign("E")),
        "TV, covariance": task(notions.WeightedTV(0.5), two, objectives.InformationDesign("A")),
        "LDP, Chernoff": task(notions.LDP(1.0), problem, objectives.ChernoffExponent(**_pair(rng))),
        "LIP, Hoeffding": task(notions.LIP(1.0), problem, objectives.HoeffdingExponent(0.01, **_pair(rng))),
        "TV, Han-Kobayashi": task(notions.WeightedTV(0.5), two, objectives.HanKobayashiExponent(0.4, **_pair(rng, 2))),
        "LDP, loss in a box": task(notions.LDP(1.0), problem, objectives.WorstCaseLoss(loss, _prior_box(rng, 3))),
        "LIP, loss of priors": task(
            notions.LIP(0.5), problem, objectives.WorstCaseLoss(loss, rng.dirichlet(np.ones(3), size=2))
        ),
    }


def tasks_of_few(rng: Rng) -> dict[str, Task]:
    """Return questions with fewer outputs than their optimum has, or not many more: decisions of every kind occur."""
    problem, hidden = random_problem(3, rng, skew=0.5), random_problem(4, rng, secrets=3)
    two, loss = random_problem(2, rng), rng.exponential(size=(3, 4))
    asked = {
        "LDP, error": (task(notions.LDP(2.0), problem, objectives.ErrorProbability()), 2),
        "LIP, loss": (task(notions.LIP(2.0), problem, objectives.ExpectedLoss(loss)), 2),
        "LIP, one decision": (task(notions.LIP(2.0), problem, objectives.ExpectedLoss(loss)), 1),
        "LDP, worst loss": (task(notions.LDP(2.0), problem, objectives.WorstCaseLoss(loss)), 3),
        "box, worst loss": (task(notions.LIP(1.0), problem, objectives.WorstCaseLoss(loss, _prior_box(rng, 3))), 2),
        "leakage, loss": (task(notions.MaximalLeakage(0.5), problem, objectives.ExpectedLoss(loss)), 2),
        "LIP, hidden, absolute": (task(notions.LIP(1.0), hidden, objectives.AbsoluteError()), 2),
        "LDP, MMSE": (task(notions.LDP(2.0), problem, objectives.MMSE()), 2),
        "LIP, MMSE": (task(notions.LIP(1.2), problem, objectives.MMSE()), 2),
        "LIP, hidden, MMSE": (task(notions.LIP(1.0), hidden, objectives.MMSE()), 2),
        "LIP, divergence": (task(notions.LIP(1.0), problem, objectives.KLDivergence(**_pair(rng))), 2),
        "LIP, Renyi": (task(notions.LIP(0.7), problem, objectives.RenyiDivergence(0.5, **_pair(rng))), 2),
        "LIP, variation": (task(notions.LIP(1.0), problem, objectives.TotalVariation(**_pair(rng))), 2),
        "TV, Fisher": (task(notions.WeightedTV(0.6, 0.4), two, objectives.FisherInformation(**_tilt(rng, 2))), 2),
        "approximate, MMSE": (task(notions.ApproximateLDP(0.5, 0.1), problem, objectives.MMSE()), 2),
        "line, MMSE": (task(notions.MetricDP(0.7, LINE[:3, :3]), problem, objectives.MMSE()), 2),
    }
    return {name: replace(given, outputs=outputs) for name, (given, outputs) in asked.items()}
