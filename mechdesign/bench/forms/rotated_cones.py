"""The variance of frequency estimates over weights of extreme rays: a rotated second-order cone for each ray."""

from __future__ import annotations

import numpy as np

from mechdesign.bench.forms.form import Form, PosedProgram
from mechdesign.bench.forms.rays import MOST_INPUTS
from mechdesign.bench.program import ConeBlock, ConicProgram
from mechdesign.mechanism import Multipliers
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.question import Question
from mechdesign.solve.pricing.all_rays import all_rays


class RotatedCones(Form):
    """A weight, a bound and a vector for each extreme ray, tied by a rotated second-order cone."""

    name = "rotated cones"
    formula = "min sum_r s_r  s.t.  sum_r r w_r = 1,  sum_r a_r h_r' = 1,  |h_r|^2 <= s_r w_r,  w >= 0"
    words = "The trace of the covariance of estimated frequencies, (sum_r w_r a_r a_r')^-1, by its dual vectors h_r."

    def takes(self, question: Question) -> bool:
        """Return whether the objective is the trace of the covariance and the notion has few enough rays."""
        notion, problem, objective = question.notion, question.problem, question.objective
        plain = isinstance(objective, InformationDesign) and objective.criterion == "A" and question.outputs is None
        return plain and notion.polyhedral and not len(notion.columns(problem).budget()) and problem.n <= MOST_INPUTS

    def pose(self, question: Question) -> PosedProgram:
        """Return the program; variables are weights, bounds, then the vectors ray by ray."""
        from scipy.sparse import csr_array, hstack, kron, vstack

        problem, objective = question.problem, question.objective
        rays = all_rays(question.notion, problem)
        assert rays is not None and isinstance(objective, InformationDesign), "takes() holds"
        n, basis = problem.n, contrasts(problem.n)
        directions = basis.T @ rays.columns / np.sqrt(objective.mass(rays.columns, problem))
        k, count = directions.shape
        sums = hstack([csr_array(rays.columns), csr_array((n, count + count * k))])
        # Row (i, j) of sum_r a_r h_r' = 1.
        whole = hstack([csr_array((k * k, 2 * count)), _products(directions)])
        rows: object = csr_array(vstack([sums, whole]))
        ends = np.concatenate([np.ones(n), np.eye(k).ravel()])
        weight, bound = np.eye(count), np.eye(count)
        first = hstack([csr_array(weight), csr_array(bound), csr_array((count, count * k))])
        second = hstack([csr_array(weight), csr_array(-bound), csr_array((count, count * k))])
        vector = hstack([csr_array((count * k, 2 * count)), 2.0 * kron(csr_array(np.eye(count)), np.eye(k))])
        by_ray = np.hstack(
            [
                np.arange(count)[:, None],
                count + np.arange(count)[:, None],
                2 * count + np.arange(count * k).reshape(count, k),
            ]
        )
        cone_rows = csr_array(vstack([first, second, vector]))[by_ray.ravel()]
        cost = np.concatenate([np.zeros(count), np.ones(count), np.zeros(count * k)])
        lower = np.concatenate([np.zeros(2 * count), np.full(count * k, -np.inf)])
        program = ConicProgram(
            cost,
            rows,
            ends,
            ends,
            lower,
            np.full(len(cost), np.inf),
            cone_rows,
            np.zeros(cone_rows.shape[0]),
            (ConeBlock("second order", k + 2),) * count,
        )

        def multipliers(duals: Array) -> Multipliers:
            slope = basis @ duals[n:].reshape(k, k) / 2.0
            return Multipliers(-duals[:n], weights=slope @ slope.T)

        return PosedProgram(program, 1.0, lambda point: rays.columns * point[:count], multipliers)


def _products(directions: Array) -> object:
    """Return the rows of ``sum_r a_r[i] h_r[j]`` for all i, j."""
    from scipy.sparse import csr_array, eye_array, hstack, kron

    k = len(directions)
    return csr_array(hstack([kron(csr_array(a[:, None]), eye_array(k)) for a in directions.T]))
