"""What every set of items leaves of a capacity, to full relative precision: sums that cancel keep their last digit.

Sums are pairs of floats ``high + low`` (double-double); where even they cancel, fractions decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from mechdesign.parameters.checks import Array

#: What is left of a capacity is taken from pairs of floats above this share of it: 2^-100 of error leaves 2^-54.
CANCELLED = 2.0**-46

Pair = tuple[Array, Array]


def two_sum(left: Array, right: Array) -> Pair:
    """Return ``left + right`` as a rounded sum and its exact error."""
    total = left + right
    back = total - left
    return total, (left - (total - back)) + (right - back)


def add(left: Pair, right: Pair) -> Pair:
    """Return the sum of two pairs."""
    total, error = two_sum(left[0], right[0])
    return two_sum(total, error + (left[1] + right[1]))


def left_over(capacity: Fraction, items: Sequence[Fraction]) -> Array:
    """Return ``capacity - sum of S`` for every set S of items, in binary order, shape (2^n,), nearly correctly rounded.

    Examples
    --------
    >>> tenth = Fraction(0.1)
    >>> left_over(3 * tenth, [tenth, 2 * tenth]).tolist() == [0.30000000000000004, 0.2, 0.1, 0.0]
    True
    """
    found: Pair = (np.array([float(capacity)]), np.array([float(capacity - Fraction(float(capacity)))]))
    for item in items:
        high = float(item)
        taken = (np.array([-high]), np.array([-float(item - Fraction(high))]))
        less = add(found, taken)
        found = np.concatenate([found[0], less[0]]), np.concatenate([found[1], less[1]])
    left = found[0] + found[1]
    for chosen in np.flatnonzero(np.abs(left) < CANCELLED * float(capacity)):
        taken_whole = sum((item for x, item in enumerate(items) if chosen >> x & 1), Fraction(0))
        left[chosen] = float(capacity - taken_whole)
    return np.asarray(left)
