"""Programs that judge: each is stated anew from the notion's cvxpy constraints or a list of columns."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from mechdesign.errors import UnsupportedError
from mechdesign.notions import Notion, Rays
from mechdesign.objectives import ChernoffExponent, InformationDesign, Objective
from mechdesign.objectives.base import is_separable
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.objectives.exponent import Exponent
from mechdesign.objectives.information_over_priors import InformationOverPriors, is_least
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.pricing.revealing_outputs import reveals
from mechdesign.solve.task import Task
from mechdesign.testing.contract import require
from mechdesign.testing.design_contract import best_design
from mechdesign.testing.few_outputs import best_of_few
from mechdesign.testing.unbiased_contract import best_unbiased

#: What the judging solver is asked for; its answers are compared with 1e-7 and wider.
CLARABEL = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
#: Where a cone is curved it stops short of that; matrices near the edge are distinguished at 1e-8.
CURVED = {"tol_gap_abs": 3e-9, "tol_gap_rel": 3e-9, "tol_feas": 3e-9}


def violation(notion: Notion, matrix: Array, problem: Problem) -> float:
    """Return by how much each of the notion's cvxpy constraints has to give way so that `matrix` satisfies them.

    The matrix is held fixed, its outputs that reveal an input last; auxiliary variables are chosen for the best.
    """
    import cvxpy as cp
    from cvxpy.constraints import Equality, PowCone3D

    revealed = list(notion.columns(notion.inputs(problem)).revealed)
    if revealed:
        own = reveals(matrix, revealed)
        matrix = np.hstack([matrix[:, ~own], np.diag(matrix[:, own].sum(axis=1))[:, revealed]])
    Q, slack = cp.Variable(matrix.shape), cp.Variable(nonneg=True)
    given, relaxed = notion.constraints(Q, problem), list[Any]()
    for rule in given:
        relaxed += _relaxed(rule, slack)
    # Variables that stand for a function of Q, such as the outputs' masses.
    functions = [rule.args for rule in given if isinstance(rule, Equality) and isinstance(rule.args[0], cp.Variable)]
    chosen = {Q.id, *(variable.id for variable, _ in functions)}
    if all(variable.id in chosen for rule in given for variable in rule.variables()):
        # Nothing is left to choose: by evaluation, to the last digits.
        Q.value, slack.value = matrix, 0.0
        for variable, value in functions:
            variable.value = value.value
        return max(0.0, *(float(np.max(rule.args[0].value - rule.args[1].value)) for rule in relaxed))
    rules: list[Any] = [matrix == Q, *relaxed]
    program = cp.Problem(cp.Minimize(slack), rules)
    with warnings.catch_warnings():
        if any(isinstance(rule, PowCone3D) for rule in given):
            # What Clarabel calls inaccurate under power cones is within some 1e-9, a tenth of what is asked for.
            warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        return float(program.solve(solver="CLARABEL", **(CLARABEL if notion.polyhedral else CURVED)))


def _relaxed(rule: Any, slack: Any) -> list[Any]:
    from cvxpy.constraints import Equality, Inequality, PowCone3D

    if isinstance(rule, Inequality):
        return [rule.expr <= slack]
    if isinstance(rule, Equality):
        return [rule.expr <= slack, -rule.expr <= slack]
    if isinstance(rule, PowCone3D):
        return [PowCone3D(rule.x + slack, rule.y + slack, rule.z, rule.alpha)]
    raise UnsupportedError(f"The contract cannot relax a constraint of type {type(rule).__name__}; add it here.")


def best_over_matrices(notion: Notion, gains: Array, problem: Problem) -> float:
    """Return the largest ``sum gains * Q`` over private transition matrices, gains of shape (n, m)."""
    import cvxpy as cp

    revealed = list(notion.columns(notion.inputs(problem)).revealed)
    gains = np.hstack([gains, np.diag(gains.max(axis=1))[:, revealed]])
    Q = cp.Variable(gains.shape)
    rules = [*notion.constraints(Q, problem), cp.sum(Q, axis=1) == 1]
    scale = max(float(np.abs(gains).max()), 1e-300)
    program = cp.Problem(cp.Maximize(cp.sum(cp.multiply(gains / scale, Q))), rules)
    return float(program.solve(solver="CLARABEL", **CLARABEL)) * scale


def best_over_rays(rays: Rays, utility: Array, sums: Array, limits: Array) -> float:
    """Return the largest ``w . utility`` over ``w >= 0``, ``rays @ w = sums``, ``cost @ w <= limits``."""
    from scipy.optimize import linprog

    scale = max(float(np.abs(utility).max()), 1e-300)
    found = linprog(
        -utility / scale,
        A_ub=rays.cost if len(limits) else None,
        b_ub=limits if len(limits) else None,
        A_eq=rays.columns,
        b_eq=sums,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status != 0:
        raise AssertionError(f"the program over the rays has no solution ({found.message})")
    return float(-found.fun * scale)


def best_least(rays: Rays, objective: InformationOverPriors, problem: Problem, sums: Array, limits: Array) -> float:
    """Return the largest ``min_k w . utility_k`` over such weights: its dual, over weights of the priors."""
    from scipy.optimize import linprog

    utility = np.array(
        [objective.at(law).column_utility(rays.columns, problem) for law in np.eye(len(objective.priors))]
    )
    scale, budgets, laws = max(float(np.abs(utility).max()), 1e-300), len(limits), len(utility)
    # Row multipliers, budgets' and the priors' weights: each ray is priced at its mean utility or more.
    prices = np.hstack([rays.columns.T, rays.cost.T, -utility.T / scale])
    found = linprog(
        np.concatenate([sums, limits, np.zeros(laws)]),
        A_ub=-prices,
        b_ub=np.zeros(len(prices)),
        A_eq=np.concatenate([np.zeros(len(sums) + budgets), np.ones(laws)])[None, :],
        b_eq=[1.0],
        bounds=[(None, None)] * len(sums) + [(0, None)] * (budgets + laws),
    )
    if found.status != 0:
        raise AssertionError(f"the program over the priors has no solution ({found.message})")
    return float(found.fun * scale)


def best_expression(notion: Notion, objective: Objective, problem: Problem, sums: Array, outputs: int) -> float:
    """Return the utility of the best matrix with row sums `sums`, by one cvxpy program over its expression."""
    import cvxpy as cp

    inputs = notion.inputs(problem)
    revealed = list(notion.columns(inputs).revealed)
    Q = cp.Variable((inputs.n, outputs + len(revealed)))
    rules, decided = [*notion.constraints(Q, problem), cp.sum(Q, axis=1) == sums], Q
    if revealed:
        # Whoever is revealed gets any decisions.
        free = cp.Variable((len(revealed), outputs), nonneg=True)
        rules.append(cp.sum(free, axis=1) == cp.sum(Q[:, outputs:], axis=0))
        decided = Q[:, :outputs] + np.eye(inputs.n)[:, revealed] @ free
    value = objective.expression(decided, inputs)
    goal = cp.Minimize(value) if objective.sense == "minimise" else cp.Maximize(value)
    program = cp.Problem(goal, rules)
    return objective.to_utility(float(program.solve(solver="CLARABEL", **CLARABEL)), inputs)


def best_exponent(rays: Rays, objective: Exponent, sums: Array, limits: Array) -> float:
    """Return the largest over orders (on a grid, then between its neighbours) of the best mechanism's exponent there.

    Where it is minimised the best is the least, and the exchange of order and mechanism is the minimax theorem.
    """
    from scipy.optimize import minimize_scalar

    (p, s), rate = objective.pair(rays.columns), getattr(objective, "rate", 0.0)
    beyond = objective.sense == "minimise"

    def exponent(share: float) -> float:
        order = 1.0 / (1.0 - share) if beyond else share
        terms = p ** (1.0 - order) * s**order
        total = best_over_rays(rays, terms if beyond else -terms, sums, limits)
        if isinstance(objective, ChernoffExponent):
            return -math.log(-total)
        return ((order - 1.0) * rate - math.log(abs(total))) / order

    low, high = (0.0, 0.95) if beyond else (0.01, 1.0)
    grid = np.linspace(low, high, 25)
    peak = int(np.argmax([exponent(share) for share in grid]))
    ends = (grid[max(peak - 1, 0)], grid[min(peak + 1, len(grid) - 1)])
    found = minimize_scalar(lambda share: -exponent(share), bounds=ends, method="bounded", options={"xatol": 1e-7})
    return max(float(-found.fun), 0.0)


def expression_value(objective: Objective, matrix: Array, problem: Problem) -> float:
    """Return the cvxpy expression's value at `matrix`; variables of its own are chosen for the best."""
    import cvxpy as cp

    Q = cp.Variable(matrix.shape)
    Q.value = matrix
    expression = objective.expression(Q, problem)
    if expression.value is not None:
        return float(expression.value)
    goal = cp.Minimize(expression) if objective.sense == "minimise" else cp.Maximize(expression)
    return float(cp.Problem(goal, [matrix == Q]).solve(solver="CLARABEL", **CLARABEL))


def optimum_over_rays(rays: Rays, task: Task, sums: Array) -> float:
    """Return the largest utility of mixtures of the extreme rays with row sums `sums`."""
    objective, problem = task.objective, task.problem
    limits = task.notion.columns(problem).budget().limits
    if is_separable(objective):
        return best_over_rays(rays, objective.column_utility(rays.columns, problem), sums, limits)
    if isinstance(objective, InformationDesign):
        value = best_design(rays, objective, problem, sums, limits)
    elif isinstance(objective, EstimatorVariance):
        value = best_unbiased(rays, objective, problem, sums, limits)
    elif is_least(objective):
        value = best_least(rays, objective, problem, sums, limits)
    else:
        assert isinstance(objective, Exponent), "the others have programs over the matrix"
        value = best_exponent(rays, objective, sums, limits)
    return objective.to_utility(value, problem)


def optimum(task: Task, sums: Array) -> float:
    """Return the largest utility of a private matrix with row sums `sums`, by a program that no route uses."""
    notion, objective, problem = task.notion, task.objective, task.problem
    if task.outputs is not None:
        require(bool(np.all(sums == 1.0)), "the optimum of few outputs is judged for transition matrices only")
        return best_of_few(task)
    known = is_separable(objective) or is_least(objective)
    by_rays = known or isinstance(objective, InformationDesign | EstimatorVariance | Exponent)
    rays = all_rays(notion, problem) if by_rays else None
    if rays is not None:
        return optimum_over_rays(rays, task, sums)
    if objective.kind in ("sublinear", "design", "unbiased"):
        raise UnsupportedError(f"{notion} has too many rays at {problem.n} inputs for a contract; take fewer inputs.")
    return best_expression(notion, objective, problem, sums, objective.outputs(problem) or problem.n)
