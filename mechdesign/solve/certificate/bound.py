"""Bounds rebuilt from arrays: sound for any multipliers, whatever the solver claimed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mechdesign.errors import UnsupportedError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import LDP, Intersection, MetricDP, Notion
from mechdesign.notions.cone import rounding_unit
from mechdesign.notions.plain import plain
from mechdesign.objectives import InformationDesign, Linear, Objective, RatioType
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.objectives.exponent import Exponent, Searched
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.certificate.between_orders import bound_from_orders
from mechdesign.solve.certificate.exponents import is_listed, order_bound
from mechdesign.solve.certificate.few_outputs import bound_over_leaves
from mechdesign.solve.certificate.information_design import least_value
from mechdesign.solve.certificate.one_figure import information_along, is_of_one_figure, least_variance
from mechdesign.solve.certificate.shipments import bound_of_shipments, is_shipments
from mechdesign.solve.pricing.all_rays import all_rays, without_list
from mechdesign.solve.pricing.bounded_lift import has_majorant, lifts, majorant
from mechdesign.solve.pricing.continuum_of_decisions import price, ratio_range
from mechdesign.solve.pricing.largest_excess import column_excess, no_excess
from mechdesign.solve.pricing.leaked_information import information_above, is_of_leakage
from mechdesign.solve.pricing.revealing_outputs import best_decisions, makes_decisions, units
from mechdesign.solve.pricing.squared_ratio_on_band import BandPrice
from mechdesign.solve.pricing.subset_utility import is_of_subsets
from mechdesign.solve.pricing.subsets_of_inputs import subset_price
from mechdesign.solve.pricing.support import charged_off, cone_support, has_formula, support
from mechdesign.tolerances import LARGEST_MULTIPLIER, RAY_COMFORT

#: Decisions that the pricing of a continuum starts from: from 17 to 65 the whole takes about as long, from 257 over a
#: band five times that at n = 1000.
GRID = 65
#: Inputs up to which columns are priced by programs where nobody may be waiting.
FEW_INPUTS = 24
#: Floats differ by this share from one to the next.
EPS = float(np.finfo(float).eps)
#: Roundings of a functional's entry from its multipliers and the objective's numbers, with some room.
STEPS = 4.0


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
    notion, problem = plain(notion, problem)
    if isinstance(objective, InformationDesign) and is_of_one_figure(objective):
        return _of_one_figure(notion, objective, problem, multipliers, tolerance)
    if isinstance(objective, Exponent):
        return _of_exponent(notion, objective, problem, multipliers, tolerance)
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
    if is_shipments(notion, multipliers.weights):
        shipped = _of_shipments(notion, objective, problem, multipliers, lam)
        if shipped is not None:
            return shipped
    charge = float(nu @ budget.limits)
    rho, rounding = _largest_excess(notion, objective, problem, multipliers, lam, nu, tolerance)
    own = multipliers.own_constant if _with_own(objective, multipliers) else 0.0
    total = math.fsum([*lam, charge, rho, -own])
    # The columns' masses add up to what the normal does: to one, but for its rounding.
    slack = EPS * (problem.n + 1) * abs(rho) + rounding_unit(len(nu)) * abs(charge) + EPS * (abs(own) + abs(total))
    return Bound(total + slack, rounding + slack)


def _of_one_figure(
    notion: Notion, objective: InformationDesign, problem: Problem, multipliers: Multipliers, tolerance: float
) -> Bound:
    """Return the bound by the Fisher information in the direction that the multipliers' weights are."""
    usable = _usable(multipliers)
    along = information_along(objective, problem, multipliers.weights if usable else None)
    most = utility_bound(notion, along, problem, multipliers, tolerance)
    least, rounding = least_variance(objective, problem, along, most.utility)
    rounding += least * most.rounding / most.utility if 0.0 < least < math.inf else 0.0
    return Bound(-least, rounding)


def _of_exponent(
    notion: Notion, objective: Exponent, problem: Problem, multipliers: Multipliers, tolerance: float
) -> Bound:
    """Return the bound over the extreme rays; where they are too many, from what the shortfall is at each order."""
    found = order_bound(notion, objective, problem, multipliers)
    if found is None and isinstance(objective, Searched):

        def at(ratio: RatioType, given: Multipliers) -> tuple[float, float]:
            bound = utility_bound(notion, ratio, problem, given, tolerance)
            return bound.utility, bound.rounding

        found = bound_from_orders(notion, objective, problem, multipliers, at)
    if found is None:
        raise UnsupportedError(f"There is no certificate for {objective.name} under {notion.name} at n = {problem.n}.")
    return Bound(*found)


def _of_shipments(
    notion: Notion, objective: Objective, problem: Problem, multipliers: Multipliers, lam: Array
) -> Bound | None:
    """Return the bound of a map, None where the objective has no finite decisions or the secret is hidden."""
    gains = objective.gains(problem) if is_separable(objective) else None
    if gains is None or multipliers.weights is None or not isinstance(notion, MetricDP) or problem.is_hidden:
        return None
    return Bound(*bound_of_shipments(notion, gains, lam, multipliers.weights))


def no_certificate(notion: Notion, objective: Objective, problem: Problem) -> str | None:
    """Return why there is no bound on the objective where its value is a sum over columns; None where there is one."""
    if isinstance(objective, InformationDesign) and is_of_one_figure(objective):
        return no_certificate(notion, information_along(objective, problem, None), problem)
    if not is_separable(objective) or is_convex(objective) or objective.gains(problem) is not None:
        return None
    if _is_priced(notion, objective, problem) or no_excess(notion, objective, problem) is None:
        return None
    lifted = has_majorant(objective) and not len(notion.budget(problem)) and lifts(notion, problem) is not None
    if lifted or is_of_leakage(notion, objective, problem) or _certified_parts(notion, objective, problem):
        return None
    if all_rays(notion, problem) is not None:
        return None
    return f"there is no certificate for {objective.name} under {notion.name} at n = {problem.n}"


def _certified_parts(notion: Notion, objective: Objective, problem: Problem) -> list[Notion]:
    """Return which of several notions bound the objective alone, and no sum over columns."""
    if not isinstance(notion, Intersection):
        return []
    parts = [plain(part, problem)[0] for part in notion.notions if not len(part.budget(problem))]
    return [part for part in parts if no_certificate(part, objective, problem) is None]


def is_priced_at_once(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Tell whether a bound takes no search and no program for each decision: by formulas, or over a list of rays."""
    notion, problem = plain(notion, problem)
    if isinstance(objective, InformationDesign) and is_of_one_figure(objective):
        return is_priced_at_once(notion, information_along(objective, problem, None), problem)
    if isinstance(objective, InformationDesign):
        return True
    if is_convex(objective) or (is_separable(objective) and objective.gains(problem) is not None):
        return problem.n <= FEW_INPUTS or has_formula(notion, problem)
    if isinstance(objective, Exponent):
        return is_listed(notion, problem) and without_list(notion, problem) is None
    if not is_separable(objective) or no_certificate(notion, objective, problem) is not None:
        return False
    return problem.n <= FEW_INPUTS or no_excess(notion, objective, problem) is not None


def _is_priced(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Tell whether columns are priced without a list of rays: along a line of decisions, or set by set."""
    if isinstance(objective, RatioType):
        return not len(notion.budget(problem)) or has_formula(notion, problem)
    return isinstance(notion, LDP) and is_of_subsets(notion, objective, problem)


def _largest_excess(
    notion: Notion,
    objective: Objective,
    problem: Problem,
    multipliers: Multipliers,
    lam: Array,
    nu: Array,
    tolerance: float,
) -> tuple[float, float]:
    """Return rho, and by how much it was raised for rounding."""
    gains = _gains(objective, problem, multipliers)
    if gains is not None and _with_own(objective, multipliers):
        blur = STEPS * EPS * (np.abs(gains) + np.abs(lam))
        return _with_own_cost(notion, objective, problem, gains - lam, blur, np.asarray(multipliers.own_cost).T, nu)
    if gains is not None:
        return _over_functionals(notion, problem, gains, lam, nu)
    if not is_separable(objective):
        raise UnsupportedError(f"There is no certificate for {objective.name}.")
    count = notion.ray_count(problem)
    rays = all_rays(notion, problem) if count is None or count <= RAY_COMFORT else None
    if rays is None and _is_priced(notion, objective, problem):
        if isinstance(objective, RatioType):
            return _over_continuum(notion, objective, problem, lam, nu, tolerance)
        assert isinstance(notion, LDP), "sets are priced under no other"
        over_sets = subset_price(notion, objective, problem, lam, tolerance)
        return _estimated(over_sets.bound, over_sets.size, lam)
    if no_excess(notion, objective, problem) is None:
        found = column_excess(notion, objective, problem, lam, nu, tolerance)
        return _estimated(found.bound, found.size, lam)
    rays = rays or all_rays(notion, problem)
    if rays is None:
        return _without_rays(notion, objective, problem, multipliers, lam, nu, tolerance)
    mass = notion.normal(problem) @ rays.columns
    utility = objective.column_utility(rays.columns, problem)
    excess = (utility - nu @ rays.cost - lam @ rays.columns) / mass
    # Each ray by itself: the best one may be another whose terms are larger.
    terms = np.maximum(objective.magnitude(rays.columns, problem), np.abs(utility))
    terms += nu @ rays.cost_sizes + np.abs(lam) @ rays.columns
    rounding = rounding_unit(problem.n + len(nu)) * terms + rays.missed(np.abs(lam)) + charged_off(rays, nu)
    rounding += np.abs(excess) * rays.missed(notion.normal(problem))
    if rays.errors is None:
        rounding += 2.0 * rays.share * terms
    else:
        rounding += 2.0 * (np.abs(objective.supporting(rays.columns, problem)) * rays.errors).sum(axis=0)
    return largest_of(excess, rounding / mass)


def _without_rays(
    notion: Notion,
    objective: Objective,
    problem: Problem,
    multipliers: Multipliers,
    lam: Array,
    nu: Array,
    tolerance: float,
) -> tuple[float, float]:
    """Return the same from functionals above the utility, or from one of several notions."""
    if is_of_leakage(notion, objective, problem):
        above = information_above(problem, float(nu[0]))
        return _over_functionals(notion, problem, above[None, :], lam, np.zeros(1))
    bounds = lifts(notion, problem) if has_majorant(objective) and not len(nu) else None
    if bounds is not None:
        return _over_functionals(notion, problem, majorant(bounds, objective)[None, :], lam, nu)
    parts = _certified_parts(notion, objective, problem)
    if not parts:
        raise UnsupportedError(f"There is no certificate for {objective.name} under {notion.name} at n = {problem.n}.")
    # What all of the notions allow, each of them does.
    none = np.zeros(0)
    return min(_largest_excess(part, objective, problem, multipliers, lam, none, tolerance) for part in parts)


def largest_of(values: Array, rounding: Array) -> tuple[float, float]:
    """Return the largest value once each is raised by its rounding, and by how much that raised the largest."""
    above = float((values + rounding).max())
    return above, max(above - float(values.max()), 0.0)


def _estimated(bound: float, size: float, lam: Array) -> tuple[float, float]:
    """Return a bound from branch and bound, raised by an estimate of its rounding from the size of its terms."""
    rounding = 4.0 * rounding_unit(len(lam)) * (float(np.abs(lam).sum()) + abs(bound) + size)
    return bound + rounding, rounding


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


def _over_functionals(notion: Notion, problem: Problem, gains: Array, lam: Array, nu: Array) -> tuple[float, float]:
    # Columns are nowhere negative: functionals that are raised bound, whatever column is best.
    blur = STEPS * EPS * (np.abs(gains) + np.abs(lam))
    found = support(notion, problem, gains - lam + blur, nu)
    return largest_of(found.values - found.rounding, found.rounding + np.einsum("tx,xt->t", blur, found.columns))


def _with_own_cost(
    notion: Notion, objective: Objective, problem: Problem, functionals: Array, blur: Array, own: Array, nu: Array
) -> tuple[float, float]:
    """Return the same with a cost of each output besides: outputs that reveal an input have theirs at it alone."""
    count, revealing = len(functionals), units(notion, problem)
    apart = bool(revealing.shape[1]) and makes_decisions(objective, problem)
    blur = blur + STEPS * EPS * np.abs(own[:count])
    over = cone_support if apart else support
    found = over(notion, problem, functionals - own[:count] + blur, nu)
    best, rounding = largest_of(
        found.values - found.rounding, found.rounding + np.einsum("tx,xt->t", blur, found.columns)
    )
    if not apart:
        return best, rounding
    decided = best_decisions(objective, revealing, problem)
    taken = functionals[decided] - own[count:]
    mass, budget = notion.normal(problem) @ revealing, notion.budget(problem)
    values = (np.einsum("kx,xk->k", taken, revealing) - nu @ budget.cost(revealing)) / mass
    terms = np.einsum("kx,xk->k", blur[decided] / EPS + np.abs(own[count:]), revealing) + nu @ budget.sizes @ revealing
    revealed = largest_of(values, rounding_unit(len(nu)) * terms / mass)
    return max(best, revealed[0]), max(rounding, revealed[1])


def _over_continuum(
    notion: Notion, objective: RatioType, problem: Problem, lam: Array, nu: Array, tolerance: float
) -> tuple[float, float]:
    ratio = objective.ratio(problem)
    low, high = ratio_range(ratio, notion, problem)
    grid = np.linspace(low, high, GRID) if high > low else np.array([low])
    # The band of LDP has no mass, and its cone is of the order of n^2 numbers.
    banded = None if len(nu) or isinstance(notion, LDP) else BandPrice.of(ratio, notion.cone(problem))
    if banded is not None:
        priced = banded.price(lam, grid, tolerance, outward=True)
        return priced.bound, priced.rounding
    blur = STEPS * EPS * (ratio.sizes(grid) + np.abs(lam))
    rounding = 0.0

    def sigma(functionals: Array) -> Array:
        nonlocal rounding
        found = support(notion, problem, functionals + blur, nu)
        rounding = max(rounding, float((found.rounding + blur @ found.columns).max()))
        return found.values

    return price(ratio, sigma, lam, grid, tolerance).bound, rounding
