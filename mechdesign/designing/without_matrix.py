"""Designs for more inputs than a matrix can have: the family of least variance, with a bound for all mechanisms."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from mechdesign.designing.result import Attempt, Design
from mechdesign.designing.settings import Settings
from mechdesign.errors import CertificateError, SolverError, UnsupportedError
from mechdesign.exact import exp_up
from mechdesign.families import Family
from mechdesign.families.best import MOST_WITH_MATRIX, families_for, ratio_below
from mechdesign.families.best_groups import best_two_groups
from mechdesign.mechanism import Certificate, ImplicitMechanism, Multipliers
from mechdesign.mechanism.audit import audit
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.rivals.without_matrix import is_of_all_frequencies
from mechdesign.runtime.deadline import now
from mechdesign.solve.certificate.cell_frequencies import least_by_cells
from mechdesign.solve.certificate.frequencies import best_multiplier, least_of_total, total_of_sets
from mechdesign.solve.search.cell_slopes import best_cell_slope
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.tolerances import LARGEST_EXPONENT

#: The name of the route, in settings, designs and files.
ROUTE: Final = "family"
#: Relative rounding of a few operations, and of sums over inputs.
UNITS: Final = 256.0 * float(np.finfo(float).eps)


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
    if not is_of_all_frequencies(objective):
        return f"families are made for all frequencies (criterion A without weights or queries), not {objective}"
    for name in ("outputs", "subject_to", "solver", "within", "theorems"):
        if getattr(settings, name) not in (None, ()):
            return f"a family has no {name}"
    return None


def designed(question: Question, inputs: Problem, settings: Settings) -> Design:
    """Return the design of the family of least variance.

    Raises
    ------
    UnsupportedError
        No family answers the question.
    SolverError
        An epsilon of 0.
    DomainError
        So many inputs that no family serves them.
    """
    started = now()
    why = refusal(question, inputs, settings)
    if why is not None:
        raise UnsupportedError(f"Route {ROUTE}: {why}.")
    objective = question.objective
    if question.notion.parameter == 0.0:
        raise SolverError("At epsilon 0 reports identify no frequency.", status="singular")
    theta = objective.theta_of(inputs)  # type: ignore[attr-defined] # an InformationDesign, as `refusal` says
    ratio = ratio_below(min(question.notion.parameter, LARGEST_EXPONENT))
    apart = best_two_groups(theta, ratio)
    made: tuple[Family, ...] = (*families_for(inputs.n, ratio), *(() if apart is None else (apart,)))
    family = min(made, key=lambda one: value_of(one, theta))
    claims = certificate_of(question, inputs, family)
    if claims.gap > settings.gap and float(np.ptp(theta)) > 0.0:
        slope = best_cell_slope(theta, rise_of_level(question.notion.parameter), claims.value * (1.0 - settings.gap))
        claims = certificate_of(question, inputs, family, slope)
    mechanism = ImplicitMechanism(family, question, claims)
    seconds = now() - started
    said = f"{inputs.n} inputs: the probabilities of a family are formulas, and no matrix is made"
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
        f"{family.name}{family.parameters_in_words}, the best of {len(made)} families",
    )


def rise_of_level(epsilon: float) -> float:
    """Return ``e^epsilon - 1``, rounded upward."""
    return math.nextafter(exp_up(min(epsilon, LARGEST_EXPONENT)) - 1.0, math.inf)


def value_of(family: Family, theta: Array) -> float:
    """Return the sum of the variances of all estimated frequencies from one report, rounded up."""
    if float(np.ptp(theta)) == 0.0:
        return math.nextafter(family.total_variance(), math.inf)
    return float(family.variances(theta).sum()) * (1.0 + UNITS)


def certificate_of(question: Question, inputs: Problem, family: Family, slope: Array | None = None) -> Certificate:
    """Return the value of the family's estimates and a bound for all mechanisms, each rounded outward.

    The value is the sum of the variances of estimates by covers; the best unbiased estimates may have less. The bound
    is the larger one of the bound of M. Ye and A. Barg, over sets of each size (`total_of_sets`), and of the bound that
    a slope by cells of frequencies certifies.

    Parameters
    ----------
    slope : ndarray, optional
        As `best_cell_slope` returns it.

    Raises
    ------
    CertificateError
        The family is better than the bound: one of the two is wrong.
    """
    notion, objective = question.notion, question.objective
    theta = objective.theta_of(inputs)  # type: ignore[attr-defined] # an InformationDesign
    value = value_of(family, theta)
    level = np.full(1, best_multiplier(theta, notion.parameter))
    total = total_of_sets(notion, objective, inputs, float(level[0]))  # type: ignore[arg-type] # likewise
    assert total is not None, "LDP of the inputs"
    least, noise = least_of_total(objective, inputs, *total)  # type: ignore[arg-type] # likewise
    by_cells = least_by_cells(theta, rise_of_level(notion.parameter), slope)
    bound = max(least - noise, objective.no_privacy(inputs) * (1.0 - UNITS), by_cells)
    if value < bound * (1.0 - 10.0 * UNITS) - 10.0 * noise:
        raise CertificateError(f"The {family.name} is better ({value!r}) than the bound {bound!r}; please report this.")
    bound = min(bound, value)
    gap = math.nextafter((value - bound) / value, math.inf) * (1.0 + UNITS) if value > bound else 0.0
    return Certificate(value, bound, gap, ROUTE, Multipliers(level, weights=slope), 0.0)
