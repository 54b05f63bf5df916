"""The support function of a notion's cone: its formula, its rays, or a small linear program made sound."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Any

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.notions import Budget, Cone, Notion, Rays, Support
from mechdesign.notions.cone import raised, rounding_unit
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.learned import learned
from mechdesign.solve.pricing.all_rays import cone_rays
from mechdesign.solve.pricing.pair_flows import MISSED, PairFlows, has_flows
from mechdesign.solve.pricing.revealing_outputs import units
from mechdesign.solve.pricing.support_of_intersection import joined_support
from mechdesign.solve.solvers.linear import solve_costs
from mechdesign.solve.solvers.linear_program import LinearProgram
from mechdesign.tolerances import RAY_COMFORT

#: Programs whose multipliers bound those that there is no time for.
MOST_LENT = 64
#: How far multipliers of a program's own may bound its value from it, relative to its largest coefficient.
SOLVED_TO = 1e-8
#: Units of rounding of a functional, from which on a value over rays is asked of programs, too.
LOOSE = 16.0
#: Pairs of inputs, for each of the programs, up to which what flows leave loose is asked of programs: where there are
#: few functionals, and where there may be many.
MOST_IN_PROGRAMS, FEW_IN_PROGRAMS = 1 << 16, 1 << 13


def support(notion: Notion, problem: Problem, functionals: Array, nu: Array | None = None) -> Support:
    """Return at least the largest ``h . q - nu . beta(q)`` on the slice for each row h, shape (functionals, n)."""
    nu = np.zeros(len(notion.budget(problem))) if nu is None else nu
    found = cone_support(notion, problem, functionals, nu)
    revealing = units(notion, problem)
    if not revealing.shape[1]:
        return found
    rays = Rays(revealing, notion.budget(problem).cost(revealing))
    other = _over_rays(rays, functionals, notion.normal(problem), nu)
    better = other.values > found.values
    columns = np.where(better, other.columns, found.columns)
    return Support(np.maximum(found.values, other.values), columns, np.maximum(found.rounding, other.rounding))


def has_formula(notion: Notion, problem: Problem) -> bool:
    """Return whether the support function is quick at any number of functionals: by formula, not by programs."""
    budgets = len(notion.budget(problem))
    smooth_and_hidden = problem.is_hidden and not notion.polyhedral
    if notion.curved is not None:
        return has_formula(notion.curved, problem)
    return not smooth_and_hidden and notion.support(np.zeros((1, problem.n)), problem, np.zeros(budgets)) is not None


def takes_no_program(notion: Notion, problem: Problem) -> bool:
    """Return whether the support function is known by a formula, or bounded by flows, however many functionals ask."""
    return has_flows(notion, problem) or has_formula(notion, problem)


def cone_support(notion: Notion, problem: Problem, functionals: Array, nu: Array) -> Support:
    """Return the support function at functionals, shape (m, n), of the cone without columns that reveal an input."""
    if notion.curved is not None:
        return joined_support(notion, problem, functionals, nu)
    known = notion.support(functionals, problem, nu)
    if known is not None and known.rounding.any():
        return known
    if known is not None:
        # A formula that says nothing of its rounding: from the size of its terms.
        terms = np.einsum("tx,xt->t", np.abs(functionals), np.abs(known.columns)) + np.abs(known.values)
        return raised(known.values, 4.0 * rounding_unit(problem.n) * terms, known.columns)
    rays = cone_rays(notion, problem)
    if rays is not None and rays.columns.shape[1] <= RAY_COMFORT:
        found = _over_rays(rays, functionals, notion.normal(problem), nu)
        # Rays of a cone whose rows nearly agree are uncertain, which multipliers are not.
        sizes = np.abs(functionals / notion.normal(problem)).max(axis=1)
        loose = found.rounding > LOOSE * rounding_unit(problem.n + len(nu)) * sizes
        return _tighter(found, _by_programs(notion, problem, functionals[loose], nu), loose) if loose.any() else found
    if has_flows(notion, problem):
        found = PairFlows.of(notion, problem, nu).support(functionals, notion.normal(problem))
        return _without_looseness(found, notion, problem, functionals, nu, FEW_IN_PROGRAMS)
    return _by_programs(notion, problem, functionals, nu)


def support_of_few(notion: Notion, problem: Problem, functionals: Array, nu: Array) -> Support:
    """Return the support function as `support` does, by programs besides where flows leave few values loose.

    Parameters
    ----------
    functionals : ndarray, shape (count, n)
    nu : ndarray, shape (budgets,)
    """
    found = support(notion, problem, functionals, nu)
    if not has_flows(notion, problem):
        return found
    return _without_looseness(found, notion, problem, functionals, nu, MOST_IN_PROGRAMS)


def _without_looseness(
    found: Support, notion: Notion, problem: Problem, functionals: Array, nu: Array, most: int
) -> Support:
    """Return what flows found, by programs where that is loose and the programs are up to so many pairs of inputs."""
    if not nu.any():
        return found
    sizes = np.abs(functionals / notion.normal(problem)).max(axis=1)
    loose = found.values > LOOSE * (MISSED * sizes + found.rounding)
    if not 0 < loose.sum() * problem.n**2 <= most:
        return found
    return _tighter(found, _by_programs(notion, problem, functionals[loose], nu), loose)


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


def _by_programs(notion: Notion, problem: Problem, functionals: Array, nu: Array) -> Support:
    cone, budget, normal = notion.cone(problem), notion.budget(problem), notion.normal(problem)
    values, rounding = np.full(len(functionals), np.inf), np.zeros(len(functionals))
    columns = np.empty((problem.n, len(functionals)))
    # Masses of the inputs are the variables: a multiplier's error then counts as it is where an input is rare.
    rows = slice_rows(cone, budget, normal)
    low = np.concatenate([[1.0], np.zeros(rows.shape[0] - 1)])
    high = np.concatenate([[1.0], np.full(rows.shape[0] - 1, np.inf)])
    by_mass = functionals / normal
    scales = np.maximum(np.abs(by_mass).max(axis=1), max(float(nu.max(initial=0.0)), 1e-300))
    extra, count = cone.on_auxiliary.shape[1], len(functionals)
    costs = np.hstack([-by_mass, np.zeros((count, extra)), np.tile(nu, (count, 1)), np.tile(-nu, (count, 1))])
    # One region, many directions: each program starts from the vertex of the one before.
    try:
        solved = solve_costs(LinearProgram(np.zeros(costs.shape[1]), rows, low, high), costs / scales[:, None])
    except SolverError:
        # Without any solver's multipliers there is a bound all the same.
        solved = []
    # Multipliers of the last programs over one column of the notion in this design: sound for all others, too.
    known: deque[Array] = learned(("multipliers of programs", notion, problem), partial(deque, maxlen=MOST_LENT))
    for index, (found, scale) in enumerate(zip(solved, scales, strict=False)):
        duals = np.maximum(found.multipliers[1:] * scale, 0.0)
        bound = _by_duals(cone, budget, normal, functionals[[index]], nu, duals)
        values[index], rounding[index] = bound[0][0], bound[1][0]
        columns[:, index] = found.point[: problem.n] / normal
        known.append(duals)
    done = len(solved)
    # No multipliers at all bound better than those of a program solved badly.
    none, by_rounding = _by_duals(cone, budget, normal, functionals, nu, np.zeros(rows.shape[0] - 1))
    better = none < values
    values, rounding = np.where(better, none, values), np.where(better, by_rounding, rounding)
    if done < count and known:
        # The deadline passed: multipliers of any program bound the others, the wider the less they are alike. What is
        # claimed has to follow from the program's own, too, which has been solved no better than this.
        rest = [_by_duals(cone, budget, normal, functionals[done:], nu, duals)[0] for duals in known]
        values[done:] = np.minimum(values[done:], np.min(rest, axis=0) + SOLVED_TO * scales[done:])
    columns[:, done:] = 1.0
    return Support(values, columns, rounding)


def slice_rows(cone: Cone, budget: Budget, normal: Array) -> Any:
    """Return the rows of the program over the masses ``normal q``, shape (n,), of one column: sum, cone and peaks."""
    from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

    n, extra = len(normal), cone.on_auxiliary.shape[1]
    pieces = budget.pieces
    groups, each = pieces.shape[:2]
    # Sparse: with a budget for each pair of inputs a dense program would have their number to the fourth.
    of_group = csr_array(kron(eye_array(groups), np.ones((each, 1))))
    blocks = [
        [np.ones((1, n)), np.zeros((1, extra)), np.zeros((1, 2 * groups))],
        [cone.on_column / normal, cone.on_auxiliary, np.zeros((len(cone.on_column), 2 * groups))],
        [-pieces.reshape(-1, n) / normal, np.zeros((groups * each, extra)), hstack([of_group, -of_group])],
    ]
    stacked: Any = vstack([hstack([csr_array(part) for part in block]) for block in blocks])
    return csr_array(stacked)


def _by_duals(
    cone: Cone, budget: Budget, normal: Array, functionals: Array, nu: Array, duals: Array
) -> tuple[Array, Array]:
    """Return what any ``duals >= 0`` of the cone's rows and the budget's peaks bound each program's value by.

    The second array says by how much rounding raised it.
    """
    groups, each = budget.pieces.shape[:2]
    on_cone, on_pieces = duals[: len(cone.on_column)], duals[len(cone.on_column) :].reshape(groups, each)
    # beta is at least any convex combination of its pieces, and any y >= 0 relaxes the cone: sound without the solver.
    totals = on_pieces.sum(axis=1, keepdims=True)
    weights = np.where(totals > 0, on_pieces / np.where(totals > 0, totals, 1.0), 1.0 / max(each, 1))
    reduced = functionals + (on_cone @ cone.on_column - np.einsum("k,kj,kjx->x", nu, weights, budget.pieces))
    spill = np.maximum(on_cone @ cone.on_auxiliary, 0.0).sum() * cone.ceiling
    # Every entry is raised by its rounding, and by that of the cone's and the budget's own.
    unit = rounding_unit(len(on_cone) + groups * each)
    charged = nu @ budget.sizes + np.einsum("k,kj,kjx->x", nu, weights, np.abs(budget.pieces))
    blur = unit * (np.abs(functionals) + (on_cone @ cone.sizes + charged))
    slack = on_cone @ np.abs(cone.on_auxiliary)
    spilled = np.maximum(on_cone @ cone.on_auxiliary + unit * slack, 0.0).sum() * cone.ceiling
    nominal = (reduced / normal).max(axis=1) + spill
    above = ((reduced + blur) / normal).max(axis=1) + spilled
    above += unit * (np.abs(above) + spilled)
    return above, above - nominal
