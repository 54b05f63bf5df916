"""Metric differential privacy: the further apart two inputs are, the easier outputs may distinguish them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.drawn import line, random_problem
from mechdesign.catalogue.edge import Edge, randomised_response
from mechdesign.catalogue.odds import between_two
from mechdesign.catalogue.promises import MOST_WRITTEN, OPEN
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Shape
from mechdesign.columns.distance_ratios import DistanceRatios
from mechdesign.columns.metric_pairs import (
    MOST,
    ZERO,
    Ways,
)
from mechdesign.displays.numbers import in_full, rounded_up
from mechdesign.exact import exp_up
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.distances import Distances, along_graph, between_points, shortest
from mechdesign.notions.ldp import LDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: Entries of a column that should be equal differ by this share at most where the difference is due to rounding.
EQUAL = 1e-14


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

    def shape(self, problem: Problem) -> Shape:
        """Return ``v_s <= e^(epsilon D) v_s'`` for the ordered pairs that no chain implies."""
        return DistanceRatios(problem.secrets, self.epsilon, self._ways)

    @cached_property
    def _ways(self) -> Ways:
        return Ways(self.distance)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``(ln v_s(y) - ln v_s'(y)) / distance[s, s']``; where both are zero it counts nothing.

        Secrets at distance zero whose outputs differ by more than rounding make it infinite.
        """
        return largest_rate(problem.seen_by_secret(np.asarray(matrix, dtype=float)), self.distance)


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
