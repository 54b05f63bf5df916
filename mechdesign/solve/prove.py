"""The claims of a design, from its matrix and multipliers alone."""

from __future__ import annotations

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import CertificateError, DomainError
from mechdesign.mechanism import Certificate, Multipliers
from mechdesign.objectives import Objective
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.objectives.exponent import Searched
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.solve.bounds.revealing import decided
from mechdesign.solve.certify import utility_bound
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
    least, most = _ends(objective, inputs)
    width = _between(least, most)
    scale = max(abs(value), SPAN_SHARE * width)
    if not np.isfinite(value):
        raise DomainError(
            "objective", str(objective), "it is infinite on this mechanism", "give distributions without zeros"
        )
    steepness = objective.steepness(value, inputs)
    tolerance = PRICING * scale * steepness
    proved = utility_bound(question.notion, objective, inputs, multipliers, tolerance, question.outputs)
    own = _noise(objective, matrix, inputs, abs(value) + steepness * width)
    noise = proved.rounding + own
    if reached - proved.utility > 10 * noise + ROUNDING * scale * steepness:
        raise CertificateError(
            f"The matrix of route {route} is better ({value!r}) than the bound on every private mechanism "
            f"({objective.from_utility(proved.utility, inputs)!r}); please report this question."
        )
    utility = _clipped(
        proved.utility, objective, inputs, multipliers.weights, [most] + [least] * (question.outputs == 1)
    )
    bound = float(objective.from_utility(max(utility, reached), inputs))
    gap, scale = max(abs(value - bound), 0.0), max(scale, abs(bound))
    if not np.isfinite(gap):
        return Certificate(value, bound, float("inf"), route, multipliers)
    # Rounding is no gap, unless there is so much of it that it hides one; without privacy no multipliers are summed up.
    rounding = (noise if utility == proved.utility else own) / steepness if steepness > 0 else 0.0
    told = gap if gap > 2 * rounding else rounding if rounding > HIDDEN_GAP * scale else 0.0
    return Certificate(value, bound, float(told / scale) if scale > 0 else 0.0, route, multipliers)


def _noise(objective: Objective, matrix: Array, problem: Problem, terms: float) -> float:
    """Return an estimate of the value's own rounding, in utility: some units in the last place of its terms.

    Where next to nothing is told the terms cancel: what is left is as wrong as those of much information, which
    `terms` holds.
    """
    if is_separable(objective):
        terms += float(objective.magnitude(matrix, problem).sum())
    return 4.0 * float(np.finfo(float).eps) * (problem.n + 8) * terms


def _clipped(utility: float, objective: Objective, problem: Problem, weights: Array | None, most: list[float]) -> float:
    """Return the bound, or the utility of a value of `most` where that is less: no output tells more than the input.

    For a maximum of functionals, no mechanism does better under their `weights` than the best decision of each input.
    """
    if is_convex(objective):
        return min(utility, -float(objective.minorant(weights, problem).min(axis=1).sum()))
    if not (is_separable(objective) or isinstance(objective, Searched)):
        return utility
    return min([utility, *(objective.to_utility(value, problem) for value in most if np.isfinite(value))])


def span(objective: Objective, problem: Problem) -> float:
    """Return ``|value without information - value without privacy|``, 1 where that is not finite.

    Infinite are only divergences and exponents, which have nats or no unit.
    """
    return _between(*_ends(objective, problem))


def _ends(objective: Objective, problem: Problem) -> tuple[float, float]:
    """Return the value without information and the value without privacy."""
    with np.errstate(all="ignore"):
        return objective.uninformative(problem), objective.no_privacy(problem)


def _between(least: float, most: float) -> float:
    with np.errstate(all="ignore"):
        width = abs(least - most)
    return float(width) if np.isfinite(width) else 1.0
