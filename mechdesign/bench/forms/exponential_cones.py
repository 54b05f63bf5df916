"""Mutual information privacy: an exponential cone for each entry of the matrix."""

from __future__ import annotations

import numpy as np

from mechdesign.bench.forms.form import Form, PosedProgram
from mechdesign.bench.forms.over_matrix import Cones, Rows, for_each_output, has_loss, outputs_of, over_matrix
from mechdesign.bench.program import ConeBlock
from mechdesign.columns.information_budget import InformationBound
from mechdesign.question import Question


class ExponentialCones(Form):
    """An exponential cone for each input and output, and one row that bounds their sum."""

    name = "exponential cones"
    formula = (
        "min cost . Q  s.t.  sum_y Q[x, y] = 1,  P_x Q[x, y] ln(Q[x, y] / P . q_y) <= s[x, y],  sum s <= epsilon,  "
        "Q >= 0"
    )
    words = "Mutual information between the input and the report, at most epsilon."

    def takes(self, question: Question) -> bool:
        """Return whether the notion is mutual information privacy of the input and the objective a loss."""
        return has_loss(question) and isinstance(question.notion.columns(question.problem), InformationBound)

    def pose(self, question: Question) -> PosedProgram:
        """Return the program, output by output; ``s = excess - (P_x Q[x, y] - P_x P . q_y)`` keeps it at least 0."""
        from scipy.sparse import csr_array, eye_array, vstack

        shape, problem = question.notion.columns(question.problem), question.problem
        assert isinstance(shape, InformationBound), "takes() holds"
        prior, n, m = problem.required_prior, problem.n, outputs_of(question)
        count = n * m
        joint = for_each_output(np.diag(prior), m)
        expected = for_each_output(np.outer(prior, prior), m)
        # u ln(u / v) <= s is (-s, u, v) in the cone; with s = z + u - v the sums over u - v are 0, and z >= 0.
        on_matrix: list[object] = [expected - joint, joint, expected]
        on_others: list[object] = [-eye_array(count), csr_array((count, count)), csr_array((count, count))]
        by_entry = np.arange(3 * count).reshape(3, count).T.ravel()
        cones = Cones(
            csr_array(vstack(on_matrix))[by_entry],
            csr_array(vstack(on_others))[by_entry],
            (ConeBlock("exponential", 3),) * count,
        )
        total = Rows(
            csr_array((1, count)), csr_array(np.ones((1, count))), np.array([-np.inf]), np.array([shape.epsilon])
        )
        return over_matrix(question, total, count, cones=cones, budget_row=0)
