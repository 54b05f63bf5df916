"""Columns with one entry on a set of inputs and a smaller one off it, in integers over ``2**53``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.exact import ONE, Integers
from mechdesign.tolerances import DENOMINATOR_BITS

#: No more of a row than this may be left over by rounding.
MOST_LEFT = 2.0**-20


def on_sets(
    members: npt.NDArray[np.bool_], low: Sequence[Fraction], ratio: Fraction, epsilon: float
) -> npt.NDArray[np.int64]:
    """Return the integers near ``2**53 low[|S|] (ratio on S, 1 off it)``; rows sum to ``2**53``, no ratio is larger.

    Rounded down, entries leave the same over in each row, as long as each input is in as many sets of each size as any
    other. That is added as a constant: to the columns that are constant anyway, or to all.

    Parameters
    ----------
    members : ndarray of bool, shape (n, m)
        The sets S, one for each column.
    low : sequence of Fraction, length n + 1
        The entries off a set of that size; with them rows sum to at most one.
    ratio : Fraction
        At least 1.
    epsilon : float
        What an error names.

    Raises
    ------
    DomainError
        Rounding would move more than ``2**-20`` of a row.
    """
    small = [math.floor(entry * ONE) for entry in low]
    large = [math.floor(ratio * entry) for entry in small]
    sizes = members.sum(axis=0)
    numerators: Integers = np.where(members, np.array(large)[sizes], np.array(small)[sizes]).astype(np.int64)
    left = ONE - numerators.sum(axis=1)
    assert np.all(left == left[0]) and left[0] >= 0, "each input is in as many sets of each size as any other"
    share = math.ldexp(float(left[0]), -DENOMINATOR_BITS)
    if share > MOST_LEFT:
        rule = f"{share:.2g} of each row would be lost by rounding to multiples of 2**-53"
        raise DomainError("epsilon", epsilon, rule, "choose a smaller one, or randomised_response")
    idle = np.flatnonzero((sizes == 0) | (sizes == len(members)))
    columns = idle if len(idle) else np.arange(members.shape[1])
    each, rest = divmod(int(left[0]), len(columns))
    numerators[:, columns] += each
    numerators[:, columns[:rest]] += 1
    return numerators
