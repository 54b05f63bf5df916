"""Strong chi-square privacy: a second-order cone for each output."""

from __future__ import annotations

import numpy as np

from mechdesign.bench.forms.form import Form, PosedProgram
from mechdesign.bench.forms.over_matrix import Cones, Rows, for_each_output, has_loss, outputs_of, over_matrix
from mechdesign.bench.program import ConeBlock
from mechdesign.columns.square_ball import SquareBall
from mechdesign.question import Question


class SecondOrderCones(Form):
    """A second-order cone for each output, of one row more than inputs."""

    name = "second-order cones"
    formula = (
        "min cost . Q  s.t.  sum_y Q[x, y] = 1,  |sqrt(P) (q_y - P . q_y)|_2 <= epsilon P . q_y for all y,  Q >= 0"
    )
    words = "Strong chi-square privacy as its definition is written."

    def takes(self, question: Question) -> bool:
        """Return whether the notion is strong chi-square privacy of the input and the objective a loss."""
        return has_loss(question) and isinstance(question.notion.columns(question.problem), SquareBall)

    def pose(self, question: Question) -> PosedProgram:
        """Return the program, output by output."""
        from scipy.sparse import csr_array

        shape, problem = question.notion.columns(question.problem), question.problem
        assert isinstance(shape, SquareBall), "takes() holds"
        prior, n, m = problem.required_prior, problem.n, outputs_of(question)
        spread = np.sqrt(prior)[:, None] * (np.eye(n) - prior)
        rows = for_each_output(np.vstack([shape.epsilon * prior, spread]), m)
        cones = Cones(rows, csr_array((rows.shape[0], 0)), (ConeBlock("second order", n + 1),) * m)
        none = Rows(csr_array((0, n * m)), csr_array((0, 0)), np.zeros(0), np.zeros(0))
        return over_matrix(question, none, cones=cones)
