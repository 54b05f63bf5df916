"""How far local differential privacy contracts the chi-square and Kullback-Leibler divergences of populations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.notions import LDP
from mechdesign.objectives import ChiSquare, FisherInformation, KLDivergence
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.distinct_values import Increasing
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Distribution, Real, Whole


def contraction(point: Point) -> float:
    """Return ``((E - 1)/(E + 1))^2``, the square of the Dobrushin coefficient."""
    return float(np.tanh(point.epsilon / 2.0) ** 2)


def _is_sharp(point: Point, given: float) -> Iterator[Check]:
    notion, problem, theta = LDP(point.epsilon), Problem(n=point.n), point.population
    apart = point.values - theta @ point.values
    direction = theta * apart
    other = theta + direction * (0.9 / -apart.min())
    for name, objective in (
        ("chi-square", ChiSquare(other, theta)),
        ("KL", KLDivergence(other, theta)),
        ("Fisher information", FisherInformation(theta, direction)),
    ):
        without = objective.no_privacy(problem)
        yield AtMost(
            Optimum(Question(problem, notion, objective)), given * without, f"{name} contracts so far at least"
        )
    even = np.array([0.5, 0.5])
    least = FisherInformation(even, np.array([1.0, -1.0]))
    best = Optimum(Question(Problem(n=2), notion, least))
    yield Equal(given * least.no_privacy(Problem(n=2)), best, "no further next to two equally likely inputs")


CONTRACTION = Theorem(
    key="ours/ldp-contraction",
    place="contraction under LDP",
    kind="upper bound",
    words=(
        "Under LDP the chi-square and Kullback-Leibler divergences of the reports of two populations are at most "
        "((E - 1)/(E + 1))^2 times those of the populations, E = e^epsilon, and at no smaller multiple in general."
    ),
    latex=r"\left(\frac{e^\epsilon - 1}{e^\epsilon + 1}\right)^2",
    origin="Asoodeh, Zhang 2022, as its abstract says",
    family=Family(
        {
            "n": Whole(2, 4),
            "epsilon": Real(0.05, 3.0),
            "population": Distribution("n"),
            "values": Increasing("n", 0.0, 5.0),
        }
    ),
    printed=contraction,
    test=_is_sharp,
)
