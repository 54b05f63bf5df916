"""One or more instances of every notion, and its edge: a new notion adds a line to both tables."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mechdesign import notions
from mechdesign.notions import Notion
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.testing import edges
from mechdesign.testing.edge import Edge
from mechdesign.testing.random_problems import random_prior, random_problem

Rng = np.random.Generator

#: Distances of four places on a line, of the corners of a square by its streets, and with a detour that is shorter,
#: no protection across, and fractions.
LINE = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
GRID = np.array([[0.0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]])
DETOUR = np.array(
    [[0.0, 0.3, 2, math.inf], [0.3, 0, 0.7, math.inf], [2, 0.7, 0, math.inf], [math.inf, math.inf, math.inf, 0]]
)


def some_profiles(rng: Rng, k: int = 3, n: int = 2) -> Array:
    """Return k random laws over n data."""
    return np.asarray(rng.dirichlet(np.ones(n), size=k))


def around(problem: Problem, epsilon: float, reach: float) -> tuple[Notion, Problem]:
    """Return LIP for the priors within `reach` of the problem's own, and the problem."""
    prior = problem.required_prior_of_secret
    lower, upper = np.maximum(prior - reach, 0.0), np.minimum(prior + reach, 1.0)
    return notions.BoundedPriorLIP(epsilon, lower, upper), problem


#: Notion and problem as a user gives them; few inputs, since the clauses enumerate rays.
NOTIONS: dict[str, tuple[Callable[[Rng], tuple[Notion, Problem]], ...]] = {
    "ApproximateLDP": (
        lambda rng: (notions.ApproximateLDP(0.5, 0.2), random_problem(3, rng)),
        lambda rng: (notions.ApproximateLDP(0.0, 0.3), Problem(n=3)),
        lambda rng: (notions.ApproximateLDP(1.0, 0.1), Problem(n=2)),
        lambda rng: (notions.ApproximateLDP(0.2, 0.1), random_problem(3, rng, secrets=3)),
    ),
    "BoundedPriorLIP": (
        lambda rng: around(random_problem(3, rng), 0.5, 0.1),
        lambda rng: around(random_problem(4, rng, skew=2.0), 1.0, 0.3),
        lambda rng: (notions.BoundedPriorLIP(2.0, np.array([0.0, 0.3]), np.array([0.7, 1.0])), Problem(n=2)),
        lambda rng: around(random_problem(4, rng, secrets=3), 0.7, 0.05),
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
    "GLeakage": (
        lambda rng: (notions.GLeakage(0.3, np.eye(4)), random_problem(4, rng)),
        lambda rng: (notions.GLeakage(0.2, rng.random((5, 4))), random_problem(4, rng)),
        lambda rng: (notions.GLeakage(0.1, rng.random((2, 3))), random_problem(4, rng, secrets=3)),
    ),
    "InteriorPML": (
        lambda rng: (notions.InteriorPML(0.7, 0.1), random_problem(4, rng)),
        lambda rng: (notions.InteriorPML(1.5, 0.2), random_problem(4, rng)),
        lambda rng: (notions.InteriorPML(0.5, 0.25), Problem(n=4)),
        lambda rng: (notions.InteriorPML(1.0, 0.0), random_problem(3, rng)),
        lambda rng: (notions.InteriorPML(0.6, 0.2), random_problem(4, rng, secrets=3)),
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
    "SibsonLeakage": (
        lambda rng: (notions.SibsonLeakage(0.2, 2.0), random_problem(4, rng)),
        lambda rng: (notions.SibsonLeakage(0.05, 1.3), random_problem(3, rng, skew=2.0)),
        lambda rng: (notions.SibsonLeakage(0.05, 20.0), random_problem(4, rng, secrets=3)),
    ),
    "ProfileDP": (
        lambda rng: (notions.ProfileDP(1.0, some_profiles(rng), ((0, 1), (1, 2))), random_problem(2, rng)),
        lambda rng: (
            notions.ProfileDP(0.5, some_profiles(rng, 3, 3), ((0, 1), (0, 2)), sees_profile=False),
            Problem(n=3),
        ),
        lambda rng: (
            notions.ProfileDP(0.7, some_profiles(rng, 2), ((0, 1),), profile_prior=random_prior(2, rng)),
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

#: Matrices closer to the edge of the notion than floats can resolve.
EDGES: dict[str, Callable[[], Edge]] = {
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
    "SibsonLeakage": edges.sibson_edge,
    "ProfileDP": edges.profile_edge,
    "GLeakage": edges.g_leakage_edge,
    "InteriorPML": edges.interior_edge,
    "UtilityOptimizedLDP": edges.utility_optimized_edge,
    "WeightedTV": edges.weighted_tv_edge,
}
