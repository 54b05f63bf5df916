"""What the variance of unbiased estimates must satisfy: they are unbiased, none are better, and reports only lose."""

from __future__ import annotations

import math
import warnings
from typing import Any, Final

import numpy as np

from mechdesign.catalogue.drawn import random_channel
from mechdesign.notions import Rays
from mechdesign.objectives import Objective
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.testing.contract import require
from mechdesign.testing.design_contract import reports_only_lose

#: Two formulas of one number, and a solver's answer, relative to one plus its size.
ROUNDING: Final = 1e-8
SOLVED: Final = 1e-5
SLACK: Final = 1e-9
MANY: Final = 12
#: What the judging solver is asked for.
JUDGE: Final = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}


def unbiased_is_least(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """Estimates are unbiased, a conic program finds none better; mixtures are convex, post-processing never helps."""
    if not isinstance(objective, EstimatorVariance):
        return
    n, figure = problem.n, values_of(problem)
    theta = objective.population(problem)
    for _ in range(MANY):
        first, second = (random_channel(n, n + 2, rng, 0.0) for _ in range(2))
        value, estimates = objective.value(first, problem), objective.estimates(first, problem)
        far = float(np.abs(first @ estimates - figure).max())
        require(far <= ROUNDING * (1 + np.abs(estimates).max()), f"the estimates are biased by {far!r}")
        judged = least_variance(first, figure, theta)
        require(abs(value - judged) <= SOLVED * (1 + abs(judged)), f"the value is {value!r}, by a program {judged!r}")
        reports_only_lose(objective, first, second, problem, rng, ROUNDING, SLACK)
    of_two_outputs(objective, problem, theta, rng)


def of_two_outputs(
    objective: EstimatorVariance, problem: Problem, theta: Array | None, rng: np.random.Generator
) -> None:
    """Raise unless two outputs have the variance of their one unbiased estimate, infinite without such an estimate."""
    figure = values_of(problem)
    slope = rng.uniform(0.1, 0.8) / float(np.ptp(figure))
    high = 0.1 + slope * (figure - figure.min())
    variances = high * (1.0 - high) / slope**2
    expected = float(variances.max() if theta is None else theta @ variances)
    found = objective.value(np.column_stack([high, 1.0 - high]), problem)
    require(abs(found - expected) <= ROUNDING * expected, f"two outputs have the variance {found!r}, not {expected!r}")
    if len(set(figure)) > 2:
        bent = 0.1 + slope * np.abs(figure - figure.mean())
        found = objective.value(np.column_stack([bent, 1.0 - bent]), problem)
        require(found == math.inf, f"two outputs without an unbiased estimate have the value {found!r}")


def values_of(problem: Problem) -> Array:
    """Return the number that each input carries."""
    assert problem.values is not None, "check() refuses a problem without values"
    values = np.asarray(problem.values, dtype=float)
    return values if problem.data_of_input is None else values[problem.data_of_input]


def least_variance(matrix: Array, figure: Array, theta: Array | None) -> float:
    """Return the least variance of unbiased estimates, by a conic program over the estimates."""
    import cvxpy as cp

    middle, half = float(figure.mean()), float(np.ptp(figure))
    wanted, estimates = (figure - middle) / half, cp.Variable(matrix.shape[1])
    second = matrix @ cp.square(estimates)
    goal = cp.max(second - wanted**2) if theta is None else theta @ (second - wanted**2)
    program = cp.Problem(cp.Minimize(goal), [matrix @ estimates == wanted])
    _solve(program)
    return half**2 * float(program.value)


def best_unbiased(rays: Rays, objective: EstimatorVariance, problem: Problem, sums: Array, limits: Array) -> float:
    """Return the least value at row sums `sums`, by a conic program over the weights and estimates of extreme rays.

    Ray r has the weight w_r and the estimate t_r: over ``s_r = w_r t_r`` and ``u_r >= s_r^2 / w_r`` it is convex.
    """
    import cvxpy as cp

    figure = values_of(problem)
    middle, half = float(figure.mean()), float(np.ptp(figure))
    wanted, count = (figure - middle) / half, rays.columns.shape[1]
    weights, first, second = cp.Variable(count, nonneg=True), cp.Variable(count), cp.Variable(count)
    rules: list[Any] = [rays.columns @ weights == sums, rays.columns @ first == cp.multiply(sums, wanted)]
    cone = cp.SOC(weights + second, cp.vstack([2.0 * first, weights - second]), axis=0)
    if len(limits):
        rules.append(rays.cost @ weights <= limits)
    variances = rays.columns @ second - cp.multiply(sums, wanted**2)
    theta = objective.population(problem)
    goal = cp.max(variances) if theta is None else theta @ variances
    program = cp.Problem(cp.Minimize(goal), [*rules, cone])
    _solve(program)
    require(program.status in ("optimal", "optimal_inaccurate"), f"the program over rays ends as {program.status}")
    return half**2 * float(program.value)


def _solve(program: Any) -> None:
    with warnings.catch_warnings():
        # It stops a little short of what it is asked for where a cone is curved.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate", category=UserWarning)
        program.solve(solver="CLARABEL", **JUDGE)
