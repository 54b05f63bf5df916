"""The least total variance of estimated frequencies if some values are not sensitive, at equal frequencies."""

from __future__ import annotations

import math

import numpy as np

from mechdesign.notions import UtilityOptimizedLDP
from mechdesign.objectives import InformationDesign
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Whole


def response(n: int, sensitive: int, epsilon: float) -> Array:
    """Return the mechanism that reports sensitive inputs by randomised response and others as they are, or protected.

    Parameters
    ----------
    n : int
    sensitive : int
        The first `sensitive` inputs are.
    epsilon : float
        In nats.
    """
    ratio = math.exp(epsilon)
    matrix = np.zeros((n, n))
    matrix[:, :sensitive] = 1.0 / (ratio + sensitive - 1.0)
    own = np.where(np.arange(n) < sensitive, ratio, ratio - 1.0) / (ratio + sensitive - 1.0)
    np.fill_diagonal(matrix, own)
    return matrix


def _asked(point: Point) -> Question:
    n = point.sensitive + point.others
    problem = Problem(prior=np.full(n, 1.0 / n))
    return Question(problem, UtilityOptimizedLDP(point.epsilon, range(point.sensitive)), InformationDesign("A"))


def least_variance(question: Question) -> Published:
    """Return ``(d / (E - 1))^2 (s a (1 - a) + (n - s) b (1 - b))`` and randomised response among the sensitive inputs.

    ``d = E + s - 1``, ``a = (E + n - 1) / (n d)`` and ``b = (E - 1) / (n d)``.
    """
    assert isinstance(question.notion, UtilityOptimizedLDP), "the statement is about UtilityOptimizedLDP"
    n, s, ratio = question.problem.n, len(question.notion.sensitive), math.exp(question.notion.epsilon)
    d = ratio + s - 1.0
    a, b = (ratio + n - 1.0) / (n * d), (ratio - 1.0) / (n * d)
    value = (d / (ratio - 1.0)) ** 2 * (s * a * (1.0 - a) + (n - s) * b * (1.0 - b))
    return Published(response(n, s, question.notion.epsilon), value)


def _levels(question: Question) -> tuple[float, float]:
    assert isinstance(question.notion, UtilityOptimizedLDP), "the statement is about UtilityOptimizedLDP"
    return math.exp(question.notion.epsilon), len(question.notion.sensitive) - 1.0


SENSITIVE_INPUTS = Theorem(
    key="ours/sensitive-inputs",
    place="A-optimal design if some inputs are sensitive",
    kind="exact optimum",
    words=(
        "If s of n equally frequent values are sensitive and e^epsilon >= s - 1, utility-optimised randomised response "
        "has the least total variance of the estimated frequencies under utility-optimised LDP: (d/(E-1))^2 "
        "(s a (1-a) + (n-s) b (1-b)), with d = E+s-1, a = (E+n-1)/(n d) and b = (E-1)/(n d)."
    ),
    latex=(
        r"\left(\frac{d}{E-1}\right)^2 \left(s a (1 - a) + (n - s) b (1 - b)\right), \quad d = E + s - 1, "
        r"\ a = \frac{E + n - 1}{n d}, \ b = \frac{E - 1}{n d}"
    ),
    origin=(
        "the mechanism is that of Murakami, Kawamoto, Utility-Optimized Local Differential Privacy Mechanisms for "
        "Distribution Estimation, USENIX Security 2019; that it is optimal is not published, as far as we know, and "
        "not proved here: each point has its certificate"
    ),
    family=Family({"sensitive": Whole(1, 4), "others": Whole(1, 3), "epsilon": Real(0.1, 3.0)}, subject=_asked),
    claimed=(Condition("e^epsilon", "s - 1", _levels),),
    printed=least_variance,
    test=is_optimal,
)
