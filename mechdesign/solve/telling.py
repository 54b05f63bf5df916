"""The mechanism that tells all: the optimum where it is private, of zeros and ones that a solver only comes near to."""

from __future__ import annotations

import numpy as np

from mechdesign.domains import Array, frozen
from mechdesign.exact import dyadic
from mechdesign.objectives import Objective
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.objectives.exponent import Searched
from mechdesign.problem import Problem
from mechdesign.solve.bounds.revealing import best_decisions
from mechdesign.solve.task import Task


def all_told(task: Task) -> Array | None:
    """Return the matrix that tells the input, or what is best for it; None where the task does not allow it."""
    told = _of_everything(task.objective, task.problem)
    if told is None or task.subject_to is not None:
        return None
    if task.outputs is not None and np.count_nonzero(told.max(axis=0)) > task.outputs:
        return None
    numerators = dyadic(told)
    private = numerators is not None and task.notion.holds_exactly(numerators, task.problem)
    return frozen(told) if private else None


def _of_everything(objective: Objective, problem: Problem) -> Array | None:
    identity, decisions = np.eye(problem.n), objective.outputs(problem)
    if decisions is not None and (is_separable(objective) or is_convex(objective)):
        return np.asarray(np.eye(decisions)[best_decisions(objective, identity, problem)])
    # An exponent that is searched is maximised, too; what is minimised is not best where most is told.
    return identity if is_separable(objective) or isinstance(objective, Searched) else None
