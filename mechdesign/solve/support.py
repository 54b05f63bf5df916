"""The support function of a notion's cone: its formula, its rays, or a small linear program made sound."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mechdesign.domains import Array
from mechdesign.notions import Budget, Cone, Notion, Rays, Support
from mechdesign.problem import Problem
from mechdesign.solve.backends import LinearProgram, solve_linear
from mechdesign.solve.enumerate import enumerable, extreme_rays
from mechdesign.tolerances import RAY_COMFORT


@lru_cache(maxsize=64)
def all_rays(notion: Notion, problem: Problem) -> Rays | None:
    """Return the notion's rays, by its formula or by enumeration; None where there are too many."""
    known = notion.rays(problem)
    if known is not None:
        return known
    count = notion.ray_count(problem)
    if count is not None or not enumerable(notion.cone(problem), notion.budget(problem)):
        return None
    return extreme_rays(notion.cone(problem), notion.budget(problem))


def support(notion: Notion, problem: Problem, functionals: Array, nu: Array | None = None) -> Support:
    """Return the largest ``h . q - nu . beta(q)`` on the slice for each row h: never less than the truth."""
    nu = np.zeros(len(notion.budget(problem))) if nu is None else nu
    known = notion.support(functionals, problem, nu)
    if known is not None:
        return known
    rays = all_rays(notion, problem)
    if rays is not None and rays.columns.shape[1] <= RAY_COMFORT:
        return _over_rays(rays, functionals, notion.normal(problem), nu)
    return _by_programs(notion, problem, functionals, nu)


def _over_rays(rays: Rays, functionals: Array, normal: Array, nu: Array) -> Support:
    mass = normal @ rays.columns
    values = (functionals @ rays.columns - nu @ rays.cost) / mass
    best = values.argmax(axis=1)
    return Support(values[np.arange(len(best)), best], rays.columns[:, best] / mass[best])


def _by_programs(notion: Notion, problem: Problem, functionals: Array, nu: Array) -> Support:
    cone, budget, normal = notion.cone(problem), notion.budget(problem), notion.normal(problem)
    values, columns = np.empty(len(functionals)), np.empty((problem.n, len(functionals)))
    for index, functional in enumerate(functionals):
        values[index], columns[:, index] = _one_program(cone, budget, normal, functional, nu)
    return Support(values, columns)


def _one_program(cone: Cone, budget: Budget, normal: Array, functional: Array, nu: Array) -> tuple[float, Array]:
    from scipy.sparse import csr_array

    n, extra = len(normal), cone.on_auxiliary.shape[1]
    pieces = budget.pieces
    groups, each = pieces.shape[:2]
    of_group = np.kron(np.eye(groups), np.ones((each, 1)))
    blocks = [
        [normal[None, :], np.zeros((1, extra)), np.zeros((1, groups)), np.zeros((1, groups))],
        [cone.on_column, cone.on_auxiliary, np.zeros((len(cone.on_column), 2 * groups))],
        [-pieces.reshape(-1, n), np.zeros((groups * each, extra)), of_group, -of_group],
    ]
    rows = csr_array(np.vstack([np.hstack(block) for block in blocks]))
    scale = max(float(np.abs(functional).max()), float(nu.max(initial=0.0)), 1e-300)
    cost = np.concatenate([-functional, np.zeros(extra), nu, -nu]) / scale
    low = np.concatenate([[1.0], np.zeros(rows.shape[0] - 1)])
    high = np.concatenate([[1.0], np.full(rows.shape[0] - 1, np.inf)])
    found = solve_linear(LinearProgram(cost, rows, low, high))
    duals = np.maximum(found.multipliers[1:] * scale, 0.0)
    on_cone, on_pieces = duals[: len(cone.on_column)], duals[len(cone.on_column) :].reshape(groups, each)
    # beta is at least any convex combination of its pieces, and any y >= 0 relaxes the cone: sound without the solver.
    totals = on_pieces.sum(axis=1, keepdims=True)
    weights = np.where(totals > 0, on_pieces / np.where(totals > 0, totals, 1.0), 1.0 / max(each, 1))
    reduced = functional + on_cone @ cone.on_column - np.einsum("k,kj,kjx->x", nu, weights, pieces)
    spill = np.maximum(on_cone @ cone.on_auxiliary, 0.0).sum() * cone.ceiling
    return float((reduced / normal).max() + spill), found.point[:n]
