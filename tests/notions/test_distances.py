"""Distances of places and along graphs: against their definitions, and what is none."""

import itertools

import numpy as np
import pytest

import mechdesign as md


def test_places_are_apart_as_pythagoras_says():
    rng = np.random.default_rng(0)
    places = rng.normal(size=(7, 3))
    found = md.MetricDP.from_points(0.5, places)
    for x, other in itertools.product(range(7), repeat=2):
        assert found.distance[x, other] == pytest.approx(np.linalg.norm(places[x] - places[other]), rel=1e-12)
    assert found.epsilon == 0.5 and np.array_equal(found.distance, found.distance.T)


def shortest(edges, n):
    """Return the shortest ways by the recursion of Floyd and Warshall."""
    ways = np.where(np.eye(n) > 0, 0.0, np.inf)
    for i, j, length in edges:
        ways[i, j] = ways[j, i] = min(ways[i, j], length)
    for middle in range(n):
        ways = np.minimum(ways, ways[:, middle, None] + ways[middle])
    return ways


@pytest.mark.parametrize("seed", range(5))
def test_ways_along_a_graph_are_the_shortest(seed):
    rng = np.random.default_rng(seed)
    edges = [(int(i), int(j), float(rng.exponential())) for i, j in rng.integers(0, 8, size=(14, 2)) if i != j]
    edges.append((7, 0, 2.0))
    found = md.MetricDP.from_graph(1.0, edges).distance
    assert found == pytest.approx(shortest(edges, 8), rel=1e-12)


def test_edges_of_no_length_and_twice_the_same():
    found = md.MetricDP.from_graph(1.0, [(0, 1, 0.0), (1, 2, 3.0), (2, 1, 1.0)]).distance
    assert found.tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


class Graph:
    """What networkx calls a graph, as far as it is asked."""

    nodes = ("station", "market", "harbour")

    def edges(self, data):
        assert data == "weight"
        return [("station", "market", 1.5), ("market", "harbour", None)]


def test_a_graph_of_networkx_has_its_nodes_in_order():
    assert md.MetricDP.from_graph(1.0, Graph()).distance.tolist() == [[0, 1.5, 2.5], [1.5, 0, 1], [2.5, 1, 0]]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: md.MetricDP.from_points(1.0, [1, 2]), "points"),
        (lambda: md.MetricDP.from_points(1.0, [[0.0, np.nan]]), "points"),
        (lambda: md.MetricDP.from_graph(1.0, []), "edges is none"),
        (lambda: md.MetricDP.from_graph(1.0, "ab"), "edges"),
        (lambda: md.MetricDP.from_graph(1.0, [(0, 1)]), r"edges\[0\].*two nodes and the length"),
        (lambda: md.MetricDP.from_graph(1.0, [(0, 1, 1.0), (0, 2, -1.0)]), r"edges\[1\]\[2\]"),
        (lambda: md.MetricDP.from_graph(1.0, [(0, 1.5, 1.0)]), r"edges\[0\]\[1\].*whole number"),
    ],
)
def test_what_is_none_is_refused(made, words):
    with pytest.raises(md.DomainError, match=words):
        made()
