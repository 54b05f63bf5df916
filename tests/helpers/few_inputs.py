"""Questions of few inputs in which every notion, every kind of objective and every route occur."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from mechdesign import notions, objectives
from mechdesign.catalogue.anchor import COIN
from mechdesign.catalogue.drawn import (
    Rng,
    hypotheses,
    line,
    prior_box,
    random_prior,
    random_problem,
    random_profiles,
    tilt,
)
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.solve.task import Task


def task(notion: Notion, problem: Problem, objective: Objective) -> Task:
    """Return the question to a route, over the mechanism's inputs."""
    inputs = notion.inputs(problem)
    objective.check(inputs)
    return Task(inputs, notion, objective)


def tasks(rng: Rng) -> dict[str, Task]:
    """Return questions of few inputs: every notion and every kind of objective occurs."""
    problem, hidden = random_problem(3, rng, skew=2.0), random_problem(4, rng, secrets=2)
    two, data = random_problem(2, rng), Problem(values=np.array([0.0, 1.0, 3.0]))
    profiles = notions.ProfileDP(0.8, random_profiles(rng, 2, 3), ((0, 1),), profile_prior=random_prior(2, rng))
    blind = notions.ProfileDP(0.5, random_profiles(rng, 2, 3), ((0, 1),), sees_profile=False)
    loss = rng.exponential(size=(3, 3))
    prior = problem.required_prior
    box = notions.BoundedPriorLIP(1.0, np.maximum(prior - 0.1, 0.0), np.minimum(prior + 0.1, 1.0))
    records = notions.CentralizedIP(0.7, ((0.4, 0.6),) * 3)
    return {
        "LDP, MMSE": task(notions.LDP(1.0), problem, objectives.MMSE()),
        "LDP, Fisher": task(notions.LDP(0.5), problem, objectives.FisherInformation(**tilt(3, rng))),
        "LDP, information": task(notions.LDP(2.0), problem, objectives.MutualInformation()),
        "LDP, error": task(notions.LDP(1.0), problem, objectives.ErrorProbability()),
        "LDP, histogram": task(notions.LDP(1.0), problem, objectives.HistogramMMSE()),
        "LDP, Renyi": task(notions.LDP(1.0), problem, objectives.RenyiDivergence(3.0, **hypotheses(3, rng))),
        "LDP, loss": task(notions.LDP(1.0), problem, objectives.ExpectedLoss(loss)),
        "LDP, worst loss": task(notions.LDP(1.0), problem, objectives.WorstCaseLoss(loss)),
        "LDP, hidden, divergence": task(notions.LDP(1.0), hidden, objectives.KLDivergence(**hypotheses(4, rng))),
        "LDP and LIP, MMSE": task(notions.LDP(1.0) & notions.LIP(0.5), problem, objectives.MMSE()),
        "LDP and LIP, loss": task(notions.LDP(0.8) & notions.LIP(0.5), problem, objectives.ExpectedLoss(loss)),
        "LIP and LDP, worst loss": task(notions.LIP(0.5) & notions.LDP(0.8), problem, objectives.WorstCaseLoss(loss)),
        "LDP and TV, MMSE": task(notions.LDP(1.5) & notions.WeightedTV(0.5), two, objectives.MMSE()),
        "TV and TV, off-diagonal": task(
            notions.WeightedTV(0.6, 0.4) & notions.WeightedTV(0.5), two, objectives.MaxOffDiagonal()
        ),
        "LIP, MMSE": task(notions.LIP(1.0), problem, objectives.MMSE()),
        "LIP, variation": task(notions.LIP(0.4), problem, objectives.TotalVariation(**hypotheses(3, rng))),
        "LIP, Renyi": task(notions.LIP(0.7), problem, objectives.RenyiDivergence(0.5, **hypotheses(3, rng))),
        "LIP, Jensen-Shannon": task(notions.LIP(0.7), problem, objectives.JensenShannon(**hypotheses(3, rng))),
        "LIP, absolute": task(notions.LIP(1.0), problem, objectives.AbsoluteError()),
        "LIP, off-diagonal": task(notions.LIP(1.0), problem, objectives.MaxOffDiagonal()),
        "LIP, hidden, MMSE": task(notions.LIP(0.5), hidden, objectives.MMSE()),
        "TV, MMSE": task(notions.WeightedTV(0.5), two, objectives.MMSE()),
        "TV, error": task(notions.WeightedTV(0.6, 0.4), two, objectives.ErrorProbability()),
        "TV, Hamming": task(notions.WeightedTV(0.6, 0.4), two, objectives.HammingLoss()),
        "TV, divergence": task(notions.WeightedTV(0.5), two, objectives.Hellinger(**hypotheses(2, rng))),
        "TV, off-diagonal": task(notions.WeightedTV(0.5), two, objectives.MaxOffDiagonal()),
        "profiles, MMSE": task(profiles, data, objectives.MMSE()),
        "profiles, worst loss": task(profiles, data, objectives.WorstCaseLoss(loss)),
        "blind, variation": task(blind, data, objectives.TotalVariation(**hypotheses(3, rng))),
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
            notions.MaximalLeakage(0.1), hidden, objectives.TotalVariation(**hypotheses(4, rng))
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
        "lift, hidden, divergence": task(notions.MaxLift(0.2), hidden, objectives.KLDivergence(**hypotheses(4, rng))),
        "lower lift, worst loss": task(notions.AsymmetricLIP(0.7, math.inf), problem, objectives.WorstCaseLoss(loss)),
        "two lifts, information": task(notions.AsymmetricLIP(0.8, 0.4), problem, objectives.MutualInformation()),
        "every prior, MMSE": task(notions.WorstCaseLIP(1.0), problem, objectives.MMSE()),
        "line, MMSE": task(notions.MetricDP(0.7, line(3)), problem, objectives.MMSE()),
        "line, loss": task(notions.MetricDP(0.7, line(3)), problem, objectives.ExpectedLoss(loss)),
        "blocks, MMSE": task(notions.BlockLDP(1.0, ((0, 2),)), problem, objectives.MMSE()),
        "blocks, worst loss": task(notions.BlockLDP(1.0, ((1, 2),)), problem, objectives.WorstCaseLoss(loss)),
        "two inputs, LIP": task(notions.LIP(1.0), COIN, objectives.MMSE()),
        "LDP, mean": task(notions.LDP(1.0), problem, objectives.InformationDesign("c")),
        "LDP, covariance": task(notions.LDP(1.0), problem, objectives.InformationDesign("A")),
        "LIP, determinant": task(notions.LIP(1.0), problem, objectives.InformationDesign("D")),
        "LDP, hidden, contrast": task(notions.LDP(0.5), hidden, objectives.InformationDesign("E")),
        "TV, covariance": task(notions.WeightedTV(0.5), two, objectives.InformationDesign("A")),
        "LDP, Chernoff": task(notions.LDP(1.0), problem, objectives.ChernoffExponent(**hypotheses(3, rng))),
        "LIP, Hoeffding": task(notions.LIP(1.0), problem, objectives.HoeffdingExponent(0.01, **hypotheses(3, rng))),
        "TV, Han-Kobayashi": task(
            notions.WeightedTV(0.5), two, objectives.HanKobayashiExponent(0.4, **hypotheses(2, rng))
        ),
        "LDP, loss in a box": task(notions.LDP(1.0), problem, objectives.WorstCaseLoss(loss, prior_box(3, rng))),
        "LIP, loss of priors": task(
            notions.LIP(0.5), problem, objectives.WorstCaseLoss(loss, rng.dirichlet(np.ones(3), size=2))
        ),
        "LDP, information of priors": task(
            notions.LDP(1.0), problem, objectives.WorstCaseInformation(rng.dirichlet(np.ones(3), size=2))
        ),
        "LIP, information of priors": task(
            notions.LIP(0.5), problem, objectives.WorstCaseInformation(rng.dirichlet(np.ones(3), size=2))
        ),
        "leakage, information of priors": task(
            notions.MaximalLeakage(0.4), problem, objectives.WorstCaseInformation(rng.dirichlet(np.ones(3), size=2))
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
        "box, worst loss": (task(notions.LIP(1.0), problem, objectives.WorstCaseLoss(loss, prior_box(3, rng))), 2),
        "leakage, loss": (task(notions.MaximalLeakage(0.5), problem, objectives.ExpectedLoss(loss)), 2),
        "LIP, hidden, absolute": (task(notions.LIP(1.0), hidden, objectives.AbsoluteError()), 2),
        "LDP, MMSE": (task(notions.LDP(2.0), problem, objectives.MMSE()), 2),
        "LIP, MMSE": (task(notions.LIP(1.2), problem, objectives.MMSE()), 2),
        "LIP, hidden, MMSE": (task(notions.LIP(1.0), hidden, objectives.MMSE()), 2),
        "LIP, divergence": (task(notions.LIP(1.0), problem, objectives.KLDivergence(**hypotheses(3, rng))), 2),
        "LIP, Renyi": (task(notions.LIP(0.7), problem, objectives.RenyiDivergence(0.5, **hypotheses(3, rng))), 2),
        "LIP, variation": (task(notions.LIP(1.0), problem, objectives.TotalVariation(**hypotheses(3, rng))), 2),
        "TV, Fisher": (task(notions.WeightedTV(0.6, 0.4), two, objectives.FisherInformation(**tilt(2, rng))), 2),
        "approximate, MMSE": (task(notions.ApproximateLDP(0.5, 0.1), problem, objectives.MMSE()), 2),
        "line, MMSE": (task(notions.MetricDP(0.7, line(3)), problem, objectives.MMSE()), 2),
    }
    return {name: replace(given, outputs=outputs) for name, (given, outputs) in asked.items()}
