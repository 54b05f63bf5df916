"""The largest excess of a column where no list of rays holds it: by formula, or by cutting up the slice."""

from __future__ import annotations

import numpy as np

from mechdesign.columns.smooth import BudgetOfSecret
from mechdesign.notions import Notion, SmoothBudget
from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.second_order_cone import MOST_CORNERS as OF_BALL
from mechdesign.solve.pricing.second_order_cone import can_cut, excess_on_ball, moved_inside
from mechdesign.solve.pricing.subdivision import (
    MOST_CORNERS,
    MOST_FACES,
    Excess,
    corner_count,
    is_small,
    largest_excess,
)
from mechdesign.solve.pricing.sum_over_inputs import excess_by_input, is_by_input


def no_excess(notion: Notion, objective: Separable, problem: Problem) -> str | None:
    """Return why columns under the notion cannot be priced here, or None."""
    budget = notion.columns(problem).budget()
    most = MOST_CORNERS
    if notion.columns(problem).of_secret.reach is not None:
        able, most = can_cut(problem), OF_BALL
    elif isinstance(budget, SmoothBudget):
        size = problem.n
        if isinstance(budget, BudgetOfSecret):
            size = corner_count(len(budget.channel), budget.prior @ budget.channel)
        able = is_by_input(notion, objective, problem) or is_small(problem.n, size)
    else:
        return f"{notion.name} has neither a smooth budget nor a cone with a curved side"
    if able:
        return None
    return (
        f"{objective.name} under {notion.name} is priced by cutting up all columns, for at most {most} inputs "
        f"or values of the secret and {MOST_FACES} sets of so many inputs: too few for n = {problem.n}"
    )


def column_excess(
    notion: Notion, objective: Separable, problem: Problem, lam: Array, nu: Array, tolerance: float
) -> Excess:
    """Bound ``mu(q) - nu . beta(q) - lam . q`` over q of shape (n,) on the slice, to `tolerance` where it can."""
    budget, reach = notion.columns(problem).budget(), notion.columns(problem).of_secret.reach
    if reach is not None:
        return excess_on_ball(reach, notion.columns(problem).normal, objective, problem, lam, tolerance)
    assert isinstance(budget, SmoothBudget), "no_excess() was asked first"
    if is_by_input(notion, objective, problem):
        return excess_by_input(notion, objective, problem, lam, float(nu[0]), tolerance)
    return largest_excess(objective, problem, budget, notion.columns(problem).normal, lam, float(nu[0]), tolerance)


def extreme_columns(notion: Notion, problem: Problem) -> Array:
    """Return the constant column and, for each input, one that discloses it as far as columns of the notion may."""
    normal = notion.columns(problem).normal
    return within(notion, problem, np.hstack([np.ones((problem.n, 1)), np.diag(1.0 / normal)]))


def within(notion: Notion, problem: Problem, columns: Array) -> Array:
    """Return the columns, shape (n, m), scaled to the slice and moved into the cone where that has a curved side."""
    columns = columns / (notion.columns(problem).normal @ columns)
    reach = notion.columns(problem).of_secret.reach
    return columns if reach is None else moved_inside(reach, problem, columns)
