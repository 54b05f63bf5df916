"""One auxiliary variable for each output, between whose multiples its probabilities lie."""

from __future__ import annotations

import numpy as np

from mechdesign.bench.forms.form import Form, PosedProgram
from mechdesign.bench.forms.over_matrix import Rows, for_each_output, has_loss, outputs_of, over_matrix
from mechdesign.question import Question


class AuxiliaryVariables(Form):
    """The rows of the notion's cone for each output, with its auxiliary variables."""

    name = "auxiliary variables"
    formula = "min cost . Q  s.t.  sum_y Q[x, y] = 1,  A q_y + B t_y >= 0 for all y,  Q, t >= 0"
    words = "For local differential privacy t_y <= Q[x, y] <= e^epsilon t_y: 2 n rows for each output, no n^2."

    def takes(self, question: Question) -> bool:
        """Return whether the notion's columns are a cone of finitely many rows and the objective a loss."""
        notion, problem = question.notion, question.problem
        if not (has_loss(question) and notion.polyhedral):
            return False
        return not len(notion.columns(problem).budget()) and not notion.columns(problem).revealed

    def pose(self, question: Question) -> PosedProgram:
        """Return the program, output by output."""
        cone, m = question.notion.columns(question.problem).cone(), outputs_of(question)
        others = cone.on_auxiliary.shape[1] * m
        matrix = for_each_output(cone.on_column, m)
        count = matrix.shape[0]
        rules = Rows(matrix, for_each_output(cone.on_auxiliary, m), np.zeros(count), np.full(count, np.inf))
        return over_matrix(question, rules, others)
