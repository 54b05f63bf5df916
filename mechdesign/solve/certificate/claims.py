"""The claims of a design, from its matrix and multipliers alone."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from mechdesign.errors import CertificateError, DomainError
from mechdesign.mechanism import Certificate, Multipliers
from mechdesign.mechanism.certificate import LAST_RESORT
from mechdesign.objectives import Objective
from mechdesign.objectives.base import is_convex, is_separable, unit
from mechdesign.objectives.exponent import Searched
from mechdesign.objectives.information_over_priors import is_least
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.runtime.deadline import is_late
from mechdesign.runtime.learned import learned
from mechdesign.solve.certificate.bound import Bound, is_priced_at_once, utility_bound
from mechdesign.solve.pricing.oracles import is_implied
from mechdesign.solve.pricing.revealing_outputs import decided
from mechdesign.tolerances import PRICING, PRICING_OF_GAIN, ROUNDING, SPAN_SHARE

#: Relative rounding of a few operations.
UNITS = 8.0 * float(np.finfo(float).eps)


def derive(question: Question, inputs: Problem, matrix: Array, multipliers: Multipliers, route: str) -> Certificate:
    """Return what follows from a matrix, shape (n, m), and multipliers: value, bound and gaps, each rounded outward.

    The exact value of the matrix does not pass the bound, and no gap is less than it is: rounding counts as a gap.

    Raises
    ------
    CertificateError
        The matrix is better than the bound on every private mechanism: one of the two is wrong.
    """
    objective = question.objective
    decisions = decided(matrix, objective, inputs)
    value = objective.value(decisions, inputs)
    reached = objective.to_utility(value, inputs)
    least, most = _ends(objective, inputs)
    scale = max(abs(value), SPAN_SHARE * _between(least, most))
    if not np.isfinite(value):
        rule, remedy = "it is infinite on this mechanism", "give distributions without zeros"
        if np.isnan(value):
            rule, remedy = "its value is not a number on this mechanism", "correct its method value"
        raise DomainError("objective", str(objective), rule, remedy)
    steepness = objective.steepness(value, inputs)
    own, gained, blur = objective.accuracy(decisions, value, inputs)
    # Where little is gained, that is to be seen: but no finer than the bound's own rounding.
    finest = max(PRICING_OF_GAIN * _resolved(gained, blur), unit(inputs.n) * float(np.abs(multipliers.rows).sum()))
    tolerance = _even(min(PRICING * scale * steepness, finest))
    proved = _bound(question, inputs, multipliers, tolerance, route)
    noise = proved.rounding + steepness * own
    if reached - proved.utility > 10 * noise + ROUNDING * scale * steepness:
        raise CertificateError(
            f"The matrix of route {route} is better ({float(value)!r}) than the bound on every private "
            f"mechanism ({float(objective.from_utility(proved.utility, inputs))!r}); please report this question."
        )
    utility = _clipped(
        proved.utility, objective, inputs, multipliers.weights, [most] + [least] * (question.outputs == 1)
    )
    bound = _outward(objective, inputs, value, own, utility)
    if not np.isfinite(bound):
        return Certificate(value, bound, math.inf, route, multipliers, math.inf)
    # Nothing does better than the input itself, so that the two are equal as numbers, too, and not by rounding.
    alike = value == bound and _is_the_input(decisions) and not objective.measures_leakage
    apart = 0.0 if alike else abs(value - bound) + own
    gap = _over(apart, max(scale, abs(bound)))
    if value == bound and (least == most or value == least == objective.lowest):
        # Nothing could be gained without privacy either, or nothing less exists.
        return Certificate(value, bound, gap, route, multipliers, 0.0)
    if objective.is_transformed:
        return Certificate(value, bound, gap, route, multipliers, _over(apart, abs(value - least) - own, math.inf))
    idle = objective.to_utility(least, inputs)
    # Where a small gain is a difference of large values, its own size decides how far the bound is.
    beyond = max(utility - idle - gained, 0.0) + blur if _keeps_gain(idle) else apart
    return Certificate(value, bound, gap, route, multipliers, _over(beyond, gained - blur, math.inf))


def _bound(question: Question, inputs: Problem, multipliers: Multipliers, tolerance: float, route: str) -> Bound:
    """Return the bound of the multipliers: the one that they gave another matrix of the design, where there is one.

    The last resort has the value without privacy, unless a formula or the bound of an implied notion is at once found.

    After the deadline to whatever tolerance: raised by that which is asked for, so that it follows from the multipliers
    to this tolerance, too.
    """
    asked = question.notion, question.objective, inputs
    if route == LAST_RESORT and not (is_implied(*asked) or is_priced_at_once(*asked)):
        return _without_privacy(question.objective, inputs)
    known = learned("bounds", list[tuple[Question, Multipliers, float, Bound]])
    for answered, given, to, before in known:
        if answered is question and given is multipliers and (to == tolerance or is_late()):
            return before if to == tolerance else replace(before, utility=before.utility + tolerance)
    proved = utility_bound(question.notion, question.objective, inputs, multipliers, tolerance, question.outputs)
    known.append((question, multipliers, tolerance, proved))
    return proved


def _even(tolerance: float) -> float:
    """Return the power of 4 next below: matrices of like value are then priced to the same tolerance, once for all."""
    return 0.0 if not tolerance > 0.0 else float(4.0 ** math.floor(math.log(tolerance, 4.0)))


def _without_privacy(objective: Objective, problem: Problem) -> Bound:
    """Return the utility of reporting the input itself: no output discloses more than the input."""
    if is_convex(objective):
        # Under its weights: `_clipped` takes the best decision of each input.
        return Bound(math.inf, 0.0)
    with np.errstate(all="ignore"):
        most = objective.no_privacy(problem)
    utility = objective.to_utility(most, problem)
    if not np.isfinite(utility):
        return Bound(math.inf, 0.0)
    size = abs(most) + abs(objective.offset(problem))
    rounding = unit(problem.n) * objective.steepness(most, problem) * size
    return Bound(utility + rounding, rounding)


def _is_the_input(matrix: Array) -> bool:
    """Return whether each output is of one input alone, so that the matrix has the value without privacy."""
    return int(np.count_nonzero(matrix, axis=0).max(initial=0)) <= 1


def _keeps_gain(idle: float) -> bool:
    """Return whether utilities are gains themselves: a negligible gain is then no difference of large numbers."""
    return idle == 0.0


def _resolved(gained: float, blur: float) -> float:
    """Return the gain where it is no rounding; infinite elsewhere."""
    return gained if gained > 2.0 * blur else math.inf


def _outward(objective: Objective, problem: Problem, value: float, own: float, utility: float) -> float:
    """Return the value of `utility`, rounded outward, and beyond the exact value of the matrix, which `own` is from."""
    better = -1.0 if objective.sense == "minimise" else 1.0
    found = float(objective.from_utility(utility, problem))
    converted = 0.0 if found == better * utility else unit(problem.n) * (abs(objective.offset(problem)) + abs(found))
    bound = better * max(better * found + converted, better * value + own)
    # A zero has no sign.
    return max(bound, objective.lowest) + 0.0


def _over(apart: float, size: float, otherwise: float = 0.0) -> float:
    """Return the quotient, rounded up; `otherwise` where nothing positive divides something."""
    if apart == 0 or math.isinf(size):
        return 0.0
    if not size > 0:
        return otherwise
    with np.errstate(over="ignore"):
        return float(np.nextafter(apart / size, np.inf)) * (1.0 + UNITS)


def _clipped(utility: float, objective: Objective, problem: Problem, weights: Array | None, most: list[float]) -> float:
    """Return the bound, or the utility of a value of `most` where that is less: the input itself discloses most.

    For a maximum of functionals, no mechanism does better under their `weights` than the best decision of each input.
    """
    rounding = unit(problem.n)
    if is_convex(objective):
        costs = objective.minorant(weights, problem).min(axis=1)
        return min(utility, -float(costs.sum()) + rounding * float(np.abs(costs).sum()))
    if not (is_separable(objective) or is_least(objective) or isinstance(objective, Searched)):
        return utility
    sizes = [(value, abs(value) + abs(objective.offset(problem))) for value in most if np.isfinite(value)]
    ends = (objective.to_utility(v, problem) + rounding * objective.steepness(v, problem) * size for v, size in sizes)
    return min([utility, *ends])


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
