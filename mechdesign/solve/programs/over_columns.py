"""The program over one private column for each decision, by our own interior point, as arrays, or through cvxpy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mechdesign.notions import Cone
from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import now, time_left
from mechdesign.solve.interior_point.primal_dual import require_band
from mechdesign.solve.interior_point.variable_fixing import Guess, solve_guessed
from mechdesign.solve.pricing.revealing_outputs import units
from mechdesign.solve.programs.over_curved_cone import solve_curved
from mechdesign.solve.programs.over_decisions import decision_program
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Stages, Task
from mechdesign.tolerances import SOLVER


def solve_columns(
    task: Task,
    objective: Separable,
    cone: Cone,
    gains: Array,
    stages: Stages,
    solver: str,
    interior: bool,
    accuracy: float = SOLVER,
    guess: Guess | None = None,
) -> tuple[Array, Array, SolverStats]:
    """Return the columns, shape (n, m), the rows' multipliers, shape (n,), and how the solver ended.

    Columns that reveal an input come last.

    Parameters
    ----------
    gains : array of shape (decisions, n)
        What each decision gains at each input.
    interior : bool
        Whether linear programs are solved by an interior-point method.
    accuracy : float
        The relative tolerance of our own interior point, and of others where it is less than theirs.
    """
    scale = float(np.abs(gains).max()) or 1.0
    if not task.notion.polyhedral:
        stages.lap("build")
        curved = solve_curved(task, gains / scale, solver)
        stages.lap("solve")
        return curved.columns, curved.rows * scale, curved.stats
    if solver == "STRUCTURED":
        band = require_band(cone.band_of_inputs)
        stages.lap("build")
        if band.low >= band.high:
            best = int(gains.sum(axis=1).argmax())
            constant = np.tile(np.eye(len(gains))[best], (gains.shape[1], 1))
            return constant, gains[best], SolverStats(solver, "not needed", 0.0, 0)
        started = now()
        known = None if guess is None else guess.scaled(scale)
        point = solve_guessed(band, gains / scale, known, accuracy)
        stages.lap("solve")
        stats = SolverStats(solver, point.status, now() - started, point.steps)
        return point.columns, point.rows * scale, stats
    revealing = units(task.notion, task.problem)
    worth = objective.column_utility(revealing, task.problem) / scale
    # Merged inputs are fewer than the problem's, and under a band none is revealed.
    revealing = revealing[: gains.shape[1]]
    program, column = decision_program(cone, gains / scale, (revealing, worth))
    program = replace(program, accuracy=min(accuracy, SOLVER))
    stages.lap("build")
    found = solve_linear(program, solver, interior=interior, time_limit=time_left(), verbose=task.solver_verbose)
    stages.lap("solve")
    within = len(gains) * column.shape[1]
    columns = column @ found.point[:within].reshape(len(gains), -1).T
    columns = np.hstack([columns, revealing * found.point[within:]])
    return columns, -found.multipliers[: gains.shape[1]] * scale, found.stats
