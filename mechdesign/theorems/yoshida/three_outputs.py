"""Two secrets at bounded weighted total variation: three outputs are optimal."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import WeightedTV
from mechdesign.objectives import FisherInformation, KLDivergence, Separable, TotalVariation
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Form, Theorem
from mechdesign.theorems.checks import Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Real


def fisher(point: Point) -> FisherInformation:
    """Return the Fisher information of the share theta of the second secret."""
    return FisherInformation(theta=[1.0 - point.theta, point.theta], direction=[-1.0, 1.0])


def asked(point: Point) -> Question:
    """Return the question of the largest Fisher information."""
    return Question(Problem(n=2), WeightedTV(point.delta, point.weight), fisher(point))


def asked_of_any(point: Point) -> Question:
    """Return the question of one of the sums of sublinear functions."""
    mixtures = {"first": [1.0 - point.theta, point.theta], "second": [0.6, 0.4]}
    objective = {"Fisher": fisher(point), "KL": KLDivergence(**mixtures), "TV": TotalVariation(**mixtures)}
    return Question(Problem(n=2), WeightedTV(point.delta, point.weight), objective[point.utility])


def parameters(question: Question) -> tuple[float, float]:
    """Return ``a = (1 - delta)/2`` and the weight w."""
    assert isinstance(question.notion, WeightedTV), "the form is about WeightedTV"
    return (1.0 - question.notion.delta) / 2.0, question.notion.weight


def three_outputs(question: Question) -> Published:
    """Return rows ``[a/(1-w), 1 - a/(1-w), 0]`` and ``[a/w, 0, 1 - a/w]`` with ``a = (1 - delta)/2``, w the weight.

    The first output says nothing that the weight does not say, the others betray the secret. The value is
    ``s^2 (1 - a/(w (1-t) + (1-w) t)) / (t (1-t))`` at the mixture ``(1-t, t)`` and direction ``(-s, s)``.
    """
    a, w = parameters(question)
    # At the ends of the domain a/w or a/(1-w) is 1, up to rounding.
    first, second = min(a / (1.0 - w), 1.0), min(a / w, 1.0)
    matrix = np.array([[first, 1.0 - first, 0.0], [second, 0.0, 1.0 - second]])
    if not isinstance(question.objective, FisherInformation):
        return Published(matrix)
    other, t = question.objective.theta / question.objective.theta.sum()
    slope = question.objective.direction[1]
    return Published(matrix, float(slope**2 / (t * other) * (1.0 - a / (w * other + (1.0 - w) * t))))


def _reached(question: Question) -> tuple[float, float]:
    assert isinstance(question.notion, WeightedTV), "the form is about WeightedTV"
    return question.notion.delta, abs(1.0 - 2.0 * question.notion.weight)


#: Below it no mechanism is private, not even one whose output is independent of the input.
ATTAINABLE = Condition("delta", "|1 - 2 weight|", _reached)

VARIABLES = {"delta": Real(0.05, 0.95), "weight": Real(0.05, 0.95), "theta": Real(0.05, 0.95)}

T1iii = Theorem(
    key="yoshida/T1iii",
    place="Theorem 1 (iii)",
    kind="exact optimum",
    words=(
        "With three outputs or more, the largest Fisher information at theta is "
        "(1/(theta (1-theta))) (1 - a/(w (1-theta) + (1-w) theta)) with a = (1-delta)/2."
    ),
    latex=r"\frac{1}{\theta(1-\theta)}\left(1 - \frac{a}{w(1-\theta) + (1-w)\theta}\right)",
    family=Family(VARIABLES, subject=asked),
    printed=three_outputs,
    test=is_optimal,
    claimed=(ATTAINABLE,),
    form=Form(WeightedTV, FisherInformation, "Fisher information", inputs=2),
)

T2 = Theorem(
    key="yoshida/T2",
    place="Theorem 2",
    kind="exact optimum",
    words=(
        "With three outputs or more, one mechanism maximises the sum over outputs of every sublinear function of the "
        "two probabilities."
    ),
    latex=(
        r"p_0 = \left[\frac{a}{1-w}, 1 - \frac{a}{1-w}, 0\right], \quad "
        r"p_1 = \left[\frac{a}{w}, 0, 1 - \frac{a}{w}\right], \quad a = \frac{1-\delta}{2}"
    ),
    family=Family({**VARIABLES, "utility": Choice(("Fisher", "KL", "TV"))}, subject=asked_of_any),
    printed=three_outputs,
    test=is_optimal,
    claimed=(ATTAINABLE,),
    form=Form(WeightedTV, Separable, "utilities that are sums over outputs", inputs=2),
)
