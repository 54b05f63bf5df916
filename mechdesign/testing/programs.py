"""Programs that judge: each is stated anew from the notion's cvxpy constraints or a list of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import UnsupportedError
from mechdesign.notions import Notion, Rays
from mechdesign.objectives import Objective, Separable
from mechdesign.problem import Problem
from mechdesign.solve.support import all_rays
from mechdesign.solve.task import Task

#: What the judging solver is asked for; its answers are compared with 1e-7 and wider.
CLARABEL = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}


def violation(notion: Notion, matrix: Array, problem: Problem) -> float:
    """Return by how much each of the notion's cvxpy constraints has to give way so that `matrix` satisfies them.

    The matrix is held fixed; auxiliary variables are chosen for the best.
    """
    import cvxpy as cp

    Q, slack = cp.Variable(matrix.shape), cp.Variable(nonneg=True)
    rules: list[Any] = [matrix == Q]
    for rule in notion.constraints(Q, problem):
        rules += _relaxed(rule, slack)
    program = cp.Problem(cp.Minimize(slack), rules)
    return float(program.solve(solver="CLARABEL", **CLARABEL))


def _relaxed(rule: Any, slack: Any) -> list[Any]:
    from cvxpy.constraints import Equality, Inequality

    if isinstance(rule, Inequality):
        return [rule.expr <= slack]
    if isinstance(rule, Equality):
        return [rule.expr <= slack, -rule.expr <= slack]
    raise UnsupportedError(f"The contract cannot relax a constraint of type {type(rule).__name__}; add it here.")


def best_over_matrices(notion: Notion, gains: Array, problem: Problem) -> float:
    """Return the largest ``sum gains * Q`` over private transition matrices, gains of shape (n, m)."""
    import cvxpy as cp

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


def best_expression(notion: Notion, objective: Objective, problem: Problem, sums: Array, outputs: int) -> float:
    """Return the utility of the best matrix with row sums `sums`, by one cvxpy program over its expression."""
    import cvxpy as cp

    inputs = notion.inputs(problem)
    Q = cp.Variable((inputs.n, outputs))
    value = objective.expression(Q, inputs)
    goal = cp.Minimize(value) if objective.sense == "minimise" else cp.Maximize(value)
    program = cp.Problem(goal, [*notion.constraints(Q, problem), cp.sum(Q, axis=1) == sums])
    return objective.to_utility(float(program.solve(solver="CLARABEL", **CLARABEL)), inputs)


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


def optimum(task: Task, sums: Array) -> float:
    """Return the largest utility of a private matrix with row sums `sums`, by a program that no route uses."""
    notion, objective, problem = task.notion, task.objective, task.problem
    if isinstance(objective, Separable):
        rays = all_rays(notion, problem)
        if rays is not None:
            budget = notion.budget(problem)
            utility = objective.column_utility(rays.columns, problem)
            return best_over_rays(rays, utility, sums, budget.limits)
    if objective.kind == "sublinear":
        raise UnsupportedError(f"{notion} has too many rays at {problem.n} inputs for a contract; take fewer inputs.")
    return best_expression(notion, objective, problem, sums, objective.outputs(problem) or problem.n)
