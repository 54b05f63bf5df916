"""The multipliers of the largest bound on an information design under LDP, by sizes of sets or a form of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.parameters.checks import Array
from mechdesign.solve.certificate.frequencies import best_multiplier
from mechdesign.solve.certificate.reference_frequencies import least_by_reference
from mechdesign.solve.search.heavy_inputs import with_heavy_inputs
from mechdesign.solve.search.reference_frequencies import Reference
from mechdesign.solve.search.single_inputs import of_single_inputs
from mechdesign.solve.task import Task


def bounds_by_sizes(objective: Any, task: Task) -> bool:
    """Return whether the sizes of sets bound as much as anything: outside LDP, and at equal frequencies."""
    if not is_ldp_of_inputs(task.notion, task.problem) or not task.notion.parameter > 0.0:
        return True
    return float(np.ptp(objective.theta_of(task.problem))) == 0.0 and not objective.is_weighted


def best_multipliers(objective: Any, task: Task, found: Reference | None) -> Multipliers:
    """Return the multiplier of the bound by sizes of sets, and the form of the largest bound if there is a reference.

    The form is of reference frequencies and heavy inputs, or of single inputs.
    """
    level = max((part.parameter for part in task.notion.parts() if is_ldp_of_inputs(part, task.problem)), default=0.0)
    rows = np.full(task.problem.n, best_multiplier(objective.theta_of(task.problem), level))
    return Multipliers(rows, weights=None if found is None else _best_form(objective, task, found))


def _best_form(objective: Any, task: Task, found: Reference) -> Array:
    """Return the form of the largest bound, packed."""
    problem, epsilon = task.problem, task.notion.parameter
    heavy = with_heavy_inputs(objective, problem, epsilon, found).packed()
    single = of_single_inputs(objective, problem, epsilon, found.weights)
    if single is None:
        return heavy
    bounds = [least_by_reference(task.notion, objective, problem, form) for form in (heavy, single.packed())]
    by_heavy, by_single = (-np.inf if bound is None else bound[0] for bound in bounds)
    return single.packed() if by_single > by_heavy else heavy
