"""Who samples one value privately loses least by randomised response, in every f-divergence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from mechdesign.notions import LDP
from mechdesign.objectives import WorstCaseLoss
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Seed, Whole

#: ``D_f(delta_x || Q_x) = q f(1 / q) + (1 - q) f(0)`` by the probability ``q = Q[x, x]`` of the value itself.
DIVERGENCES: dict[str, Callable[[float], float]] = {
    "KL": lambda kept: -math.log(kept),
    "chi-square": lambda kept: 1.0 / kept - 1.0,
    "total variation": lambda kept: 1.0 - kept,
    "squared Hellinger": lambda kept: 1.0 - math.sqrt(kept),
}


def _kept(point: Point) -> float:
    """Return ``E / (E + n - 1)``."""
    ratio = math.exp(float(point.epsilon))
    return ratio / (ratio + int(point.n) - 1.0)


def _is_least(point: Point, given: float) -> Iterator[Check]:
    notion, problem = LDP(point.epsilon), Problem(n=point.n)
    yield Equal(
        Optimum(Question(problem, notion, WorstCaseLoss(1.0 - np.eye(point.n)))),
        1.0 - given,
        "no mechanism reports every value itself more often",
    )
    # A mechanism of n outputs: a mixture of randomised responses with the outputs renamed.
    rng = np.random.default_rng(point.seed)
    shares = rng.dirichlet(np.ones(4))
    other = (1.0 - given) / (point.n - 1)
    response = np.where(np.eye(point.n) > 0, given, other)
    matrix = sum(share * response[:, rng.permutation(point.n)] for share in shares)
    least = float(np.diag(matrix).min())
    for name, divergence in DIVERGENCES.items():
        yield AtMost(divergence(given), divergence(least), f"no mechanism has a smaller worst {name} divergence")


SAMPLING = Theorem(
    key="ours/private-sampling",
    place="private sampling of a point mass",
    kind="exact optimum",
    words=(
        "Under LDP randomised response minimises the largest f-divergence max_x D_f(delta_x || Q_x) of a value from "
        "the distribution that it is reported with, for every f: no mechanism reports every value itself with a "
        "probability above E/(E + n - 1), E = e^epsilon."
    ),
    latex=r"\frac{e^\epsilon}{e^\epsilon + n - 1}",
    origin="Park, Asoodeh, Lee 2024, as its abstract says, here for point masses alone",
    family=Family({"n": Whole(2, 6), "epsilon": Real(0.05, 4.0), "seed": Seed()}),
    printed=_kept,
    test=_is_least,
)
