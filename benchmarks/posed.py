"""The program of one instance as one writes it with cvxpy, with the way back from its solution to our certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
import numpy.typing as npt

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Linear, PiecewiseLinear
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.solve.pricing.all_rays import all_rays

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Posed:
    """A program, the matrix of its solution as the solver leaves it, and the multipliers that bound it."""

    program: cp.Problem
    matrix: Callable[[], Array]
    multipliers: Callable[[], Multipliers]


def posed(question: md.Question) -> Posed:
    """Return the program of `question`, by the kind of its objective."""
    objective = question.objective
    if isinstance(objective, Linear):
        return _linear(question, objective)
    if isinstance(objective, PiecewiseLinear):
        return _worst_case(question, objective)
    if isinstance(objective, md.InformationDesign):
        return _design(question, objective)
    return _over_rays(question, objective)


def _private(question: md.Question, outputs: int) -> tuple[cp.Variable, Any, list[Any]]:
    Q = cp.Variable((question.problem.n, outputs))
    return Q, cp.sum(Q, axis=1) == 1, question.notion.constraints(Q, question.problem)


def _linear(question: md.Question, objective: Linear) -> Posed:
    """Minimise the expected loss over private Q."""
    cost = objective.cost(question.problem)
    scale = float(np.abs(cost).max())
    Q, rows, rules = _private(question, cost.shape[1])
    program = cp.Problem(cp.Minimize(cp.sum(cp.multiply(cost / scale, Q))), [rows, *rules])
    return Posed(program, lambda: np.array(Q.value), lambda: Multipliers(rows.dual_value * scale))


def _worst_case(question: md.Question, objective: PiecewiseLinear) -> Posed:
    """Minimise the largest piece over private Q."""
    pieces = objective.pieces(question.problem)
    scale = float(np.abs(pieces.data).max())
    Q, rows, rules = _private(question, pieces.shape[1] // question.problem.n)
    most = cp.Variable()
    below = (pieces / scale) @ cp.vec(Q, order="C") <= most
    program = cp.Problem(cp.Minimize(most), [rows, below, *rules])
    return Posed(
        program,
        lambda: np.array(Q.value),
        lambda: Multipliers(rows.dual_value * scale, weights=np.array(below.dual_value)),
    )


def _over_rays(question: md.Question, objective: Any) -> Posed:
    """Maximise the utility over weights of extreme rays."""
    rays = all_rays(question.notion, question.problem)
    assert rays is not None, "the instances are small enough"
    utility = objective.column_utility(rays.columns, question.problem)
    scale = float(np.abs(utility).max())
    weights = cp.Variable(len(utility), nonneg=True)
    rows = rays.columns @ weights == 1
    program = cp.Problem(cp.Minimize(-(utility / scale) @ weights), [rows])
    return Posed(program, lambda: rays.columns * weights.value, lambda: Multipliers(rows.dual_value * scale))


def _design(question: md.Question, objective: md.InformationDesign) -> Posed:
    """Minimise ``trace((sum_r w_r a_r a_r')^-1)`` as ``sum_r |h_r|^2 / w_r`` with ``sum_r a_r h_r' = 1``."""
    problem = question.problem
    rays = all_rays(question.notion, problem)
    assert rays is not None, "the instances are small enough"
    basis = contrasts(problem.n)
    told = basis.T @ rays.columns / np.sqrt(objective.mass(rays.columns, problem))
    # Rays that tell nothing have a row of zeros: their share is free.
    weights, H = cp.Variable(told.shape[1], nonneg=True), cp.Variable(told.T.shape)
    rows = rays.columns @ weights == 1
    cost = cp.sum([cp.quad_over_lin(H[r], weights[r]) for r in range(told.shape[1]) if np.abs(told[:, r]).max() > 0])
    whole = told @ H == np.eye(problem.n - 1)
    program = cp.Problem(cp.Minimize(cost), [rows, whole])

    def multipliers() -> Multipliers:
        # Of both from the dual: the slope at the primal's matrix belongs to the rows' multipliers only in the limit.
        slope = basis @ np.array(whole.dual_value) / 2.0
        return Multipliers(np.array(rows.dual_value), weights=slope @ slope.T)

    return Posed(program, lambda: rays.columns * weights.value, multipliers)
