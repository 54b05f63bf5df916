"""The mechanisms that disclose all, or nothing, where they are optimal.

All: zeros and ones that a solver only comes near to. Nothing: a solver's optimum may disclose what is of no use.
"""

from __future__ import annotations

import numpy as np

from mechdesign.exact import dyadic
from mechdesign.mechanism import Multipliers
from mechdesign.notions.exact_check import columns_hold
from mechdesign.objectives import Objective
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.objectives.exponent import Searched
from mechdesign.objectives.information_over_priors import is_least
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem
from mechdesign.solve.pricing.revealing_outputs import best_decisions
from mechdesign.solve.task import Task
from mechdesign.tolerances import DENOMINATOR_BITS

#: Where disclosure gains no more than this share, disclosing nothing is tried, and taken where its gap is no wider.
NEAR_IDLE = 1e-3


def full_disclosure(task: Task) -> Array | None:
    """Return the matrix that discloses the input, or what is best for it; None where the task does not allow it."""
    if task.subject_to is not None or not _may_disclose_an_input(task):
        return None
    full = _of_everything(task.objective, task.problem)
    if full is None:
        return None
    if task.outputs is not None and np.count_nonzero(full.max(axis=0)) > task.outputs:
        return None
    numerators = dyadic(full)
    private = numerators is not None and task.notion.holds_exactly(numerators, task.problem)
    return frozen(full) if private else None


def no_disclosure(task: Task, value: float) -> tuple[Array, Multipliers] | None:
    """Return the matrix that ignores the input where a matrix of that value is hardly better; None elsewhere.

    With it come the multipliers that prove it best where one decision is best whatever is seen.
    """
    objective, problem = task.objective, task.problem
    if not is_separable(objective) or task.subject_to is not None or len(task.notion.columns(problem).revealed):
        return None
    with np.errstate(all="ignore"):
        idle = objective.uninformative(problem)
        gained = objective.to_utility(value, problem) - objective.to_utility(idle, problem)
    if not gained <= NEAR_IDLE * max(abs(idle), abs(value)):
        return None
    constant, decisions = np.ones((problem.n, 1)), objective.outputs(problem)
    rows = objective.supporting(constant, problem)[:, 0]
    if decisions is not None:
        constant = np.tile(np.eye(decisions)[best_decisions(objective, constant, problem)], (problem.n, 1))
    return frozen(constant), Multipliers(rows)


def _may_disclose_an_input(task: Task) -> bool:
    """Return whether a column that only one input can give is allowed, before n of them are made."""
    if len(task.columns.budget()) or task.objective.outputs(task.problem) is not None:
        return True
    column = np.zeros((task.problem.n, 1), dtype=np.int64)
    column[0] = 1 << DENOMINATOR_BITS
    return bool(columns_hold(task.notion, column, task.problem)[0])


def _of_everything(objective: Objective, problem: Problem) -> Array | None:
    identity, decisions = np.eye(problem.n), objective.outputs(problem)
    if decisions is not None and (is_separable(objective) or is_convex(objective)):
        return np.asarray(np.eye(decisions)[best_decisions(objective, identity, problem)])
    # An exponent that is searched is maximised, too; what is minimised is not best where most is disclosed.
    known = is_separable(objective) or is_least(objective) or isinstance(objective, Searched)
    return identity if known else None
