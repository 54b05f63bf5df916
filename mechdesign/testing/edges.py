"""Matrices of integers just inside and just outside a notion, closer to its edge than floats can resolve."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

import numpy as np

from mechdesign.exact import Integers
from mechdesign.notions import (
    LDP,
    LIP,
    ApproximateLDP,
    AsymmetricLIP,
    BlockLDP,
    BoundedPriorLIP,
    CentralizedIP,
    GLeakage,
    InteriorPML,
    MaximalLeakage,
    MaxLift,
    MetricDP,
    MutualInformationPrivacy,
    Notion,
    ProfileDP,
    SibsonLeakage,
    StrongChiSquare,
    StrongL1,
    UtilityOptimizedLDP,
    WeightedTV,
    WorstCaseLIP,
)
from mechdesign.problem import Problem
from mechdesign.testing.edge import INSIDE, OUTSIDE, Edge, exponential, integers_of, symmetric, with_third


def ldp_edge(epsilon: float = 1.0) -> Edge:
    """Return binary randomised response with the ratio e^epsilon, and a little more."""
    return Edge(LDP(epsilon), Problem(n=2), *symmetric(epsilon, lambda ratio: (ratio, Fraction(1))))


def lip_edge(epsilon: float = 1.0) -> Edge:
    """Return the symmetric matrix on which the mass is e^epsilon times the least entry, and a little more."""
    problem = Problem(prior=np.array([0.5, 0.5]))
    return Edge(LIP(epsilon), problem, *symmetric(epsilon, lambda ratio: (2 * ratio - 1, Fraction(1))))


def intersection_edge(epsilon: float = 1.0) -> Edge:
    """Return the matrices at the edge of LIP, both well inside of LDP at twice the level."""
    edge = lip_edge(epsilon)
    return Edge(LDP(2 * epsilon) & edge.notion, edge.problem, edge.inside, edge.outside)


def asymmetric_edge(lower: float = 1.0) -> Edge:
    """Return the matrices at the edge of LIP, for AsymmetricLIP, where only the lower bound is tight."""
    symmetric = lip_edge(lower)
    return Edge(AsymmetricLIP(lower, 0.75), symmetric.problem, symmetric.inside, symmetric.outside)


def max_lift_edge(epsilon: float = 0.5) -> Edge:
    """Return the symmetric matrix whose largest entry is e^epsilon times the mass, and a little more."""
    problem = Problem(prior=np.array([0.5, 0.5]))
    return Edge(MaxLift(epsilon), problem, *symmetric(epsilon, lambda ratio: (ratio, 2 - ratio)))


def interior_edge(epsilon: float = 0.5) -> Edge:
    """Return the symmetric matrix whose largest entry is e^epsilon times the least mass, and a little more.

    With at least a quarter on either input the least mass is ``(h + 3 l) / 4``.
    """
    notion = InteriorPML(epsilon, 0.25)
    return Edge(notion, Problem(n=2), *symmetric(epsilon, lambda ratio: (3 * ratio, 4 - ratio)))


def worst_case_edge(epsilon: float = 1.0) -> Edge:
    """Return binary randomised response: the prior that is all on one input is the worst."""
    return Edge(WorstCaseLIP(epsilon), Problem(n=2), *symmetric(epsilon, lambda ratio: (ratio, Fraction(1))))


def metric_edge(epsilon: float = 0.7, distance: float = 1.1) -> Edge:
    """Return binary randomised response with the ratio e^(epsilon distance), whose product no float holds."""
    notion = MetricDP(epsilon, [[0.0, distance], [distance, 0.0]])
    exact = Fraction(epsilon) * Fraction(distance)
    return Edge(notion, Problem(n=2), *symmetric(exact, lambda ratio: (ratio, Fraction(1))))


def block_edge(epsilon: float = 1.0) -> Edge:
    """Return binary randomised response inside a block, and a third input that is disclosed."""
    inside, outside = (with_third(matrix) for matrix in symmetric(epsilon, lambda ratio: (ratio, Fraction(1))))
    return Edge(BlockLDP(epsilon, ((0, 1),)), Problem(n=3), inside, outside)


def profile_edge(epsilon: float = 1.0) -> Edge:
    """Return randomised response of the profile itself, which its data identify."""
    notion = ProfileDP(epsilon, np.eye(2), ((0, 1),), sees_profile=False)
    return Edge(notion, Problem(n=2), *symmetric(epsilon, lambda ratio: (ratio, Fraction(1))))


def utility_optimized_edge(epsilon: float = 1.0) -> Edge:
    """Return randomised response between two sensitive inputs, beside a third that is mostly revealed."""
    notion = UtilityOptimizedLDP(epsilon, (0, 1))
    exact = exponential(epsilon)
    # With a ratio r: (r, 1), (1, r), (1, 1) over r + 1, and r - 1 of it on the output that reveals the third.
    inside, outside = (
        integers_of([[r, Fraction(1), Fraction(0)], [Fraction(1), r, Fraction(0)], [Fraction(1), Fraction(1), r - 1]])
        for r in (exact * (1 - INSIDE), exact * (1 + OUTSIDE))
    )
    return Edge(notion, Problem(n=3), inside, outside)


def bounded_prior_edge(epsilon: float = 1.0) -> Edge:
    """Return the symmetric matrix on which the least mass in the box is e^-epsilon times an entry, and a little more.

    With at least a quarter on either input, ``h = e^epsilon (h + 3 l) / 4`` would need ``e^epsilon`` below 4, and
    ``(3 h + l) / 4 = e^epsilon l`` is met first.
    """
    notion = BoundedPriorLIP(epsilon, np.array([0.25, 0.25]), np.array([0.75, 0.75]))
    return Edge(notion, Problem(n=2), *symmetric(epsilon, lambda ratio: ((4 * ratio - 1) / 3, Fraction(1))))


def centralized_edge(epsilon: float = 0.25) -> Edge:
    """Return the matrix over the sum of two coins on which the mass is e^epsilon times what one coin makes of it."""
    notion = CentralizedIP(epsilon, ((0.5, 0.5), (0.5, 0.5)))
    exact = exponential(epsilon)

    def matrix(ratio: Fraction) -> Integers:
        # Entries (h, (h + 1) / 2, 1): a coin sees (3 h + 1) / 4 or (h + 3) / 4, the mass is (h + 1) / 2.
        high = (3 * ratio - 2) / (2 - ratio)
        middle = (high + 1) / 2
        return integers_of([[high, Fraction(1)], [middle, middle], [Fraction(1), high]])

    return Edge(notion, Problem(n=3), matrix(exact * (1 - INSIDE)), matrix(exact * (1 + OUTSIDE)))


def approximate_ldp_edge(epsilon: float = 1.0) -> Edge:
    """Return binary columns with ``3/4 - e^epsilon r = delta = 1/4``; every other sum is smaller."""
    exact = exponential(epsilon)

    def matrix(ratio: Fraction) -> Integers:
        low = Fraction(1, 2) / ratio
        return integers_of([[Fraction(3, 4), Fraction(1, 4)], [low, 1 - low]])

    notion = ApproximateLDP(epsilon, 0.25)
    return Edge(notion, Problem(n=2), matrix(exact * (1 - INSIDE)), matrix(exact * (1 + OUTSIDE)))


def maximal_leakage_edge(epsilon: float = 0.5) -> Edge:
    """Return binary columns whose largest entries, 9/10 and ``1 - r``, add up to ``e^epsilon``."""
    exact = exponential(epsilon)

    def matrix(total: Fraction) -> Integers:
        low = Fraction(19, 10) - total
        return integers_of([[Fraction(9, 10), Fraction(1, 10)], [low, 1 - low]])

    return Edge(MaximalLeakage(epsilon), Problem(n=2), matrix(exact * (1 - INSIDE)), matrix(exact * (1 + OUTSIDE)))


def g_leakage_edge(epsilon: float = 0.5) -> Edge:
    """Return binary columns whose largest entries add up to ``e^epsilon``, twice what a guess earns."""
    beside = maximal_leakage_edge(epsilon)
    return Edge(GLeakage(epsilon, np.eye(2)), Problem(prior=[0.5, 0.5]), beside.inside, beside.outside)


def information_edge(epsilon: float = 0.25) -> Edge:
    """Return binary randomised response whose capacity ``ln 2 + a ln a + (1 - a) ln(1 - a)`` is epsilon."""
    digits = Context(prec=120)
    low, high = Decimal("0.5"), Decimal(1)
    for _ in range(380):
        middle = digits.divide(digits.add(low, high), Decimal(2))
        other = digits.subtract(Decimal(1), middle)
        terms = [digits.multiply(share, digits.ln(share)) for share in (middle, other)]
        capacity = digits.add(digits.ln(Decimal(2)), digits.add(*terms))
        low, high = (middle, high) if capacity <= Decimal(epsilon) else (low, middle)

    def matrix(share: Fraction) -> Integers:
        return integers_of([[share, 1 - share], [1 - share, share]])

    problem = Problem(prior=np.array([0.5, 0.5]))
    inside, outside = Fraction(low) - INSIDE, Fraction(high) + OUTSIDE
    return Edge(MutualInformationPrivacy(epsilon), problem, matrix(inside), matrix(outside))


def sibson_edge(epsilon: float = 0.25) -> Edge:
    """Return binary randomised response whose leakage of order 2, ``ln(2 (a^2 + (1 - a)^2))``, is epsilon."""
    digits = Context(prec=120)
    # With a = (1 + d) / 2 it is ln(1 + d^2).
    apart = digits.sqrt(digits.subtract(digits.exp(Decimal(epsilon)), Decimal(1)))
    share = digits.divide(digits.add(Decimal(1), apart), Decimal(2))

    def matrix(share: Fraction) -> Integers:
        return integers_of([[share, 1 - share], [1 - share, share]])

    problem = Problem(prior=np.array([0.5, 0.5]))
    inside, outside = Fraction(share) - INSIDE, Fraction(share) + OUTSIDE
    return Edge(SibsonLeakage(epsilon, 2.0), problem, matrix(inside), matrix(outside))


def strong_edge(notion: Notion) -> Edge:
    """Return binary randomised response whose posterior is 1/2 off by exactly a quarter, and a little more."""

    def matrix(step: Fraction) -> Integers:
        high = Fraction(3, 4) + step
        return integers_of([[high, 1 - high], [1 - high, high]])

    return Edge(notion, Problem(prior=np.array([0.5, 0.5])), matrix(Fraction(0)), matrix(OUTSIDE))


def strong_l1_edge() -> Edge:
    """Return the edge where the l1 distance is exactly 1/2."""
    return strong_edge(StrongL1(0.5))


def strong_chi_square_edge() -> Edge:
    """Return the edge where the divergence is exactly 1/4."""
    return strong_edge(StrongChiSquare(0.5))


def weighted_tv_edge() -> Edge:
    """Return a matrix with ``|0.75 q0 - 0.25 q1|`` summing to exactly 0.625, and one with a little more."""

    def matrix(step: Fraction) -> Integers:
        # 0.75 (1 - a) + |0.75 a - 0.25| with a = 1/4 + step on the side where both terms fall with a.
        first = Fraction(1, 4) - step
        return integers_of([[1 - first, first], [Fraction(0), Fraction(1)]])

    return Edge(WeightedTV(0.625, 0.25), Problem(n=2), matrix(Fraction(0)), matrix(OUTSIDE))
