"""What local differential privacy implies for profiles, and what that costs."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import LDP, Notion, ProfileDP
from mechdesign.objectives import MMSE, ErrorProbability, MaxOffDiagonal, MutualInformation
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.geumlek.programs import random_edges
from mechdesign.theorems.variables import Channel, Choice, Real, Seed, Whole


def _of_any_graph(point: Point, given: float) -> list[Check]:
    certain = np.eye(point.n)
    profiles = certain + point.spread * (point.profiles - certain)
    edges = [(i, j) for i in range(point.n) for j in range(i)] if point.spread == 0.0 else None
    notion = ProfileDP(1.0, profiles, edges or random_edges(point.n, point.graph), sees_profile=False)
    level = notion.level(point.mechanism, notion.inputs(Problem(n=point.n))).value
    found: list[Check] = [AtMost(level, given, "the level between profiles")]
    if edges:
        found.append(Equal(level, given, "it is attained between certain data"))
    return found


def local_level(point: Point) -> float:
    """Return the mechanism's level of LDP."""
    return LDP(1.0).level(point.mechanism, Problem(n=point.n)).value


T9 = Theorem(
    key="geumlek/T9",
    place="Theorems 9 and 18",
    kind="implication",
    words="A mechanism that satisfies epsilon-LDP satisfies (G, epsilon)-profile-based privacy for every graph G.",
    latex=r"\frac{Pr(Y_i = y)}{Pr(Y_j = y)} \le \frac{\max_x Pr(Y = y | x)}{\min_x Pr(Y = y | x)} \le e^{\epsilon}",
    family=Family(
        {
            "n": Whole(2, 4),
            "mechanism": Channel("n", 3, least=0.01),
            "profiles": Channel("n", "n"),
            "spread": Real(0.0, 1.0),
            "graph": Seed(),
        }
    ),
    printed=local_level,
    test=_of_any_graph,
)

#: Each is to be as small as possible, or as large.
MEASURES = (MaxOffDiagonal(), ErrorProbability(), MMSE(), MutualInformation())


def _no_worse(point: Point, _: None) -> list[Check]:
    prior = np.full(point.k, 1.0 / point.k) @ point.profiles
    problem = Problem(prior=prior / prior.sum(), values=np.arange(point.n))
    even = np.full(point.k, 1.0 / point.k)
    notion = ProfileDP(
        point.epsilon, point.profiles, random_edges(point.k, point.graph), sees_profile=False, profile_prior=even
    )

    def best(of: Notion) -> Optimum:
        return Optimum(Question(of.inputs(problem), of, point.measure))

    ours, local = best(notion), best(LDP(point.epsilon))
    sides = (local, ours) if isinstance(point.measure, MutualInformation) else (ours, local)
    return [AtMost(*sides, "the optimum under one notion against that under the other")]


T9B = Theorem(
    key="geumlek/T9b",
    place="after Theorem 9",
    kind="comparison",
    words=(
        "For every measure of utility the best mechanism under profile-based privacy is no worse, by that measure, "
        "than the best under LDP."
    ),
    family=Family(
        {
            "k": Whole(2, 3),
            "n": Whole(2, 3),
            "epsilon": Real(0.1, 3.0),
            "profiles": Channel("k", "n", least=0.02),
            "graph": Seed(),
            "measure": Choice(MEASURES),
        }
    ),
    test=_no_worse,
    loose="a comparison of two optima",
)
