"""Extreme rays by all choices of tight rows, and the largest of a functional by a linear program."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.optimize import linprog

from mechdesign.notions import (
    Budget,
    Cone,
)


def same_rays(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-11) -> bool:
    """Tell whether the columns are the same up to order, every entry to a relative tolerance."""
    if found.shape != expected.shape:
        return False
    ours, theirs = found[:, :, None], (expected / expected.max(axis=0))[:, None, :]
    near = np.all(np.abs(ours - theirs) <= tolerance * theirs, axis=0)
    return bool(np.all(near.sum(axis=0) == 1) and np.all(near.sum(axis=1) == 1))


def brute_rays(rows: np.ndarray) -> np.ndarray:
    """Return the extreme rays of ``{q >= 0 : rows @ q >= 0}`` by trying all choices of n - 1 tight rows."""
    n = rows.shape[1]
    every = np.vstack([np.eye(n), rows])
    every = every / np.linalg.norm(every, axis=1, keepdims=True)
    choices = np.array(list(itertools.combinations(range(len(every)), n - 1)), dtype=int).reshape(-1, n - 1)
    _, singular, basis = np.linalg.svd(every[choices])
    lines = basis[np.all(singular > 1e-7, axis=1), -1]
    lines = lines * np.sign(lines.sum(axis=1, keepdims=True))
    lines = lines[np.all(lines @ every.T >= -1e-9, axis=1) & (lines.max(axis=1) > 0)]
    lines = lines / lines.max(axis=1, keepdims=True)
    lines[lines < 1e-12] = 0.0
    kept: list[np.ndarray] = []
    for line in lines:
        if not any(np.abs(line - other).max() < 1e-7 for other in kept):
            kept.append(line)
    return np.array(kept).reshape(-1, n).T


def largest(cone: Cone, functional: np.ndarray, budget: Budget | None = None, nu: float = 0.0) -> float:
    """Return max ``h . q - nu beta(q)`` on ``sum(q) = 1``, auxiliary variables and all."""
    n, extra = cone.on_column.shape[1], cone.on_auxiliary.shape[1]
    pieces = np.zeros((0, 1, n)) if budget is None else budget.pieces
    groups, count = pieces.shape[:2]
    cost = np.concatenate([-functional, np.zeros(extra), np.full(groups, nu)])
    upper = [np.hstack([-cone.on_column, -cone.on_auxiliary, np.zeros((len(cone.on_column), groups))])]
    for k, j in itertools.product(range(groups), range(count)):
        upper.append(np.concatenate([pieces[k, j], np.zeros(extra), -np.eye(groups)[k]])[None, :])
    bounds = [(0, None)] * (n + extra) + [(None, None)] * groups
    A_eq = np.concatenate([np.ones(n), np.zeros(extra + groups)])[None, :]
    found = linprog(cost, np.vstack(upper), np.zeros(sum(map(len, upper))), A_eq, [1.0], bounds)
    assert found.status == 0
    return float(-found.fun)


def over_rays(columns: np.ndarray, functional: np.ndarray, cost: np.ndarray, nu: float = 0.0) -> float:
    return float(((functional @ columns - nu * cost.sum(axis=0)) / columns.sum(axis=0)).max())
