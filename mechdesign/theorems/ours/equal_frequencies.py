"""The least total variance of estimated frequencies under LDP, where all are equal."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import LDP
from mechdesign.objectives import InformationDesign
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Whole


def least_variance(point: Point) -> float:
    """Return ``min_k (n - 1)^2 (k E + n - k)^2 / (n k (n - k) (E - 1)^2)``."""
    n, ratio = point.n, float(np.exp(point.epsilon))
    k = np.arange(1, n)
    shares = (k * ratio + n - k) ** 2 / (n * k * (n - k))
    return float((n - 1) ** 2 * shares.min() / np.expm1(point.epsilon) ** 2)


def _is_least(point: Point, given: float) -> list[Equal]:
    question = Question(Problem(prior=np.full(point.n, 1.0 / point.n)), LDP(point.epsilon), InformationDesign("A"))
    return [Equal(given, Optimum(question), "over the weights of all extreme rays")]


EQUAL_FREQUENCIES = Theorem(
    key="ours/equal-frequencies",
    place="A-optimal design at equal frequencies",
    kind="exact optimum",
    words=(
        "Under LDP the least total variance of the estimated frequencies of n equally frequent values, per report, is "
        "(n-1)^2 (k E + n - k)^2 / (n k (n - k) (E - 1)^2) for the best k; all sets of k values reach it."
    ),
    latex=r"\min_k \frac{(n-1)^2 (k E + n - k)^2}{n k (n - k) (E - 1)^2}",
    origin=(
        "the sets are in Ye, Barg 2018 and Wang et al. 2016; that no mechanism is better follows here from the sizes "
        "of sets; Park, Nam, Lee 2023 have block designs that reach it, and Gentle 2025 that only block designs do "
        "(read as abstracts)"
    ),
    family=Family({"n": Whole(2, 7), "epsilon": Real(0.1, 3.0)}),
    printed=least_variance,
    test=_is_least,
)
