"""Multipliers of the program over Q: the solver's claims, or the multipliers of a certificate of its own."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.notions import SmoothBudget
from mechdesign.objectives import PiecewiseLinear
from mechdesign.objectives.base import is_convex, required_gains
from mechdesign.parameters.checks import Array
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.certificate.convex import Duals, reduced_cost, row_bound
from mechdesign.solve.programs.over_matrix import Program, dual, fold_of, output_count
from mechdesign.solve.programs.user_constraints import (
    OwnTerms,
)
from mechdesign.solve.task import Task


def multipliers_of(program: Program, task: Task, own: OwnTerms | None) -> Multipliers:
    """Return the solver's row multipliers or the route's own certificate's, whichever bound is better."""
    notion, objective, problem = task.notion, task.objective, task.problem
    cone, budget = notion.columns(problem).cone(), notion.columns(problem).budget()
    n, outputs = program.Q.shape
    within = output_count(task)
    groups, each = budget.pieces.shape[:2]
    peaks, limit = (program.rules[-2], program.rules[-1]) if len(budget) else (None, None)
    on_cone = dual(program.rules[1] if len(cone.on_column) else None, (len(cone.on_column), within)) * program.scale
    duals = Duals(
        np.hstack([on_cone, np.zeros((len(cone.on_column), outputs - within))]),
        None if program.pieces is None else dual(program.pieces, (program.pieces.args[0].size,)),
        np.maximum(dual(limit, (groups,)) * program.scale, 0.0),
        dual(peaks, (groups * each, outputs)).reshape(groups, each, outputs),
    )
    if isinstance(budget, SmoothBudget):
        # Each output is charged by the tangent at its own column.
        budget = budget.polyhedral(np.clip(program.Q.value, 0.0, 1.0))
        duals = replace(duals, peaks=np.eye(outputs + 1, outputs)[None])
    by_solver = dual(program.rows, (n,)) * program.scale
    own_cost = np.zeros((n, outputs)) if own is None else own.cost
    if is_convex(objective) and not isinstance(objective, PiecewiseLinear):
        charges = reduced_cost(own_cost, duals, cone, notion.columns(problem).normal, budget)[0]
        duals = replace(duals, weights=objective.weights_for(-by_solver[:, None] - charges, problem))
    cost, to_decisions = _linear_cost(task, duals.weights), fold_of(task)
    cost = own_cost + (cost if to_decisions is None else cost @ to_decisions.T)
    bound = row_bound(cost, duals, cone, notion.columns(problem).normal, budget, program.barred)
    ours = Multipliers(-bound.rows, duals.budget, duals.weights)
    if own is not None:
        ours = replace(ours, own_cost=own.cost, own_constant=own.constant)
    offered = [ours, replace(ours, rows=by_solver)]
    if objective.measures_leakage:
        # Zeros say that no output discloses less than nothing, which is the bound where that can be reached.
        offered.append(Multipliers(np.zeros(n)))
    return min(offered, key=partial(bound_of, task))


def _linear_cost(task: Task, weights: Array | None) -> Array:
    """Return a cost, shape (n, outputs), that minus the utility is never below; equal to it if it is linear."""
    objective, problem = task.objective, task.problem
    if is_convex(objective):
        return objective.minorant(weights, problem)
    return -required_gains(objective, problem).T


def bound_of(task: Task, multipliers: Multipliers) -> float:
    """Return the bound on the utility that the multipliers prove."""
    return utility_bound(task.notion, task.objective, task.problem, multipliers).utility
