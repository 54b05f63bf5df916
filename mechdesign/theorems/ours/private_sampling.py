"""Who samples one value privately loses least by randomised response, in every f-divergence."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mechdesign.notions import LDP
from mechdesign.objectives import ChiSquare, Hellinger, KLDivergence, TotalVariation, WorstCaseLoss
from mechdesign.objectives.f_divergence import Divergence
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Seed, Whole

#: Divergences of the first row of a matrix of two rows from the second.
FIRST, SECOND = np.array([1.0, 0.0]), np.array([0.0, 1.0])
DIVERGENCES = (
    KLDivergence(FIRST, SECOND),
    ChiSquare(FIRST, SECOND),
    TotalVariation(FIRST, SECOND),
    Hellinger(FIRST, SECOND),
)


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
    # Other mechanisms of n outputs: mixtures of randomised responses with the outputs renamed.
    rng = np.random.default_rng(point.seed)
    response = np.where(np.eye(point.n) > 0, given, (1.0 - given) / (point.n - 1))
    matrix = sum(share * response[:, rng.permutation(point.n)] for share in rng.dirichlet(np.ones(4)))
    for divergence in DIVERGENCES:
        worst, other = _worst(response, divergence), _worst(np.asarray(matrix), divergence)
        yield AtMost(worst, other, f"no mechanism has a smaller worst {divergence.name}")


def _worst(matrix: Array, divergence: Divergence) -> float:
    """Return ``max_x D_f(delta_x || Q_x)``."""
    two = Problem(n=2)
    return max(
        divergence.value(np.vstack([alone, row]), two) for alone, row in zip(np.eye(len(matrix)), matrix, strict=True)
    )


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
