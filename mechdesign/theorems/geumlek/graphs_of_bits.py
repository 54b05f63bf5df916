"""One bit and a graph of profiles: the One Bit Cluster and the Smooth One Bit mechanisms."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import ProfileDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Private
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.geumlek.one_bit import least_flip
from mechdesign.theorems.geumlek.programs import asked, bernoulli, chain, flipping, random_edges, smooth_flips
from mechdesign.theorems.variables import Choice, Real, Seed, Vector, Whole


def edges_of(point: Point) -> list[tuple[int, int]]:
    """Return the edges of the point's graph: a chain, or at random."""
    return chain(point.k) if point.chain else random_edges(point.k, point.graph)


def cluster_flips(point: Point) -> Array:
    """Return for each profile the largest flip that (4) asks for on an edge of its connected component."""
    edges, flips = edges_of(point), np.zeros(point.k)
    for i, j in edges:
        notion = ProfileDP(point.epsilon, bernoulli(point.ones[[i, j]]), [(0, 1)], sees_profile=False)
        flips[[i, j]] = np.maximum(flips[[i, j]], least_flip(asked(notion)).matrix[0, 1])
    for _ in range(point.k):
        for i, j in edges:
            flips[[i, j]] = flips[[i, j]].max()
    return flips


def _private(point: Point, flips: Array) -> Check:
    notion = ProfileDP(point.epsilon, bernoulli(point.ones), edges_of(point))
    return Private(flipping(flips), notion.inputs(Problem(n=2)), notion, "the mechanism is private")


GRAPHS = {
    "k": Whole(2, 5),
    "epsilon": Real(0.05, 3.0),
    "ones": Vector("k", 0.0, 1.0),
    "chain": Choice((True, False)),
    "graph": Seed(),
}

T6 = Theorem(
    key="geumlek/T6",
    place="Theorem 6, Algorithm 2",
    kind="privacy claim",
    words=(
        "The One Bit Cluster mechanism, which flips with the largest probability that an edge of the profile's "
        "connected component asks for, is private."
    ),
    latex=r"\alpha = \max_e \alpha_e",
    family=Family(GRAPHS),
    printed=cluster_flips,
    test=lambda point, given: [_private(point, given)],
)


def _smooth(point: Point, given: Array) -> list[Check]:
    return [
        _private(point, given),
        AtMost(given.max(), cluster_flips(point).max(), "the largest flip against the cluster's", scale=1.0),
        AtMost(given.max(), 0.5, "flips are at most 1/2"),
    ]


T7 = Theorem(
    key="geumlek/T7",
    place="Theorem 7, Algorithm 3",
    kind="privacy claim",
    words=(
        "The Smooth One Bit mechanism, with a flip for each profile by program (5), is private; its largest flip is at "
        "most that of the One Bit Cluster mechanism."
    ),
    latex=r"\min \max(\alpha_1, \ldots, \alpha_k)",
    family=Family(GRAPHS),
    printed=lambda point: smooth_flips(point.ones, edges_of(point), point.epsilon),
    test=_smooth,
)
