"""Optima by brute force and utilities by their definitions: numpy, scipy and fractions only, nothing of the package."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.optimize import linprog

# Vectors of a cone ----------------------------------------------------------------------------------------------


def ldp_vectors(n, epsilon):
    """Return ``e^epsilon`` on S and 1 elsewhere, for every S but the full set, shape (n, 2^n - 1)."""
    inside = np.array([[bool(s >> x & 1) for s in range(2**n - 1)] for x in range(n)])
    return np.where(inside, math.exp(epsilon), 1.0)


def ldp_rows(n, epsilon):
    """Return the inequalities ``e^epsilon q_x' - q_x >= 0`` of all ordered pairs."""
    rows = []
    for x in range(n):
        for other in range(n):
            if x != other:
                row = np.zeros(n)
                row[other], row[x] = math.exp(epsilon), -1.0
                rows.append(row)
    return np.array(rows)


def lip_rows(prior, epsilon, channel=None):
    """Return ``v_s - e^-epsilon m >= 0`` and ``e^epsilon m - v_s >= 0`` with ``v = W q``, ``m = pi . v``."""
    channel = np.eye(len(prior)) if channel is None else np.asarray(channel)
    mass = np.asarray(prior) @ channel
    return np.vstack([channel - math.exp(-epsilon) * mass, math.exp(epsilon) * mass - channel])


def vertices(rows, normal):
    """Return every vertex of ``{q >= 0 : rows @ q >= 0, normal . q = 1}``: n - 1 tight constraints at a time."""
    n = len(normal)
    everything = np.vstack([rows, np.eye(n)])
    everything = everything / np.linalg.norm(everything, axis=1, keepdims=True)
    found = []
    chosen = np.array(list(combinations(range(len(everything)), n - 1)), dtype=int).reshape(-1, n - 1)
    for block in np.array_split(chosen, max(1, len(chosen) // 50_000)):
        systems = np.concatenate([everything[block], np.broadcast_to(normal, (len(block), 1, n))], axis=1)
        systems = systems[np.abs(np.linalg.det(systems)) > 1e-13]
        right = np.zeros((len(systems), n, 1))
        right[:, -1] = 1.0
        points = np.linalg.solve(systems, right)[:, :, 0]
        found.append(points[(points @ everything.T).min(axis=1, initial=0.0) >= -1e-9])
    points = np.concatenate(found)
    _, first = np.unique(np.round(points, 9), axis=0, return_index=True)
    return points[first].T


def column_vertices(rows):
    """Return the vertices of ``{q : q and 1 - q satisfy the rows}``: a convex function of q is largest at one."""
    n = rows.shape[1]
    other = np.hstack([-np.vstack([rows, np.eye(n)]), np.vstack([rows, np.eye(n)]).sum(axis=1, keepdims=True)])
    homogeneous = np.vstack([np.hstack([rows, np.zeros((len(rows), 1))]), other])
    return vertices(homogeneous, np.eye(n + 1)[n])[:n]


def corners_of_shadow(rows, a, b):
    """Return columns q at all corners of ``{(a . q, b . q) : q and 1 - q satisfy the rows, 0 <= q <= 1}``.

    A convex function of the two numbers is largest at a corner. Each comes from a linear program; between two of them
    one further along the normal of their chord is looked for, until there is none.
    """
    total, scale = rows.sum(axis=1), (np.abs(a).sum(), np.abs(b).sum())
    flat = np.array([a / scale[0], b / scale[1]])

    def furthest(direction):
        found = linprog(
            -(direction @ flat) / np.linalg.norm(direction),
            A_ub=np.vstack([-rows, rows]),
            b_ub=np.concatenate([np.zeros(len(rows)), total]),
            bounds=(0.0, 1.0),
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        assert found.status == 0, found.message
        return found.x

    found = [furthest(np.array(d, dtype=float)) for d in ((1, 0), (-1, 0))]
    open_chords = [(found[0], found[1]), (found[1], found[0])]
    while open_chords:
        first, second = open_chords.pop()
        along = flat @ (second - first)
        normal = np.array([along[1], -along[0]])
        # Two corners next to each other are as good as one.
        if np.linalg.norm(normal) < 1e-9:
            continue
        new = furthest(normal)
        if normal @ flat @ (new - first) > 1e-10 * np.linalg.norm(normal):
            found.append(new)
            open_chords += [(first, new), (new, second)]
    return np.array(found).T


def band_vectors(prior, low, high):
    """Return the vertices of ``{q : low <= q_x <= high, P . q = 1}``: all entries but one are at an end."""
    n, ends = len(prior), np.array([low, high])
    found = []
    for free in range(n):
        others = np.delete(np.arange(n), free)
        patterns = ends[np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1) & 1]
        rest = (1.0 - patterns @ np.asarray(prior)[others]) / prior[free]
        column = np.insert(patterns, free, rest, axis=1)
        found.append(column[(rest >= low * (1 - 1e-12)) & (rest <= high * (1 + 1e-12))])
    return np.concatenate(found).T


def indicators(n):
    """Return ``1_S`` for every nonempty S, shape (n, 2^n - 1): each takes 1 of ``sum_y max_x q_xy``."""
    return (np.arange(1, 2**n) >> np.arange(n)[:, None] & 1).astype(float)


def optimum(columns, utilities, cost=None, limits=None):
    """Return the largest ``sum_r w_r u_r`` over weights ``w >= 0`` with ``sum_r w_r column_r = 1`` in every row.

    With `cost`, shape (budgets, r), also ``cost @ w <= limits``.
    """
    return float(best_weights(columns, utilities, cost, limits) @ utilities)


def best_weights(columns, utilities, cost=None, limits=None):
    """Return the weights of that optimum."""
    scale = max(np.abs(utilities).max(), 1e-300)
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(
        -utilities / scale,
        A_ub=cost,
        b_ub=limits,
        A_eq=columns,
        b_eq=np.ones(len(columns)),
        method="highs",
        options=tight,
    )
    assert found.status == 0, found.message
    return found.x


def best_matrix(rows, pieces):
    """Return the least ``max_i sum pieces[i] * Q`` over stochastic Q whose columns satisfy ``rows @ q >= 0``.

    Parameters
    ----------
    pieces : ndarray, shape (pieces, n, m)
    """
    count, n, m = pieces.shape
    size = n * m
    cone = np.hstack([np.kron(-rows, np.eye(m)), np.zeros((len(rows) * m, 2))])
    above = np.hstack([pieces.reshape(count, size), np.full((count, 1), -1.0), np.ones((count, 1))])
    total = np.hstack([np.kron(np.eye(n), np.ones((1, m))), np.zeros((n, 2))])
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(
        np.concatenate([np.zeros(size), [1.0, -1.0]]),
        A_ub=np.vstack([cone, above]),
        b_ub=np.zeros(len(cone) + count),
        A_eq=total,
        b_eq=np.ones(n),
        method="highs",
        options=tight,
    )
    assert found.status == 0, found.message
    return float(found.fun)


def best_approximate(gains, epsilon, delta):
    """Return the largest ``sum gains * Q`` with ``sum_y max(Q[s, y] - e^epsilon Q[t, y], 0) <= delta`` for all s, t.

    What each entry has too much is a variable of its own.
    """
    n, m = gains.shape
    pairs = [(s, t) for s in range(n) for t in range(n) if s != t]
    size, slacks = n * m, len(pairs) * m
    over, sums = np.zeros((slacks, size + slacks)), np.zeros((len(pairs), size + slacks))
    for i, (s, t) in enumerate(pairs):
        at = np.arange(m)
        over[i * m + at, s * m + at] = 1.0
        over[i * m + at, t * m + at] = -math.exp(epsilon)
        over[i * m + at, size + i * m + at] = -1.0
        sums[i, size + i * m + at] = 1.0
    total = np.hstack([np.kron(np.eye(n), np.ones((1, m))), np.zeros((n, slacks))])
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(
        np.concatenate([-gains.ravel(), np.zeros(slacks)]),
        A_ub=np.vstack([over, sums]),
        b_ub=np.concatenate([np.zeros(slacks), np.full(len(pairs), delta)]),
        A_eq=total,
        b_eq=np.ones(n),
        method="highs",
        options=tight,
    )
    assert found.status == 0, found.message
    return -float(found.fun)


def metric_rows(distance, epsilon):
    """Return ``e^(epsilon d(x, x')) q_x' - q_x >= 0`` of all ordered pairs."""
    n, rows = len(distance), []
    for x in range(n):
        for other in set(range(n)) - {x}:
            row = np.zeros(n)
            row[other], row[x] = math.exp(epsilon * distance[x, other]), -1.0
            rows.append(row)
    return np.array(rows).reshape(-1, n)


# Utilities of columns, from their definitions ---------------------------------------------------------------------


def squared_error(columns, prior, values):
    """Return what each column adds to ``E[(a_X - E[a_X | Y])^2]``."""
    prior, values = np.asarray(prior), np.asarray(values)
    joint = prior[:, None] * columns
    estimate = (values @ joint) / joint.sum(axis=0)
    return np.array([joint[:, y] @ (values - estimate[y]) ** 2 for y in range(columns.shape[1])])


def fisher(columns, theta, direction):
    """Return ``(direction . q)^2 / (theta . q)`` of each column."""
    return (np.asarray(direction) @ columns) ** 2 / (np.asarray(theta) @ columns)


def divergence(name, columns, first, second):
    """Return what each column adds to a divergence of ``p = first Q`` from ``s = second Q``."""
    p, s = np.asarray(first) @ columns, np.asarray(second) @ columns
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "KLDivergence": lambda: np.where(p > 0, p * np.log(p / s), 0.0),
            "TotalVariation": lambda: np.abs(p - s) / 2,
            "ChiSquare": lambda: (p - s) ** 2 / s,
            "Hellinger": lambda: (np.sqrt(p) - np.sqrt(s)) ** 2 / 2,
            "JensenShannon": lambda: (p * np.log(2 * p / (p + s)) + s * np.log(2 * s / (p + s))) / 2,
        }[name]()


def information(columns, prior):
    """Return what each column adds to ``I(X; Y)``, in nats."""
    prior = np.asarray(prior)
    mass = prior @ columns
    terms = np.where(columns > 0, columns * np.log(np.where(columns > 0, columns, 1.0) / mass), 0.0)
    return prior @ terms


def least_loss(columns, prior, loss):
    """Return the expected loss of each column's best decision."""
    return np.array([min(np.asarray(prior) * q @ d for d in np.asarray(loss).T) for q in columns.T])


# Exact privacy, from the definitions ------------------------------------------------------------------------------


def exponential_below(epsilon, terms=80):
    """Return a fraction at most ``e^epsilon`` for ``epsilon >= 0``: the Taylor sum, all of whose terms are positive."""
    total, term = Fraction(0), Fraction(1)
    for k in range(1, terms + 1):
        total += term
        term *= Fraction(epsilon) / k
    return total


def exact(matrix):
    """Return the rows as fractions, after checking that they are distributions to the last bit."""
    rows = [[Fraction(float(entry)) for entry in row] for row in matrix]
    assert all(entry >= 0 for row in rows for entry in row), "a negative probability"
    assert all(sum(row) == 1 for row in rows), "a row that does not sum to exactly one"
    assert all((entry * 2**53).denominator == 1 for row in rows for entry in row), "an entry off the grid of 2**-53"
    return rows


def exactly(row):
    """Return the fractions in the proportions of a row of floats that sum to exactly one."""
    weights = [Fraction(float(w)) for w in row]
    return [w / sum(weights) for w in weights]


def reversed_channel(secret_given_data, prior):
    """Return ``Pr(X = x | S = s)`` and ``Pr(S = s)`` as fractions, from ``R[s, x] = Pr(s | x)`` and the prior."""
    columns = [exactly(column) for column in np.asarray(secret_given_data).T]
    joint = [[column[s] * p for column, p in zip(columns, exactly(prior), strict=True)] for s in range(len(columns[0]))]
    return [exactly_scaled(row) for row in joint], [sum(row) for row in joint]


def exactly_scaled(row):
    """Return fractions divided by their sum."""
    return [entry / sum(row) for entry in row]


def seen(matrix, channel):
    """Return ``Pr(y | s) = sum_x W[s, x] Q[x, y]`` as fractions; W holds fractions or floats."""
    rows = exact(matrix)
    if channel is None:
        return rows
    result = []
    for given in channel:
        weights = exactly_scaled([Fraction(w) for w in given])
        result.append([sum(w * row[y] for w, row in zip(weights, rows, strict=True)) for y in range(len(rows[0]))])
    return result


def is_ldp(matrix, epsilon, channel=None):
    """Tell whether ``Pr(y | s) <= e^epsilon Pr(y | s')``, in fractions."""
    most = exponential_below(epsilon)
    return all(max(column) <= most * min(column) for column in zip(*seen(matrix, channel), strict=True))


def is_lip(matrix, prior, epsilon, channel=None):
    """Tell whether ``e^-epsilon <= Pr(y | s) / Pr(y) <= e^epsilon``, in fractions."""
    most, weights = exponential_below(epsilon), exactly_scaled([Fraction(p) for p in prior])
    for column in zip(*seen(matrix, channel), strict=True):
        mass = sum(w * entry for w, entry in zip(weights, column, strict=True))
        if max(column) > most * mass or mass > most * min(column):
            return False
    return True


def least_variance(columns, theta, figure):
    """Return the least variance over mixtures of columns: ``sum_r (theta . r) s_r^2 / w_r`` at ``sum_r s_r r = c``."""
    import cvxpy as cp

    masses, centred, count = theta @ columns, figure - theta @ figure, columns.shape[1]
    weights, scored, cost = cp.Variable(count, nonneg=True), cp.Variable(count), cp.Variable(count)
    cone = cp.SOC(cost + weights, cp.vstack([2 * scored, cost - weights]), axis=0)
    size = float(np.abs(centred).max())
    rows = [columns @ weights == 1, columns @ scored == centred / size, cone]
    closely = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-10)
    with warnings.catch_warnings():
        # It stops a little short of what it is asked for where a cone is curved.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate", category=UserWarning)
        return cp.Problem(cp.Minimize(masses @ cost), rows).solve(solver="CLARABEL", **closely) * size**2
