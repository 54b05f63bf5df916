"""Which LDP, or bound of the lift, implies a notion: what is private under that is private under it too."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mechdesign.notions.approximate_ldp import ApproximateLDP
from mechdesign.notions.asymmetric_lip import AsymmetricLIP
from mechdesign.notions.base import Notion
from mechdesign.notions.block_ldp import BlockLDP
from mechdesign.notions.bounded_prior_lip import BoundedPriorLIP
from mechdesign.notions.g_leakage import GLeakage
from mechdesign.notions.interior_pml import InteriorPML
from mechdesign.notions.intersection import Intersection
from mechdesign.notions.ldp import LDP
from mechdesign.notions.lip import LIP
from mechdesign.notions.max_lift import MaxLift
from mechdesign.notions.maximal_leakage import MaximalLeakage
from mechdesign.notions.metric_dp import MetricDP
from mechdesign.notions.mutual_information_privacy import MutualInformationPrivacy
from mechdesign.notions.sibson_constants import ldp_for
from mechdesign.notions.sibson_leakage import SibsonLeakage
from mechdesign.notions.strong_chi_square import StrongChiSquare
from mechdesign.notions.strong_l1 import StrongL1
from mechdesign.notions.utility_optimized_ldp import UtilityOptimizedLDP
from mechdesign.problem import Problem

#: Halvings of the epsilon at which LDP discloses so much information.
HALVINGS = 60
#: Where series take the place of differences that cancel, and more than what either misses.
NEXT_TO_ZERO, ROUNDED_UP = 1e-3, 1.0 + 1e-8


@dataclass(frozen=True)
class Stronger:
    """A notion that implies another one, and what share of full disclosure that one allows besides."""

    notion: Notion
    disclosed: float = 0.0


def stronger(notion: Notion, problem: Problem) -> Stronger | None:
    """Return a notion under which more questions are answered, and that implies the given one; None where none is.

    LDP bounds every lift by ``e^epsilon`` on both sides, ``sum_y max_x Pr(y | x)`` by ``e^epsilon``, the L1 distance
    of a posterior from the prior by ``2 tanh(epsilon / 4)``, its chi-square divergence by ``sinh(epsilon / 2)^2``, and
    the mutual information by ``c - 1 - ln c`` with ``c = epsilon E / (E - 1)``; Sibson's of every order is at most what
    bounds the largest lift. A mixture of an LDP mechanism with full
    disclosure, in the shares ``1 - delta`` and ``delta``, satisfies ``ApproximateLDP(epsilon, delta)``.

    Examples
    --------
    >>> import mechdesign as md
    >>> stronger(md.LIP(0.5), md.Problem(prior=[0.5, 0.5])).notion
    LDP(epsilon=0.5)
    """
    if problem.is_hidden or problem.data_of_input is not None or isinstance(notion, LDP):
        return None
    mixture = notion.disclosing_mixture(problem)
    if mixture is not None:
        return Stronger(*mixture)
    if isinstance(notion, MaximalLeakage | GLeakage) and problem.prior is not None:
        return Stronger(MaxLift(notion.epsilon))
    if isinstance(notion, SibsonLeakage):
        level = ldp_for(notion.epsilon, notion.alpha)
        return Stronger(MaxLift(notion.epsilon) if level <= notion.epsilon else LDP(level))
    if isinstance(notion, Intersection):
        levels = [_of_ldp(member, problem) for member in notion.notions]
        known = [level for level in levels if level is not None]
        return Stronger(LDP(min(known))) if len(known) == len(levels) else None
    epsilon = _of_ldp(notion, problem)
    return None if epsilon is None else Stronger(LDP(epsilon))


def _of_ldp(notion: Notion, problem: Problem) -> float | None:
    """Return the epsilon at which LDP implies the notion, None where that is not known."""
    if isinstance(notion, LDP | LIP | MaxLift | InteriorPML | BoundedPriorLIP | BlockLDP | UtilityOptimizedLDP):
        return notion.epsilon
    if isinstance(notion, MaximalLeakage | GLeakage):
        return notion.epsilon
    if isinstance(notion, AsymmetricLIP):
        return min(notion.lower, notion.upper)
    if isinstance(notion, ApproximateLDP):
        return notion.epsilon
    if isinstance(notion, MetricDP):
        apart = notion.distance[~np.eye(len(notion.distance), dtype=bool)]
        level = notion.epsilon * float(apart.min()) if len(apart) else math.inf
        return level if math.isfinite(level) else None
    if isinstance(notion, StrongL1):
        return 4.0 * math.atanh(notion.epsilon / 2.0) if notion.epsilon < 2.0 else None
    if isinstance(notion, StrongChiSquare):
        return 2.0 * math.asinh(notion.epsilon)
    if isinstance(notion, MutualInformationPrivacy):
        return _of_information(notion.epsilon)
    if isinstance(notion, SibsonLeakage):
        return ldp_for(notion.epsilon, notion.alpha)
    return None


def _of_information(nats: float) -> float:
    """Return the epsilon at which LDP discloses at most so many nats, by halving."""
    low, high = 0.0, nats + 2.0 * math.sqrt(2.0 * nats)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if most_information(middle) <= nats else (low, middle)
    return low


def most_information(epsilon: float) -> float:
    """Return at least ``w - ln(1 + w)`` with ``1 + w = epsilon E / (E - 1)``: the most information under LDP, in nats.

    Next to 0, where the differences cancel, by series that end in a positive term.

    Examples
    --------
    >>> most_information(1.0), most_information(1e-9)
    (0.123301..., 1.25...e-19)
    """
    shrunk = -math.expm1(-epsilon)
    w = epsilon / 2.0 + epsilon**2 / 12.0 if epsilon < NEXT_TO_ZERO else (epsilon - shrunk) / shrunk
    if w < NEXT_TO_ZERO:
        return w * w * (0.5 - w / 3.0 + w * w / 4.0) * ROUNDED_UP
    return (w - math.log1p(w)) * ROUNDED_UP
