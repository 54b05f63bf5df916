"""The multipliers of the largest bound on an information design under LDP: of reference frequencies, or of groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.grouped_frequencies import rise_of
from mechdesign.solve.certificate.reference_frequencies import least_by_reference
from mechdesign.solve.search.grouped_sets import best_slope
from mechdesign.solve.task import Task


def bounds_by_sizes(objective: Any, task: Task) -> bool:
    """Return whether the sizes of sets bound as much as anything: outside LDP, and at equal frequencies."""
    if not is_ldp_of_inputs(task.notion, task.problem) or not task.notion.parameter > 0.0:
        return True
    return float(np.ptp(objective.theta_of(task.problem))) == 0.0 and not objective.is_weighted


def best_multipliers(objective: Any, task: Task, nu: Array, value: float) -> Array:
    """Return reference frequencies nu, shape (n,), or the slope of groups of inputs if its bound is the larger.

    Groups are tried where a single input may have more than the share ``1 / (1 + e^epsilon)`` of nu: sets of that
    share, which nu takes all columns for, then miss the frequent inputs.
    """
    notion, problem = task.notion, task.problem
    rise, found = rise_of(notion, objective, problem), least_by_reference(notion, objective, problem, nu)
    enough = found is not None and value - found[0] <= task.gap * abs(value)
    if rise is None or enough or nu.max() * (rise + 2.0) <= 1.0 or is_late():
        return nu
    # With the bound that the search had: pricing its slope again takes time that may be over.
    by_groups = best_slope(objective.theta_of(problem), rise, value * (1.0 - task.gap))
    return nu if by_groups is None or (found is not None and found[0] >= by_groups[1]) else by_groups[0]
