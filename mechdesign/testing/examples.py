"""One or more instances of every member: a new member adds its line here, and all contracts run on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
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


def _tilt(rng: Rng, n: int = 3) -> dict[str, Array]:
    direction = rng.normal(size=n)
    return {"theta": random_prior(n, rng), "direction": direction - direction.mean()}


#: Notion and problem as a user gives them; few inputs, since the clauses enumerate rays.
NOTIONS: dict[str, tuple[Callable[[Rng], tuple[Notion, Problem]], ...]] = {
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
    "ProfileDP": (
        lambda rng: (notions.ProfileDP(1.0, _profiles(rng), ((0, 1), (1, 2))), random_problem(2, rng)),
        lambda rng: (notions.ProfileDP(0.5, _profiles(rng, 3, 3), ((0, 1), (0, 2)), sees_profile=False), Problem(n=3)),
        lambda rng: (
            notions.ProfileDP(0.7, _profiles(rng, 2), ((0, 1),), profile_prior=random_prior(2, rng)),
            Problem(values=np.array([0.0, 1.0])),
        ),
    ),
    "WeightedTV": (
        lambda rng: (notions.WeightedTV(0.4), random_problem(2, rng)),
        lambda rng: (notions.WeightedTV(0.7, 0.3), Problem(n=2)),
        lambda rng: (notions.WeightedTV(0.5, 0.4), random_problem(4, rng, secrets=2)),
    ),
}

#: Matrices closer to the edge of the notion than floats can tell.
EDGES: dict[str, Callable[[], edges.Edge]] = {
    "LDP": edges.ldp_edge,
    "LIP": edges.lip_edge,
    "ProfileDP": edges.profile_edge,
    "WeightedTV": edges.weighted_tv_edge,
}

#: Objective and problem over the mechanism's inputs.
OBJECTIVES: dict[str, tuple[Callable[[Rng], tuple[Objective, Problem]], ...]] = {
    "AbsoluteError": (
        lambda rng: (objectives.AbsoluteError(), random_problem(4, rng)),
        lambda rng: (objectives.AbsoluteError(), _widened(rng)),
    ),
    "ChiSquare": (lambda rng: (objectives.ChiSquare(**_pair(rng)), Problem(n=3)),),
    "ExpectedLoss": (
        lambda rng: (objectives.ExpectedLoss(rng.exponential(size=(3, 4))), random_problem(3, rng)),
        lambda rng: (objectives.ExpectedLoss(rng.normal(size=(3, 2))), _widened(rng)),
    ),
    "FDivergence": (
        lambda rng: (objectives.FDivergence(objectives.ChiSquareGenerator(), **_pair(rng, 4)), Problem(n=4)),
        lambda rng: (objectives.FDivergence(objectives.HellingerGenerator(), **_pair(rng)), Problem(n=3)),
    ),
    "FisherInformation": (lambda rng: (objectives.FisherInformation(**_tilt(rng)), Problem(n=3)),),
    "HammingLoss": (
        lambda rng: (objectives.HammingLoss(), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.HammingLoss(), _widened(rng)),
    ),
    "Hellinger": (lambda rng: (objectives.Hellinger(**_pair(rng)), Problem(n=3)),),
    "KLDivergence": (lambda rng: (objectives.KLDivergence(**_pair(rng, 4)), Problem(n=4)),),
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
    ),
    "TotalVariation": (lambda rng: (objectives.TotalVariation(**_pair(rng, 4)), Problem(n=4)),),
    "WorstCaseLoss": (
        lambda rng: (objectives.WorstCaseLoss(rng.exponential(size=(3, 4))), Problem(n=3)),
        lambda rng: (objectives.WorstCaseLoss(rng.normal(size=(3, 2))), _widened(rng)),
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
    "ChiSquare": (objectives.ChiSquare(**_ENDS), 4 / 3, "(1/2)^2 / (1/4) + (1/2)^2 / (3/4)"),
    "ExpectedLoss": (objectives.ExpectedLoss(_LOSS), 0.75, "(2/4 + 4/4) / 2"),
    "FDivergence": (objectives.FDivergence(objectives.KLGenerator(), **_ENDS), math.log(3) / 2, "(1/2) ln 3 nats"),
    "FisherInformation": (
        objectives.FisherInformation(np.array([0.5, 0.5]), np.array([1.0, -1.0])),
        1.0,
        "2 (1/2)^2 / (1/2)",
    ),
    "HammingLoss": (objectives.HammingLoss(), 0.25, "1/4"),
    "Hellinger": (objectives.Hellinger(**_ENDS), 1 - math.sqrt(3) / 2, "1 - 2 sqrt(3) / 4"),
    "KLDivergence": (objectives.KLDivergence(**_ENDS), math.log(3) / 2, "(3/4 - 1/4) ln 3 nats"),
    "MMSE": (objectives.MMSE(), 0.75, "the posterior variance 4 (3/4) (1/4)"),
    "MaxOffDiagonal": (objectives.MaxOffDiagonal(), 0.25, "1/4"),
    "MutualInformation": (
        objectives.MutualInformation(),
        0.75 * math.log(3) - math.log(2),
        "(3/4) ln(3/2) + (1/4) ln(1/2) nats",
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
    return {
        "LDP, MMSE": task(notions.LDP(1.0), problem, objectives.MMSE()),
        "LDP, Fisher": task(notions.LDP(0.5), problem, objectives.FisherInformation(**_tilt(rng))),
        "LDP, information": task(notions.LDP(2.0), problem, objectives.MutualInformation()),
        "LDP, loss": task(notions.LDP(1.0), problem, objectives.ExpectedLoss(loss)),
        "LDP, worst loss": task(notions.LDP(1.0), problem, objectives.WorstCaseLoss(loss)),
        "LDP, hidden, divergence": task(notions.LDP(1.0), hidden, objectives.KLDivergence(**_pair(rng, 4))),
        "LIP, MMSE": task(notions.LIP(1.0), problem, objectives.MMSE()),
        "LIP, variation": task(notions.LIP(0.4), problem, objectives.TotalVariation(**_pair(rng))),
        "LIP, absolute": task(notions.LIP(1.0), problem, objectives.AbsoluteError()),
        "LIP, off-diagonal": task(notions.LIP(1.0), problem, objectives.MaxOffDiagonal()),
        "LIP, hidden, MMSE": task(notions.LIP(0.5), hidden, objectives.MMSE()),
        "TV, MMSE": task(notions.WeightedTV(0.5), two, objectives.MMSE()),
        "TV, Hamming": task(notions.WeightedTV(0.6, 0.4), two, objectives.HammingLoss()),
        "TV, divergence": task(notions.WeightedTV(0.5), two, objectives.Hellinger(**_pair(rng, 2))),
        "TV, off-diagonal": task(notions.WeightedTV(0.5), two, objectives.MaxOffDiagonal()),
        "profiles, MMSE": task(profiles, data, objectives.MMSE()),
        "profiles, worst loss": task(profiles, data, objectives.WorstCaseLoss(loss)),
        "blind, variation": task(blind, data, objectives.TotalVariation(**_pair(rng))),
        "two inputs, LIP": task(notions.LIP(1.0), _COIN, objectives.MMSE()),
    }
