"""What the forms over the entries of Q share: their order, the rows of sums, an expected or a worst-case loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.bench.forms.form import PosedProgram
from mechdesign.bench.program import ConeBlock, ConicProgram
from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Linear, PiecewiseLinear
from mechdesign.parameters.checks import Array
from mechdesign.question import Question


@dataclass(frozen=True)
class Rows:
    """Linear rows over the entries of Q and further variables: ``lower <= on_matrix q + on_others z <= upper``.

    Attributes
    ----------
    on_matrix, on_others : sparse, shapes (rows, inputs * outputs) and (rows, others)
        The coefficients; entries of Q are in the order of its columns, output by output.
    lower, upper : ndarray, shape (rows,)
        The bounds.
    """

    on_matrix: Any
    on_others: Any
    lower: Array
    upper: Array


@dataclass(frozen=True)
class Cones:
    """Conic rows over the entries of Q and further variables."""

    on_matrix: Any
    on_others: Any
    blocks: tuple[ConeBlock, ...]


def has_loss(question: Question) -> bool:
    """Return whether the objective is an expected loss, or the largest of finitely many."""
    return isinstance(question.objective, Linear | PiecewiseLinear) and question.outputs is None


def outputs_of(question: Question) -> int:
    """Return the number of outputs of the matrix: one for each decision."""
    objective, problem = question.objective, question.problem
    if isinstance(objective, PiecewiseLinear):
        return int(objective.pieces(problem).shape[1]) // problem.n
    assert isinstance(objective, Linear), "has_loss holds"
    return int(objective.cost(problem).shape[1])


def over_matrix(
    question: Question,
    rules: Rows,
    others: int = 0,
    *,
    free: bool = False,
    cones: Cones | None = None,
    budget_row: int | None = None,
) -> PosedProgram:
    """Return the program over Q, output by output, with rows that make it private.

    Its variables are the columns of Q, then `others` further ones at least 0, then the largest loss where the objective
    is one. Its rows are the sums over outputs, then those that define the largest loss, then `rules`. Entries of Q are
    at least 0 unless they are `free`; `budget_row` is the place in `rules` of the row of the notion's budget.
    """
    from scipy.sparse import csr_array, hstack, vstack

    n, m = question.problem.n, outputs_of(question)
    cost, pieces, scale = _loss(question)
    worst = 0 if pieces is None else pieces.shape[0]
    sums = Rows(_repeated(n, m), csr_array((n, others)), np.ones(n), np.ones(n))
    parts = [sums, rules] if pieces is None else [sums, _below(pieces, others), rules]
    rows: Any = vstack([hstack([part.on_matrix, part.on_others]) for part in parts]).tocsr()
    cone_rows: Any = None if cones is None else hstack([cones.on_matrix, cones.on_others]).tocsr()
    variables = n * m + others
    lower = np.concatenate([np.full(n * m, -np.inf if free else 0.0), np.zeros(others)])
    costs = np.concatenate([cost, np.zeros(others)])
    if worst:
        largest = np.concatenate([np.zeros(n), -np.ones(worst), np.zeros(rows.shape[0] - n - worst)])
        rows = hstack([rows, csr_array(largest[:, None])]).tocsr()
        lower, costs = np.append(lower, -np.inf), np.append(costs, 1.0)
        cone_rows = None if cone_rows is None else hstack([cone_rows, csr_array((cone_rows.shape[0], 1))]).tocsr()
    program = ConicProgram(
        costs,
        csr_array(rows),
        np.concatenate([part.lower for part in parts]),
        np.concatenate([part.upper for part in parts]),
        lower,
        np.full(variables + (worst > 0), np.inf),
        None if cone_rows is None else csr_array(cone_rows),
        np.zeros(0 if cone_rows is None else cone_rows.shape[0]),
        () if cones is None else cones.blocks,
    )

    def multipliers(duals: Array) -> Multipliers:
        weights = -duals[n : n + worst] if worst else None
        budget = np.zeros(0) if budget_row is None else -duals[[n + worst + budget_row]] * scale
        return Multipliers(-duals[:n] * scale, budget=np.maximum(budget, 0.0), weights=weights)

    return PosedProgram(program, scale, lambda point: point[: n * m].reshape(m, n).T, multipliers)


def _loss(question: Question) -> tuple[Array, Any, float]:
    """Return the cost of each entry, or the rows of the pieces, in units of their size, and that."""
    objective, problem = question.objective, question.problem
    if isinstance(objective, Linear):
        cost = objective.cost(problem)
        scale = float(np.abs(cost).max()) or 1.0
        return (cost / scale).T.ravel(), None, scale
    assert isinstance(objective, PiecewiseLinear), "has_loss holds"
    pieces = objective.pieces(problem).tocsc()
    n = problem.n
    m = pieces.shape[1] // n
    # Pieces are by rows of Q; the program is by its columns.
    by_columns = np.arange(n * m).reshape(n, m).T.ravel()
    scale = float(np.abs(pieces.data).max()) or 1.0
    return np.zeros(n * m), (pieces[:, by_columns] / scale).tocsr(), scale


def _below(pieces: Any, others: int) -> Rows:
    """Return rows: each piece is at most the largest loss, which `over_matrix` adds as the last variable."""
    from scipy.sparse import csr_array

    count = pieces.shape[0]
    return Rows(pieces, csr_array((count, others)), np.full(count, -np.inf), np.zeros(count))


def _repeated(n: int, m: int) -> Any:
    """Return the identity for each output, side by side: the sum of each row of Q."""
    from scipy.sparse import csr_array, eye_array, kron

    return csr_array(kron(np.ones((1, m)), eye_array(n)))


def for_each_output(rows: Any, m: int) -> Any:
    """Return `rows`, shape (k, n), for each of m outputs by itself, shape (m k, m n)."""
    from scipy.sparse import csr_array, eye_array, kron

    return csr_array(kron(eye_array(m), csr_array(rows)))


def stacked(blocks: Sequence[Any]) -> Any:
    """Return sparse blocks one below another."""
    from scipy.sparse import csr_array, vstack

    return csr_array(vstack(list(blocks)))
