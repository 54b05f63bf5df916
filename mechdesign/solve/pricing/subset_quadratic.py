"""Extreme rays of LDP by subsets, priced one and all without a list of them: sums of two halves of the inputs."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from mechdesign.notions import LDP, Notion, Rays
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT

#: From this number of inputs on the rays are not listed, and up to this one all are priced.
FEWEST_INPUTS, MOST_INPUTS = 15, 22
#: Inputs of the half whose sums are kept, and subsets of each part that are handed on.
KEPT_HALF, OF_EACH = 12, 4


def by_subsets(notion: Notion, problem: Problem) -> TypeGuard[LDP]:
    """Return whether the rays are ``1 + (E - 1) 1_S`` over subsets S, too many to list and few enough to price."""
    return is_ldp_of_inputs(notion, problem) and FEWEST_INPUTS <= problem.n <= MOST_INPUTS


def rays_of(subsets: Array, epsilon: float) -> Rays:
    """Return the rays of subsets, given as columns of zeros and ones, shape (n, subsets), each at most 1."""
    return Rays(np.where(subsets > 0, 1.0, _least(epsilon)), np.zeros((0, subsets.shape[1])))


def _least(epsilon: float) -> float:
    return float(np.exp(-min(epsilon, LARGEST_EXPONENT)))


def first_subsets(n: int, epsilon: float, count: int) -> Array:
    """Return single inputs, windows that go round of every size, and random subsets of the most informative sizes."""
    windows = [np.roll(np.arange(n) < size, shift) for size in range(1, n) for shift in range(n)]
    rng = np.random.default_rng(n)
    likely = n * _least(epsilon) / (1.0 + _least(epsilon))
    sizes = np.clip(np.floor(likely) + rng.integers(0, 2, size=count), 1, n - 1)
    ranks = rng.random((count, n)).argsort(axis=1).argsort(axis=1)
    return np.unique(np.vstack([windows, ranks < sizes[:, None]]), axis=0).T.astype(float)


def priced(
    notion: LDP, objective: InformationDesign, problem: Problem, slope: Array, lam: Array, normal: Array, count: int = 1
) -> Array:
    """Return the subsets where ``(q' U B U' q / (theta . q) - lam . q) / (normal . q)`` is largest, shape (n, count).

    Everything is a sum over the subset: of the first inputs all sums are kept, of the others one is added at a time.
    """
    n, least = problem.n, _least(notion.epsilon)
    root = np.linalg.cholesky(slope).T @ contrasts(n).T
    theta = objective.mass(np.eye(n), problem)
    # A column is least + (1 - least) 1_S: rows are what each input adds once it is in S.
    each = np.vstack([root, theta, lam, normal])
    added, base = (1.0 - least) * each, least * each.sum(axis=1)
    # Contrasts of a constant are 0.
    base[: n - 1] = 0.0
    half = min(KEPT_HALF, n)
    kept = added[:, :half] @ _all_subsets(half)
    others = _all_subsets(n - half)
    best, found = np.full(others.shape[1] * OF_EACH, -np.inf), np.zeros((others.shape[1] * OF_EACH, 2), dtype=np.int64)
    for index, start in enumerate((base[:, None] + added[:, half:] @ others).T):
        sums = kept + start[:, None]
        squares = np.einsum("kx,kx->x", sums[: n - 1], sums[: n - 1])
        excess = (squares / sums[-3] - sums[-2]) / sums[-1]
        top = np.argpartition(-excess, OF_EACH)[:OF_EACH]
        place = slice(OF_EACH * index, OF_EACH * (index + 1))
        best[place], found[place, 0], found[place, 1] = excess[top], index, top
    order = np.argsort(-best, kind="stable")[:count]
    return np.vstack([_all_subsets(half)[:, found[order, 1]], others[:, found[order, 0]]])


def _all_subsets(n: int) -> Array:
    """Return all subsets of n inputs as columns of zeros and ones, shape (n, 2^n)."""
    return ((np.arange(2**n) >> np.arange(n)[:, None]) & 1).astype(float)
