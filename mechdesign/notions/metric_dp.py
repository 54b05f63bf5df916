"""Metric differential privacy: the further apart two inputs are, the easier outputs may distinguish them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.drawn import line, random_problem
from mechdesign.catalogue.edge import Edge, randomised_response
from mechdesign.catalogue.odds import between_two
from mechdesign.catalogue.promises import MOST_WRITTEN, OPEN
from mechdesign.catalogue.subject import Subject
from mechdesign.displays.numbers import in_full, rounded_up
from mechdesign.exact import Fractions, Integers, exp_above, exp_up
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.cone import Cone
from mechdesign.notions.distances import Distances, along_graph, between_points, shortest
from mechdesign.notions.dual import Shown, covers_pairs, own_of, ratio_rows
from mechdesign.notions.ldp import LDP
from mechdesign.notions.metric_pairs import (
    EXACT_DECIMALS,
    MOST,
    ZERO,
    ExactPairs,
    Indices,
    chained,
    needed,
    shortest_way,
    shortest_ways,
)
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT

#: Entries of a column that should be equal differ by this share at most where the difference is due to rounding.
EQUAL = 1e-14

#: The largest float below 1.
BELOW_ONE = 1.0 - 2.0**-53

#: Distances of the corners of a square by its streets, and with a detour that is shorter, no protection across, and
#: fractions.
_SQUARE = [[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]]
_DETOUR = [[0, 0.3, 2, math.inf], [0.3, 0, 0.7, math.inf], [2, 0.7, 0, math.inf], [math.inf, math.inf, math.inf, 0]]


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"No report is more than e^({in_full(notion.epsilon)} d) times as likely for one as for the other of two "
        f"{of.values} at a distance d. Those far from each other are protected less. {_extent(notion)}"
    )


def _extent(notion: Any) -> str:
    """Return the smallest and the largest distance along shortest paths, which are what binds, with their factors."""
    lengths = shortest(notion.distance)
    apart = lengths[~np.eye(len(lengths), dtype=bool)]
    finite = apart[np.isfinite(apart)]
    said = []
    if len(finite):
        few = {"smallest": float(finite.min()), "largest": float(finite.max())}
        ends = few.items() if few["smallest"] < few["largest"] else [("only one", few["largest"])]
        shown = (f"the {word} is {rounded_up(end, 6)} ({_factor(notion.epsilon * end)})" for word, end in ends)
        said.append(f"Of the distances along the shortest path, {' and '.join(shown)}.")
    if len(finite) < len(apart):
        said.append(f"{OPEN}pairs that no path of finite distances joins may be distinguished entirely.")
    return " ".join(said)


def _factor(level: float) -> str:
    """Return the factor at a level that is a rounded product, rounded up."""
    above = math.nextafter(level, math.inf) if level else 0.0
    if above > MOST_WRITTEN:
        return f"a factor of at most e^{rounded_up(above, 4)}"
    return f"a factor of at most {rounded_up(exp_up(above), 4)}"


def _odds(notion: Any, problem: Problem, of: Subject) -> str:
    # One float further up than the product, which is rounded.
    return between_two(math.nextafter(notion.epsilon * float(np.max(shortest(notion.distance))), math.inf), of)


def _stronger(notion: Any, problem: Problem) -> LDP | None:
    apart = notion.distance[~np.eye(len(notion.distance), dtype=bool)]
    level = notion.epsilon * float(apart.min()) if len(apart) else math.inf
    return LDP(level) if math.isfinite(level) else None


def _edge() -> Edge:
    """Return binary randomised response with the ratio e^(epsilon distance), whose product no float holds."""
    notion = MetricDP(0.7, [[0.0, 1.1], [1.1, 0.0]])
    return Edge(notion, Problem(n=2), *randomised_response(Fraction(0.7) * Fraction(1.1)))


@dataclass(frozen=True)
class MetricDP(Notion):
    r"""Pr(y | s) <= e^(epsilon distance[s, s']) Pr(y | s') for all secrets s, s' and outputs y; epsilon in nats.

    With a hidden secret, ``Pr(y | s) = sum_x W[s, x] Q[x, y]``; otherwise the secret is the input. Epsilon is in nats
    per unit of the distance.

    Parameters
    ----------
    epsilon : float
        At least 0 nats per unit, finite. At 0, secrets at a finite distance cannot be distinguished.
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

    card = Card(
        "metric differential privacy",
        r"\Pr(y \mid s) \le e^{\epsilon d(s, s^{\prime})} \Pr(y \mid s^{\prime}) \quad \text{for all "
        r"} s, s^{\prime}, y",
        means="Inputs at distance d may be distinguished up to the factor e^(epsilon d): near places are protected "
        "more than far ones.",
        usual="for places, numbers and other answers with distances",
        search=("Blowfish", "geo-indistinguishability", "d-privacy", "metric privacy", "location privacy", "map"),
        works=("andres2013", "chatzikokolakis2013"),
        page="how-to/locations",
        promise=_promise,
        odds=_odds,
        adds_up="level",
        stronger=_stronger,
        examples=(
            lambda rng: (MetricDP(0.7, line(4)), random_problem(4, rng)),
            lambda rng: (MetricDP(1.0, _SQUARE), Problem(n=4)),
            lambda rng: (MetricDP(0.5, _DETOUR), Problem(n=4)),
            lambda rng: (MetricDP(0.5, line(3)), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: MetricDP(1.0, line(problem.n)),
        edge=_edge,
    )

    epsilon: float
    distance: Array
    domains = {"epsilon": EPSILON, "distance": Distances()}
    axes = {"distance": ("secrets", "secrets")}
    asks_for_multipliers = True

    if TYPE_CHECKING:

        def __init__(self, epsilon: float, distance: npt.ArrayLike) -> None: ...

    @classmethod
    def from_points(cls, epsilon: float, points: npt.ArrayLike) -> MetricDP:
        """Return the notion with the Euclidean distances of places, in their unit.

        Parameters
        ----------
        epsilon : float
            Nats per unit of distance.
        points : array_like, shape (k, dimensions)
            The place of each secret.

        Raises
        ------
        DomainError
            No matrix of finite numbers; epsilon out of range.

        Examples
        --------
        >>> import mechdesign as md
        >>> md.MetricDP.from_points(1.0, [[0, 0], [3, 4]]).distance.tolist()
        [[0.0, 5.0], [5.0, 0.0]]
        """
        return cls(epsilon, between_points(points))

    @classmethod
    def from_graph(cls, epsilon: float, edges: Any) -> MetricDP:
        """Return the notion with the lengths of shortest ways in a graph; nodes without a way are infinitely far.

        Parameters
        ----------
        epsilon : float
            Nats per unit of length.
        edges : iterable of (int, int, float), or a networkx graph
            Two nodes, numbered from 0 as the secrets are, and the length between them. Of a graph the nodes are the
            secrets in its order, and an edge has the length ``weight``, 1 by default.

        Raises
        ------
        DomainError
            An edge that is none, or of a negative length; epsilon out of range.

        Examples
        --------
        >>> import mechdesign as md
        >>> md.MetricDP.from_graph(1.0, [(0, 1, 2.0), (1, 2, 1.0), (0, 2, 9.0)]).distance[0].tolist()
        [0.0, 2.0, 3.0]
        """
        return cls(epsilon, along_graph(edges))

    def plain(self, problem: Problem) -> Notion:
        """Return LDP where all secrets are at one distance."""
        level = self._level_of_all
        return self if level is None else LDP(level)

    def pair_exponents(self, problem: Problem) -> Array | None:
        """Return epsilon times the shortest paths, infinite without a path; None with a hidden secret."""
        # Secrets that no path joins are not compared, at epsilon 0 either.
        rate = np.where(np.isfinite(self.shortest), self.epsilon, 1.0)
        return None if problem.is_hidden else np.asarray(rate * self.shortest)

    @cached_property
    def _level_of_all(self) -> float | None:
        """Return the nats between any two secrets if they are equal for all pairs and have no rounding."""
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
            exponent = np.minimum(self.epsilon * np.concatenate([lengths, lengths]), LARGEST_EXPONENT)
        return cone_of_pairs(problem, first, second, exponent)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``(ln v_s(y) - ln v_s'(y)) / distance[s, s']``; where both are zero it counts nothing.

        Secrets at distance zero whose outputs differ by more than rounding make it infinite.
        """
        return largest_rate(problem.seen_by_secret(np.asarray(matrix, dtype=float)), self.distance)

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether the notion holds, in exact arithmetic with ``e^(epsilon distance)`` rounded down.

        Pairs that a chain implies are left out, and pairs with room to spare in floating point are not compared again.
        """
        return self.exactly(numerators, problem)(self.epsilon)

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the exact check as a function of epsilon; the logarithms that it uses are computed once."""
        return ExactPairs(self.distance, self._needed, problem.exactly_seen_by_secret(numerators)).hold

    def columns_hold_exactly(self, numerators: Integers, problem: Problem) -> npt.NDArray[np.bool_]:
        """Return for each column whether its ratios are allowed for all pairs that no chain implies."""
        seen = problem.exactly_seen_by_secret(numerators)
        return ExactPairs(self.distance, self._needed, seen).columns_hold(self.epsilon)

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_] | None:
        """Return for each functional whether multipliers of pairs (i, j), at ``i k + j``, prove it nonnegative."""
        own = own_of(shown, len(functionals))
        return np.array([covers_pairs(w, each, self._most) for w, each in zip(functionals, own, strict=True)])

    def exact_rows(self, problem: Problem) -> Fractions:
        """Return ``e^(epsilon d) v_j - v_i`` for each ordered pair whose distance no chain of others explains."""
        first, second = (ends.tolist() for ends in self._needed)
        # In the order in which readers of proofs take them.
        found = ((i, j, self._most(i, j)) for i, j in sorted(zip(first + second, second + first, strict=True)))
        return ratio_rows(problem.secrets, ((i, j, most) for i, j, most in found if most is not None))

    def own_numbers(self, functional: Array, problem: Problem, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return the multiplier of each pair's row, in the unit of the larger entry."""
        pairs, lengths = self._chained
        both, twice = np.concatenate([pairs, pairs[:, ::-1]]), np.concatenate([lengths, lengths])
        # The cone's rows are e^-d v_i <= v_j; those of a proof v_i <= e^d v_j.
        times = multipliers * np.exp(-np.minimum(self.epsilon * twice, LARGEST_EXPONENT))
        found: dict[int, float] = {}
        for i, j, length, y in zip(*both.T.tolist(), twice.tolist(), times.tolist(), strict=True):
            for place, times_ratio in self._steps(i, j, length) if y > 0 else ():
                found[place] = found.get(place, 0.0) + y * times_ratio
        return found

    def _steps(self, first: int, last: int, length: float) -> list[tuple[int, float]]:
        """Return the pairs, as places, on the way of a length between secrets, with the ratio on the way to each."""
        k, way = len(self.distance), [first, last]
        if self.distance[first, last] > length:
            way = shortest_way(self.distance, self._needed, first, last)
        steps = [float(self.distance[pair]) for pair in pairwise(way)]
        gone = np.minimum(self.epsilon * np.cumsum([0.0, *steps[:-1]]), LARGEST_EXPONENT)
        return [(i * k + j, float(ratio)) for (i, j), ratio in zip(pairwise(way), np.exp(gone), strict=True)]

    def _most(self, i: int, j: int) -> Fraction | None:
        """Return at least the largest ratio of secret i's probability to secret j's, None without a bound."""
        apart = float(self.distance[i, j])
        nats = EXACT_DECIMALS.multiply(Decimal(self.epsilon), Decimal(apart)) if math.isfinite(apart) else None
        return None if nats is None or nats > LARGEST_EXPONENT else exp_above(nats)

    def cone_numbers(self, problem: Problem) -> float:
        """Return n for each row: two for each pair that no chain implies."""
        return 2.0 * len(self._needed[0]) * problem.n

    @cached_property
    def _needed(self) -> tuple[Indices, Indices]:
        return needed(self.distance)

    @cached_property
    def shortest(self) -> Array:
        """The length of the shortest path between any two secrets, shape (k, k); infinite without a path."""
        return shortest_ways(self.distance, self._needed)

    @cached_property
    def _chained(self) -> tuple[npt.NDArray[np.intp], Array]:
        return chained(self.shortest, self._needed)


def largest_rate(seen: Array, distance: Array) -> Level:
    """Return the largest ``(ln v_s(y) - ln v_s'(y)) / distance[s, s']``; where both are zero it counts nothing.

    Parameters
    ----------
    seen : ndarray, shape (k, m)
        v: the probability of each output for each secret.
    distance : ndarray, shape (k, k)
        Of each ordered pair, which may differ from that of the other way; infinite ones are not compared.

    Examples
    --------
    >>> round(largest_rate(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([[0.0, 1.0], [2.0, 0.0]])).value, 6)
    1.098612
    """
    with np.errstate(divide="ignore"):
        logs = np.log(seen)
    beside = np.maximum(logs, ZERO)
    worst = Level(0.0, (0,), 0)
    for first, distances in enumerate(distance):
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


def cone_of_pairs(problem: Problem, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp], exponent: Array) -> Cone:
    """Return ``v_second >= e^(-exponent) v_first`` for pairs of secrets, in arrays of one length."""
    power = exponent[:, None]
    # Below 1 wherever there is a distance: rows of ones alone say that nothing may differ.
    factor = np.minimum(np.exp(-power), np.where(power > 0, BELOW_ONE, 1.0))
    larger, smaller = problem.channel[second], factor * problem.channel[first]
    # An exponential is rounded in proportion to its exponent.
    return replace(Cone.at_least(larger, smaller), terms=larger + (1.0 + power) * smaller)
