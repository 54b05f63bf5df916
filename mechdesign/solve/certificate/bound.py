"""Bounds rebuilt from arrays: sound for any multipliers, whatever the solver claimed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mechdesign.errors import UnsupportedError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.notions.cone import rounding_unit
from mechdesign.notions.plain import plain
from mechdesign.objectives import InformationDesign, Objective, RatioType
from mechdesign.objectives.base import gains_of, is_separable
from mechdesign.objectives.exponent import Exponent, Searched
from mechdesign.objectives.information_design import is_design
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.certificate.between_orders import bound_from_orders
from mechdesign.solve.certificate.exponents import is_listed, order_bound
from mechdesign.solve.certificate.few_outputs import bound_over_leaves
from mechdesign.solve.certificate.information_design import least_value
from mechdesign.solve.certificate.one_figure import information_along, is_of_one_figure, least_variance
from mechdesign.solve.certificate.shipments import bound_of_shipments, is_shipments
from mechdesign.solve.pricing.all_rays import without_list
from mechdesign.solve.pricing.functionals import EPS, has_functionals, has_own_cost
from mechdesign.solve.pricing.oracles import CUTTING, is_priced, priced
from mechdesign.solve.pricing.priced_columns import Columns
from mechdesign.solve.pricing.support import has_formula
from mechdesign.tolerances import LARGEST_MULTIPLIER

#: Inputs up to which columns are priced by programs where nobody may be waiting.
FEW_INPUTS = 24


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
    if is_of_one_figure(objective):
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
    if is_design(objective):
        least, rounding = least_value(notion, objective, problem, multipliers.weights, lam, nu)
        return Bound(rounding - least, rounding)
    if is_shipments(multipliers.weights):
        shipped = _of_shipments(notion, objective, problem, multipliers.weights, lam)
        if shipped is not None:
            return shipped
    charge = float(nu @ budget.limits)
    rho, rounding = priced(Columns(notion, objective, problem, multipliers, lam, nu, tolerance))
    own = multipliers.own_constant if has_own_cost(objective, multipliers) else 0.0
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


def _of_shipments(notion: Notion, objective: Objective, problem: Problem, shipments: Array, lam: Array) -> Bound | None:
    """Return the bound of a map, None where the objective has no finite decisions or the columns no pairs alone."""
    gains = gains_of(objective, problem)
    exponents = notion.pair_exponents(problem)
    if gains is None or exponents is None:
        return None
    return Bound(*bound_of_shipments(exponents, gains, lam, shipments))


def no_certificate(notion: Notion, objective: Objective, problem: Problem) -> str | None:
    """Return why there is no bound on the objective where its value is a sum over columns; None where there is one."""
    if is_of_one_figure(objective):
        return no_certificate(notion, information_along(objective, problem, None), problem)
    if not is_separable(objective) or is_priced(notion, objective, problem):
        return None
    return f"there is no certificate for {objective.name} under {notion.name} at n = {problem.n}"


def is_priced_at_once(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether a bound takes no search and no program for each decision: by formulas, or over a list of rays."""
    notion, problem = plain(notion, problem)
    if is_of_one_figure(objective):
        return is_priced_at_once(notion, information_along(objective, problem, None), problem)
    if is_design(objective):
        return True
    if has_functionals(objective, problem):
        return problem.n <= FEW_INPUTS or has_formula(notion, problem)
    if isinstance(objective, Exponent):
        return is_listed(notion, problem) and without_list(notion, problem) is None
    if not is_separable(objective) or no_certificate(notion, objective, problem) is not None:
        return False
    return problem.n <= FEW_INPUTS or not CUTTING.applies(notion, objective, problem)


def _usable(multipliers: Multipliers) -> bool:
    """Return whether all are numbers whose products do not overflow; zeros bound as soundly as others do."""
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
