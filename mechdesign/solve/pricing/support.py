"""The support function of a notion's cone: its formula, its rays, or a small linear program made sound."""

from __future__ import annotations

import numpy as np

from mechdesign.columns.cone import raised, rounding_unit
from mechdesign.notions import Notion, Rays, Support
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.all_rays import cone_rays
from mechdesign.solve.pricing.pair_flows import MISSED, PairFlows, has_flows
from mechdesign.solve.pricing.revealing_outputs import units
from mechdesign.solve.pricing.support_by_programs import support_by_programs
from mechdesign.solve.pricing.support_of_intersection import joined_support
from mechdesign.tolerances import RAY_COMFORT

#: Units of rounding of a functional, from which on a value over rays is asked of programs, too.
LOOSE = 16.0
#: Pairs of inputs, for each of the programs, up to which what flows leave loose is asked of programs: where there are
#: few functionals, and where there may be many.
MOST_IN_PROGRAMS, FEW_IN_PROGRAMS = 1 << 16, 1 << 13


def support(
    notion: Notion, problem: Problem, functionals: Array, nu: Array | None = None, *, for_largest: bool = False
) -> Support:
    """Return at least the largest ``h . q - nu . beta(q)`` on the slice for each row h, shape (functionals, n).

    Parameters
    ----------
    functionals : ndarray, shape (functionals, n)
    nu : ndarray, shape (budgets,), optional
        Nothing by default.
    for_largest : bool
        Whether only the largest of all values counts: programs are then more exact there.
    """
    nu = np.zeros(len(notion.columns(problem).budget())) if nu is None else nu
    found = cone_support(notion, problem, functionals, nu, for_largest=for_largest)
    revealing = units(notion, problem)
    if not revealing.shape[1]:
        return found
    rays = Rays(revealing, notion.columns(problem).budget().cost(revealing))
    other = _over_rays(rays, functionals, notion.columns(problem).normal, nu)
    better = other.values > found.values
    columns = np.where(better, other.columns, found.columns)
    return Support(np.maximum(found.values, other.values), columns, np.maximum(found.rounding, other.rounding))


def has_formula(notion: Notion, problem: Problem) -> bool:
    """Return whether the support function is quick at any number of functionals: by formula, not by programs."""
    shape = notion.columns(problem)
    shape = shape.curved or shape
    if not shape.polyhedral and shape.of_secret is not shape:
        return False
    return shape.support(np.zeros((1, problem.n)), np.zeros(len(shape.budget()))) is not None


def takes_no_program(notion: Notion, problem: Problem) -> bool:
    """Return whether the support function is known by a formula, or bounded by flows, however many functionals ask."""
    return has_flows(notion, problem) or has_formula(notion, problem)


def cone_support(
    notion: Notion, problem: Problem, functionals: Array, nu: Array, *, for_largest: bool = False
) -> Support:
    """Return the support function as `support` does, of the cone without columns that reveal an input.

    Parameters
    ----------
    functionals : ndarray, shape (functionals, n)
    nu : ndarray, shape (budgets,)
    for_largest : bool
        Whether only the largest of all values counts.
    """
    shape = notion.columns(problem)
    if shape.curved is not None:
        return joined_support(notion, problem, functionals, nu)
    known = shape.support(functionals, nu)
    if known is not None and known.rounding.any():
        return known
    if known is not None:
        # A formula that says nothing of its rounding: from the size of its terms.
        terms = np.einsum("tx,xt->t", np.abs(functionals), np.abs(known.columns)) + np.abs(known.values)
        return raised(known.values, 4.0 * rounding_unit(problem.n) * terms, known.columns)
    rays = cone_rays(notion, problem)
    if rays is not None and rays.columns.shape[1] <= RAY_COMFORT:
        found = _over_rays(rays, functionals, notion.columns(problem).normal, nu)
        # Rays of a cone whose rows nearly agree are uncertain, which multipliers are not.
        sizes = np.abs(functionals / notion.columns(problem).normal).max(axis=1)
        loose = found.rounding > LOOSE * rounding_unit(problem.n + len(nu)) * sizes
        if not loose.any():
            return found
        return _tighter(found, support_by_programs(notion, problem, functionals[loose], nu), loose)
    if has_flows(notion, problem):
        found = PairFlows.of(notion, problem, nu).support(functionals, notion.columns(problem).normal)
        return _without_looseness(found, notion, problem, functionals, nu, FEW_IN_PROGRAMS)
    return support_by_programs(notion, problem, functionals, nu, for_largest=for_largest)


def support_of_few(notion: Notion, problem: Problem, functionals: Array, nu: Array) -> Support:
    """Return the support function where the largest value counts, by programs besides where flows leave few loose.

    Parameters
    ----------
    functionals : ndarray, shape (count, n)
    nu : ndarray, shape (budgets,)
    """
    found = support(notion, problem, functionals, nu, for_largest=True)
    if not has_flows(notion, problem):
        return found
    return _without_looseness(found, notion, problem, functionals, nu, MOST_IN_PROGRAMS)


def _without_looseness(
    found: Support, notion: Notion, problem: Problem, functionals: Array, nu: Array, most: int
) -> Support:
    """Return the result of flows, or of programs if it is loose and the programs have few pairs of inputs."""
    if not nu.any():
        return found
    sizes = np.abs(functionals / notion.columns(problem).normal).max(axis=1)
    loose = found.values > LOOSE * (MISSED * sizes + found.rounding)
    if not 0 < loose.sum() * problem.n**2 <= most:
        return found
    return _tighter(found, support_by_programs(notion, problem, functionals[loose], nu), loose)


def _tighter(found: Support, others: Support, at: Array) -> Support:
    """Return the support function with the values of `others` in the places `at` where they are less."""
    values, rounding, columns = found.values.copy(), found.rounding.copy(), found.columns.copy()
    less = others.values < values[at]
    chosen = np.flatnonzero(at)[less]
    values[chosen], rounding[chosen] = others.values[less], others.rounding[less]
    columns[:, chosen] = others.columns[:, less]
    return Support(values, columns, rounding)


def _over_rays(rays: Rays, functionals: Array, normal: Array, nu: Array) -> Support:
    mass = normal @ rays.columns
    values = (functionals @ rays.columns - nu @ rays.cost) / mass
    # Each ray by itself: the best one may be another whose terms are larger.
    terms = (np.abs(functionals) @ rays.columns + nu @ rays.cost_sizes) / mass
    rounding = rounding_unit(len(normal) + len(nu)) * terms
    rounding += (rays.missed(np.abs(functionals)) + np.abs(values) * rays.missed(normal) + charged_off(rays, nu)) / mass
    best = (values + rounding).argmax(axis=1)
    each = np.arange(len(best))
    return raised(values[each, best], rounding[each, best], rays.columns[:, best] / mass[best])


def charged_off(rays: Rays, nu: Array) -> Array:
    """Return by how much the charges of each ray, shape (rays,), may be wrong because its entries are."""
    return np.asarray(2.0 * rays.worst_share * (nu @ rays.cost_sizes))
