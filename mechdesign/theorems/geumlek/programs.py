"""The linear programs (5) and (6) as the paper prints them, solved apart from the routes of `design`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mechdesign.notions import ProfileDP
from mechdesign.objectives import MaxOffDiagonal
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.family import Point

Edges = Sequence[tuple[int, int]]


def random_edges(profiles: int, seed: int) -> list[tuple[int, int]]:
    """Return a random graph with an edge at least."""
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(profiles) for j in range(i + 1, profiles)]
    return [pair for pair in pairs if rng.random() < 0.5] or [pairs[int(rng.integers(len(pairs)))]]


def chain(profiles: int) -> list[tuple[int, int]]:
    """Return the edges of a chain."""
    return [(i, i + 1) for i in range(profiles - 1)]


def bernoulli(ones: Iterable[float]) -> Array:
    """Return the profiles of one bit with these probabilities of a one."""
    p = np.array(list(ones), dtype=float)
    return np.stack([1.0 - p, p], axis=1)


def flipping(flips: Array) -> Array:
    """Return the mechanism that sees the profile and flips its bit with the profile's probability."""
    rows = [[[1.0 - flip, flip], [flip, 1.0 - flip]] for flip in np.asarray(flips, dtype=float)]
    return np.array(rows).reshape(-1, 2)


def asked(notion: ProfileDP) -> Question:
    """Return the question of the least largest off-diagonal entry: program (6) where the profile is seen."""
    return Question(notion.inputs(Problem(n=notion.profiles.shape[1])), notion, MaxOffDiagonal())


def of_graph(point: Point) -> Question:
    """Return the question of the least largest off-diagonal entry for the point's profiles and random graph."""
    return asked(ProfileDP(point.epsilon, point.profiles, random_edges(len(point.profiles), point.graph)))


def smooth_flips(ones: Array, edges: Edges, epsilon: float) -> Array:
    """Return an optimum of program (5): for each profile the probability of a flip, the largest the least."""
    ones, k, low = np.asarray(ones, dtype=float), len(ones), np.exp(-epsilon)
    # Pr(1) = ones + slope * flip, Pr(0) = 1 - ones - slope * flip; variables are the flips, then the largest of them.
    slope = np.diag(1.0 - 2.0 * ones)
    rows, limits = [np.hstack([np.eye(k), -np.ones((k, 1))])], [np.zeros(k)]
    for sign, start in ((1.0, ones), (-1.0, 1.0 - ones)):
        for i, j in [*edges, *((j, i) for i, j in edges)]:
            rows.append(np.append(sign * (low * slope[i] - slope[j]), 0.0)[None])
            limits.append(np.array([start[j] - low * start[i]]))
    return np.maximum(least(np.eye(k + 1)[-1], np.vstack(rows), np.concatenate(limits))[:-1], 0.0)


def smooth_matrices(profiles: Array, edges: Edges, epsilon: float) -> Array:
    """Return an optimum of program (6): row ``i * d + x`` is what profile i reports of category x."""
    entries, off, rows, limits, sums = categorical_program(profiles, edges, epsilon)
    k, d = np.shape(profiles)
    cost = np.eye(entries + 1)[-1]
    padded = np.hstack([rows, np.zeros((len(rows), 1))])
    largest = np.hstack([np.eye(entries)[off], -np.ones((len(off), 1))])
    solution = least(
        cost,
        np.vstack([padded, largest]),
        np.concatenate([limits, np.zeros(len(off))]),
        np.hstack([sums, np.zeros((len(sums), 1))]),
    )
    matrix = np.maximum(solution[:-1], 0.0).reshape(k * d, d)
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True))


def categorical_program(profiles: Array, edges: Edges, epsilon: float) -> tuple[int, Any, Array, Array, Array]:
    """Return the parts of (6): number of entries, the ones off the diagonal, ``rows @ entries <= limits``, row sums."""
    table, low = np.asarray(profiles, dtype=float), np.exp(-epsilon)
    k, d = table.shape
    seen = reported(table)
    rows = np.array([low * seen[i, c] - seen[j, c] for e in edges for i, j in (e, e[::-1]) for c in range(d)])
    off = np.flatnonzero(np.tile(1.0 - np.eye(d), (k, 1)).ravel())
    return int(k * d * d), off, rows, np.zeros(len(rows)), np.asarray(np.kron(np.eye(k * d), np.ones(d)))


def reported(table: Array) -> Array:
    """Return for each profile and category the coefficients, over all entries, of the probability of its report."""
    k, d = table.shape
    seen = np.zeros((k, d, k, d, d))
    for i in range(k):
        for c in range(d):
            seen[i, c, i, :, c] = table[i]
    return seen.reshape(k, d, k * d * d)


def least(cost: Array, rows: Array, limits: Array, sums: Array | None = None) -> Array:
    """Return a point of ``rows @ x <= limits``, ``sums @ x = 1``, ``x >= 0`` of the least cost."""
    from scipy.optimize import linprog

    ones = None if sums is None else np.ones(len(sums))
    solved = linprog(cost, A_ub=rows, b_ub=limits, A_eq=sums, b_eq=ones, method="highs-ds")
    # A program without a solution makes the claim fail: there is always one.
    return np.asarray(solved.x if solved.x is not None else np.full(len(cost), np.nan))
