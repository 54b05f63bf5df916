"""What a title says: the question, the number of inputs, the level with its unit, and whose prior it is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mechdesign.displays.numbers import rounded_up
from mechdesign.exact import dyadic
from mechdesign.notions import LDP
from mechdesign.parameters.checks import Array
from mechdesign.plotting.text import shown
from mechdesign.problem import Problem

#: Letters of a prior's source in a title.
SOURCE = 60


def in_unit(quantity: str, unit: str) -> str:
    """Return the label of an axis.

    Examples
    --------
    >>> in_unit("epsilon", "nats"), in_unit("delta", "")
    ('epsilon (nats)', 'delta')
    """
    return f"{quantity} ({unit})" if unit else quantity


def prior_in_words(problem: Problem) -> str:
    """Return whose prior it is."""
    if problem.prior is None:
        return "no prior"
    return f"prior: {shown(problem.prior_source, SOURCE)}" if problem.prior_source else "prior source: not stated"


def level_in_words(notion: Any) -> str:
    """Return the notion at its level, with the unit."""
    return f"{shown(str(notion), 80)} {notion.level_unit}".rstrip()


def of_mechanism(mechanism: Any, what: str) -> list[str]:
    """Return the title of a picture of one mechanism: of its question, its notion, or else its LDP level."""
    problem, question = mechanism.inputs, mechanism.question
    if question is not None:
        asked = f"{shown(str(question.objective), 60)} under {level_in_words(question.notion)}"
    elif mechanism.guarantee is not None:
        asked = level_in_words(mechanism.guarantee)
    else:
        asked = f"LDP level {ldp_level_in_words(mechanism.matrix)} nats"
    return [what, f"{asked}, n = {problem.n}, {prior_in_words(problem)}"]


def ldp_level(matrix: Array) -> float:
    """Return the largest ``ln Q[x, y] - ln Q[z, y]``, in nats: infinite where an output rules an input out.

    Examples
    --------
    >>> round(ldp_level(np.array([[0.75, 0.25], [0.25, 0.75]])), 6)
    1.098612
    """
    used = matrix[:, matrix.max(axis=0) > 0]
    with np.errstate(divide="ignore"):
        return float(np.max(np.log(used.max(axis=0)) - np.log(used.min(axis=0))))


def ldp_level_in_words(matrix: Array) -> str:
    """Return the LDP level in four digits, never less than it is.

    Examples
    --------
    >>> ldp_level_in_words(np.array([[0.75, 0.25], [0.25, 0.75]]))
    '1.099'
    """
    level, numerators = ldp_level(matrix), dyadic(matrix)
    if math.isinf(level) or numerators is None:
        return rounded_up(level, 4)
    short = f"{level:.4g}"
    # The rounding of a logarithm does not make 1.001 of a level of exactly 1.
    exactly = LDP(float(short)).holds_exactly(numerators, Problem(n=len(matrix)))
    return short if exactly else rounded_up(level, 4)
