"""The two definitions of privacy, each against the toolkit's notion."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import LDP, ProfileDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.geumlek.programs import random_edges
from mechdesign.theorems.variables import Channel, Choice, Seed, Whole


def local_loss(point: Point) -> float:
    """Return the least epsilon of (1): over all pairs of data and all outputs."""
    rows = point.mechanism
    return float(max(np.log(a / b) for first in rows for second in rows for a, b in zip(first, second, strict=True)))


def _is_ldp(point: Point, given: float) -> list[Check]:
    level = LDP(1.0).level(point.mechanism, Problem(n=point.n)).value
    return [Equal(level, given, "the level of LDP")]


D1 = Theorem(
    key="geumlek/D1",
    place="Definition 1",
    kind="definition",
    words="epsilon-LDP bounds the ratio of an output's probabilities under any two data by e^epsilon.",
    latex=r"Pr(A(X) = y) \le e^{\epsilon} Pr(A(X') = y)",
    family=Family({"n": Whole(2, 5), "m": Whole(2, 5), "mechanism": Channel("n", "m", least=0.01)}),
    printed=local_loss,
    test=_is_ldp,
)


def seeing(point: Point) -> Array:
    """Return a mechanism for pairs (profile, datum) at random, no entry zero."""
    k, n = point.profiles.shape
    drawn = np.random.default_rng(point.seed).dirichlet(np.ones(point.m), k * n)
    return np.asarray(0.95 * drawn + 0.05 / point.m)


def profile_loss(point: Point) -> float:
    """Return the least epsilon of (2): over both ends of every edge and all outputs, the datum summed out."""
    (k, n), mechanism = point.profiles.shape, seeing(point)
    blocks = [mechanism[i * n : (i + 1) * n] if point.sees else mechanism[:n] for i in range(k)]
    worst = 0.0
    for i, j in random_edges(k, point.seed):
        for y in range(point.m):
            ends = [sum(point.profiles[p][x] * blocks[p][x, y] for x in range(n)) for p in (i, j)]
            worst = max(worst, float(np.log(ends[0] / ends[1])), float(np.log(ends[1] / ends[0])))
    return worst


def _is_profile(point: Point, given: float) -> list[Check]:
    k, n = point.profiles.shape
    notion = ProfileDP(1.0, point.profiles, random_edges(k, point.seed), sees_profile=point.sees)
    matrix = seeing(point) if point.sees else seeing(point)[:n]
    return [Equal(notion.level(matrix, notion.inputs(Problem(n=n))).value, given, "the level of ProfileDP")]


D2 = Theorem(
    key="geumlek/D2",
    place="Definition 2",
    kind="definition",
    words=(
        "(G, epsilon)-profile-based privacy bounds, for both ends of every edge, the ratio of an output's "
        "probabilities under the two profiles by e^epsilon; the mechanism may see the profile beside the datum."
    ),
    latex=r"\frac{Pr(A(X_i, P_i) = y)}{Pr(A(X_j, P_j) = y)} \le e^{\epsilon}",
    family=Family(
        {
            "k": Whole(2, 4),
            "n": Whole(2, 4),
            "m": Whole(2, 4),
            "profiles": Channel("k", "n"),
            "sees": Choice((True, False)),
            "seed": Seed(),
        }
    ),
    printed=profile_loss,
    test=_is_profile,
)
