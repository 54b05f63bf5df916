"""Few rays with the information of many: a vertex of the weights with that information."""

from __future__ import annotations

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.solve.programs.column_weights import ColumnWeights
from mechdesign.solve.programs.over_weights import (
    Optimum,
    RayInformation,
    factor,
)
from mechdesign.solve.task import Task
from mechdesign.tolerances import NEGLIGIBLE_MASS

#: Outputs of less mass than this are left out where that costs next to nothing: they are noise of the solver's.
NOISE_MASS = 1e-7


def few_outputs(task: Task, rays: RayInformation, found: Optimum) -> Array:
    """Return columns of the same information: at most ``n (n + 1) / 2`` and one for each budget, if that works."""
    objective, problem = task.objective, task.problem
    rays, weights = rays[found.weights > 0], found.weights[found.weights > 0]
    vertex = _vertex(task, rays, weights)
    shares = vertex * rays.mass
    offered: list[Array] = []
    for some in (np.where(shares > NOISE_MASS, vertex, 0.0), vertex, weights):
        kept = np.flatnonzero(some)
        exact = _balanced(rays[kept], some[kept])
        if exact is not None:
            offered.append(rays.columns[:, kept] * exact)
    if not offered:
        return rays.columns * weights
    values = [objective.value(columns, problem) for columns in offered]
    least = min(values)
    return offered[next(k for k, value in enumerate(values) if value <= least + 0.1 * task.gap * abs(least))]


def _balanced(rays: RayInformation, weights: Array) -> Array | None:
    """Return the nearest weights with ``sum_r w_r r = 1`` to the last digit, or None where one is negative."""
    wanted = np.eye(len(rays.balancing))[0]
    exact = weights + np.linalg.lstsq(rays.balance, wanted - rays.balance @ weights, rcond=None)[0]
    return exact if np.all(exact >= 0) else None


def _vertex(task: Task, rays: RayInformation, weights: Array) -> Array:
    """Return a vertex of the weights with the same information: the simplex method finds few that are not 0."""
    limits, n = task.columns.budget().limits, task.problem.n
    upper = np.triu_indices(n - 1)
    try:
        root = factor(rays.information(weights))
    except SolverError:
        # As below.
        return weights
    whitened = np.linalg.solve(root, rays.factors)
    squares = np.einsum("ir,jr->ijr", whitened, whitened)[upper]
    wanted = np.concatenate([np.eye(n)[0], np.eye(n - 1)[upper]])
    program = ColumnWeights.of(np.vstack([rays.balance, squares]), wanted, rays.cost, limits)
    # Noise of the solver's is what costs most.
    cost = NEGLIGIBLE_MASS / (weights * rays.mass + NEGLIGIBLE_MASS)
    try:
        return program.best(-cost, scale=1.0).weights
    except SolverError:
        # Fewer outputs are a convenience: the optimum as it was found is as good.
        return weights
