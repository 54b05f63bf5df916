"""An instance of every member at any number of inputs: pairs of notion and objective are made from these."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechdesign import notions, objectives
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.testing.random_problems import random_prior

Rng = np.random.Generator


def sized_problem(n: int, rng: Rng) -> Problem:
    """Return a problem with a random prior and values, all of them positive masses."""
    return Problem(prior=random_prior(n, rng), values=rng.normal(size=n))


def _pair(n: int, rng: Rng) -> dict[str, Array]:
    return {"first": random_prior(n, rng), "second": random_prior(n, rng)}


def _tilt(n: int, rng: Rng) -> dict[str, Array]:
    direction = rng.normal(size=n)
    return {"theta": random_prior(n, rng), "direction": direction - direction.mean()}


def _line(n: int) -> Array:
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)


#: Each notion at about one nat, over a problem; None where it cannot have that many inputs.
NOTIONS: dict[str, Callable[[Problem, Rng], Notion | None]] = {
    "ApproximateLDP": lambda problem, rng: notions.ApproximateLDP(0.5, 0.2),
    "LDP": lambda problem, rng: notions.LDP(1.0),
    "LIP": lambda problem, rng: notions.LIP(1.0),
    "AsymmetricLIP": lambda problem, rng: notions.AsymmetricLIP(1.0, 0.5),
    "BlockLDP": lambda problem, rng: notions.BlockLDP(1.0, (tuple(range(problem.n // 2 + 1)),)),
    "MaxLift": lambda problem, rng: notions.MaxLift(0.5),
    "MetricDP": lambda problem, rng: notions.MetricDP(1.0, _line(problem.n)),
    "WorstCaseLIP": lambda problem, rng: notions.WorstCaseLIP(1.0),
    "MaximalLeakage": lambda problem, rng: notions.MaximalLeakage(0.3),
    "MutualInformationPrivacy": lambda problem, rng: notions.MutualInformationPrivacy(0.1),
    "BoundedPriorLIP": lambda problem, rng: notions.BoundedPriorLIP(
        1.0, np.maximum(problem.required_prior - 0.1, 0.0), np.minimum(problem.required_prior + 0.1, 1.0)
    ),
    "CentralizedIP": lambda problem, rng: notions.CentralizedIP(1.0, ((0.4, 0.6),) * (problem.n - 1)),
    "StrongChiSquare": lambda problem, rng: notions.StrongChiSquare(0.5),
    "StrongL1": lambda problem, rng: notions.StrongL1(0.5),
    "ProfileDP": lambda problem, rng: notions.ProfileDP(
        1.0, rng.dirichlet(np.ones(problem.n), size=2), ((0, 1),), profile_prior=random_prior(2, rng)
    ),
    "GLeakage": lambda problem, rng: notions.GLeakage(0.1, np.eye(problem.n) + 0.2),
    "SibsonLeakage": lambda problem, rng: notions.SibsonLeakage(0.15, 2.0),
    "InteriorPML": lambda problem, rng: notions.InteriorPML(1.0, 0.3 / problem.n),
    "Intersection": lambda problem, rng: notions.LDP(1.0) & notions.LIP(0.6),
    "UtilityOptimizedLDP": lambda problem, rng: notions.UtilityOptimizedLDP(1.0, (0,)),
    "WeightedTV": lambda problem, rng: notions.WeightedTV(0.5, 0.4) if problem.n == 2 else None,
}

#: Each objective over n inputs.
OBJECTIVES: dict[str, Callable[[int, Rng], Objective]] = {
    "AbsoluteError": lambda n, rng: objectives.AbsoluteError(),
    "ChernoffExponent": lambda n, rng: objectives.ChernoffExponent(**_pair(n, rng)),
    "ChiSquare": lambda n, rng: objectives.ChiSquare(**_pair(n, rng)),
    "ErrorProbability": lambda n, rng: objectives.ErrorProbability(),
    "ExpectedLoss": lambda n, rng: objectives.ExpectedLoss(rng.exponential(size=(n, 4))),
    "FDivergence": lambda n, rng: objectives.FDivergence(objectives.HellingerGenerator(), **_pair(n, rng)),
    "FisherInformation": lambda n, rng: objectives.FisherInformation(**_tilt(n, rng)),
    "HammingLoss": lambda n, rng: objectives.HammingLoss(),
    "HanKobayashiExponent": lambda n, rng: objectives.HanKobayashiExponent(0.3, **_pair(n, rng)),
    "Hellinger": lambda n, rng: objectives.Hellinger(**_pair(n, rng)),
    "HistogramMMSE": lambda n, rng: objectives.HistogramMMSE(),
    "HoeffdingExponent": lambda n, rng: objectives.HoeffdingExponent(0.01, **_pair(n, rng)),
    "InformationDesign": lambda n, rng: objectives.InformationDesign("A", random_prior(n, rng)),
    "JensenShannon": lambda n, rng: objectives.JensenShannon(**_pair(n, rng)),
    "KLDivergence": lambda n, rng: objectives.KLDivergence(**_pair(n, rng)),
    "LeakageLoss": lambda n, rng: objectives.LeakageLoss(),
    "MMSE": lambda n, rng: objectives.MMSE(),
    "MaxOffDiagonal": lambda n, rng: objectives.MaxOffDiagonal(),
    "MutualInformation": lambda n, rng: objectives.MutualInformation(),
    "RenyiDivergence": lambda n, rng: objectives.RenyiDivergence(2.0, **_pair(n, rng)),
    "TotalVariation": lambda n, rng: objectives.TotalVariation(**_pair(n, rng)),
    "WorstCaseLoss": lambda n, rng: objectives.WorstCaseLoss(rng.exponential(size=(n, 4))),
}


def some_pair(notion: str, objective: str, n: int, rng: Rng) -> tuple[Problem, Notion, Objective] | None:
    """Return a question of that notion and objective with n data, or None where there is none of that size."""
    problem = sized_problem(n, rng)
    made = NOTIONS[notion](problem, rng)
    if made is None:
        return None
    if isinstance(made, notions.ProfileDP | notions.CentralizedIP):
        # The prior of its data follows from its profiles or records.
        problem = Problem(values=problem.values)
    # Vectors over the inputs are over what the mechanism sees; losses are over the data.
    inputs = made.inputs(problem)
    by_input = objective not in {"ExpectedLoss", "WorstCaseLoss"}
    return problem, made, OBJECTIVES[objective](inputs.n if by_input else n, rng)
