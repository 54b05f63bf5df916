"""Outputs that reveal an input: columns ``c e_x`` beside the cone's columns, if a notion is a union of cones.

Where outputs are decisions, the matrix has one such column for each revealed input after the decisions' own; it stands
for the decision that is best for that input.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.mechanism import ImplicitMechanism, Mechanism
from mechdesign.notions import Notion, Rays
from mechdesign.objectives import Objective, Separable
from mechdesign.objectives.base import gains_of, is_convex
from mechdesign.parameters.checks import Array, frozen
from mechdesign.parameters.labels import named
from mechdesign.problem import Problem


def units(notion: Notion, problem: Problem) -> Array:
    """Return ``e_x`` for each input that the notion lets an output reveal, shape (n, revealed)."""
    revealed = list(notion.columns(problem).revealed)
    found = np.zeros((problem.n, len(revealed)))
    found[revealed, np.arange(len(revealed))] = 1.0
    return found


def reveals(columns: Array, revealed: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return for each column, shape (n, m), whether its one positive entry is at one of the inputs `revealed`."""
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
    cost = notion.columns(problem).budget().cost(found)
    share = np.concatenate([rays.worst_share, np.zeros(found.shape[1])])
    errors = None if rays.errors is None else np.hstack([rays.errors, np.zeros_like(found)])
    terms = np.hstack([rays.cost_sizes, notion.columns(problem).budget().sizes @ found])
    return Rays(np.hstack([rays.columns, found]), np.hstack([rays.cost, cost]), share, errors, terms)


def by_output(columns: Array, objective: Separable, notion: Notion, problem: Problem) -> Array:
    """Return the matrix, shape (n, decisions and inputs), of columns added to their best decision or revealed input."""
    revealed = notion.columns(problem).revealed
    own = reveals(columns, revealed)
    matrix = objective.by_decision(columns[:, ~own], problem)
    return np.hstack([matrix, np.diag(columns[:, own].sum(axis=1))[:, list(revealed)]])


def makes_decisions(objective: Objective, problem: Problem) -> bool:
    """Return whether outputs stand for finitely many decisions."""
    gains = gains_of(objective, problem)
    return gains is not None or objective.outputs(problem) is not None


def best_decisions(objective: Objective, columns: Array, problem: Problem) -> npt.NDArray[np.intp]:
    """Return the index of the best decision for each column, shape (m,)."""
    gains = gains_of(objective, problem)
    if gains is not None:
        cost = -gains.T
    elif is_convex(objective):
        # A decision that no piece prefers another to at an input is best under equal weights of the pieces, too.
        cost = objective.minorant(None, problem)
    else:
        raise UnsupportedError(f"The outputs of {objective.name} are no decisions.")
    best: npt.NDArray[np.intp] = (cost.T @ columns).argmin(axis=0)
    return best


def with_disclosure(matrix: Array, share: float, objective: Objective, problem: Problem) -> Array:
    """Return the mechanism that reports the input with the probability `share`, and else as the matrix does.

    Where outputs are decisions, the input is reported by the one that is best for it.

    Parameters
    ----------
    matrix : ndarray, shape (n, m)

    Examples
    --------
    >>> import mechdesign as md
    >>> with_disclosure(np.ones((2, 1)), 0.5, md.MutualInformation(), md.Problem(prior=[0.5, 0.5])).tolist()
    [[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]
    """
    if not share:
        return matrix
    full, decisions = np.eye(problem.n), objective.outputs(problem)
    if decisions is not None and matrix.shape[1] == decisions:
        full = np.eye(decisions)[best_decisions(objective, full, problem)]
        return (1.0 - share) * matrix + share * full
    mixed = np.hstack([(1.0 - share) * matrix, share * full])
    return np.asarray(mixed[:, mixed.max(axis=0) > 0])


def barred(notion: Notion, problem: Problem, outputs: int) -> npt.NDArray[np.bool_]:
    """Return which entries of a matrix with one column for each revealed input after `outputs` others are zero."""
    return np.hstack([np.zeros((problem.n, outputs), dtype=bool), units(notion, problem) == 0])


def fold(objective: Objective, notion: Notion, problem: Problem, outputs: int) -> Array:
    """Return the matrix that takes outputs to decisions, shape (outputs + revealed, outputs), by right product."""
    found = best_decisions(objective, units(notion, problem), problem)
    return np.vstack([np.eye(outputs), np.eye(outputs)[found]])


def decided(matrix: Array, objective: Objective, problem: Problem) -> Array:
    """Return a matrix, shape (n, m), with each column beyond the decisions' added to its best decision's column."""
    count = objective.outputs(problem)
    if count is None or matrix.shape[1] <= count:
        return matrix
    decision = best_decisions(objective, matrix[:, count:], problem)
    return np.asarray(matrix[:, :count] + matrix[:, count:] @ np.eye(count)[decision])


def output_names(matrix: Array, objective: Objective, notion: Notion, problem: Problem) -> tuple[str, ...]:
    """Return a name for each output of a matrix, shape (n, m): the objective's, then "decision (input revealed)"."""
    count = objective.outputs(problem)
    if count is None or matrix.shape[1] <= count:
        return objective.output_names(matrix, problem)
    names = objective.output_names(matrix[:, :count], problem)
    decisions = best_decisions(objective, units(notion, problem), problem)
    further = zip(decisions, notion.columns(problem).revealed, strict=True)
    inputs = named(problem.labels, problem.n)
    return (*names, *(f"{names[decision]} ({inputs[x]} revealed)" for decision, x in further))


def listed(matrix: Array, objective: Objective, notion: Notion, problem: Problem) -> tuple[Array, tuple[str, ...]]:
    """Return the columns that are not zero, shape (n, made), and their names: `by_decision` takes them back."""
    names = output_names(matrix, objective, notion, problem)
    made = matrix.max(axis=0) > 0
    # Names that are not distinct could not say which decision a column is.
    if objective.outputs(problem) is None or made.all() or len(set(names)) < len(names):
        return matrix, names
    return frozen(matrix[:, made]), tuple(names[y] for y in np.flatnonzero(made))


def by_decision(
    matrix: Array, names: Sequence[str], objective: Objective, notion: Notion, problem: Problem
) -> tuple[Array, tuple[str, ...]]:
    """Return a column for each decision, shape (n, decisions), zeros for those that are never made, and all names.

    Raises
    ------
    DomainError
        A name that is there twice, or is that of no decision.
    """
    count = objective.outputs(problem)
    if count is None:
        return matrix, output_names(matrix, objective, notion, problem)
    places, every = _places(names, objective, notion, problem)
    if tuple(names) in (every, every[:count]):
        return matrix, tuple(names)
    full = np.zeros((problem.n, len(every)))
    full[:, places] = matrix
    return frozen(full), every


def decisions_of(
    names: Sequence[str], objective: Objective, notion: Notion, problem: Problem
) -> npt.NDArray[np.intp] | None:
    """Return the decision that each output stands for by its name, None where outputs are no list of decisions."""
    count = objective.outputs(problem)
    if count is None:
        return None
    folded = fold(objective, notion, problem, count)
    found: npt.NDArray[np.intp] = folded[_places(names, objective, notion, problem)[0]].argmax(axis=1)
    return found


def _places(
    names: Sequence[str], objective: Objective, notion: Notion, problem: Problem
) -> tuple[list[int], tuple[str, ...]]:
    """Return the place of each name among all decisions and revealed inputs, and these."""
    count = objective.outputs(problem) or 0
    every = output_names(
        np.zeros((problem.n, count + len(notion.columns(problem).revealed))), objective, notion, problem
    )
    if tuple(names) in (every, every[:count]):
        return list(range(len(names))), every
    places = {name: y for y, name in enumerate(every)}
    wrong = next((name for y, name in enumerate(names) if name not in places or name in names[:y]), None)
    if wrong is not None or len(places) < len(every):
        raise DomainError("outputs", wrong, f"{objective.name} has no such decision, or it is there twice", "rename it")
    return [places[name] for name in names], every


def decision_of_each_output(mechanism: Mechanism) -> npt.NDArray[np.intp]:
    """Return the decision that each output of a design stands for, by name or as its best; none for a continuum."""
    asked = mechanism.asked
    inputs = asked.notion.inputs(asked.problem)
    found = decisions_of(mechanism.outputs, asked.objective, asked.notion, inputs)
    if found is None and makes_decisions(asked.objective, inputs):
        found = best_decisions(asked.objective, mechanism.matrix, inputs)
    return np.zeros(0, dtype=np.intp) if found is None else found


def columns_by_decision(mechanism: Mechanism) -> Array:
    """Return what `by_decision` does of a mechanism; the matrix as it is where no question says what decisions are."""
    asked = mechanism.question
    # Reports of a family are numbers of decisions already, if the objective has such.
    if asked is None or isinstance(mechanism, ImplicitMechanism):
        return mechanism.matrix
    inputs = asked.notion.inputs(asked.problem)
    return by_decision(mechanism.matrix, mechanism.outputs, asked.objective, asked.notion, inputs)[0]
