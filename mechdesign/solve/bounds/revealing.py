"""Outputs that reveal an input: columns ``c e_x`` beside those of the cone, where a notion is a union of cones.

Where outputs are decisions, the matrix has one such column for each revealed input after the decisions' own; it stands
for the decision that is best for that input.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mechdesign.domains import Array
from mechdesign.errors import UnsupportedError
from mechdesign.notions import Notion, Rays
from mechdesign.objectives import Objective, Separable
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.problem import Problem


def units(notion: Notion, problem: Problem) -> Array:
    """Return ``e_x`` for each input that the notion lets an output reveal, shape (n, revealed)."""
    revealed = list(notion.revealed(problem))
    found = np.zeros((problem.n, len(revealed)))
    found[revealed, np.arange(len(revealed))] = 1.0
    return found


def reveals(columns: Array, revealed: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return for each column whether its one entry that is not zero is at one of the inputs `revealed`."""
    if not len(revealed):
        return np.zeros(columns.shape[1], dtype=bool)
    others = np.ones(len(columns), dtype=bool)
    others[list(revealed)] = False
    alone: npt.NDArray[np.bool_] = ((columns != 0).sum(axis=0) == 1) & ~(columns[others] != 0).any(axis=0)
    return alone


def with_units(rays: Rays, notion: Notion, problem: Problem) -> Rays:
    """Return the rays of the cone, and ``e_x`` for each input that an output may reveal."""
    found = units(notion, problem)
    if not found.shape[1]:
        return rays
    cost = notion.budget(problem).cost(found)
    share = np.concatenate([rays.worst_share, np.zeros(found.shape[1])])
    errors = None if rays.errors is None else np.hstack([rays.errors, np.zeros_like(found)])
    terms = np.hstack([rays.cost_sizes, notion.budget(problem).sizes @ found])
    return Rays(np.hstack([rays.columns, found]), np.hstack([rays.cost, cost]), share, errors, terms)


def by_output(columns: Array, objective: Separable, notion: Notion, problem: Problem) -> Array:
    """Return the matrix in which each column is added to that of its best decision, or of the input it reveals."""
    revealed = notion.revealed(problem)
    own = reveals(columns, revealed)
    matrix = objective.by_decision(columns[:, ~own], problem)
    return np.hstack([matrix, np.diag(columns[:, own].sum(axis=1))[:, list(revealed)]])


def makes_decisions(objective: Objective, problem: Problem) -> bool:
    """Tell whether outputs stand for finitely many decisions."""
    gains = objective.gains(problem) if is_separable(objective) else None
    return gains is not None or objective.outputs(problem) is not None


def best_decisions(objective: Objective, columns: Array, problem: Problem) -> npt.NDArray[np.intp]:
    """Return the index of the decision that is best for each column."""
    gains = objective.gains(problem) if is_separable(objective) else None
    if gains is not None:
        cost = -gains.T
    elif is_convex(objective):
        # A decision that no piece prefers another to at an input is best under equal weights of the pieces, too.
        cost = objective.minorant(None, problem)
    else:
        raise UnsupportedError(f"The outputs of {objective.name} are no decisions.")
    best: npt.NDArray[np.intp] = (cost.T @ columns).argmin(axis=0)
    return best


def barred(notion: Notion, problem: Problem, outputs: int) -> npt.NDArray[np.bool_]:
    """Return which entries of a matrix with one column for each revealed input after `outputs` others are zero."""
    return np.hstack([np.zeros((problem.n, outputs), dtype=bool), units(notion, problem) == 0])


def fold(objective: Objective, notion: Notion, problem: Problem, outputs: int) -> Array:
    """Return the matrix that takes outputs to decisions, shape (outputs + revealed, outputs), by right product."""
    found = best_decisions(objective, units(notion, problem), problem)
    return np.vstack([np.eye(outputs), np.eye(outputs)[found]])


def decided(matrix: Array, objective: Objective, problem: Problem) -> Array:
    """Return `matrix` with each column beyond those of the decisions added to that of its best decision."""
    count = objective.outputs(problem)
    if count is None or matrix.shape[1] <= count:
        return matrix
    decision = best_decisions(objective, matrix[:, count:], problem)
    return np.asarray(matrix[:, :count] + matrix[:, count:] @ np.eye(count)[decision])


def output_names(matrix: Array, objective: Objective, notion: Notion, problem: Problem) -> tuple[str, ...]:
    """Return a name for each output: the objective's, and "decision (input revealed)" for those beyond them."""
    count = objective.outputs(problem)
    if count is None or matrix.shape[1] <= count:
        return objective.output_names(matrix, problem)
    names = objective.output_names(matrix[:, :count], problem)
    decisions = best_decisions(objective, units(notion, problem), problem)
    further = zip(decisions, notion.revealed(problem), strict=True)
    return (*names, *(f"{names[decision]} ({problem.named(x)} revealed)" for decision, x in further))
