"""The linear program of an unbiased estimator: one column for each score that an output may stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import time_left
from mechdesign.solve.pricing.revealing_outputs import units
from mechdesign.solve.programs.over_decisions import decision_program
from mechdesign.solve.programs.with_budget import with_budget
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram, SolverStats
from mechdesign.solve.task import Task


@dataclass(frozen=True)
class Unbiased:
    """Columns with the score of each, and the multipliers of the Fisher information in a direction."""

    #: Shape (n, m), and what the estimator adds up where each is reported, shape (m,).
    columns: Array
    scores: Array
    multipliers: Multipliers
    #: The direction of that information, shape (n,), the weights of the multipliers.
    direction: Array
    #: What takes a ratio of that information to a score: ``score = (size ratio + shift) / 2``.
    size: float
    shift: float
    stats: SolverStats


def over_scores(task: Task, wanted: Array, theta: Array, scores: Array, solver: str) -> Unbiased:
    """Return the columns of least variance whose scores have the expectation ``wanted[x]`` for each input x.

    Parameters
    ----------
    wanted : ndarray, shape (n,)
        Numbers of mean zero at theta, about one in size.
    scores : ndarray, shape (m,)
        Increasing.
    """
    notion, problem, n = task.notion, task.problem, task.problem.n
    revealing = units(notion, problem)
    # An output that reveals an input may have any score.
    beside = np.tile(revealing, (1, len(scores)))
    cost = scores[:, None] ** 2 * theta
    worth = -(scores[:, None] ** 2 * (theta @ revealing)).ravel()
    scale = float(np.abs(cost).max())
    cone = notion.cone(problem)
    program, column = decision_program(cone, -cost / scale, (beside, worth / scale))
    budget = notion.budget(problem)
    first = program.rows.shape[0]
    if len(budget):
        program, first = with_budget(program, column, len(scores), budget, beside)
    program = _with_expectation(program, column, beside, scores, wanted)
    found = solve_linear(program, solver, time_limit=time_left(), verbose=task.solver_verbose)
    within = len(scores) * column.shape[1]
    columns = column @ found.point[:within].reshape(len(scores), -1).T
    rest = beside * found.point[within : within + beside.shape[1]]
    duals = found.multipliers * scale
    nu = np.maximum(-duals[first : first + len(budget)], 0.0)
    rows, along = duals[:n], duals[-n:]
    shift = float(along.sum())
    size = float(np.abs(along - shift * theta).max()) or 1.0
    direction = (along - shift * theta) / size
    rows = (-4.0 * rows - 2.0 * shift * along + shift**2 * theta) / size**2
    multipliers = Multipliers(rows, 4.0 * nu / size**2, direction)
    everything = np.concatenate([scores, np.repeat(scores, revealing.shape[1])])
    return Unbiased(np.hstack([columns, rest]), everything, multipliers, direction, size, shift, found.stats)


def _with_expectation(
    program: LinearProgram, column: Any, beside: Array, scores: Array, wanted: Array
) -> LinearProgram:
    """Return `program` with ``sum_d scores[d] q_d = wanted`` added, its last rows."""
    from scipy.sparse import csr_array, hstack, kron, vstack

    of_revealing = beside * np.repeat(scores, beside.shape[1] // len(scores))
    expected: Any = hstack([kron(csr_array(scores[None, :]), column), csr_array(of_revealing)])
    missing = program.rows.shape[1] - expected.shape[1]
    expected = hstack([expected, csr_array((len(wanted), missing))]) if missing else expected
    rows: Any = csr_array(vstack([program.rows, expected]))
    low, high = (np.concatenate([ends, wanted]) for ends in (program.row_low, program.row_high))
    return LinearProgram(program.cost, rows, low, high)


def exactly_unbiased(columns: Array, scores: Array, wanted: Array) -> Array:
    """Return columns, shape (n, scores), with rows that sum to one and the expectations `wanted`, to the last digit.

    Each entry changes in proportion to its size, so that zeros stay.
    """
    matrix = np.maximum(columns, 0.0)
    both = np.vstack([np.ones(len(scores)), scores])
    for _ in range(2):
        left = np.column_stack([np.ones(len(matrix)), wanted]) - matrix @ both.T
        squares = np.einsum("iy,xy,jy->xij", both, matrix, both)
        # A row of one entry has no room, nor need, for a change.
        change = np.einsum("xij,xj->xi", np.linalg.pinv(squares, hermitian=True), left)
        matrix = np.maximum(matrix * (1.0 + change @ both), 0.0)
    return matrix
