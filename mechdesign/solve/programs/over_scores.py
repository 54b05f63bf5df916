"""The linear program of an unbiased estimator: one column for each score that an output may stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import time_left
from mechdesign.solve.pricing.revealing_outputs import units
from mechdesign.solve.programs.over_decisions import decision_program
from mechdesign.solve.programs.with_budget import with_budget
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram, SolverStats
from mechdesign.solve.task import Task

#: The weight of all inputs together in the least favourable population: those whose variance is not the largest.
REST = 1e-9


@dataclass(frozen=True)
class Slopes:
    """Multipliers of the program over scores: of the rows' sums, of the expectations, of the variances, of budgets.

    A column q with the score t costs ``sum_x q_x (theta_x t^2 - along_x t - rows_x)``, at least 0 at the optimum.
    """

    #: Shape (n,): theta is a population, that of the program or its least favourable one.
    rows: Array
    along: Array
    theta: Array
    budget: Array

    def mixed(self, other: Slopes, share: float) -> Slopes:
        """Return a share of `other` and the rest of these."""
        parts = ((getattr(self, name), getattr(other, name)) for name in ("rows", "along", "theta", "budget"))
        return Slopes(*((1.0 - share) * own + share * its for own, its in parts))

    @property
    def shift(self) -> float:
        """What takes a ratio of the information below to a score: it is ``(size ratio + shift) / 2``."""
        return float(self.along.sum())

    @property
    def size(self) -> float:
        """The factor of a ratio of the information, likewise."""
        return float(np.abs(self.along - self.shift * self.theta).max()) or 1.0

    @property
    def direction(self) -> Array:
        """The direction, shape (n,), along which columns have a Fisher information of at most what they are granted."""
        return np.asarray((self.along - self.shift * self.theta) / self.size)

    @property
    def multipliers(self) -> Multipliers:
        """The multipliers of that information, with its direction as weights."""
        rows = (-4.0 * self.rows - 2.0 * self.shift * self.along + self.shift**2 * self.theta) / self.size**2
        return Multipliers(rows, 4.0 * self.budget / self.size**2, self.direction)


@dataclass(frozen=True)
class Unbiased:
    """Columns with the score of each, and the multipliers."""

    #: Shape (n, m), and what the estimator adds up where each is reported, shape (m,).
    columns: Array
    scores: Array
    slopes: Slopes
    stats: SolverStats


def over_scores(
    task: Task, wanted: Array, theta: Array | None, scores: Array, solver: str, *, mirrored: bool = False
) -> Unbiased:
    """Return the columns of least variance whose scores have the expectation ``wanted[x]`` for each input x.

    Parameters
    ----------
    wanted : ndarray, shape (n,)
        Numbers about one in size, around zero.
    theta : ndarray, shape (n,), or None
        The population over which the variance is averaged; None for the largest variance of an input.
    scores : ndarray, shape (m,)
        Increasing.
    mirrored : bool
        Whether the question is the same for -wanted: then scores are at least 0, and each column has a mirror image.
    """
    notion, problem, n = task.notion, task.problem, task.problem.n
    revealing = units(notion, problem)
    # An output that reveals an input may have any score.
    beside = np.tile(revealing, (1, len(scores)))
    squares = scores[:, None] ** 2
    cost = squares * (np.zeros(n) if theta is None else theta)
    worth = -(cost @ revealing).ravel()
    scale = float(np.abs(cost).max()) or 1.0
    cone, halves = notion.columns(problem).cone(), _Halves.of(n, mirrored)
    program, column = decision_program(cone, -cost / scale, (beside, worth / scale))
    program = halves.with_sums(program)
    budget = notion.columns(problem).budget()
    first = program.rows.shape[0]
    if len(budget):
        program, first = with_budget(program, column, len(scores), budget, beside)
    if theta is None:
        second = halves.sums @ _of_each(column, beside, scores**2)
        program = _with_largest(program, second, wanted[: halves.sums.shape[0]])
    program = _with_expectation(program, halves.differences @ _of_each(column, beside, scores), wanted)
    found = solve_linear(program, solver, time_limit=time_left(), verbose=task.solver_verbose)
    within = len(scores) * column.shape[1]
    columns = column @ found.point[:within].reshape(len(scores), -1).T
    rest = beside * found.point[within : within + beside.shape[1]]
    duals = found.multipliers * scale
    nu = np.maximum(-duals[first : first + len(budget)], 0.0)
    rows, of_largest, along = halves.unfolded(duals)
    if theta is None:
        slopes = slopes_of_largest(rows, along, of_largest, nu, found.stats)
    else:
        slopes = Slopes(rows, along, theta, nu)
    if mirrored:
        columns, scores = np.hstack([columns, columns[::-1]]), np.concatenate([scores, -scores])
    everything = np.concatenate([scores, np.repeat(scores, revealing.shape[1])])
    return Unbiased(np.hstack([columns, rest]), everything, slopes, found.stats)


def slopes_of_largest(rows: Array, along: Array, of_largest: Array, budget: Array, stats: SolverStats) -> Slopes:
    """Return the multipliers of the largest variance, with its least favourable population.

    Parameters
    ----------
    rows, along, of_largest : ndarray, shape (n,)
        Multipliers of the rows, of the expectations, and, at most 0, of the variances.
    """
    theta = np.maximum(-of_largest, 0.0)
    total = float(theta.sum())
    if not total > 0.0:
        raise SolverError("The program over scores has no multipliers.", status=stats.status)
    theta = (1.0 - REST) * theta / total + REST / len(theta)
    return Slopes(rows / total, along / total, theta, budget)


@dataclass(frozen=True)
class _Halves:
    """Rows over all inputs as rows over half of them, where columns come with their mirror images.

    A row over x counts the column and its image, ``q_x + q_-x``, or their difference if the score changes its sign.
    """

    #: Sparse, of shape (inputs or half of them, n).
    sums: Any
    differences: Any

    @classmethod
    def of(cls, n: int, mirrored: bool) -> _Halves:
        """Return them for n inputs; the identity without mirror images."""
        from scipy.sparse import csr_array, eye_array

        if not mirrored:
            return cls(csr_array(eye_array(n)), csr_array(eye_array(n)))
        first, image = csr_array(eye_array(n)), csr_array(np.eye(n)[::-1])
        # The middle of an odd number of inputs is its own image, and has the expectation 0.
        return cls((first + image)[: (n + 1) // 2], (first - image)[: n // 2])

    def with_sums(self, program: LinearProgram) -> LinearProgram:
        """Return a program over decisions, whose first n rows are the sums over them, for these rows."""
        from scipy.sparse import csr_array, vstack

        half, n = self.sums.shape
        if half == n:
            return program
        rows: Any = csr_array(vstack([self.sums @ program.rows[:n], program.rows[n:]]))
        low, high = (np.concatenate([np.ones(half), ends[n:]]) for ends in (program.row_low, program.row_high))
        return LinearProgram(program.cost, rows, low, high)

    def unfolded(self, duals: Array) -> tuple[Array, Array, Array]:
        """Return the multipliers of the sums, of the rows before the last (the variances), and of the expectations.

        Each of shape (n,), of the duals of all rows, shape (rows,).
        """
        half, less = self.sums.shape[0], self.differences.shape[0]
        largest = duals[-less - half : -less]
        return self.sums.T @ duals[:half], self.sums.T @ largest, self.differences.T @ duals[-less:]


def _of_each(column: Any, beside: Array, numbers: Array) -> Any:
    """Return the rows ``sum_d numbers[d] q_d`` over the variables of the columns, sparse by rows."""
    from scipy.sparse import csr_array, hstack, kron

    of_revealing = beside * np.repeat(numbers, beside.shape[1] // len(numbers))
    return hstack([kron(csr_array(numbers[None, :]), column), csr_array(of_revealing)])


def _with_largest(program: LinearProgram, seconds: Any, wanted: Array) -> LinearProgram:
    """Return `program` with one more variable, which is minimised: at least the variance of each input.

    Parameters
    ----------
    seconds : sparse array, shape (n, columns' variables)
        The second moment of the score for each input.
    """
    from scipy.sparse import csr_array, hstack, vstack

    n, (count, width) = len(wanted), program.rows.shape
    missing: Any = csr_array((n, width - seconds.shape[1]))
    below = hstack([seconds, missing, csr_array(-np.ones((n, 1)))])
    rows: Any = csr_array(vstack([hstack([program.rows, csr_array((count, 1))]), below]))
    low = np.concatenate([program.row_low, np.full(n, -np.inf)])
    high = np.concatenate([program.row_high, wanted**2])
    return LinearProgram(np.append(program.cost, 1.0), rows, low, high)


def _with_expectation(program: LinearProgram, expected: Any, wanted: Array) -> LinearProgram:
    """Return `program` with ``sum_d scores[d] q_d = wanted`` added, its last rows."""
    from scipy.sparse import csr_array, hstack, vstack

    missing, asked = program.rows.shape[1] - expected.shape[1], wanted[: expected.shape[0]]
    expected = hstack([expected, csr_array((len(asked), missing))]) if missing else expected
    rows: Any = csr_array(vstack([program.rows, expected]))
    low, high = (np.concatenate([ends, asked]) for ends in (program.row_low, program.row_high))
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
