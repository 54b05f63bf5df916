"""Designs for more inputs than a matrix can have: the best family, with a bound for all mechanisms."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from mechdesign.designing.result import Attempt, Design
from mechdesign.designing.settings import Settings
from mechdesign.errors import CertificateError, SolverError, UnsupportedError
from mechdesign.families import Family
from mechdesign.families.best import MOST_WITH_MATRIX, ratio_below
from mechdesign.many_inputs import in_words, sort_of
from mechdesign.many_inputs.by_formula import UNITS
from mechdesign.mechanism import Certificate, ImplicitMechanism, Multipliers
from mechdesign.mechanism.audit import audit
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.runtime.deadline import now
from mechdesign.solve.certificate.claims import span
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.tolerances import LARGEST_EXPONENT, SPAN_SHARE

#: The name of the route, in settings, designs and files.
ROUTE: Final = "family"


def is_asked(question: Question, inputs: Problem, settings: Settings) -> bool:
    """Return whether the question is answered without a matrix: by name, or because it has too many inputs."""
    if settings.route == ROUTE:
        return True
    return settings.route == "auto" and inputs.n > MOST_WITH_MATRIX and refusal(question, inputs, settings) is None


def refusal(question: Question, inputs: Problem, settings: Settings) -> str | None:
    """Return why no family answers the question; None if one does."""
    notion, objective = question.notion, question.objective
    if not is_ldp_of_inputs(notion, inputs) or inputs.data_of_input is not None:
        return f"families are private under LDP of the inputs, not {notion}"
    if sort_of(objective, inputs) is None:
        return f"families are made for {in_words()}, not {objective}"
    for name in ("outputs", "subject_to", "solver", "within", "theorems"):
        if getattr(settings, name) not in (None, ()):
            return f"a family has no {name}"
    return None


def designed(question: Question, inputs: Problem, settings: Settings) -> Design:
    """Return the design of the best family.

    Raises
    ------
    UnsupportedError
        No family answers the question.
    SolverError
        An epsilon of 0, at which the objective is infinite.
    DomainError
        So many inputs that no family serves them.
    """
    started = now()
    why = refusal(question, inputs, settings)
    sort = sort_of(question.objective, inputs)
    if why is not None or sort is None:
        raise UnsupportedError(f"Route {ROUTE}: {why}.")
    epsilon, objective = question.notion.parameter, question.objective
    if epsilon == 0.0 and sort.needs_information:
        raise SolverError("At epsilon 0 reports identify no frequency.", status="singular")
    made = sort.families(objective, inputs, ratio_below(min(epsilon, LARGEST_EXPONENT)))
    sign = 1.0 if objective.sense == "minimise" else -1.0
    family = min(made, key=lambda one: sign * sort.value(objective, inputs, one))
    claims = certificate_of(question, inputs, family)
    if claims.gap > settings.gap:
        slope = sort.slope(objective, inputs, epsilon, claims.value * (1.0 - settings.gap))
        claims = claims if slope is None else certificate_of(question, inputs, family, slope)
    mechanism = ImplicitMechanism(family, question, claims)
    seconds = now() - started
    said = f"{inputs.n} inputs: the probabilities of a family are formulas, and no matrix is made"
    best = f", the best of {len(made)} families" if len(made) > 1 else ""
    return Design(
        mechanism,
        claims.value,
        claims.bound,
        claims.gap,
        ROUTE,
        said,
        {},
        (Attempt(ROUTE, "formula", "chosen", seconds),),
        {"solve": seconds},
        SolverStats("formula", "not needed", seconds, 0),
        audit(mechanism),
        f"{family.name}{family.parameters_in_words}{best}",
    )


def certificate_of(question: Question, inputs: Problem, family: Family, slope: Array | None = None) -> Certificate:
    """Return the value of the family and a bound for all mechanisms, each rounded outward.

    Parameters
    ----------
    slope : ndarray, optional
        As `ByFormula.slope` returns it.

    Raises
    ------
    CertificateError
        The family is better than the bound: one of the two is wrong. Or there is no formula for its value.
    """
    objective = question.objective
    sort = sort_of(objective, inputs)
    assert sort is not None, "`refusal` says that it is answered"
    value = sort.value(objective, inputs, family)
    if math.isnan(value):
        raise CertificateError(f"The value of {objective} has no formula for a {family.name}; design it again.")
    found = sort.bound(objective, inputs, question.notion.parameter, slope)
    sign = 1.0 if objective.sense == "minimise" else -1.0
    missing = sign * (value - found.bound)
    if missing < -10.0 * (UNITS * abs(found.bound) + found.noise):
        said = f"The {family.name} is better ({value!r}) than the bound {found.bound!r}; please report this."
        raise CertificateError(said)
    bound = found.bound if missing > 0.0 else value
    gap = _share(value, bound, max(abs(value), abs(bound), SPAN_SHARE * span(objective, inputs)))
    gained = abs(value - objective.uninformative(inputs)) if family.ratio > 1 else 0.0
    gain = _share(value, bound, gained)
    return Certificate(value, bound, gap, ROUTE, Multipliers(np.full(1, found.level), weights=slope), gain)


def _share(value: float, bound: float, size: float) -> float:
    """Return ``|value - bound| / size``, rounded up; 0 of what is alike or of an infinite size, infinite of nothing."""
    if value == bound or math.isinf(size):
        return 0.0
    return math.nextafter(abs(value - bound) / size, math.inf) * (1.0 + UNITS) if size > 0.0 else math.inf
