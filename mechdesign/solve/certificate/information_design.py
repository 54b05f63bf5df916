"""The bound of information design: the criterion linearised at any point is a sublinear utility over rays."""

from __future__ import annotations

import math

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.notions import Notion, Rays
from mechdesign.notions.wider import wider
from mechdesign.objectives import InformationDesign
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.certificate.frequencies import least_without_rays
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.pricing.subset_quadratic import by_subsets, priced, rays_of
from mechdesign.solve.pricing.support import support


def least_value(
    notion: Notion, objective: InformationDesign, problem: Problem, slope: Array | None, lam: Array, nu: Array
) -> tuple[float, float]:
    """Return a lower bound on the value of every mechanism that satisfies the notion, and an estimate of its rounding.

    For any ``B >= 0``, multipliers ``lam`` of the rows and ``nu >= 0`` of the budgets, ``trace(B M)`` is at most
    ``sum(lam) + nu . limits + rho``, with ``rho`` the largest ``q' U B U' q / (theta . q) - nu . beta(q) - lam . q`` on
    the slice ``c . q = 1`` of the cone, reached at a ray; and the criterion is at least its least value under that.
    Where there are too many rays to list it is `least_without_rays`, and the larger of the two where the slope is none
    over all inputs: time decides what is listed, and what follows from a file is no less than what its design had. What
    holds under LDP or LIP holds under a notion that implies it.

    Parameters
    ----------
    slope : ndarray, shape (n, n), or None
        ``U B U'``; made positive here.
    """
    has_list = by_subsets(notion, problem) or all_rays(notion, problem) is not None
    listed = _least_over_rays(notion, objective, problem, slope, lam, nu) if has_list else None
    if listed is not None and slope is not None and np.shape(slope) == (problem.n, problem.n):
        return listed
    found = [least_without_rays(notion, objective, problem, lam, slope)]
    if listed is not None:
        found.append(listed)
    elif (implied := wider(notion, problem)) is not None:
        found.append(least_value(implied, objective, problem, slope, lam, np.zeros(0)))
    return max(found, key=lambda bound: bound[0] - bound[1])


def _least_over_rays(
    notion: Notion, objective: InformationDesign, problem: Problem, slope: Array | None, lam: Array, nu: Array
) -> tuple[float, float]:
    positive = objective.positive_slope(slope, problem)
    if by_subsets(notion, problem):
        found = priced(notion, objective, problem, positive, lam, notion.columns(problem).normal)
        rays: Rays | None = rays_of(found, notion.epsilon)
    else:
        rays = all_rays(notion, problem)
    assert rays is not None, "there is a list, or pricing"
    mass, charge = notion.columns(problem).normal @ rays.columns, float(nu @ notion.columns(problem).budget().limits)
    utility = objective.linear_utility(positive, rays.columns, problem)
    taken, granted = nu @ rays.cost, lam @ rays.columns
    excess = (utility - taken - granted) / mass
    unit = 4.0 * rounding_unit(problem.n)
    # Each ray by itself: the best one may be another whose terms are larger.
    terms = np.abs(utility) + nu @ rays.cost_sizes + np.abs(lam) @ rays.columns
    blur = (unit + 4.0 * rays.worst_share) * terms / mass
    # Inputs are distinguished by the differences of a ray's entries: nearly equal ones lose as many more digits.
    largest = rays.columns.max(axis=0)
    apart = np.maximum((largest - rays.columns.min(axis=0)) / largest, np.finfo(float).tiny)
    blur += 4.0 * (np.finfo(float).eps + rays.worst_share) / apart * np.abs(utility) / mass
    if by_subsets(notion, problem):
        # Of all rays only the best is at hand.
        blur += unit * support(notion, problem, np.abs(lam)[None, :]).values[0]
    above = float((excess + blur).max())
    most = math.fsum([*lam, charge, above])
    noise = above - float(excess.max()) + unit * (abs(charge) + abs(above) + abs(most))
    most += unit * (abs(charge) + abs(above) + abs(most))
    least = objective.least_value(positive, most, problem)
    slack = objective.least_value(positive, most + noise, problem)
    size = abs(least)
    if objective.criterion == "D":
        size = float(np.abs(np.log(np.linalg.eigvalsh(positive) / most)).sum())
    return least, abs(least - slack) + unit * size
