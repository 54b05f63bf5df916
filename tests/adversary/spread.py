"""A mechanism of small covariance: weights of rays by Newton's method in floats, then made exact in fractions."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import fmpq_mat

from tests.adversary.numbers import ONE, ZERO, Column, dot, exact, shares
from tests.adversary.privacy import Matrix
from tests.adversary.world import Member, World

Array = np.ndarray[Any, np.dtype[np.float64]]
STEPS = 400
#: Weights below this are left out.
SMALL = 1e-13


def spread(rays: list[Column], objective: Member, world: World) -> Matrix | None:
    """Return the rays with weights that sum to the ones vector exactly and make the criterion small; E is not tried."""
    given = objective[1]
    theta = world.prior if given.get("theta") is None else shares(given["theta"])
    if given["criterion"] == "E" or world.n < 2 or len(rays) < world.n or theta is None:
        return None
    told = [[entry - ray[-1] for entry in ray[:-1]] for ray in rays]
    unit = max(abs(entry) for row in told for entry in row)
    if unit == 0:
        return None
    points = np.array([[float(entry / unit) for entry in row] for row in told])
    masses = np.array([float(dot(theta, ray)) for ray in rays])
    # The rows of the constraint: the differences of the rays, at their own scale, and the last entry.
    rows = np.vstack([points.T, [[float(ray[-1]) for ray in rays]]])
    right = np.zeros(world.n)
    right[-1] = 1.0
    loading = np.ones(world.n) if given.get("weights") is None else np.array(given["weights"])
    contrasts = np.vstack([np.eye(world.n - 1), -np.ones(world.n - 1)])
    inner = contrasts.T @ (loading[:, None] * contrasts)
    weights = _newton(points / np.sqrt(masses)[:, None], rows, right, None if given["criterion"] == "D" else inner)
    return None if weights is None else _made_exact(rays, weights)


def _newton(points: Array, rows: Array, right: Array, loading: Array | None) -> Array | None:
    """Minimise the criterion of ``sum_r w_r p_r p_r'`` with ``rows w = right`` and a barrier that is lowered."""
    start, *_ = np.linalg.lstsq(rows, right, rcond=None)
    weights = _inside(rows, right, start)
    if weights is None:
        return None
    count, equations = len(weights), len(right)
    barrier = 1.0
    for step in range(STEPS):
        matrix = points.T @ (weights[:, None] * points)
        try:
            inverse = np.linalg.inv(matrix)
            told = points @ inverse @ points.T
            first = told if loading is None else points @ inverse @ loading @ inverse @ points.T
            gradient = -np.diag(first) - barrier / weights
            hessian = (1.0 if loading is None else 2.0) * told * first + np.diag(barrier / weights**2)
            scale = np.abs(hessian).max()
            system = np.block([[hessian / scale, rows.T], [rows, np.zeros((equations, equations))]])
            solved = np.linalg.lstsq(system, np.concatenate([-gradient / scale, right - rows @ weights]), rcond=None)[0]
        except np.linalg.LinAlgError:
            break
        change = solved[:count]
        falling = change < 0
        most = 0.9 * float((-weights[falling] / change[falling]).min()) if falling.any() else 1.0
        weights = weights + min(1.0, most) * change
        if step % 6 == 5:
            size = 1.0 if loading is None else float(np.trace(inverse @ loading))
            barrier = min(barrier, size) * 0.15
            if barrier < 1e-17 * size:
                break
    return weights if np.isfinite(weights).all() else None


def _inside(rows: Array, right: Array, start: Array) -> Array | None:
    """Return positive weights with ``rows w = right``: the most that the least of them can be."""
    from scipy.optimize import linprog

    count = len(start)
    lifted = np.hstack([rows, rows.sum(axis=1, keepdims=True)])
    found = linprog(np.append(np.zeros(count), -1.0), A_eq=lifted, b_eq=right, bounds=(0, None))
    if not found.success or found.x[-1] <= 0:
        return None
    return np.asarray(found.x[:-1] + found.x[-1])


def _made_exact(rays: list[Column], weights: Array) -> Matrix | None:
    """Return the rays with the float weights, of which n are moved so that the sum is exactly one everywhere."""
    n = len(rays[0])
    order = [int(r) for r in np.argsort(-weights) if weights[r] > SMALL]
    basis: list[int] = []
    for r in order:
        chosen = [*basis, r]
        if fmpq_mat(n, len(chosen), [rays[c][x] for x in range(n) for c in chosen]).rank() == len(chosen):
            basis = chosen
        if len(basis) == n:
            break
    if len(basis) < n:
        return None
    rest = {r: exact(float(weights[r])) for r in order if r not in basis}
    left = [ONE - sum((w * rays[r][x] for r, w in rest.items()), ZERO) for x in range(n)]
    table = fmpq_mat(n, n, [rays[r][x] for x in range(n) for r in basis])
    solved = table.solve(fmpq_mat(n, 1, left)).entries()
    if min(solved) < 0:
        return None
    every = rest | dict(zip(basis, solved, strict=True))
    return [[w * entry for entry in rays[r]] for r, w in every.items() if w != 0]
