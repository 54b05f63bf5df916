"""One or more instances of every objective: a new objective adds its line here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechdesign import notions, objectives
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.testing.examples.notions import Rng, some_profiles
from mechdesign.testing.random_problems import random_prior, random_problem


def pair(rng: Rng, n: int = 3) -> dict[str, Array]:
    """Return two random hypotheses."""
    return {"first": random_prior(n, rng), "second": random_prior(n, rng)}


def widened(rng: Rng) -> Problem:
    """Return a problem over pairs (profile, datum), as a notion that sees the profile makes it."""
    prior = random_prior(2, rng)
    notion = notions.ProfileDP(1.0, some_profiles(rng, 2, 3), ((0, 1),), profile_prior=prior)
    return notion.inputs(Problem(values=rng.normal(size=3)))


def tilt(rng: Rng, n: int = 3) -> dict[str, Array]:
    """Return a random law and a direction in which it may move."""
    direction = rng.normal(size=n)
    return {"theta": random_prior(n, rng), "direction": direction - direction.mean()}


def prior_box(rng: Rng, n: int) -> tuple[Array, Array]:
    """Return lower and upper bounds around a random prior."""
    inside = random_prior(n, rng)
    return rng.uniform(0.2, 1.0, size=n) * inside, inside + rng.uniform(size=n) * (1.0 - inside)


#: Objective and problem over the mechanism's inputs.
OBJECTIVES: dict[str, tuple[Callable[[Rng], tuple[Objective, Problem]], ...]] = {
    "AbsoluteError": (
        lambda rng: (objectives.AbsoluteError(), random_problem(4, rng)),
        lambda rng: (objectives.AbsoluteError(), widened(rng)),
    ),
    "ChernoffExponent": (lambda rng: (objectives.ChernoffExponent(**pair(rng)), Problem(n=3)),),
    "ChiSquare": (lambda rng: (objectives.ChiSquare(**pair(rng)), Problem(n=3)),),
    "ErrorProbability": (
        lambda rng: (objectives.ErrorProbability(), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.ErrorProbability(), widened(rng)),
    ),
    "ExpectedLoss": (
        lambda rng: (objectives.ExpectedLoss(rng.exponential(size=(3, 4))), random_problem(3, rng)),
        lambda rng: (objectives.ExpectedLoss(rng.normal(size=(3, 2))), widened(rng)),
    ),
    "FDivergence": (
        lambda rng: (objectives.FDivergence(objectives.ChiSquareGenerator(), **pair(rng, 4)), Problem(n=4)),
        lambda rng: (objectives.FDivergence(objectives.HellingerGenerator(), **pair(rng)), Problem(n=3)),
        lambda rng: (objectives.FDivergence(objectives.PowerGenerator(2.5), **pair(rng)), Problem(n=3)),
    ),
    "FisherInformation": (lambda rng: (objectives.FisherInformation(**tilt(rng)), Problem(n=3)),),
    "HammingLoss": (
        lambda rng: (objectives.HammingLoss(), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.HammingLoss(), widened(rng)),
    ),
    "HanKobayashiExponent": (
        lambda rng: (objectives.HanKobayashiExponent(0.3, **pair(rng)), Problem(n=3)),
        lambda rng: (objectives.HanKobayashiExponent(3.0, **pair(rng, 4)), Problem(n=4)),
    ),
    "Hellinger": (lambda rng: (objectives.Hellinger(**pair(rng)), Problem(n=3)),),
    "HistogramMMSE": (
        lambda rng: (objectives.HistogramMMSE(), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.HistogramMMSE(), widened(rng)),
    ),
    "HoeffdingExponent": (
        lambda rng: (objectives.HoeffdingExponent(0.01, **pair(rng)), Problem(n=3)),
        lambda rng: (objectives.HoeffdingExponent(0.0, **pair(rng, 4)), Problem(n=4)),
    ),
    "InformationDesign": (
        lambda rng: (objectives.InformationDesign("A", weights=rng.exponential(size=4)), random_problem(4, rng)),
        lambda rng: (objectives.InformationDesign("D"), widened(rng)),
        lambda rng: (objectives.InformationDesign("c", direction=rng.normal(size=4)), random_problem(4, rng)),
        lambda rng: (objectives.InformationDesign("E", random_prior(3, rng)), Problem(n=3)),
    ),
    "JensenShannon": (lambda rng: (objectives.JensenShannon(**pair(rng, 4)), Problem(n=4)),),
    "KLDivergence": (lambda rng: (objectives.KLDivergence(**pair(rng, 4)), Problem(n=4)),),
    "LeakageLoss": (
        lambda rng: (objectives.LeakageLoss(), Problem(n=3)),
        lambda rng: (objectives.LeakageLoss(), widened(rng)),
    ),
    "MMSE": (
        lambda rng: (objectives.MMSE(), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.MMSE(), widened(rng)),
    ),
    "MaxOffDiagonal": (
        lambda rng: (objectives.MaxOffDiagonal(), Problem(n=3)),
        lambda rng: (objectives.MaxOffDiagonal(), widened(rng)),
    ),
    "MutualInformation": (
        lambda rng: (objectives.MutualInformation(), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.MutualInformation(), widened(rng)),
        lambda rng: (objectives.MutualInformation(minimize=True), random_problem(4, rng, skew=2.0)),
        lambda rng: (objectives.MutualInformation(minimize=True), widened(rng)),
    ),
    "RenyiDivergence": (
        lambda rng: (objectives.RenyiDivergence(2.0, **pair(rng)), Problem(n=3)),
        lambda rng: (objectives.RenyiDivergence(0.3, **pair(rng, 4)), Problem(n=4)),
        lambda rng: (objectives.RenyiDivergence(1.4, **pair(rng)), Problem(n=3)),
        lambda rng: (objectives.RenyiDivergence(5.0, **pair(rng)), Problem(n=3)),
    ),
    "TotalVariation": (lambda rng: (objectives.TotalVariation(**pair(rng, 4)), Problem(n=4)),),
    "WorstCaseLoss": (
        lambda rng: (objectives.WorstCaseLoss(rng.exponential(size=(3, 4))), Problem(n=3)),
        lambda rng: (objectives.WorstCaseLoss(rng.normal(size=(3, 2))), widened(rng)),
        lambda rng: (
            objectives.WorstCaseLoss(rng.normal(size=(3, 2)), rng.dirichlet(np.ones(3), size=2)),
            Problem(n=3),
        ),
        lambda rng: (objectives.WorstCaseLoss(rng.normal(size=(4, 3)), prior_box(rng, 4)), Problem(n=4)),
    ),
}
