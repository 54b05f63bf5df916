"""How many people have to report: planned before anybody answers."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.estimation.identifiability import require_identifiable
from mechdesign.estimation.linear import Linear
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    from mechdesign.estimation.verbs import Verbs

#: Of so many reports the covariance is that at the population itself.
MOST = 10**15
#: Matrices of more entries take seconds.
QUICK = 1 << 20


def population(problem: Problem, theta: Any = None) -> Array:
    """Return the population that is planned for: theta, the prior, or equal frequencies where there is neither."""
    if theta is not None:
        return domains.distribution("theta", problem.in_order("theta", theta))
    if problem.prior is None:
        return np.full(problem.n, 1.0 / problem.n)
    return np.asarray(problem.prior / problem.prior.sum())


def planned(mechanism: Verbs, theta: Array, reports: int) -> Linear:
    """Return the best linear estimate from so many reports of a population."""
    directions = mechanism.identifiability.directions
    return Linear(mechanism.matrix, theta @ mechanism.matrix, reports, theta, directions)


def people_needed(mechanism: Verbs, error: Any, level: Any, theta: Any) -> int:
    """Return how many reports `Verbs.people_needed` asks for."""
    wanted = domains.real("error", error, 0.0)
    if not 0.0 < wanted < 1.0:
        raise DomainError("error", error, "it has to be above 0 and below 1, a share", "give 0.01 for one point, say")
    likely = domains.real("level", level, 0.0, 1.0)
    if not 0.0 < likely < 1.0:
        raise DomainError("level", level, "it has to be above 0 and below 1", "give 0.95, say")
    problem = mechanism.inputs
    each = np.eye(problem.n)
    require_identifiable(mechanism.identifiability, each, "the frequencies", problem)
    known = population(problem, theta)
    spread = planned(mechanism, known, MOST).variances(each - 1.0 / problem.n).max() * MOST
    width = NormalDist().inv_cdf(0.5 + likely / 2.0) / wanted
    return max(1, math.ceil(float(spread) * width**2))


def people_said(mechanism: Verbs, error: float = 0.01, level: float = 0.95) -> str:
    """Return in a sentence how many people a survey needs; empty where reports do not identify all frequencies."""
    each = np.eye(mechanism.inputs.n)
    if mechanism.matrix.size > QUICK or not mechanism.identifiability.identifies(each).all():
        return ""
    found = people_needed(mechanism, error, level, None)
    if found >= MOST:
        return ""
    digits = max(len(str(found)) - 3, 0)
    rounded = math.ceil(found / 10**digits) * 10**digits
    return f"{rounded:,} reports give every share within {error:g} ({100 * level:g} % intervals)."
