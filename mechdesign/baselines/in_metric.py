"""Mechanisms of a metric in integers over ``2**53``: within rounding of a formula in floats, and exactly private."""

from __future__ import annotations

from mechdesign.errors import DomainError
from mechdesign.exact import Integers, round_rows
from mechdesign.notions import MetricDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: Shares of uniform noise that are mixed in, tried in turn: none, then next to none.
SHARES = (0.0, *(2.0**-bits for bits in range(50, 19, -1)))


def privately_rounded(matrix: Array, notion: MetricDP) -> Integers:
    """Return integers near ``2**53 matrix`` that satisfy the notion, with as little uniform noise as that takes.

    Raises
    ------
    DomainError
        No share up to ``2**-20`` will do: epsilon times the least distance is next to nothing.
    """
    n, m = matrix.shape
    for share in SHARES:
        numerators = round_rows((1.0 - share) * matrix + share / m)
        if notion.holds_exactly(numerators, Problem(n=n)):
            return numerators
    rule = "times the least distance it is so little that multiples of 2**-53 cannot express it"
    raise DomainError("epsilon", notion.epsilon, rule, "choose a larger one, or 0")
