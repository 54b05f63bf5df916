"""Blocks of shifted columns, one for each decision: what is above the smallest entry that the notion allows."""

from __future__ import annotations

import numpy as np

from mechdesign.bench.forms.form import Form, PosedProgram
from mechdesign.bench.program import ConicProgram
from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Linear
from mechdesign.question import Question
from mechdesign.solve.programs.over_decisions import decision_program


class Decisions(Form):
    """A block of variables for the column of each decision, with its lower bounds substituted."""

    name = "decisions"
    formula = (
        "max sum_d gain_d . q_d  s.t.  sum_d q_d = 1,  q_d = y_d + floor t_d,  rows of the cone on (y_d, t_d),  "
        "y, t >= 0"
    )
    words = "Half of the rows of 'auxiliary variables' become signs: the form that mechdesign solves itself."

    def takes(self, question: Question) -> bool:
        """Return whether the notion's columns are a cone of finitely many rows and the objective an expected loss."""
        notion, problem = question.notion, question.problem
        if not isinstance(question.objective, Linear) or question.outputs is not None or not notion.polyhedral:
            return False
        return not len(notion.columns(problem).budget()) and not notion.columns(problem).revealed

    def pose(self, question: Question) -> PosedProgram:
        """Return the program, decision by decision."""
        problem, objective = question.problem, question.objective
        assert isinstance(objective, Linear), "takes() holds"
        gains, n = objective.gains(problem), problem.n
        scale = float(np.abs(gains).max()) or 1.0
        found, column = decision_program(question.notion.columns(problem).cone(), gains / scale)
        free = np.full(len(found.cost), np.inf)
        program = ConicProgram(found.cost, found.rows, found.row_low, found.row_high, np.zeros(len(free)), free)
        width = column.shape[1]

        def matrix(point: np.ndarray) -> np.ndarray:
            return np.asarray(column @ point.reshape(-1, width).T)

        return PosedProgram(program, scale, matrix, lambda duals: Multipliers(-duals[:n] * scale))
