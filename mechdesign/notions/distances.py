"""Distances between secrets: as a matrix, of places, along the edges of a graph."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters import Cases, Matrix, Real
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array

#: The domain of one distance.
LENGTH = Real(low=0.0, infinite=True, rule="distances are numbers that are not negative", remedy="correct it")


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
        """Yield what is invalid for any such matrix, and infinite distances between all."""
        yield from super().invalid(near)
        yield "infinite between all", np.where(np.eye(len(self._given(near))) > 0, 0.0, math.inf)


def between_points(points: npt.ArrayLike) -> Array:
    """Return the Euclidean distances of places, shape (k, k).

    Examples
    --------
    >>> between_points([[0.0], [2.0]]).tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    places = domains.matrix("points", points)
    apart = np.sqrt(((places[:, None] - places) ** 2).sum(axis=2))
    # The same both ways to the last bit.
    return np.asarray(np.maximum(apart, apart.T))


def along_graph(edges: Any) -> Array:
    """Return the lengths of the shortest paths between nodes, infinite without a path, shape (k, k).

    Examples
    --------
    >>> along_graph([(0, 1, 2.0), (2, 1, 1.0)]).tolist()
    [[0.0, 2.0, 3.0], [2.0, 0.0, 1.0], [3.0, 1.0, 0.0]]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    lines = _of_networkx(edges) if hasattr(edges, "nodes") and hasattr(edges, "edges") else edges
    if isinstance(lines, str) or not isinstance(lines, Iterable):
        rule = "it has to be the edges of a graph"
        raise DomainError("edges", edges, rule, "give lines of two nodes and a length, or a networkx graph")
    found = [_edge(k, line) for k, line in enumerate(lines)]
    if not found:
        raise DomainError("edges", "none", "a graph without edges protects nothing", "give an edge at least")
    count = 1 + max(max(i, j) for i, j, _ in found)
    shortest: dict[tuple[int, int], float] = {}
    for i, j, length in found:
        key = (min(i, j), max(i, j))
        shortest[key] = min(length, shortest.get(key, math.inf))
    ends = np.array(list(shortest), dtype=np.intp)
    made = coo_array((list(shortest.values()), (ends[:, 0], ends[:, 1])), shape=(count, count)).tocsr()
    ways = shortest_path(made, directed=False)
    # Sums from either end may differ in the last bit.
    return np.asarray(np.minimum(ways, ways.T))


def _edge(place: int, line: Any) -> tuple[int, int, float]:
    name = f"edges[{place}]"
    try:
        first, second, length = line
    except (TypeError, ValueError):
        rule = "an edge is two nodes and the length between them"
        raise DomainError(name, line, rule, "give (0, 1, 2.5), say") from None
    ends = domains.whole(f"{name}[0]", first, 0), domains.whole(f"{name}[1]", second, 0)
    return *ends, domains.real(f"{name}[2]", length, 0.0)


def _of_networkx(graph: Any) -> list[tuple[int, int, float]]:
    at = {node: place for place, node in enumerate(graph.nodes)}
    return [(at[u], at[v], 1.0 if length is None else length) for u, v, length in graph.edges(data="weight")]


def shortest(distance: Array) -> Array:
    """Return the lengths of the shortest chains, shape (n, n): a distance may be longer than a way around.

    Examples
    --------
    >>> shortest(np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]]))[0].tolist()
    [0.0, 1.0, 2.0]
    """
    found = np.array(distance)
    for middle in range(len(found)):
        np.minimum(found, found[:, [middle]] + found[[middle]], out=found)
    return found
