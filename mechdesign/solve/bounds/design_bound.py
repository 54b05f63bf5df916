"""The bound of information design: the criterion linearised at any point is a sublinear utility over rays."""

from __future__ import annotations

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import UnsupportedError
from mechdesign.notions import LDP, Notion, Rays
from mechdesign.objectives import InformationDesign
from mechdesign.problem import Problem
from mechdesign.solve.bounds.design_subsets import by_subsets, priced, rays_of
from mechdesign.solve.bounds.support import all_rays


def least_value(
    notion: Notion, objective: InformationDesign, problem: Problem, slope: Array | None, lam: Array, nu: Array
) -> tuple[float, float]:
    """Return a value below that of every mechanism that satisfies the notion, and an estimate of its rounding.

    For any ``B >= 0``, multipliers ``lam`` of the rows and ``nu >= 0`` of the budgets, ``trace(B M)`` is at most
    ``sum(lam) + nu . limits + rho``, with ``rho`` the largest ``q' U B U' q / (theta . q) - nu . beta(q) - lam . q`` on
    the slice ``c . q = 1`` of the cone, reached at a ray; and the criterion is at least its least value under that.

    Parameters
    ----------
    slope : ndarray, shape (n, n), or None
        ``U B U'``; made positive here.
    """
    positive = objective.positive_slope(slope, problem)
    if by_subsets(notion, problem):
        assert isinstance(notion, LDP), "by_subsets() was asked first"
        found = priced(notion, objective, problem, positive, lam, notion.normal(problem))
        rays: Rays | None = rays_of(found, notion)
    else:
        rays = all_rays(notion, problem)
    if rays is None:
        raise UnsupportedError(f"There is no certificate for {objective} under {notion.name} at n = {problem.n}.")
    mass, charge = notion.normal(problem) @ rays.columns, float(nu @ notion.budget(problem).limits)
    utility = objective.linear_utility(positive, rays.columns, problem)
    taken, granted = nu @ rays.cost, lam @ rays.columns
    excess = (utility - taken - granted) / mass
    worst = int(excess.argmax())
    terms = float(utility[worst] + np.abs(taken[worst]) + np.abs(lam) @ rays.columns[:, worst]) / float(mass[worst])
    magnitude = float(np.abs(lam).sum()) + abs(charge) + abs(float(excess[worst])) + terms
    # Sums of n terms, each rounded, a few of them nested: an estimate of their error, not a proof.
    unit = 4.0 * float(np.finfo(float).eps) * (problem.n + 8)
    most = float(lam.sum()) + charge + float(excess[worst]) + unit * magnitude
    least = objective.least_value(positive, most, problem)
    slack = objective.least_value(positive, most + unit * magnitude, problem)
    size = abs(least)
    if objective.criterion == "D":
        size = float(np.abs(np.log(np.linalg.eigvalsh(positive) / most)).sum())
    return least, abs(least - slack) + unit * size
