"""Closed forms of program (5) of geumlek: one edge, and a chain of evenly spaced profiles."""

from __future__ import annotations

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.geumlek.chains import outputs_of_one
from mechdesign.theorems.geumlek.flips import PAIR, hiding, smooth_pair
from mechdesign.theorems.variables import Real, Whole


def on_one_edge(point: Point) -> float:
    """Return the optimum of (5) on one edge, p <= q the two parameters.

    As in (4) where 1/2 lies between them. Otherwise only the profile further from 1/2 flips, with the least
    probability that brings it close enough to the other.
    """
    p, q = sorted((point.first, point.second))
    grown, low = np.exp(point.epsilon), np.exp(-point.epsilon)
    if q <= 0.5 and p < 0.5:
        return float(max(0.0, low * q - p, (1.0 - p) - grown * (1.0 - q)) / (1.0 - 2.0 * p))
    if p >= 0.5 and q > 0.5:
        return float(max(0.0, q - grown * p, low * (1.0 - p) - (1.0 - q)) / (2.0 * q - 1.0))
    excess = max(0.0, q - grown * p, (1.0 - p) - grown * (1.0 - q))
    return float(excess / (2.0 * excess + grown - 1.0))


def _on_one_edge(point: Point, given: float) -> list[Check]:
    return [
        Equal(smooth_pair(point, point.first, point.second), given, "the optimum of (5)", scale=0.1),
        AtMost(given, Optimum(hiding(point)), "(5) against (4)", scale=0.1),
    ]


C5 = Theorem(
    key="ours/geumlek-5c",
    place="program (5) of geumlek on one edge",
    origin="says where the closed form of Geumlek, Chaudhuri 2019 for one edge is its optimum",
    kind="exact optimum",
    words=(
        "On one edge the Smooth One Bit mechanism flips as the two-profile mechanism does only where 1/2 lies between "
        "the two parameters; otherwise one profile flips less often and the other not at all."
    ),
    latex=(
        r"\frac{\max(0, e^{-\epsilon} p_j - p_i, 1 - p_i - e^{\epsilon}(1 - p_j))}{1 - 2 p_i} "
        r"\text{ if } p_i \le p_j \le 1/2"
    ),
    # A flip moves a parameter towards 1/2. With 1/2 between the two either flip brings them closer, so both may be the
    # larger one, as in (4). With both on one side the flip of the nearer one only widens the ratios, so it is 0, and
    # the other is the least that satisfies the two inequalities.
    family=Family(PAIR),
    printed=on_one_edge,
    test=_on_one_edge,
)


def along_the_chain(point: Point) -> float:
    """Return the optimum of (5) for Bernoulli-Chain-n: the probability of an output 1 at the profile that has none."""
    n, low = point.n, float(np.exp(-point.epsilon))
    ones = np.arange(n) / (n - 1)
    middle = (n - 1) // 2
    reached = 0.5 if n % 2 else max(ones[middle], low / (1.0 + low))
    for i in range(middle - 1, -1, -1):
        reached = max(ones[i], low * reached)
    return float(reached)


def _chained(point: Point, given: float) -> list[Check]:
    made: Array = outputs_of_one(point.n, point.epsilon)
    return [Equal(max(made[0], 1.0 - made[-1]), given, "the optimum of (5)")]


CHAIN = Theorem(
    key="ours/geumlek-chain",
    place="program (5) of geumlek on Bernoulli-Chain-n",
    origin="not published, as far as we know; the program (5) is that of Geumlek, Chaudhuri 2019",
    kind="exact optimum",
    words=(
        "For n profiles of parameters evenly spaced on [0, 1] in a chain, the optimum of (5) follows from the middle "
        "outwards: each profile's probability of an output 1 is its parameter, or e^-epsilon times its neighbour's."
    ),
    latex=r"q_i = \max(p_i, e^{-\epsilon} q_{i+1}), \quad \alpha^* = q_0",
    # By symmetry the middle may stay at 1/2 (or its two profiles at the flip of (4)); below it the least feasible
    # q_i is the larger of the parameter, which no flip undercuts, and what the edge to the next profile leaves.
    # The largest flip is that of the first profile, alpha_0 = q_0.
    family=Family({"n": Whole(2, 9), "epsilon": Real(0.05, 4.0)}),
    printed=along_the_chain,
    test=_chained,
)
