"""Bounds rebuilt from arrays: sound for any multipliers, whatever the solver claimed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import UnsupportedError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.objectives import Linear, Objective, PiecewiseLinear, RatioType, Separable
from mechdesign.problem import Problem
from mechdesign.solve.pricing import price, ratio_range
from mechdesign.solve.support import all_rays, support
from mechdesign.tolerances import LARGEST_MULTIPLIER, RAY_COMFORT

#: Intervals that the pricing of a continuum starts from.
GRID = 257


@dataclass(frozen=True)
class Bound:
    """``utility <= sum(rows) + budget . limits + rho``, rounded outward by `rounding`."""

    utility: float
    rounding: float


def utility_bound(
    notion: Notion, objective: Objective, problem: Problem, multipliers: Multipliers, tolerance: float = 0.0
) -> Bound:
    """Return a bound on the utility of every mechanism that satisfies the notion.

    For any multipliers ``lam`` of the rows and ``nu >= 0`` of the budgets, utility is at most
    ``sum(lam) + nu . limits + rho``, with ``rho`` the largest ``mu(v) - nu . beta(v) - lam . v`` on the slice
    ``c . v = 1`` of the cone.

    Parameters
    ----------
    tolerance : float
        How much pricing over a continuum may stop early; it is inside the bound.
    """
    if not _usable(multipliers):
        multipliers = Multipliers(np.zeros(problem.n))
    budget = notion.budget(problem)
    lam, nu = np.asarray(multipliers.rows, dtype=float), np.zeros(len(budget))
    if len(multipliers.budget) == len(budget):
        nu = np.maximum(multipliers.budget, 0.0)
    charge = float(nu @ budget.limits)
    rho, size = _largest_excess(notion, objective, problem, multipliers, lam, nu, tolerance)
    own = multipliers.own_constant if _with_own(objective, multipliers) else 0.0
    magnitude = float(np.abs(lam).sum()) + abs(charge) + abs(rho) + abs(own) + size
    # Sums of n terms, each rounded, a few of them nested: an estimate of their error, not a proof.
    rounding = 4.0 * np.finfo(float).eps * (len(lam) + 8) * magnitude
    return Bound(float(lam.sum()) + charge + rho - own + rounding, rounding)


def _largest_excess(
    notion: Notion,
    objective: Objective,
    problem: Problem,
    multipliers: Multipliers,
    lam: Array,
    nu: Array,
    tolerance: float,
) -> tuple[float, float]:
    """Return rho, and the size of the terms that were added up for it."""
    if isinstance(objective, PiecewiseLinear | Linear):
        if isinstance(objective, PiecewiseLinear):
            cost = weighted_cost(objective, problem, multipliers.weights)
        else:
            cost = objective.cost(problem)
        if multipliers.own_cost is not None:
            cost = cost + multipliers.own_cost
        return _over_functionals(notion, problem, -cost.T - lam, nu)
    if not isinstance(objective, Separable):
        raise UnsupportedError(f"There is no certificate for {objective.name}.")
    count = notion.ray_count(problem)
    rays = all_rays(notion, problem) if count is None or count <= RAY_COMFORT else None
    if rays is None and isinstance(objective, RatioType) and not len(nu):
        return _over_continuum(notion, objective, problem, lam, tolerance)
    rays = rays or all_rays(notion, problem)
    if rays is None:
        raise UnsupportedError(f"There is no certificate for {objective.name} under {notion.name} at n = {problem.n}.")
    mass = notion.normal(problem) @ rays.columns
    utility = objective.column_utility(rays.columns, problem)
    excess = (utility - nu @ rays.cost - lam @ rays.columns) / mass
    worst = int(excess.argmax())
    terms = abs(utility[worst]) + nu @ np.abs(rays.cost[:, worst]) + np.abs(lam) @ rays.columns[:, worst]
    return float(excess[worst]), float(terms / mass[worst])


def _usable(multipliers: Multipliers) -> bool:
    """Tell whether all are numbers whose products do not overflow; zeros bound as soundly as others do."""
    given = (multipliers.rows, multipliers.budget, multipliers.weights, multipliers.own_cost, multipliers.own_constant)
    # A NaN compares as false.
    return all(bool(np.all(np.abs(numbers) <= LARGEST_MULTIPLIER)) for numbers in given if numbers is not None)


def _with_own(objective: Objective, multipliers: Multipliers) -> bool:
    """Tell whether the user's own constraints count: only beside a linear cost, elsewhere they are left out."""
    return multipliers.own_cost is not None and isinstance(objective, Linear | PiecewiseLinear)


def _over_functionals(notion: Notion, problem: Problem, functionals: Array, nu: Array) -> tuple[float, float]:
    found = support(notion, problem, functionals, nu)
    worst = int(found.values.argmax())
    return float(found.values[worst]), float(np.abs(functionals[worst]) @ np.abs(found.columns[:, worst]))


def _over_continuum(
    notion: Notion, objective: RatioType, problem: Problem, lam: Array, tolerance: float
) -> tuple[float, float]:
    ratio = objective.ratio(problem)
    low, high = ratio_range(ratio, notion, problem)
    size = 0.0

    def sigma(functionals: Array) -> Array:
        nonlocal size
        found = support(notion, problem, functionals)
        size = max(size, float(np.einsum("tx,xt->t", np.abs(functionals), np.abs(found.columns)).max()))
        return found.values

    grid = np.linspace(low, high, GRID) if high > low else np.array([low])
    return price(ratio, sigma, lam, grid, tolerance).bound, size


def weighted_cost(objective: PiecewiseLinear, problem: Problem, weights: Array | None) -> Array:
    """Return the cost ``sum_k w_k pieces_k`` of convex weights (clipped and normalised), shape (n, outputs)."""
    pieces = objective.pieces(problem)
    clipped = np.ones(pieces.shape[0]) if weights is None else np.maximum(weights, 0.0)
    if not clipped.sum() > 0:
        clipped = np.ones(pieces.shape[0])
    return np.asarray((clipped / clipped.sum()) @ pieces).reshape(problem.n, -1)
