"""Metric differential privacy: the further apart two inputs are, the easier an output may tell them apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.exact import Integers
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.cone import Cone
from mechdesign.notions.ldp import LDP
from mechdesign.notions.metric_pairs import MOST, ZERO, ExactPairs, Indices, needed
from mechdesign.parameters import Cases, Matrix, Real
from mechdesign.parameters.checks import Array, EqualByContent
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT

#: A chain counts as no longer than a pair up to this share: what adding decimals leaves.
CHAIN = 1e-12
#: Entries of a column that should be equal differ by this share at most where only rounding tells them apart.
EQUAL = 1e-14

#: The domain of one distance.
LENGTH = Real(low=0.0, infinite=True, rule="distances are numbers that are not negative", remedy="correct it")

#: The largest float below 1.
BELOW_ONE = 1.0 - 2.0**-53


@dataclass(frozen=True)
class Distances(Matrix):
    """Symmetric matrices that are zero on the diagonal and nowhere negative, finite between two at least."""

    entries: Real = LENGTH
    square: bool = True
    symmetric: bool = True
    hollow: bool = True

    def check(self, argument: str, value: Any) -> Array:
        """Return `value` as a read-only matrix."""
        distance = super().check(argument, value)
        others = ~np.eye(len(distance), dtype=bool)
        if others.any() and math.isinf(distance[others].min()):
            raise DomainError(argument, "infinite between all", "nothing would be protected", "give a finite distance")
        return distance

    def invalid(self, near: Any = None) -> Cases:
        """Yield those of any such matrix, and infinite distances between all."""
        yield from super().invalid(near)
        yield "infinite between all", np.where(np.eye(len(self._given(near))) > 0, 0.0, math.inf)


@dataclass(frozen=True, eq=False)
class MetricDP(EqualByContent, Notion):
    r"""Pr(y | s) <= e^(epsilon distance[s, s']) Pr(y | s') for all secrets s, s' and outputs y; epsilon in nats.

    With a hidden secret, ``Pr(y | s) = sum_x W[s, x] Q[x, y]``; otherwise the secret is the input. Epsilon is in nats
    per unit of the distance.

    Parameters
    ----------
    epsilon : float
        At least 0 nats per unit, finite. At 0, secrets at a finite distance cannot be told apart.
    distance : array_like, shape (k, k)
        Symmetric, zero on the diagonal, nothing negative. An infinite distance protects nothing by itself, a
        zero one makes two secrets indistinguishable. The triangle inequality is not asked: a detour that is
        shorter bounds the pair.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; a distance that is not such a matrix; a problem of another size.

    Notes
    -----
    Only pairs that no chain of others implies become rows of a program: 2 (n - 1) of n (n - 1) on a line.

    References
    ----------
    K. Chatzikokolakis, M. Andres, N. Bordenabe, C. Palamidessi, "Broadening the Scope of Differential Privacy Using
    Metrics", PETS 2013 (d-privacy).

    Examples
    --------
    Five places on a line, and four on a grid of two by two, one unit apart:

    >>> import mechdesign as md
    >>> import numpy as np
    >>> line = np.abs(np.subtract.outer(range(5), range(5)))
    >>> md.MetricDP(1.0, line).cone(md.Problem(n=5)).on_column.shape
    (8, 5)
    >>> places = np.array([(0, 0), (0, 1), (1, 0), (1, 1)])
    >>> grid = np.abs(places[:, None] - places).sum(axis=2)
    >>> md.MetricDP(1.0, grid).cone(md.Problem(n=4)).on_column.shape
    (8, 4)
    """

    epsilon: float
    distance: Array
    domains = {"epsilon": EPSILON, "distance": Distances()}

    if TYPE_CHECKING:

        def __init__(self, epsilon: float, distance: npt.ArrayLike) -> None: ...

    def inputs(self, problem: Problem) -> Problem:
        """Return the problem, whose secrets have to be as many as the distance has rows."""
        if problem.secrets != len(self.distance):
            raise DomainError(
                "distance",
                f"of shape {self.distance.shape}",
                f"it has to have one row and one column for each of the {problem.secrets} secrets",
                "give the distances between all of them",
            )
        return super().inputs(problem)

    def plain(self, problem: Problem) -> Notion:
        """Return LDP where all secrets are at one distance."""
        level = self._level_of_all
        return self if level is None else LDP(level)

    @cached_property
    def _level_of_all(self) -> float | None:
        """The nats between any two secrets, where they are as many between all and no rounding is in them."""
        apart = self.distance[~np.eye(len(self.distance), dtype=bool)]
        if not len(apart) or apart.min() != apart.max() or np.isinf(apart[0]):
            return None
        level = self.epsilon * float(apart[0])
        if math.isinf(level):
            return None
        return level if Fraction(self.epsilon) * Fraction(float(apart[0])) == Fraction(level) else None

    def cone(self, problem: Problem) -> Cone:
        """Return ``v_s' >= e^(-epsilon D) v_s`` for the ordered pairs that no chain implies."""
        pairs, lengths = self._chained
        first, second = np.concatenate([pairs, pairs[:, ::-1]]).T
        with np.errstate(over="ignore"):
            exponent = np.minimum(self.epsilon * np.concatenate([lengths, lengths]), LARGEST_EXPONENT)[:, None]
        # Below 1 wherever there is a distance: rows of ones alone say that nothing may differ.
        factor = np.minimum(np.exp(-exponent), np.where(exponent > 0, BELOW_ONE, 1.0))
        larger, smaller = problem.channel[second], factor * problem.channel[first]
        # An exponential is rounded in proportion to its exponent.
        return replace(Cone.at_least(larger, smaller), terms=larger + (1.0 + exponent) * smaller)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``(ln v_s(y) - ln v_s'(y)) / distance[s, s']``; where both are zero it counts nothing.

        Secrets at distance zero whose outputs differ by more than rounding make it infinite.
        """
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        with np.errstate(divide="ignore"):
            logs = np.log(seen)
        beside = np.maximum(logs, ZERO)
        worst = Level(0.0, (0,), 0)
        for first, distances in enumerate(self.distance):
            apart = logs[first] - beside
            output = apart.argmax(axis=1)
            most = apart[np.arange(len(output)), output]
            # What is zero for one and not for the other has no finite ratio; at an infinite distance it may.
            most = np.where(most > MOST, np.inf, most)
            with np.errstate(divide="ignore", invalid="ignore"):
                found = np.where(most > 0, most / distances, 0.0)
            found[~np.isfinite(distances) | ((distances == 0) & ~(most > EQUAL))] = 0.0
            second = int(found.argmax())
            if found[second] > worst.value:
                worst = Level(float(found[second]), (first, second), int(output[second]))
        return worst

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Compare the pairs that no chain implies as integers, ``e^(epsilon distance)`` from below.

        Those with room to spare in floating point are not looked at again.
        """
        return self.exactly(numerators, problem)(self.epsilon)

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the same as a function of epsilon: logarithms are taken once."""
        return ExactPairs(self.distance, self._needed, problem.exactly_seen_by_secret(numerators)).hold

    def columns_hold_exactly(self, numerators: Integers, problem: Problem) -> npt.NDArray[np.bool_]:
        """Compare the same pairs in each column by itself."""
        seen = problem.exactly_seen_by_secret(numerators)
        return ExactPairs(self.distance, self._needed, seen).columns_hold(self.epsilon)

    def cone_numbers(self, problem: Problem) -> float:
        """Return n for each row: two for each pair that no chain implies."""
        return 2.0 * len(self._needed[0]) * problem.n

    @cached_property
    def _needed(self) -> tuple[Indices, Indices]:
        return needed(self.distance)

    @cached_property
    def shortest(self) -> Array:
        """The length of the shortest way between any two secrets, shape (k, k); infinite where there is none."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import dijkstra

        ends = self._needed
        return np.asarray(dijkstra(coo_array((self.distance[ends], ends), shape=self.distance.shape).tocsr(), False))

    @cached_property
    def _chained(self) -> tuple[npt.NDArray[np.intp], Array]:
        return chained(self.distance, self._needed)


def chained(distance: Array, ends: tuple[Indices, Indices] | None = None) -> tuple[npt.NDArray[np.intp], Array]:
    """Return the pairs ``i < j`` that no chain of others implies, shape (pairs, 2), and their lengths.

    `ends` are those that are `needed`, where they are known. A pair's length is that of the shortest way between its
    ends: the given one may be longer.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    # Long ways are sums of needed ones, which are few on a line or a grid.
    ends = ends or needed(distance)
    shortest = dijkstra(coo_array((distance[ends], ends), shape=distance.shape).tocsr(), directed=False)
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
