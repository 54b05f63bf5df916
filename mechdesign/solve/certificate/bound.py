"""Bounds rebuilt from arrays: sound for any multipliers, whatever the solver claimed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.errors import UnsupportedError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.notions.plain import plain
from mechdesign.objectives import Objective, RatioType
from mechdesign.objectives.base import gains_of, is_convex, is_separable
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.objectives.exponent import Searched
from mechdesign.objectives.information_design import is_of_one_figure
from mechdesign.objectives.information_over_priors import is_least
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.certificate.between_orders import bound_from_orders
from mechdesign.solve.certificate.exponents import is_listed, order_bound
from mechdesign.solve.certificate.few_outputs import bound_over_leaves
from mechdesign.solve.certificate.flows import bound_of_flows, is_flows
from mechdesign.solve.certificate.information_design import least_value
from mechdesign.solve.certificate.one_figure import at_population, information_along, least_variance, spread
from mechdesign.solve.pricing.all_rays import without_list
from mechdesign.solve.pricing.functionals import EPS, has_functionals, has_own_cost
from mechdesign.solve.pricing.oracles import CUTTING, is_implied, is_priced, priced
from mechdesign.solve.pricing.priced_columns import Columns
from mechdesign.solve.pricing.support import has_formula
from mechdesign.solve.pricing.utility_kind import UtilityKind, kind_of
from mechdesign.tolerances import LARGEST_MULTIPLIER

#: Inputs up to which columns are priced by programs where nobody may be waiting.
FEW_INPUTS = 24


@dataclass(frozen=True)
class Bound:
    """``utility <= sum(rows) + budget . limits + rho``, rounded outward by `rounding`."""

    utility: float
    rounding: float


@dataclass(frozen=True)
class Asked:
    """What is bounded: the utility of a kind of objective, under a plain notion, by multipliers."""

    notion: Notion
    objective: Any
    problem: Problem
    multipliers: Multipliers
    tolerance: float
    outputs: int | None

    @property
    def usable(self) -> Multipliers:
        """The multipliers, or zeros where they are no numbers: those bound as soundly."""
        return self.multipliers if _usable(self.multipliers) else Multipliers(np.zeros(self.problem.n))


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
    asked = Asked(notion, objective, problem, multipliers, tolerance, outputs)
    return BY_KIND[kind_of(objective, problem)].bound(asked)


def _of_columns(asked: Asked) -> Bound:
    """Return the bound by the largest excess of a column, or of a map or a tree of choices where they are given."""
    notion, objective, problem, multipliers = asked.notion, asked.objective, asked.problem, asked.usable
    outputs = asked.outputs
    restricted = None if outputs is None else bound_over_leaves(notion, objective, problem, multipliers, outputs)
    if restricted is not None:
        return Bound(*restricted)
    lam, nu = _of_rows_and_budget(notion, problem, multipliers)
    if is_flows(multipliers.flows):
        shipped = _of_flows(notion, objective, problem, multipliers, multipliers.flows)
        if shipped is not None:
            return shipped
    charge = float(nu @ notion.columns(problem).budget().limits)
    found = priced(Columns(notion, objective, problem, multipliers, lam, nu, asked.tolerance))
    rho, rounding = found.bound, found.rounding
    own = multipliers.own_constant if has_own_cost(objective, multipliers) else 0.0
    total = math.fsum([*lam, charge, rho, -own])
    # The columns' masses add up to what the normal does: to one, but for its rounding.
    slack = EPS * (problem.n + 1) * abs(rho) + rounding_unit(len(nu)) * abs(charge) + EPS * (abs(own) + abs(total))
    return Bound(total + slack, rounding + slack)


def _of_rows_and_budget(notion: Notion, problem: Problem, multipliers: Multipliers) -> tuple[Array, Array]:
    """Return the multipliers of the rows, shape (n,), and the nonnegative part of the budget's multipliers."""
    budget = len(notion.columns(problem).budget())
    given = multipliers.budget if len(multipliers.budget) == budget else np.zeros(budget)
    return np.asarray(multipliers.rows, dtype=float), np.maximum(given, 0.0)


def _of_design(asked: Asked) -> Bound:
    """Return the bound by the slope that the multipliers' weights are."""
    notion, problem, multipliers = asked.notion, asked.problem, asked.usable
    lam, nu = _of_rows_and_budget(notion, problem, multipliers)
    least, rounding = least_value(notion, asked.objective, problem, multipliers.weights, lam, nu)
    return Bound(rounding - least, rounding)


def _of_one_figure(asked: Asked) -> Bound:
    """Return the bound by the Fisher information in the direction that the multipliers' weights are."""
    objective, problem, multipliers = asked.objective, asked.problem, asked.multipliers
    usable = _usable(multipliers)
    along = information_along(objective, problem, multipliers.weights if usable else None)
    # The tolerance is of the variance, (g . c)^2 by the information, which the multipliers add up to.
    lam, nu = _of_rows_and_budget(asked.notion, problem, asked.usable)
    about = math.fsum(lam) + float(nu @ asked.notion.columns(problem).budget().limits)
    reached = float(along.direction @ objective.figure(problem))
    tolerance = asked.tolerance * (about / reached) ** 2 if reached else 0.0
    most = utility_bound(asked.notion, along, problem, multipliers, tolerance)
    least, rounding = least_variance(objective, problem, along, most.utility)
    rounding += least * most.rounding / most.utility if 0.0 < least < math.inf else 0.0
    return Bound(-least, rounding)


def _of_mean(asked: Asked) -> Bound:
    """Return the bound by the average variance at the population that the multipliers' weights are."""
    weights = asked.usable.weights
    figure, direction = at_population(asked.objective, asked.problem, weights)
    found = _of_one_figure(replace(asked, objective=figure, multipliers=replace(asked.multipliers, weights=direction)))
    beside = spread(figure, asked.problem)
    # No variance is negative.
    return Bound(min(found.utility + beside, 0.0), found.rounding + EPS * beside)


def _of_exponent(asked: Asked) -> Bound:
    """Return the bound over the extreme rays; where they are too many, from what the shortfall is at each order."""
    notion, objective, problem, multipliers = asked.notion, asked.objective, asked.problem, asked.multipliers
    found = order_bound(notion, objective, problem, multipliers)
    if found is None and isinstance(objective, Searched):

        def at(ratio: RatioType, given: Multipliers) -> tuple[float, float]:
            bound = utility_bound(notion, ratio, problem, given, asked.tolerance)
            return bound.utility, bound.rounding

        found = bound_from_orders(notion, objective, problem, multipliers, at)
    if found is None:
        raise UnsupportedError(f"There is no certificate for {objective.name} under {notion.name} at n = {problem.n}.")
    return Bound(*found)


def _of_least(asked: Asked) -> Bound:
    """Return the bound by the mean information, the priors having the multipliers' weights."""
    found = _of_columns(replace(asked, objective=asked.objective.at(asked.usable.weights)))
    # The weights sum to one but for rounding.
    slack = EPS * (len(asked.objective.priors) + 4) * abs(found.utility)
    return Bound(found.utility + slack, found.rounding + slack)


def _of_flows(
    notion: Notion, objective: Objective, problem: Problem, multipliers: Multipliers, flows: Array
) -> Bound | None:
    """Return the bound of a map, None where the objective has no finite decisions or the columns no pairs alone.

    A largest loss is bounded by the expected loss at the weights of its pieces.
    """
    exponents, gains = notion.columns(problem).pair_exponents, gains_of(objective, problem)
    if is_convex(objective):
        gains = -objective.minorant(multipliers.weights, problem).T
    if gains is None or exponents is None:
        return None
    most, rounding = bound_of_flows(exponents, gains, np.asarray(multipliers.rows, dtype=float), flows)
    # Convex weights sum to one but for rounding, and what they are of is bounded by the sizes of the gains.
    slack = EPS * (problem.n + 4) * float(np.abs(gains).max(axis=0).sum()) if is_convex(objective) else 0.0
    return Bound(most + slack, rounding + slack)


def no_certificate(notion: Notion, objective: Objective, problem: Problem) -> str | None:
    """Return why there is no bound on the objective where its value is a sum over columns; None where there is one."""
    if isinstance(objective, EstimatorVariance):
        objective = at_population(objective, problem, None)[0]
    if is_least(objective):
        objective = objective.at(None)
    if is_of_one_figure(objective):
        return no_certificate(notion, information_along(objective, problem, None), problem)
    if not is_separable(objective) or is_priced(notion, objective, problem):
        return None
    return f"there is no certificate for {objective.name} under {notion.name} at n = {problem.n}"


def is_priced_at_once(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether a bound takes no search and no program for each decision: by formulas, or over a list of rays."""
    notion, problem = plain(notion, problem)
    return BY_KIND[kind_of(objective, problem)].at_once(notion, objective, problem)


def _by_formula(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether a program for each functional is quick, or none is needed."""
    if not has_functionals(objective, problem):
        return False
    return problem.n <= FEW_INPUTS or has_formula(notion, problem)


def _without_search(notion: Notion, objective: Objective, problem: Problem) -> bool:
    if no_certificate(notion, objective, problem) is not None:
        return False
    if is_implied(notion, objective, problem):
        return False
    return problem.n <= FEW_INPUTS or not CUTTING.applies(notion, objective, problem)


@dataclass(frozen=True)
class Bounding:
    """By what the utility of a kind is bounded, and whether that takes no search."""

    bound: Callable[[Asked], Bound]
    at_once: Callable[[Notion, Any, Problem], bool]


#: Of a plain notion and problem.
BY_KIND = {
    UtilityKind.FIGURE: Bounding(
        _of_one_figure,
        lambda notion, figure, problem: is_priced_at_once(notion, information_along(figure, problem, None), problem),
    ),
    UtilityKind.MEAN: Bounding(
        _of_mean,
        lambda notion, mean, problem: is_priced_at_once(notion, at_population(mean, problem, None)[0], problem),
    ),
    UtilityKind.DESIGN: Bounding(_of_design, lambda notion, design, problem: True),
    UtilityKind.EXPONENT: Bounding(
        _of_exponent,
        lambda notion, exponent, problem: is_listed(notion, problem) and without_list(notion, problem) is None,
    ),
    UtilityKind.DECISIONS: Bounding(_of_columns, _by_formula),
    UtilityKind.COLUMNS: Bounding(_of_columns, _without_search),
    UtilityKind.LEAST: Bounding(
        _of_least, lambda notion, least, problem: _without_search(notion, least.at(None), problem)
    ),
    UtilityKind.MAXIMUM: Bounding(_of_columns, _by_formula),
}


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
        multipliers.flows,
    )
    # A NaN compares as false.
    return all(bool(np.all(np.abs(numbers) <= LARGEST_MULTIPLIER)) for numbers in given if numbers is not None)
