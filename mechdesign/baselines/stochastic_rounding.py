"""Stochastic rounding: a value is reported as one end of its range, the likelier the nearer it is, and at random."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mechdesign.baselines.made import asked, made
from mechdesign.errors import DomainError
from mechdesign.exact import ONE, Integers
from mechdesign.mechanism import Mechanism
from mechdesign.notions import LDP, Notion
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.tolerances import DENOMINATOR_BITS

#: The outputs: the least and the largest value.
ENDS = ("low", "high")
#: The share of the spread that the search leaves where time is over.
LATE = 1.0 / 64.0


def stochastic_rounding(problem: Problem, epsilon: float, values: npt.ArrayLike | None = None) -> Mechanism:
    r"""Return ``Pr(high | x) = 1/2 + tanh(epsilon / 2) (2 t_x - 1) / 2`` with ``t_x`` the value's place in its range.

    Of two outputs, whose counts give an unbiased estimate of the mean; ``t_x = (v_x - min v) / (max v - min v)``.

    Parameters
    ----------
    problem : Problem
        Its inputs are those of the mechanism.
    epsilon : float
        At least 0 nats, finite.
    values : array_like, shape (n,), optional
        v, not all equal; the problem's values by default.

    Returns
    -------
    Mechanism
        Shape (n, 2), exactly private under ``LDP(epsilon)``.

    Raises
    ------
    DomainError
        The problem is none; epsilon negative, NaN or infinite; no values, of another length, or all equal.

    References
    ----------
    J. Duchi, M. Jordan, M. Wainwright, "Local Privacy and Statistical Minimax Rates", IEEE FOCS 2013, Section 4.

    Examples
    --------
    >>> import mechdesign as md
    >>> ages = md.Problem(n=3, values=[20, 30, 40])
    >>> md.baselines.stochastic_rounding(ages, np.log(3)).matrix.tolist()
    [[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]]
    """
    known, level = asked(problem, epsilon)
    numbers = known.values_in_order(values)
    if not float(np.ptp(numbers)) > 0.0:
        rule = "their mean is known without asking anybody where all are equal"
        raise DomainError("values", f"{numbers[0]} for each input", rule, "give values that differ")
    return made(_largest(LDP(level), known, places(numbers), math.tanh(level / 2.0)), ENDS, known, LDP(level))


def places(values: Array) -> Array:
    """Return the place of each value in their range, from 0 to 1."""
    low = float(values.min())
    return np.asarray((values - low) / (float(values.max()) - low))


def strongest_rounding(notion: Notion, inputs: Problem, values: Array) -> Array:
    """Return stochastic rounding with the largest spread that the notion allows, by bisection with its exact check.

    Parameters
    ----------
    notion : Notion
        Any.
    inputs : Problem
        The problem over the notion's inputs.
    values : ndarray, shape (inputs,)
        Not all equal.

    Returns
    -------
    ndarray, shape (inputs, 2)
        Exactly private; constant where the notion allows no spread.
    """
    numerators = _largest(notion, inputs, places(values), 1.0)
    return np.asarray(np.ldexp(numerators.astype(float), -DENOMINATOR_BITS))


def _largest(notion: Notion, inputs: Problem, at: Array, most: float) -> Integers:
    """Return the numerators at the largest spread, at most `most`, that is private; near it where time is over."""
    top = int(math.ldexp(most, DENOMINATOR_BITS))
    if notion.holds_exactly(_numerators(at, top), inputs):
        return _numerators(at, top)
    refused, private = top, 0
    # Reports of no spread would have an infinite variance.
    while refused - private > 1 and not (refused - private <= LATE * private and is_late()):
        middle = (private + refused) // 2
        if notion.holds_exactly(_numerators(at, middle), inputs):
            private = middle
        else:
            refused = middle
    return _numerators(at, private)


def _numerators(at: Array, spread: int) -> Integers:
    """Return the rows ``1/2 -+ spread (2 t - 1) / 2``, shape (n, 2), whose sums are one exactly."""
    high = np.rint(0.5 * (ONE + spread * (2.0 * at - 1.0))).astype(np.int64)
    return np.column_stack([ONE - high, high])
