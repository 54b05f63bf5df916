"""Published mechanisms for a number of an interval under LDP, against the least worst-case variance and error."""

from __future__ import annotations

from collections.abc import Iterator

from mechdesign.baselines.numeric_variances import numeric_errors, numeric_variances
from mechdesign.notions import LDP
from mechdesign.objectives import Objective, UnbiasedMean, WorstCaseLoss
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Real

#: Points of the interval: enough for a mechanism of all its numbers that is better than the published one.
OF_VARIANCE, OF_ERROR = 8, 16


def _best(objective: Objective, epsilon: float, points: int) -> Optimum:
    """Return the least figure of mechanisms for all numbers of [-1, 1] that are mixtures of what its points do."""
    return Optimum(Question(Problem.from_interval(-1.0, 1.0, points), LDP(epsilon), objective))


def _variance(point: Point) -> float:
    return numeric_variances(-1.0, 1.0, point.epsilon)["hybrid mechanism"]


def _error(point: Point) -> float:
    return numeric_errors(-1.0, 1.0, point.epsilon)[point.loss]


def _loses_variance(point: Point, given: float) -> Iterator[Check]:
    yield AtMost(
        _best(UnbiasedMean(), point.epsilon, OF_VARIANCE), given, "the hybrid mechanism is worse", strictly=True
    )


def _loses_error(point: Point, given: float) -> Iterator[Check]:
    best = _best(WorstCaseLoss(point.loss), point.epsilon, OF_ERROR)
    yield AtMost(best, given, "the piecewise mechanism is worse", strictly=True)


HYBRID = Theorem(
    key="ours/hybrid-mechanism",
    place="hybrid mechanism for a mean under LDP",
    kind="upper bound",
    words=(
        "The hybrid mechanism is not minimax: under LDP there is a mechanism with a smaller worst-case variance of an "
        "unbiased estimate of any number of [-1, 1]."
    ),
    origin=(
        "the mechanism is in Wang et al., Collecting and Analyzing Multidimensional Data with Local Differential "
        "Privacy, IEEE ICDE 2019; that it is not minimax, from the certified optimum"
    ),
    family=Family({"epsilon": Real(0.2, 4.0)}),
    printed=_variance,
    test=_loses_variance,
)
PIECEWISE = Theorem(
    key="ours/piecewise-mechanism",
    place="error of one number under LDP",
    kind="upper bound",
    words=(
        "The optimal piecewise-based mechanism is not minimax among all mechanisms: under LDP there is one with a "
        "smaller worst-case absolute, and one with a smaller worst-case squared error of any number of [-1, 1]."
    ),
    origin=(
        "the mechanism is in Zheng, Mishra, Hu, Optimal Piecewise-based Mechanism for Collecting Bounded Numerical "
        "Data under Local Differential Privacy, PoPETs 2025; that it is not minimax, from the certified optimum"
    ),
    family=Family({"epsilon": Real(0.1, 4.0), "loss": Choice(("absolute", "squared"))}),
    loose="the optimum is lower by more than one percent",
    printed=_error,
    test=_loses_error,
)
