"""Hand-written cvxpy programs for the best LDP mechanism of an expected loss: what one writes without mechdesign."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def all_pairs(cost: Array, epsilon: float, solver: str) -> float:
    """Vectorised over outputs, one constraint for each ordered pair of inputs."""
    n, m = cost.shape
    Q = cp.Variable((n, m), nonneg=True)
    first, second = np.nonzero(~np.eye(n, dtype=bool))
    rules = [cp.sum(Q, axis=1) == 1, Q[first] <= np.exp(epsilon) * Q[second]]
    return float(cp.Problem(cp.Minimize(cp.sum(cp.multiply(cost, Q))), rules).solve(solver=solver))


def auxiliary_minimum(cost: Array, epsilon: float, solver: str) -> float:
    """Write ``t_y <= Q[x, y] <= e^epsilon t_y`` with one auxiliary minimum for each output."""
    n, m = cost.shape
    Q, t = cp.Variable((n, m)), cp.Variable((1, m), nonneg=True)
    least = np.ones((n, 1)) @ t
    rules = [cp.sum(Q, axis=1) == 1, least <= Q, np.exp(epsilon) * least >= Q]
    return float(cp.Problem(cp.Minimize(cp.sum(cp.multiply(cost, Q))), rules).solve(solver=solver))
