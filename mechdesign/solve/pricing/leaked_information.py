"""Mutual information where the maximal leakage is bounded: it is at most the leakage."""

from __future__ import annotations

import math

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.objectives import MutualInformation, Objective
from mechdesign.objectives.decisions import shares
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


def is_of_leakage(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether it is information that a bound on the sum of largest entries bounds."""
    known = (
        type(objective) is MutualInformation
        and objective.kind != "convex"
        and notion.columns(problem).sum_of_peaks is not None
    )
    return known and problem.prior is not None and problem.data_of_input is None


def information_above(problem: Problem, charge: float) -> Array:
    r"""Return g with ``mu(v) <= charge max(v) + g . v`` for every column.

    At ``max(v) = 1`` the utility is at most ``-M ln M`` with ``M = P . v``, whose tangent at ``M = charge`` is
    ``charge - (1 + ln charge) M``. Without a charge it is at most that of the input itself.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.25, 0.25])
    >>> bool(-0.5 * np.log(0.5) <= 0.4 + information_above(problem, 0.4) @ [1, 0, 0])
    True
    """
    prior = shares(problem)
    if not charge > 0:
        return np.asarray(-prior * np.log(np.where(prior > 0, prior, 1.0)))
    return np.asarray(-(1.0 + math.log(charge)) * prior)


def leakage_multipliers(most: float, problem: Problem) -> Multipliers:
    """Return the multipliers that bound the information by the logarithm of `most`, which the sum of peaks is up to."""
    charge = 1.0 / most
    return Multipliers(information_above(problem, charge), np.array([charge]))
