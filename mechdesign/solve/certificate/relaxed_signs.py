"""Bound of information design under LDP by a semidefinite relaxation of the signs that extreme columns are.

An extreme column is ``v = L' (1, t)`` with signs t, ``(E + 1) / 2 + (E - 1) t / 2``. For any ``G >= 0`` and multipliers
lam of the rows, ``trace(G J) <= sum(lam) + e`` with e the largest ``v' G v / (theta . v)^2 - lam . v / theta . v``, as
``J theta = 1``; its numerator is a quadratic form A of (1, t), at most ``sum(delta) - (n + 1) min(0, least eigenvalue
of diag(delta) - A)`` for any delta.

References
----------
M. X. Goemans, D. P. Williamson, "Improved Approximation Algorithms for Maximum Cut and Satisfiability Problems Using
Semidefinite Programming", Journal of the ACM 42 (1995).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.exact.exponentials import exp_up
from mechdesign.notions import Notion
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT


def packed(slope: Array, delta: Array) -> Array:
    """Return a slope, shape (n, n), and delta, shape (n + 1,), in one array, shape (n + 1, n + 1)."""
    n = len(slope)
    found = np.zeros((n + 1, n + 1))
    found[:n, :n], found[n] = slope, delta
    return found


def lifted(ratio: float, n: int) -> Array:
    """Return L, shape (n + 1, n): ``(1, t) @ L`` is the column of signs t, shape (n,), with entries 1 and `ratio`."""
    return np.vstack([np.full((1, n), 0.5 * (ratio + 1.0)), 0.5 * (ratio - 1.0) * np.eye(n)])


def granted(lam: Array, theta: Array) -> Array:
    """Return the symmetric form of ``(lam . v) (theta . v)``, shape (n, n), of two vectors of shape (n,)."""
    product = np.outer(lam, theta)
    return 0.5 * (product + product.T)


def least_by_signs(
    notion: Notion, objective: Any, problem: Problem, lam: Array, claimed: Array | None
) -> tuple[float, float] | None:
    """Return a lower bound on the criterion of all mechanisms under LDP, and its rounding; None under other notions.

    Parameters
    ----------
    objective : InformationDesign
        A criterion of the information about all frequencies.
    lam : ndarray, shape (n,)
        Multipliers of the rows.
    claimed : ndarray, shape (n + 1, n + 1), or None
        What `packed` returned; of another shape there is no such bound.
    """
    n = problem.n
    if claimed is None or np.shape(claimed) != (n + 1, n + 1) or not is_ldp_of_inputs(notion, problem):
        return None
    positive, delta = objective.positive_slope(claimed[:n, :n], problem), np.asarray(claimed[n])
    basis, theta = contrasts(n), objective.theta_of(problem)
    lift = lifted(exp_up(min(notion.epsilon, LARGEST_EXPONENT)), n)
    own = basis @ positive @ basis.T
    form = lift @ (own - granted(lam, theta)) @ lift.T
    sizes = np.abs(lift) @ (np.abs(own) + granted(np.abs(lam), theta)) @ np.abs(lift).T
    # Entries, and with them eigenvalues, are off by some units in the last place of what they are added up from.
    noise = 8.0 * rounding_unit(n) * (float(np.linalg.norm(sizes)) + float(np.abs(delta).max()))
    least = float(np.linalg.eigvalsh(np.diag(delta) - form)[0]) - noise
    # No mass is below one.
    excess = max(math.fsum(delta) - (n + 1) * min(least, 0.0), 0.0)
    most = math.fsum([*lam, excess])
    most += rounding_unit(n) * (float(np.abs(lam).sum()) + float(np.abs(delta).sum()) + abs(excess))
    if not most > 0.0:
        return None
    found, without = (objective.least_value(positive, total, problem) for total in (most, most + (n + 1) * noise))
    return found, abs(found - without) + rounding_unit(n) * abs(found)
