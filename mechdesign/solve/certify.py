"""Bounds rebuilt from arrays: sound for any multipliers, whatever the solver claimed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import UnsupportedError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import LDP, Notion
from mechdesign.objectives import InformationDesign, Linear, Objective, RatioType
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.objectives.exponent import Exponent
from mechdesign.problem import Problem
from mechdesign.solve.bounds.band_pricing import BandPrice
from mechdesign.solve.bounds.design_bound import least_value
from mechdesign.solve.bounds.excess import column_excess, no_excess
from mechdesign.solve.bounds.leaves import bound_over_leaves
from mechdesign.solve.bounds.lift_bound import has_majorant, lifts, majorant
from mechdesign.solve.bounds.order_bound import order_bound
from mechdesign.solve.bounds.pricing import price, ratio_range
from mechdesign.solve.bounds.revealing import best_decisions, makes_decisions, units
from mechdesign.solve.bounds.subset_price import subset_price
from mechdesign.solve.bounds.subset_utility import is_of_subsets
from mechdesign.solve.bounds.support import all_rays, cone_support, has_formula, support
from mechdesign.tolerances import LARGEST_MULTIPLIER, RAY_COMFORT

#: Decisions that the pricing of a continuum starts from: from 17 to 65 the whole takes about as long, from 257 over a
#: band five times that at n = 1000.
GRID = 65


@dataclass(frozen=True)
class Bound:
    """``utility <= sum(rows) + budget . limits + rho``, rounded outward by `rounding`."""

    utility: float
    rounding: float


def utility_bound(
    notion: Notion,
    objective: Objective,
    problem: Problem,
    multipliers: Multipliers,
    tolerance: float = 0.0,
    outputs: int | None = None,
) -> Bound:
    """Return a bound on the utility of every mechanism that satisfies the notion, of at most `outputs` outputs.

    For any multipliers ``lam`` of the rows and ``nu >= 0`` of the budgets, utility is at most
    ``sum(lam) + nu . limits + rho``, with ``rho`` the largest ``mu(v) - nu . beta(v) - lam . v`` on the slice
    ``c . v = 1`` of the cone.

    Parameters
    ----------
    tolerance : float
        How much pricing over a continuum may stop early; it is inside the bound.
    outputs : int, optional
        Without it a tree of choices counts for nothing.
    """
    if isinstance(objective, Exponent):
        return Bound(*order_bound(notion, objective, problem, multipliers))
    if not _usable(multipliers):
        multipliers = Multipliers(np.zeros(problem.n))
    restricted = None if outputs is None else bound_over_leaves(notion, objective, problem, multipliers, outputs)
    if restricted is not None:
        return Bound(*restricted)
    budget = notion.budget(problem)
    lam, nu = np.asarray(multipliers.rows, dtype=float), np.zeros(len(budget))
    if len(multipliers.budget) == len(budget):
        nu = np.maximum(multipliers.budget, 0.0)
    if isinstance(objective, InformationDesign):
        least, rounding = least_value(notion, objective, problem, multipliers.weights, lam, nu)
        return Bound(rounding - least, rounding)
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
    gains = _gains(objective, problem, multipliers)
    if gains is not None and _with_own(objective, multipliers):
        return _with_own_cost(notion, objective, problem, gains - lam, np.asarray(multipliers.own_cost).T, nu)
    if gains is not None:
        return _over_functionals(notion, problem, gains - lam, nu)
    if not is_separable(objective):
        raise UnsupportedError(f"There is no certificate for {objective.name}.")
    count = notion.ray_count(problem)
    rays = all_rays(notion, problem) if count is None or count <= RAY_COMFORT else None
    priced = not len(nu) or has_formula(notion, problem)
    if rays is None and isinstance(objective, RatioType) and priced:
        return _over_continuum(notion, objective, problem, lam, nu, tolerance)
    if rays is None and isinstance(notion, LDP) and is_of_subsets(notion, objective, problem):
        over_sets = subset_price(notion, objective, problem, lam, tolerance)
        return over_sets.bound, over_sets.size
    if no_excess(notion, objective, problem) is None:
        found = column_excess(notion, objective, problem, lam, nu, tolerance)
        return found.bound, found.size
    rays = rays or all_rays(notion, problem)
    bounds = lifts(notion, problem) if rays is None and has_majorant(objective) and not len(nu) else None
    if bounds is not None:
        return _over_functionals(notion, problem, majorant(bounds, objective)[None, :] - lam, nu)
    if rays is None:
        raise UnsupportedError(f"There is no certificate for {objective.name} under {notion.name} at n = {problem.n}.")
    mass = notion.normal(problem) @ rays.columns
    utility = objective.column_utility(rays.columns, problem)
    excess = (utility - nu @ rays.cost - lam @ rays.columns) / mass
    worst = int(excess.argmax())
    ray = rays.columns[:, [worst]]
    terms = objective.magnitude(ray, problem)[0] + nu @ np.abs(rays.cost[:, worst]) + np.abs(lam) @ ray[:, 0]
    return float(excess[worst]), float(terms / mass[worst])


def _gains(objective: Objective, problem: Problem, multipliers: Multipliers) -> Array | None:
    """Return functionals, one for each output, that bound the utility; None for a continuum of decisions."""
    gains = objective.gains(problem) if is_separable(objective) else None
    if is_convex(objective):
        gains = -objective.minorant(multipliers.weights, problem).T
    return gains


def _usable(multipliers: Multipliers) -> bool:
    """Tell whether all are numbers whose products do not overflow; zeros bound as soundly as others do."""
    given = (
        multipliers.rows,
        multipliers.budget,
        multipliers.weights,
        multipliers.own_cost,
        multipliers.own_constant,
        multipliers.tree,
        multipliers.leaves,
    )
    # A NaN compares as false.
    return all(bool(np.all(np.abs(numbers) <= LARGEST_MULTIPLIER)) for numbers in given if numbers is not None)


def _with_own(objective: Objective, multipliers: Multipliers) -> bool:
    """Tell whether the user's own constraints count: only beside a linear cost, elsewhere they are left out."""
    return multipliers.own_cost is not None and (isinstance(objective, Linear) or is_convex(objective))


def _over_functionals(notion: Notion, problem: Problem, functionals: Array, nu: Array) -> tuple[float, float]:
    found = support(notion, problem, functionals, nu)
    worst = int(found.values.argmax())
    return float(found.values[worst]), float(np.abs(functionals[worst]) @ np.abs(found.columns[:, worst]))


def _with_own_cost(
    notion: Notion, objective: Objective, problem: Problem, functionals: Array, own: Array, nu: Array
) -> tuple[float, float]:
    """Return the same with a cost of each output besides: outputs that reveal an input have theirs at it alone."""
    count, revealing = len(functionals), units(notion, problem)
    if not revealing.shape[1] or not makes_decisions(objective, problem):
        return _over_functionals(notion, problem, functionals - own, nu)
    found = cone_support(notion, problem, functionals - own[:count], nu)
    worst = int(found.values.argmax())
    best = float(found.values[worst])
    size = float(np.abs(functionals[worst] - own[worst]) @ np.abs(found.columns[:, worst]))
    taken = functionals[best_decisions(objective, revealing, problem)] - own[count:]
    mass = notion.normal(problem) @ revealing
    values = (np.einsum("kx,xk->k", taken, revealing) - nu @ notion.budget(problem).cost(revealing)) / mass
    return max(best, float(values.max())), max(size, float(np.abs(values).max()))


def _over_continuum(
    notion: Notion, objective: RatioType, problem: Problem, lam: Array, nu: Array, tolerance: float
) -> tuple[float, float]:
    ratio = objective.ratio(problem)
    low, high = ratio_range(ratio, notion, problem)
    size = 0.0

    def sigma(functionals: Array) -> Array:
        nonlocal size
        found = support(notion, problem, functionals, nu)
        terms = np.einsum("tx,xt->t", np.abs(functionals), np.abs(found.columns))
        size = max(size, float((terms + objective.magnitude(found.columns, problem)).max()))
        return found.values

    # The band of LDP has no mass, and its cone is of the order of n^2 numbers.
    banded = None if len(nu) or isinstance(notion, LDP) else BandPrice.of(ratio, notion.cone(problem))
    grid = np.linspace(low, high, GRID) if high > low else np.array([low])
    if banded is None:
        return price(ratio, sigma, lam, grid, tolerance).bound, size
    sigma(ratio.functionals(grid) - lam)
    return banded.price(lam, grid, tolerance).bound, size
