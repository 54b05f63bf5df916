"""Weights of the extreme rays of the notion's cone: few rows, very many columns."""

from __future__ import annotations

import numpy as np

from mechdesign.bench.forms.form import Form, PosedProgram
from mechdesign.bench.program import ConicProgram
from mechdesign.mechanism import Multipliers
from mechdesign.objectives.base import is_separable
from mechdesign.question import Question
from mechdesign.solve.pricing.all_rays import all_rays

#: Inputs up to which rays are enumerated: LDP has 2^n.
MOST_INPUTS = 16


class ExtremeRays(Form):
    """A weight for each extreme ray; any sum over outputs of a sublinear utility is then linear."""

    name = "extreme rays"
    formula = "max sum_r u(r) w_r  s.t.  sum_r r w_r = 1,  w >= 0,  r over the extreme rays of the notion's cone"
    words = "n rows and up to 2^n dense columns; where several rays are as good, the dual is degenerate."

    def takes(self, question: Question) -> bool:
        """Return whether the notion has finitely many rays, few enough, and the objective sums over outputs."""
        notion, problem = question.notion, question.problem
        if (
            not is_separable(question.objective)
            or question.outputs is not None
            or len(notion.columns(problem).budget())
        ):
            return False
        return notion.polyhedral and problem.n <= MOST_INPUTS

    def pose(self, question: Question) -> PosedProgram:
        """Return the program, ray by ray."""
        from scipy.sparse import csr_array

        problem, objective = question.problem, question.objective
        rays = all_rays(question.notion, problem)
        assert rays is not None and is_separable(objective), "takes() holds"
        utility = objective.column_utility(rays.columns, problem)
        scale = float(np.abs(utility).max()) or 1.0
        ones, count = np.ones(problem.n), len(utility)
        rows = csr_array(rays.columns)
        program = ConicProgram(-utility / scale, rows, ones, ones, np.zeros(count), np.full(count, np.inf))
        return PosedProgram(
            program, scale, lambda point: rays.columns * point, lambda duals: Multipliers(-duals * scale)
        )
