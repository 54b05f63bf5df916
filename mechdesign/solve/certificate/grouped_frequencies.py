"""A bound on the variances of unequal frequencies under LDP, from a slope that is constant on groups of inputs."""

from __future__ import annotations

import math

import numpy as np

from mechdesign.exact import exp_up
from mechdesign.notions import Notion
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.base import unit
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.grouped_sets import GroupedPricing
from mechdesign.solve.pricing.input_groups import GroupedSlope, InputGroups

#: How near to the best set its bound is sought, as a share of the most information of all sets.
NEAR = 5e-4
#: Largest level: beyond it the squares of ratios of masses leave no digits.
LARGEST_LEVEL = 12.0


def rise_of(notion: Notion, objective: InformationDesign, problem: Problem) -> float | None:
    """Return ``e^epsilon - 1``, rounded upward, where this bound speaks of the question; None elsewhere."""
    if not is_ldp_of_inputs(notion, problem) or not 0.0 < notion.epsilon <= LARGEST_LEVEL:
        return None
    if objective.criterion != "A" or objective.is_weighted or problem.n < 4:
        return None
    return float(exp_up(notion.epsilon)) - 1.0


def least_by_groups(
    notion: Notion, objective: InformationDesign, problem: Problem, packed: Array | None
) -> tuple[float, float] | None:
    r"""Return a number below the total variance of every mechanism under LDP, with its rounding; None elsewhere.

    Let ``G >= 0`` with ``G 1 = 0``, and rows and total be such that every set has
    ``v' G v <= (rows . v) m + total m^2``, ``v = 1 + rise 1_S``, ``m = theta . v``. Sums over the outputs give
    ``trace(G K) <= sum(rows) + total``, and

    .. math:: \operatorname{trace}(K^+) \ge \frac{\operatorname{trace}(G^{1/2})^2}{\sum_x rows_x + total}.

    `total` is raised here by what any set misses. Whatever the array `packed` holds, of any shape, the bound is sound.
    """
    rise, given = rise_of(notion, objective, problem), GroupedSlope.unpacked(packed)
    if rise is None or given is None:
        return None
    slope, sizes = given
    groups = InputGroups.of_sizes(objective.mass(np.eye(problem.n), problem), rise, sizes)
    return None if groups is None else bound_of(groups, slope)[:2]


def bound_of(groups: InputGroups, slope: GroupedSlope) -> tuple[float, float, float, Array]:
    """Return the bound, its rounding, by how much the best set passes the slope, and the best sets found."""
    flat = slope.projected(groups)
    rows = float(flat.rows @ groups.sizes)
    scale = max(rows + flat.total, 0.0) / groups.rise**2
    priced = GroupedPricing(groups, flat).bound(NEAR * scale)
    # Where the excess is positive it counts most where the mass is least, which is at least 1.
    most = math.fsum([rows, flat.total, max(priced.bound, 0.0) * groups.rise**2])
    noise = unit(len(groups.theta)) * (abs(rows) + abs(flat.total)) + priced.rounding * groups.rise**2
    root = flat.root_trace(groups.sizes)
    if not most > 0.0 or not np.isfinite(most):
        return 0.0, 0.0, priced.bound, priced.sets
    rounding = (unit(len(groups.theta)) * 4.0 + noise / most) * root**2 / most
    return root**2 / most - rounding, rounding, priced.bound, priced.sets
