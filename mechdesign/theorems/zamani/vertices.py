"""Vertices of a polytope, and the best mixture of them: enumerated, for a handful of dimensions."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from mechdesign.parameters.checks import Array

#: A constraint missed by less is met: what rounding leaves.
SLACK = 1e-11


def divergence(posteriors: Array, prior: Array) -> Array:
    """Return ``D(p | prior)`` for each row p, exact also where p is close to the prior."""
    change = posteriors / prior - 1.0
    near = np.abs(change) < 0.5
    logs = np.where(near, np.log1p(np.where(near, change, 0.0)), np.log(np.maximum(posteriors / prior, 1e-300)))
    # (1 + t) ln(1 + t) - t is never negative: nothing cancels in the sum.
    return np.asarray(((1.0 + change) * logs - change) @ prior)


def extreme_points(rows: Array, bounds: Array) -> Array:
    """Return the vertices of ``{J : rows @ J <= bounds, sum(J) = 0}`` as rows, from all sets of facets that fix one."""
    n = rows.shape[1]
    chosen = np.array(list(combinations(range(len(rows)), n - 1)))
    systems = np.concatenate([rows[chosen], np.ones((len(chosen), 1, n))], axis=1)
    sides = np.concatenate([bounds[chosen], np.zeros((len(chosen), 1))], axis=1)
    found = _solved(systems, sides)
    inside = found[(found @ rows.T <= bounds + SLACK * np.maximum(1.0, np.abs(bounds))).all(axis=1)]
    size = max(float(np.abs(inside).max(initial=0.0)), 1e-300)
    return inside[np.unique(np.round(inside / size, 10), axis=0, return_index=True)[1]]


def best_mixture(points: Array, values: Array) -> tuple[Array, float]:
    """Return the weights of mean zero with the largest mean value, and that value: the best of all basic solutions."""
    count, n = points.shape
    chosen = np.array(list(combinations(range(count), min(n, count))))
    size = max(float(np.abs(points).max()), 1e-300)
    # One coordinate follows from the others, which sum to its negative.
    systems = np.concatenate(
        [points[chosen][:, :, :-1].transpose(0, 2, 1) / size, np.ones((len(chosen), 1, n))], axis=1
    )
    sides = np.zeros((len(chosen), n))
    sides[:, -1] = 1.0
    weights = _solved(systems, sides)
    means = np.where((weights >= -SLACK).all(axis=1), (weights * values[chosen]).sum(axis=1), -np.inf)
    best = int(means.argmax())
    full = np.zeros(count)
    full[chosen[best]] = np.maximum(weights[best], 0.0)
    return full, float(means[best])


def _solved(systems: Array, sides: Array) -> Array:
    """Return the solutions of the systems that have one; NaN, which satisfies no inequality, for the others."""
    scale = np.abs(systems).max(axis=2).prod(axis=1)
    regular = np.abs(np.linalg.det(systems)) > 1e-11 * scale
    found = np.full(sides.shape, np.nan)
    found[regular] = np.linalg.solve(systems[regular], sides[regular][:, :, None])[:, :, 0]
    return found
