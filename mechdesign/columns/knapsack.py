"""What sets of items leave of a capacity, to full relative precision: sums that cancel keep their last digit.

Sums are pairs of floats ``high + low`` (double-double); where even they cancel, fractions decide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array
from mechdesign.tolerances import RAY_LIMIT

#: What is left of a capacity is taken from pairs of floats above this share of it: 2^-100 of error leaves 2^-54.
CANCELLED = 2.0**-46
#: Most numbers that the sets are listed in, and most that columns which are made of them are.
OF_SETS, OF_RAYS = 1 << 23, 1 << 24

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


@dataclass(frozen=True, eq=False)
class FittingSets:
    """The sets of items that fit a capacity, in binary order, and the capacity that each leaves."""

    #: Shape (items, sets).
    member: npt.NDArray[np.bool_]
    #: Nearly correctly rounded, shape (sets,), and as pairs.
    left: Array
    pairs: Pair
    #: The items, the capacity and one as integers in proportion, of which single numbers are made where pairs cancel.
    whole: tuple[int, ...]

    def lacking(self, items: npt.NDArray[np.intp], sets: npt.NDArray[np.intp]) -> Array:
        """Return by how much items are more than what sets leave, pair by pair, to the last digits, shape (k,)."""
        one = self.whole[-1]
        high = np.array([whole / one for whole in self.whole[:-2]])
        low = np.array([float(Fraction(self.whole[x], one) - Fraction(size)) for x, size in enumerate(high.tolist())])
        more = add((high[items], low[items]), (-self.pairs[0][sets], -self.pairs[1][sets]))
        found = more[0] + more[1]
        for k in np.flatnonzero(np.abs(found) < CANCELLED * (self.whole[-2] / one)):
            taken = sum(self.whole[x] for x in np.flatnonzero(self.member[:, sets[k]]).tolist())
            found[k] = (self.whole[items[k]] + taken - self.whole[-2]) / one
        return np.asarray(found)


def sets_that_fit(capacity: Fraction, items: Sequence[Fraction], most: float) -> FittingSets | None:
    """Return all sets of items, positive, whose sum is at most the capacity; None where they are more than `most`.

    Examples
    --------
    >>> found = sets_that_fit(Fraction(3), [Fraction(2), Fraction(1), Fraction(5)], 10)
    >>> found.member.astype(int).tolist(), found.left.tolist()
    ([[0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 0]], [3.0, 1.0, 2.0, 0.0])
    """
    unit = math.lcm(capacity.denominator, *(item.denominator for item in items))
    whole = tuple(int(number * unit) for number in (*items, capacity, Fraction(1)))
    order = np.array(sorted(range(len(items)), key=lambda x: items[x]))
    sizes = np.array([float(items[x]) for x in order])
    minus = -sizes, np.array([float(Fraction(size) - items[x]) for x, size in zip(order, sizes.tolist(), strict=True)])
    left: Pair = (np.array([float(capacity)]), np.array([float(capacity - Fraction(float(capacity)))]))
    member, largest = np.zeros((1, len(items)), dtype=bool), np.array([-1])
    members, rest, pairs, count = [member], [left[0] + left[1]], [left], 1
    while len(largest):
        # Each set gets one more item, larger than those it has: a little beyond what it leaves, as that is rounded.
        stop = np.searchsorted(sizes, left[0] + CANCELLED * float(capacity), "right")
        wider = np.maximum(stop - largest - 1, 0)
        count += int(wider.sum())
        if count > most:
            return None
        parent = np.repeat(np.arange(len(largest)), wider)
        largest = np.arange(len(parent)) - np.repeat(wider.cumsum() - wider - largest - 1, wider)
        left = add((left[0][parent], left[1][parent]), (minus[0][largest], minus[1][largest]))
        member = member[parent]
        member[np.arange(len(parent)), order[largest]] = True
        rounded = _rounded(left, member, float(capacity), whole)
        fits = rounded >= 0
        left, member, largest = (left[0][fits], left[1][fits]), member[fits], largest[fits]
        members.append(member)
        rest.append(rounded[fits])
        pairs.append(left)
    found = np.concatenate(members).T
    binary = np.lexsort(found)
    high, low = (np.concatenate(each)[binary] for each in zip(*pairs, strict=True))
    return FittingSets(found[:, binary], np.concatenate(rest)[binary], (high, low), whole)


def most_listed(every: float) -> float:
    """Return how many columns are listed at most, where sets and single items have `every` many combinations.

    Beyond a million combinations only those are listed that a program is made over.
    """
    return 8 * RAY_LIMIT if every <= 8 * RAY_LIMIT else RAY_LIMIT


def certainly_fit(capacity: float, items: Array) -> int:
    """Return a lower bound, in floating point, on the number of sets that fit: subsets of the largest items."""
    alike = int(np.searchsorted(np.sort(items)[::-1].cumsum(), capacity * (1.0 - CANCELLED), "right"))
    return sum(math.comb(len(items), k) for k in range(alike + 1))


def _rounded(left: Pair, member: npt.NDArray[np.bool_], capacity: float, whole: Sequence[int]) -> Array:
    """Return what the sets leave as single floats, from integers where even the pairs cancel.

    The integers are of the items, the capacity and one.
    """
    found = left[0] + left[1]
    for chosen in np.flatnonzero(np.abs(found) < CANCELLED * capacity):
        taken = sum(whole[x] for x in np.flatnonzero(member[chosen]).tolist())
        found[chosen] = (whole[-2] - taken) / whole[-1]
    return np.asarray(found)
