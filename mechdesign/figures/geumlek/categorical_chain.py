"""Categorical-Chain-3: the costs (8) of mechanisms for Table 1, and how far they are determined."""

from __future__ import annotations

import numpy as np

from mechdesign.baselines.response_matrix import response_matrix
from mechdesign.figures.figure import Curve
from mechdesign.figures.privacy import private
from mechdesign.notions import ProfileDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.repair.rounded import rounded
from mechdesign.theorems.geumlek.categories import TABLE, costs
from mechdesign.theorems.geumlek.programs import categorical_program, chain, least, reported, smooth_matrices

AXES = ("epsilon (nats)", "cost_j = max_i |P_ij - (P_i A_i)_j|")
SETTING = "Table 1: a chain of three profiles over n = 4 categories, no prior"
#: From ln 3 on nothing has to be hidden: neighbours are as alike as they have to be.
EPSILONS = np.array([0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])


def notion(epsilon: float) -> ProfileDP:
    """Return profile-based privacy of Table 1's chain."""
    return ProfileDP(epsilon, TABLE, chain(3))


def is_private(matrix: Array, epsilon: float) -> bool:
    """Return whether a matrix with a row for each profile and category is private."""
    asked = notion(epsilon)
    return private(matrix, asked, asked.inputs(Problem(n=4)))


def k_ary(epsilon: float) -> Array:
    """Return k-ary randomised response, the same for each profile."""
    return np.tile(response_matrix(4, epsilon), (3, 1))


def smooth_categorical(epsilon: float) -> Array:
    """Return an optimum of program (6): the one that the dual simplex method ends at."""
    return smooth_matrices(TABLE, chain(3), epsilon)


def regardless(epsilon: float) -> Array:
    """Return the private mechanism of the least largest cost; it looks at the profile and not at the datum.

    Costs depend on the reports' distributions ``t_i`` alone, and rows that are all ``t_i`` have any of them: the
    largest entry of ``|P_i - t_i|`` is minimised over ``t_i <= e^epsilon t_j`` for each edge, both ways.
    """
    k, d = TABLE.shape
    low, entries = np.exp(-epsilon), np.eye(k * d)
    error = [sign * np.append(entries[at], -sign) for at in range(k * d) for sign in (1.0, -1.0)]
    edges = [(i, j) for edge in chain(k) for i, j in (edge, edge[::-1])]
    hidden = [np.append(low * entries[i * d + c] - entries[j * d + c], 0.0) for i, j in edges for c in range(d)]
    limits = np.concatenate([np.outer(TABLE.ravel(), (1.0, -1.0)).ravel(), np.zeros(len(hidden))])
    sums = np.hstack([np.kron(np.eye(k), np.ones(d)), np.zeros((k, 1))])
    targets = least(np.eye(k * d + 1)[-1], np.array(error + hidden), limits, sums)[:-1].reshape(k, d)
    made = rounded(np.repeat(targets, d, axis=0), notion(epsilon), Problem(n=4))
    return np.asarray(made.matrix)


def costs_of(matrix: Array) -> Array:
    """Return the four costs (8) of a matrix with a row for each profile and category."""
    return costs(TABLE, list(matrix.reshape(3, 4, 4)))


def _optima(epsilon: float) -> tuple[Array, Array, Array]:
    """Return rows, limits and row sums of the optima of program (6); the last of the variables is free."""
    entries, off, rows, limits, sums = categorical_program(TABLE, chain(3), epsilon)
    largest = smooth_categorical(epsilon).ravel()[off].max()
    wide = np.hstack([np.vstack([rows, np.eye(entries)[off]]), np.zeros((len(rows) + len(off), 1))])
    return (
        wide,
        np.concatenate([limits, np.full(len(off), largest)]),
        np.hstack([sums, np.zeros((len(sums), 1))]),
    )


def _reports(category: int) -> Array:
    """Return for each profile the coefficients, over all entries, of the probability that it reports a category."""
    return reported(TABLE).reshape(3, 4, TABLE.size * 4)[:, category]


def cheapest(epsilon: float, category: int) -> Array:
    """Return the optimum of program (6) with the least cost of a category."""
    rows, limits, sums = _optima(epsilon)
    error = _reports(category)
    around = np.vstack([np.hstack([sign * error, -np.ones((3, 1))]) for sign in (1.0, -1.0)])
    ends = np.concatenate([limits, TABLE[:, category], -TABLE[:, category]])
    solution = least(np.eye(rows.shape[1])[-1], np.vstack([rows, around]), ends, sums)
    matrix = np.maximum(solution[:-1], 0.0).reshape(TABLE.size, 4)
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True))


def cost_range(epsilon: float, category: int) -> tuple[float, float]:
    """Return the least and the largest cost of a category among the optima of program (6)."""
    rows, limits, sums = _optima(epsilon)
    found = []
    for sign in (1.0, -1.0):
        for error, asked in zip(_reports(category), TABLE[:, category], strict=True):
            cost = np.append(sign * error, 0.0)
            found.append(sign * asked - float(cost @ least(cost, rows, limits, sums)))
    return float(costs_of(cheapest(epsilon, category))[category]), max(found)


def category_curves(name: str, matrices: list[Array]) -> list[Curve]:
    """Return the cost of each category for a mechanism at each epsilon."""
    flags = np.array([is_private(matrix, e) for matrix, e in zip(matrices, EPSILONS.tolist(), strict=True)])
    heights = np.array([costs_of(matrix) for matrix in matrices])
    return [Curve(f"{name}, category {j + 1}", "published", EPSILONS, heights[:, j], flags) for j in range(4)]


def feasible(name: str, matrices: list[Array], category: int | None = None) -> Curve:
    """Return the cost of private mechanisms, one for each epsilon, in a category or the largest one."""
    flags = np.array([is_private(matrix, e) for matrix, e in zip(matrices, EPSILONS.tolist(), strict=True)])
    found = [costs_of(matrix) for matrix in matrices]
    return Curve(
        name,
        "feasible",
        EPSILONS,
        np.array([cost.max() if category is None else cost[category] for cost in found]),
        flags,
    )
