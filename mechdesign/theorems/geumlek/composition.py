"""Post-processing and composition of profile-based privacy, and a case without composition."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import ProfileDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.geumlek.programs import random_edges
from mechdesign.theorems.variables import Channel, Choice, Distribution, Real, Seed, Whole


def released(point: Point, which: int) -> Array:
    """Return the output distribution of each profile, in rows, under a random mechanism that sees the profile."""
    rng = np.random.default_rng([point.seed, which])
    k, n = point.profiles.shape
    mechanism = rng.dirichlet(np.ones(3), (k, n))
    return np.asarray(np.einsum("ix,ixy->iy", point.profiles, mechanism))


def loss(seen: Array, edges: list[tuple[int, int]]) -> float:
    """Return the largest ``|ln|`` of the ratio of an output's probabilities over edges."""
    return float(max(np.abs(np.log(seen[i] / seen[j])).max() for i, j in edges))


def _edges(point: Point) -> list[tuple[int, int]]:
    return random_edges(len(point.profiles), point.seed)


VARIABLES = {"k": Whole(2, 4), "n": Whole(2, 4), "profiles": Channel("k", "n"), "seed": Seed()}


def _processed(point: Point, given: float) -> list[Check]:
    noise = np.random.default_rng(point.seed).dirichlet(np.ones(3), 3)
    seen = released(point, 1) @ ((1.0 - point.noise) * np.eye(3) + point.noise * noise)
    return [AtMost(loss(seen, _edges(point)), given, "the level after processing")]


O3 = Theorem(
    key="geumlek/O3",
    place="Observations 3 and 11",
    kind="implication",
    words="Processing of a release, without access to datum and profile, does not raise its level.",
    latex=r"\frac{Pr(F(Y_i) = z)}{Pr(F(Y_j) = z)} \le \max_y \frac{Pr(Y_i = y)}{Pr(Y_j = y)}",
    family=Family({**VARIABLES, "noise": Real(0.0, 1.0)}),
    printed=lambda point: loss(released(point, 1), _edges(point)),
    test=_processed,
)


def _both(point: Point) -> tuple[Array, Array]:
    return released(point, 1), released(point, 1 if point.same else 2)


def _composed(point: Point, given: float) -> list[Check]:
    first, second = _both(point)
    joint = np.einsum("iy,iz->iyz", first, second).reshape(len(first), -1)
    found: list[Check] = [AtMost(loss(joint, _edges(point)), given, "the level of both releases")]
    if point.same:
        found.append(Equal(loss(joint, _edges(point)), given, "it is attained where the mechanism is the same"))
    return found


O4 = Theorem(
    key="geumlek/O4",
    place="Observations 4 and 12",
    kind="upper bound",
    words="Two releases of independent samples from one profile have at most the sum of the two levels.",
    latex=r"\epsilon_1 + \epsilon_2",
    family=Family({**VARIABLES, "same": Choice((True, False))}),
    printed=lambda point: sum(loss(seen, _edges(point)) for seen in _both(point)),
    test=_composed,
)


def _reused(point: Point, _: None) -> list[Check]:
    # The datum is a pair of bits, equal under one profile and different under the other but for the noise.
    agree, differ = (1.0 - point.noise) / 2.0, point.noise / 2.0
    profiles = np.array([[agree, differ, differ, agree], [differ, agree, agree, differ]])
    notion = ProfileDP(1.0, profiles, [(0, 1)], sees_profile=False)
    problem = notion.inputs(Problem(n=4))
    first, second = np.eye(2)[[0, 0, 1, 1]], np.eye(2)[[0, 1, 0, 1]]
    apart = sum(notion.level(matrix, problem).value for matrix in (first, second))
    return [AtMost(apart, notion.level(np.eye(4), problem).value, "the sum against the joint level", strictly=True)]


O13 = Theorem(
    key="geumlek/O13",
    place="Observation 13",
    kind="comparison",
    words=(
        "Composition fails where both releases are of one sample: two releases that reveal nothing, each for itself, "
        "may together betray the profile."
    ),
    family=Family({"noise": Real(1e-4, 0.45)}),
    test=_reused,
    loose="a statement without a constant",
)


def _joint_level(point: Point) -> float:
    """Return the level of two releases from two selections of a profile, over one edge of one selection at a time.

    The second profile is drawn apart from the first, but for the share `copied` of cases in which it is the first.
    """
    first, second, edges = released(point, 1), released(point, 2), _edges(point)
    together = (1.0 - point.copied) * np.outer(point.prior, point.prior) + point.copied * np.diag(point.prior)
    worst = 0.0
    for chosen, (ours, theirs) in ((together, (first, second)), (together.T, (second, first))):
        given = chosen / chosen.sum(axis=1, keepdims=True)
        seen = np.einsum("iy,il,lz->iyz", ours, given, theirs).reshape(len(first), -1)
        worst = max(worst, loss(seen, edges))
    return worst


def larger_level(point: Point) -> float:
    """Return the larger of the two releases' levels."""
    return max(loss(released(point, which), _edges(point)) for which in (1, 2))


INDEPENDENT = Condition("0", "share of second selections that repeat the first", lambda point: (0.0, point.copied))

SELECTIONS = {**VARIABLES, "prior": Distribution("k", least=0.02)}

O5 = Theorem(
    key="geumlek/O5",
    place="Observations 5 and 14",
    kind="upper bound",
    words=(
        "Two releases from two independent selections of a profile have the larger of the two levels, where an edge "
        "of one selection is to be hidden and the other selection is as it may be."
    ),
    latex=r"\max(\epsilon_1, \epsilon_2)",
    family=Family({**SELECTIONS, "copied": Choice((0.0, 0.2, 1.0))}),
    printed=larger_level,
    test=lambda point, given: [Equal(_joint_level(point), given, "the level of both releases")],
    claimed=(INDEPENDENT,),
)

O15 = Theorem(
    key="geumlek/O15",
    place="Observation 15, Figure 1",
    kind="comparison",
    words=(
        "Where the second selection depends on the first, parallel composition fails: the two releases together exceed "
        "the larger of their levels."
    ),
    family=Family({**SELECTIONS, "copied": Real(0.1, 1.0)}),
    test=lambda point, _: [AtMost(larger_level(point), _joint_level(point), "against the joint level", strictly=True)],
    loose="a statement without a constant",
)
