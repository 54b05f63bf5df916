"""The Dobrushin coefficient of a notion: the largest total variation distance between two rows of its mechanisms."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import LDP, InteriorPML
from mechdesign.objectives import TotalVariation
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Whole


def _apart(n: int) -> tuple[Problem, TotalVariation]:
    """Return the question of the largest distance between the rows of the first two inputs: all pairs are alike."""
    first, second = np.eye(n)[:2]
    return Problem(n=n), TotalVariation(first, second)


def of_interior(point: Point) -> tuple[float, float]:
    """Return ``(E - 1)/(E + 1)`` for LDP and ``min(1, (E - 1)/(1 + E (1 - n c)))``, c the share of ``1/n``."""
    ratio = float(np.exp(point.epsilon))
    return (ratio - 1.0) / (ratio + 1.0), min(1.0, (ratio - 1.0) / (1.0 + ratio * (1.0 - point.share)))


def _are_largest(point: Point, given: tuple[float, float]) -> list[Equal]:
    problem, objective = _apart(point.n)
    interior = InteriorPML(point.epsilon, point.share / point.n)
    return [
        Equal(given[0], Optimum(Question(problem, LDP(point.epsilon), objective)), "under LDP"),
        Equal(given[1], Optimum(Question(problem, interior, objective)), "for priors of at least c"),
    ]


DOBRUSHIN = Theorem(
    key="ours/dobrushin",
    place="Dobrushin coefficients of LDP and interior PML",
    origin=(
        "under LDP in Kairouz, Oh, Viswanath 2014; for interior priors derived here, and arXiv 2601.09498 (2026) "
        "states one (read as an abstract)"
    ),
    kind="exact optimum",
    words=(
        "The largest total variation distance between two rows is (E - 1)/(E + 1) under LDP and, under pointwise "
        "maximal leakage for all priors with masses of at least c, min(1, (E - 1)/(1 + E (1 - n c))), E = e^epsilon."
    ),
    latex=r"\frac{E - 1}{E + 1}, \quad \min\left(1, \frac{E - 1}{1 + E(1 - n c)}\right)",
    family=Family({"n": Whole(2, 5), "epsilon": Real(0.05, 3.0), "share": Real(0.01, 1.0)}),
    printed=of_interior,
    test=_are_largest,
)
