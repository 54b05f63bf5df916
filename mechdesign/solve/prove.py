"""The claims of a design, from its matrix and multipliers alone."""

from __future__ import annotations

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import CertificateError
from mechdesign.mechanism import Certificate, Multipliers
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.solve.certify import utility_bound
from mechdesign.tolerances import PRICING, ROUNDING, SPAN_SHARE


def prove(question: Question, inputs: Problem, matrix: Array, multipliers: Multipliers, route: str) -> Certificate:
    """Return what follows from the matrix and the multipliers alone: value, bound and gap.

    Raises
    ------
    CertificateError
        The matrix is better than the bound on every private mechanism: one of the two is wrong.
    """
    objective = question.objective
    value = objective.value(matrix, inputs)
    reached = objective.to_utility(value, inputs)
    scale = max(abs(value), SPAN_SHARE * span(objective, inputs))
    proved = utility_bound(question.notion, objective, inputs, multipliers, PRICING * scale)
    if reached - proved.utility > 10 * proved.rounding + ROUNDING * scale:
        raise CertificateError(
            f"The matrix of route {route} is better ({value!r}) than the bound on every private mechanism "
            f"({objective.from_utility(proved.utility, inputs)!r}); please report this question."
        )
    bound = float(objective.from_utility(max(proved.utility, reached), inputs))
    width, scale = abs(value - bound), max(scale, abs(bound))
    relative = 0.0 if width <= 2 * proved.rounding or scale == 0 else width / scale
    return Certificate(value, bound, float(relative), route, multipliers)


def span(objective: Objective, problem: Problem) -> float:
    """Return ``|value without information - value without privacy|``, 0 where that is not finite."""
    with np.errstate(all="ignore"):
        width = abs(objective.uninformative(problem) - objective.no_privacy(problem))
    return float(width) if np.isfinite(width) else 0.0
