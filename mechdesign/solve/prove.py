"""The claims of a design, from its matrix and multipliers alone."""

from __future__ import annotations

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import CertificateError, DomainError
from mechdesign.mechanism import Certificate, Multipliers
from mechdesign.objectives import Objective
from mechdesign.objectives.base import is_separable
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.solve.certify import utility_bound
from mechdesign.solve.revealing import decided
from mechdesign.tolerances import HIDDEN_GAP, PRICING, ROUNDING, SPAN_SHARE


def prove(question: Question, inputs: Problem, matrix: Array, multipliers: Multipliers, route: str) -> Certificate:
    """Return what follows from the matrix and the multipliers alone: value, bound and gap.

    Raises
    ------
    CertificateError
        The matrix is better than the bound on every private mechanism: one of the two is wrong.
    """
    objective = question.objective
    value = objective.value(decided(matrix, objective, inputs), inputs)
    reached = objective.to_utility(value, inputs)
    scale = max(abs(value), SPAN_SHARE * span(objective, inputs))
    if not np.isfinite(value):
        raise DomainError(
            "objective", str(objective), "it is infinite on this mechanism", "give distributions without zeros"
        )
    steepness = objective.steepness(value, inputs)
    tolerance = PRICING * scale * steepness
    proved = utility_bound(question.notion, objective, inputs, multipliers, tolerance, question.outputs)
    noise = proved.rounding + _noise(objective, matrix, inputs, value)
    if reached - proved.utility > 10 * noise + ROUNDING * scale * steepness:
        raise CertificateError(
            f"The matrix of route {route} is better ({value!r}) than the bound on every private mechanism "
            f"({objective.from_utility(proved.utility, inputs)!r}); please report this question."
        )
    bound = float(objective.from_utility(max(_clipped(proved.utility, objective, inputs), reached), inputs))
    width, scale = max(abs(value - bound), 0.0), max(scale, abs(bound))
    if not np.isfinite(width):
        return Certificate(value, bound, float("inf"), route, multipliers)
    # Rounding is no gap, unless there is so much of it that it hides one.
    rounding = noise / steepness if steepness > 0 else 0.0
    told = width if width > 2 * rounding else rounding if rounding > HIDDEN_GAP * scale else 0.0
    return Certificate(value, bound, float(told / scale) if scale > 0 else 0.0, route, multipliers)


def _noise(objective: Objective, matrix: Array, problem: Problem, value: float) -> float:
    """Return an estimate of the value's own rounding, in utility: some units in the last place of its terms."""
    terms = abs(value)
    if is_separable(objective):
        terms += float(objective.magnitude(matrix, problem).sum())
    return 4.0 * float(np.finfo(float).eps) * (problem.n + 8) * terms


def _clipped(utility: float, objective: Objective, problem: Problem) -> float:
    """Return the bound, or the utility without privacy where that is less: outputs can tell no more than the input."""
    if not is_separable(objective):
        return utility
    most = objective.to_utility(objective.no_privacy(problem), problem)
    return min(utility, most) if np.isfinite(most) else utility


def span(objective: Objective, problem: Problem) -> float:
    """Return ``|value without information - value without privacy|``, 0 where that is not finite."""
    with np.errstate(all="ignore"):
        width = abs(objective.uninformative(problem) - objective.no_privacy(problem))
    return float(width) if np.isfinite(width) else 0.0
