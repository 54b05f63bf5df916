"""The exact check of ratios between pairs at a distance: as few pairs as chains leave, most of them in floats."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.exact import Integers, exp_below
from mechdesign.parameters.checks import Array

#: Logarithms of ratios with more room than this, beside their limit, are not compared in fractions.
CLEAR = 1e-9
#: Entries below this share of their column's largest have lost digits in floating point.
FAINT = 1e-290
#: Digits that hold the product of any two floats exactly.
EXACT_DECIMALS = Context(prec=1600, Emin=-(10**6), Emax=10**6)
#: What stands for the logarithm of zero where it is subtracted, and the largest limit that is distinguished from it.
ZERO, MOST = -1e300, 1e6
#: Pairs times inputs that are looked at for shorter ways before the pairs that are left are all compared.
CHAIN_EFFORT = 1e8

#: A chain counts as no longer than a pair up to this share: what adding decimals leaves.
CHAIN = 1e-12
Indices = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]


def needed(distance: Array) -> tuple[Indices, Indices]:
    """Return the pairs ``i < j`` that no chain of strictly shorter ones implies, decided in exact arithmetic.

    Some that are implied may be left: they cost time, not truth.
    """
    return _not_implied(distance, *np.nonzero(np.triu(np.isfinite(distance), 1)))


def needed_one_way(distance: Array) -> tuple[Indices, Indices]:
    """Return the ordered pairs that no chain of strictly shorter ones implies; likewise, of numbers for each way."""
    return _not_implied(distance, *np.nonzero(np.isfinite(distance) & ~np.eye(len(distance), dtype=bool)))


def _not_implied(distance: Array, first: Indices, second: Indices) -> tuple[Indices, Indices]:
    """Return the given pairs that no chain of strictly shorter ones implies."""
    effort = 0.0
    # In no order that a grid or a line could conspire with: a pair goes with the first input between its ends.
    for middle in np.random.default_rng(0).permutation(len(distance)):
        whole, left, right = distance[first, second], distance[first, middle], distance[middle, second]
        implied = (left < whole) & (right < whole) & _sum_at_most(left, right, whole)
        first, second = first[~implied], second[~implied]
        effort += len(implied)
        if effort > CHAIN_EFFORT:
            break
    return first, second


def _sum_at_most(left: Array, right: Array, whole: Array) -> Bools:
    """Return where ``left + right <= whole`` holds for the exact sum, without rounding."""
    with np.errstate(invalid="ignore", over="ignore"):
        total = left + right
        back = total - left
        missed = (left - (total - back)) + (right - back)
    found: Bools = (total < whole) | ((total == whole) & (missed <= 0))
    return found


def logarithms(seen: Integers) -> Array:
    """Return the logarithms of each column beside its largest entry, ``-inf`` for zeros."""
    largest = np.maximum(seen.max(axis=0), 1)
    # Python divides integers of any size.
    rough = (seen / largest).astype(float)
    with np.errstate(divide="ignore"):
        logs = np.log(rough)
    for x, y in np.argwhere((rough < FAINT) & (seen > 0)):
        logs[x, y] = math.log(seen[x, y]) - math.log(largest[y])
    return np.asarray(logs)


@dataclass(frozen=True)
class ExactPairs:
    """The columns of one matrix, ready to be held against any epsilon."""

    distance: Array
    #: The pairs that are compared, sorted by the first.
    pairs: tuple[Indices, Indices]
    #: Integers, the columns of which are compared.
    seen: Integers
    #: Whether each pair is compared from both of its ends.
    both_ways: bool = True

    @cached_property
    def _logs(self) -> tuple[Array, Array]:
        logs = logarithms(self.seen)
        return logs, np.maximum(logs, ZERO)

    def _rows(self) -> Iterator[tuple[int, Indices]]:
        """Yield each input with those that it is compared with, in either direction."""
        first, second = self.pairs
        both = first, second
        if self.both_ways:
            both = np.concatenate([first, second]), np.concatenate([second, first])
        order = np.argsort(both[0], kind="stable")
        if not len(order):
            return
        inputs, starts = np.unique(both[0][order], return_index=True)
        for x, others in zip(inputs, np.split(both[1][order], starts[1:]), strict=True):
            yield int(x), others

    @cached_property
    def _most(self) -> list[tuple[int, Indices, Array]]:
        """For each input and those it is compared with: the largest logarithm of a ratio over all columns."""
        logs, beside = self._logs
        return [(x, others, (logs[x] - beside[others]).max(axis=1)) for x, others in self._rows()]

    def hold(self, epsilon: float) -> bool:
        """Return whether every ratio of every column is at most ``e^(epsilon distance)``, in exact arithmetic."""
        doubtful = []
        for x, others, most in self._most:
            limit, room = self._limit(x, others, epsilon)
            if np.any(most > limit + room):
                return False
            close = most > limit - room
            if close.any():
                doubtful.append((x, others[close]))
        return not any(self._failing(x, others, epsilon).any() for x, others in doubtful)

    def columns_hold(self, epsilon: float) -> Bools:
        """Return for each column whether its ratios are at most ``e^(epsilon distance)``, in exact arithmetic."""
        found = np.ones(self.seen.shape[1], dtype=bool)
        for x, others in self._rows():
            found &= ~self._failing(x, others, epsilon)
        return found

    def _limit(self, x: int, others: Indices, epsilon: float) -> tuple[Array, Array]:
        with np.errstate(over="ignore"):
            limit = np.minimum(epsilon * self.distance[x, others], MOST)
        return limit, CLEAR * (1.0 + limit)

    def _failing(self, x: int, others: Indices, epsilon: float) -> Bools:
        """Return for each column whether the ratio of input x to one of `others` is too large."""
        logs, beside = self._logs
        limit, room = self._limit(x, others, epsilon)
        ratios = logs[x] - beside[others]
        failing: Bools = np.any(ratios > (limit + room)[:, None], axis=0)
        which, columns = np.nonzero((ratios > (limit - room)[:, None]) & ~failing)
        if not len(which):
            return failing
        lengths, of_length = np.unique(self.distance[x, others[which]], return_inverse=True)
        bounds = [exp_below(EXACT_DECIMALS.multiply(Decimal(epsilon), Decimal(float(length)))) for length in lengths]
        up = np.array([bound.numerator for bound in bounds], dtype=object)[of_length]
        down = np.array([bound.denominator for bound in bounds], dtype=object)[of_length]
        upper = self.seen[x, columns].astype(object) * down
        failing[columns[upper > self.seen[others[which], columns].astype(object) * up]] = True
        return failing


def shortest_ways(distance: Array, ends: tuple[Indices, Indices]) -> Array:
    """Return the length of the shortest path between any two secrets, shape (k, k); infinite without a path.

    `ends` are the pairs that are `needed`: long ways are sums of those, which are few on a line or a grid.
    """
    from scipy.sparse.csgraph import dijkstra

    return np.asarray(dijkstra(_graph(distance, ends), directed=False))


def shortest_way(distance: Array, ends: tuple[Indices, Indices], first: int, last: int) -> list[int]:
    """Return the secrets on a shortest way from the first to the last one, both included."""
    from scipy.sparse.csgraph import dijkstra

    _, before = dijkstra(_graph(distance, ends), directed=False, indices=first, return_predecessors=True)
    way = [last]
    while way[-1] != first:
        way.append(int(before[way[-1]]))
    return way[::-1]


def _graph(distance: Array, ends: tuple[Indices, Indices]) -> Any:
    from scipy.sparse import coo_array

    return coo_array((distance[ends], ends), shape=distance.shape).tocsr()


def chained(shortest: Array, ends: tuple[Indices, Indices]) -> tuple[npt.NDArray[np.intp], Array]:
    """Return the pairs ``i < j`` that no chain of others implies, shape (pairs, 2), and their lengths.

    `ends` are those that are `needed`. A pair's length is that of the shortest way between its ends: the given one may
    be longer.
    """
    # Secrets at distance zero are one: the first stands for all, and the others hang on it.
    stands = (shortest == 0).argmax(axis=1)
    others = np.flatnonzero(stands != np.arange(len(stands)))
    between = np.unique(np.sort(stands[np.stack(ends, axis=1)], axis=1), axis=0)
    first, second = between[between[:, 0] < between[:, 1]].T
    for middle in np.unique(stands):
        whole, left, right = shortest[first, second], shortest[first, middle], shortest[middle, second]
        # Both parts strictly shorter than the whole: no two pairs can stand in for each other.
        implied = (left < whole) & (right < whole) & (left + right <= whole * (1 + CHAIN))
        first, second = first[~implied], second[~implied]
    pairs = np.stack([first, second], axis=1)
    joined = np.stack([stands[others], others], axis=1)
    every = np.concatenate([pairs, joined])
    return every, shortest[every[:, 0], every[:, 1]]


@dataclass(frozen=True, eq=False)
class Ways:
    """Symmetric lengths between entries, with what follows from them alone.

    Parameters
    ----------
    distance : ndarray, shape (k, k)
    """

    distance: Array

    @cached_property
    def needed(self) -> tuple[Indices, Indices]:
        """The pairs that no chain of others implies."""
        return needed(self.distance)

    @cached_property
    def shortest(self) -> Array:
        """The length of the shortest path between any two entries, shape (k, k); infinite without a path."""
        return shortest_ways(self.distance, self.needed)

    @cached_property
    def chained(self) -> tuple[npt.NDArray[np.intp], Array]:
        """The pairs that no chain implies, shape (pairs, 2), and the lengths of their shortest ways."""
        return chained(self.shortest, self.needed)
