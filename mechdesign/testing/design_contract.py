"""What information design must satisfy: convex over mixtures of outputs, and bounded by each of its slopes."""

from __future__ import annotations

import math
import warnings
from typing import Any, Final

import numpy as np

from mechdesign.catalogue.drawn import random_channel
from mechdesign.notions import Rays
from mechdesign.objectives import InformationDesign, Objective
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.testing.contract import require
from mechdesign.testing.random_problems import random_columns, random_postprocessing

#: Two formulas of one number, relative to one plus its size.
ROUNDING: Final = 1e-9
#: What a subtraction of nearly equal numbers may leave of an inequality.
SLACK: Final = 1e-11
MANY: Final = 20
#: What the judging solver is asked for; its answers are compared with 1e-8 and wider.
JUDGE: Final = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10, "chordal_decomposition_enable": False}


def design_is_convex(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """Over mixtures of outputs the value is convex, post-processing never improves it, and slopes bound it below."""
    if not isinstance(objective, InformationDesign):
        return
    require(not objective.has_expression and objective.kind == "design", "its kind is not that of a design")
    n = problem.n
    for _ in range(MANY):
        first, second = (random_channel(n, n + 2, rng, 0.0) for _ in range(2))
        reports_only_lose(objective, first, second, problem, rng)
        bounds_below(objective, first, objective.value(first, problem), problem, rng)
    if objective.criterion == "c":
        counts_bias(objective, problem, rng)
    columns = random_columns(n, MANY, rng)
    slope = objective.positive_slope(None, problem)
    once, doubled = (objective.linear_utility(slope, factor * columns, problem) for factor in (1.0, 2.0))
    require(np.allclose(doubled, 2.0 * once, rtol=ROUNDING, atol=0), "the linearised utility is not homogeneous")


def reports_only_lose(
    objective: Objective,
    first: Array,
    second: Array,
    problem: Problem,
    rng: np.random.Generator,
    rounding: float = ROUNDING,
    slack: float = SLACK,
) -> None:
    """Raise unless a value to minimise is convex over mixtures, and reports that are processed further have no less."""
    value, other, outputs = objective.value(first, problem), objective.value(second, problem), first.shape[1]
    share = rng.random()
    mixed = objective.value(np.hstack([share * first, (1 - share) * second]), problem)
    ends = share * value + (1 - share) * other
    require(mixed <= ends + slack * (1 + abs(ends)), f"a mixture has the value {mixed!r}, above {ends!r}")
    padded = np.insert(first, 1, 0.0, axis=1)[:, rng.permutation(outputs + 1)]
    same = abs(objective.value(padded, problem) - value)
    require(same <= rounding * (1 + abs(value)), "renaming outputs, or one that never happens, changes the value")
    after = objective.value(first @ random_postprocessing(outputs, int(rng.integers(1, outputs + 1)), rng), problem)
    require(after >= value - slack * (1 + abs(value)), f"post-processing improves the value {value!r} to {after!r}")


def counts_bias(objective: InformationDesign, problem: Problem, rng: np.random.Generator) -> None:
    """Raise unless two outputs have the variance of their one unbiased estimator, infinite without one."""
    figure = figure_of(objective, problem)
    theta = problem.prior if objective.theta is None else objective.theta
    assert theta is not None, "check() refuses a problem without one"
    slope = rng.uniform(0.1, 0.8) / float(np.ptp(figure))
    high = 0.1 + slope * (figure - figure.min())
    mean = float(theta @ high) / math.fsum(theta)
    variance, found = mean * (1.0 - mean) / slope**2, objective.value(np.column_stack([high, 1.0 - high]), problem)
    require(abs(found - variance) <= ROUNDING * variance, f"two outputs have the variance {found!r}, not {variance!r}")
    if problem.n > 2:
        bent = 0.1 + slope * np.abs(figure - figure.mean())
        found = objective.value(np.column_stack([bent, 1.0 - bent]), problem)
        require(found == math.inf, f"two outputs without an unbiased estimator have the value {found!r}")


def bounds_below(
    objective: InformationDesign, matrix: Array, value: float, problem: Problem, rng: np.random.Generator
) -> None:
    """Raise unless any slope bounds the value from below, and minus its derivative comes up to it."""
    half = rng.normal(size=(problem.n, problem.n))
    for slope in (None, half, half @ half.T, half[:, :1] @ half[:, :1].T):
        bound = least_by(objective, slope, matrix, problem)
        require(bound <= value + ROUNDING * (1 + abs(value)), f"a slope bounds {value!r} by {bound!r}")
    own = least_by(objective, derivative(objective, matrix, problem), matrix, problem)
    require(abs(own - value) <= ROUNDING * (1 + abs(value)), f"its own slope bounds the value {value!r} by {own!r}")


def least_by(objective: InformationDesign, slope: Array | None, matrix: Array, problem: Problem) -> float:
    """Return the bound that a slope gives where every mechanism has the linearised utility of `matrix` at most."""
    positive = objective.positive_slope(slope, problem)
    return objective.least_value(positive, float(objective.linear_utility(positive, matrix, problem).sum()), problem)


def derivative(objective: InformationDesign, matrix: Array, problem: Problem) -> Array:
    """Return minus the derivative of the value by the information, up to scale, in whole vectors."""
    theta = problem.prior if objective.theta is None else objective.theta
    assert theta is not None, "check() refuses a problem without one"
    around = np.eye(problem.n) - 1.0 / problem.n
    scaled = around @ matrix / np.sqrt(theta / math.fsum(theta) @ matrix)
    covariance = np.linalg.pinv(scaled @ scaled.T)
    if objective.criterion == "D":
        return np.asarray(covariance)
    if objective.criterion == "E":
        asked = objective.workload(problem)
        combination = asked.T @ np.linalg.eigh(asked @ covariance @ asked.T)[1][:, -1]
        direction = covariance @ combination
        return np.outer(direction, direction)
    if objective.criterion == "worst":
        asked = objective.workload(problem)
        direction = covariance @ asked[np.argmax(np.einsum("px,xy,py->p", asked, covariance, asked))]
        return np.outer(direction, direction)
    if objective.criterion == "c":
        along = covariance @ figure_of(objective, problem)
        return np.outer(along, along)
    return np.asarray(covariance @ gram_of(objective, problem) @ covariance)


def figure_of(objective: InformationDesign, problem: Problem) -> Array:
    """Return the numbers of the criterion "c"."""
    given = problem.values if objective.direction is None else objective.direction
    assert given is not None, "check() refuses a problem without values"
    return np.asarray(given, dtype=float)


def gram_of(objective: Any, problem: Problem) -> Array:
    """Return the inner products of the queries of the criterion "A", whose rows are frequencies by default."""
    if objective.queries is not None:
        asked = objective.workload(problem)
        return np.array([[float(a @ b) for b in asked.T] for a in asked.T])
    return np.diag(np.ones(problem.n) if objective.weights is None else objective.weights)


def best_design(rays: Rays, objective: InformationDesign, problem: Problem, sums: Array, limits: Array) -> float:
    """Return the least value at row sums `sums`, by the dual program: over slopes and multipliers, not over weights.

    ``trace(K M^-1) >= 2 trace X - trace(B M)`` wherever ``[[K, X], [X', B]] >= 0``; for "E", K is ``U' W' Z W U`` with
    any Z of trace 1.
    """
    import cvxpy as cp

    size = problem.n - 1
    theta = problem.prior if objective.theta is None else objective.theta
    assert theta is not None, "check() refuses a problem without one"
    basis = np.linalg.svd(np.eye(problem.n) - 1.0 / problem.n)[0][:, :size]
    scaled = basis.T @ rays.columns / np.sqrt(theta / math.fsum(theta) @ rays.columns)
    root = np.linalg.cholesky(scaled @ scaled.T)
    scaled, inverse = np.linalg.solve(root, scaled), np.linalg.inv(root)
    slope, cross = cp.Variable((size, size), PSD=True), cp.Variable((size, size))
    lam, nu = cp.Variable(problem.n), cp.Variable(max(len(limits), 1), nonneg=True)
    squares = np.einsum("ir,jr->rij", scaled, scaled).reshape(-1, size * size)
    granted = rays.columns.T @ lam
    charge = lam @ sums
    if len(limits):
        granted, charge = granted + rays.cost.T @ nu, charge + nu @ limits
    rules = [squares @ cp.vec(slope, order="C") <= granted]
    if objective.criterion == "D":
        goal = cp.log_det(slope) + size - charge - 2.0 * float(np.log(np.diag(root)).sum())
    else:
        loading: Any = cp.Variable((size, size), PSD=True)
        if objective.criterion == "E":
            asked = objective.workload(problem)
            mixed = cp.Variable((len(asked), len(asked)), PSD=True)
            rules += [cp.trace(mixed) == 1.0, loading == basis.T @ asked.T @ mixed @ asked @ basis]
        elif objective.criterion == "worst":
            asked = objective.workload(problem) @ basis
            shares = cp.Variable(len(asked), nonneg=True)
            rules += [cp.sum(shares) == 1.0, loading == asked.T @ cp.diag(shares) @ asked]
        else:
            whole_loading = gram_of(objective, problem)
            if objective.criterion == "c":
                whole_loading = np.outer(figure_of(objective, problem), figure_of(objective, problem))
            rules.append(loading == basis.T @ whole_loading @ basis)
        whole = cp.bmat([[inverse @ loading @ inverse.T, cross], [cross.T, slope]])
        rules.append((whole + whole.T) / 2.0 >> 0)
        goal = 2.0 * cp.trace(cross) - charge
    program = cp.Problem(cp.Maximize(goal), rules)
    with warnings.catch_warnings():
        # It stops a little short of what it is asked for where a cone is curved.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate", category=UserWarning)
        program.solve(solver="CLARABEL", **JUDGE)
    require(program.status in ("optimal", "optimal_inaccurate"), f"the dual program ends as {program.status}")
    return float(program.value)
