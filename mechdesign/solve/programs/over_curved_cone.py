"""The program over one column for each decision, where the columns' cone has a curved side: by cvxpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.revealing_outputs import barred
from mechdesign.solve.programs.cvxpy_problem import problem as silent
from mechdesign.solve.programs.over_matrix import Program, dual, matrix, run
from mechdesign.solve.solvers.catalogue import of_columns_and_cones
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Task


@dataclass(frozen=True)
class Curved:
    """The columns, the rows' multipliers as the solver claims them, and how it ended."""

    columns: Array
    rows: Array
    stats: SolverStats


def solve_curved(task: Task, gains: Array, solver: str) -> Curved:
    """Maximise ``sum_d gains[d] . q_d``, gains of shape (decisions, n), over private ``q_d`` with ``sum_d q_d = 1``.

    Gains are of order one.

    Raises
    ------
    SolverError
        The solver takes linear programs only, or failed.
    """
    import cvxpy as cp

    cones = of_columns_and_cones()
    if solver not in cones:
        raise SolverError(
            f"{solver} solves linear programs here, and {task.notion.name} is none: choose {' or '.join(cones)}.",
            status="not offered",
        )
    none = barred(task.notion, task.problem, len(gains))
    Q = cp.Variable(none.shape, name="Q")
    rows = cp.sum(Q, axis=1) == 1
    rules = task.notion.constraints(Q, task.problem)
    # An output that reveals an input stands for the decision that is best for it.
    own = np.diag(gains.max(axis=0))[:, list(task.columns.revealed)]
    whole = silent(-cp.sum(cp.multiply(np.hstack([gains.T, own]), Q)), [rows, *rules])
    program = Program(whole, Q, 1.0, rows, None, rules, [], none)
    stats = run(program, task, solver)
    return Curved(matrix(program, stats), dual(rows, (task.problem.n,)), stats)
