"""The least total variance of estimated frequencies if some values are not sensitive, at equal frequencies.

A design is A-optimal exactly if ``|J^-1 q|^2 / (p . q) <= nu . q`` for every column q: J is its information matrix, p
the frequencies, and nu gives equality at its own columns (general equivalence theorem). Protected columns have
entries 1 and E. Of those with a sensitive and b other inputs at E, pairs of sensitive inputs are the last to hold: if
``2 d^4 - 4 (s - 1) d^3 + (s^2 - s - m^2 - 2 m s + 7 m) d^2 + 4 m^2 d - m s (m + s) >= 0``, with ``d = E + s - 1``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mechdesign.baselines.sensitive_response import sensitive_response
from mechdesign.notions import UtilityOptimizedLDP
from mechdesign.objectives import InformationDesign
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Private
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Whole

#: Inputs up to which the optimum is computed besides.
FEW = 7


def least_variance(point: Point) -> float:
    """Return ``(d / (E - 1))^2 (s a (1 - a) + m b (1 - b))``, ``a = (E + n - 1) / (n d)``, ``b = (E - 1) / (n d)``."""
    n, s, ratio = point.sensitive + point.others, point.sensitive, math.exp(point.epsilon)
    d = ratio + s - 1.0
    a, b = (ratio + n - 1.0) / (n * d), (ratio - 1.0) / (n * d)
    return float((d / (ratio - 1.0)) ** 2 * (s * a * (1.0 - a) + point.others * b * (1.0 - b)))


def pairs_excess(point: Point) -> tuple[float, float]:
    """Return both sides of the condition for pairs of sensitive inputs, over ``d^4``."""
    s, m = float(point.sensitive), float(point.others)
    d = math.exp(point.epsilon) + s - 1.0
    return 2.0 + (s * s - s - m * m - 2.0 * m * s + 7.0 * m) / d**2 + 4.0 * m * m / d**3, (
        4.0 * (s - 1.0) / d + m * s * (m + s) / d**4
    )


def largest_gain(matrix: Array, sensitive: int, ratio: float) -> float:
    """Return the largest of ``|J^-1 q|^2 / ((p . q) (nu . q))`` over protected columns: at most 1 at the optimum."""
    n, mass = len(matrix), matrix.mean(axis=0)
    inverse = np.linalg.inv((matrix / mass) @ matrix.T)
    gain = (np.linalg.norm(inverse @ matrix, axis=0) ** 2) / mass
    # One nu for the sensitive inputs, one for the others.
    one, other = matrix[:, 0], matrix[:, -1]
    of_other = gain[-1] / other.sum()
    of_sensitive = (gain[0] - of_other * one[sensitive:].sum()) / one[:sensitive].sum()
    found = []
    for a in range(sensitive + 1):
        for b in range(n - sensitive + 1):
            column = np.ones(n)
            column[:a] = column[sensitive : sensitive + b] = ratio
            dual = of_sensitive * column[:sensitive].sum() + of_other * column[sensitive:].sum()
            found.append(float(np.sum((inverse @ column) ** 2) / column.mean() / dual))
    return max(found)


def _is_least(point: Point, given: float) -> Iterator[Check]:
    n, ratio = point.sensitive + point.others, math.exp(point.epsilon)
    problem = Problem(prior=np.full(n, 1.0 / n))
    question = Question(problem, UtilityOptimizedLDP(point.epsilon, range(point.sensitive)), InformationDesign("A"))
    made = sensitive_response(problem, point.epsilon, range(point.sensitive)).matrix
    yield Private(made, problem, question.notion, "the mechanism is private")
    yield Equal(question.objective.value(made, problem), given, "its total variance")
    yield AtMost(largest_gain(made, point.sensitive, ratio), 1.0, "no column gains")
    if n <= FEW:
        yield Equal(Optimum(question), given, "no mechanism is better")


SENSITIVE_INPUTS = Theorem(
    key="ours/sensitive-inputs",
    place="A-optimal design if some inputs are sensitive",
    kind="exact optimum",
    words=(
        "If s >= 2 of n = s + m equally frequent values are sensitive, utility-optimised randomised response has the "
        "least total variance of the estimated frequencies under utility-optimised LDP, (d/(E-1))^2 (s a (1-a) + "
        "m b (1-b)) with d = E+s-1, a = (E+n-1)/(n d) and b = (E-1)/(n d), exactly if 2 d^4 - 4 (s-1) d^3 + "
        "(s^2 - s - m^2 - 2 m s + 7 m) d^2 + 4 m^2 d - m s n >= 0: of many other values only at a large E."
    ),
    latex=(
        r"\left(\frac{d}{E-1}\right)^2 \left(s a (1 - a) + m b (1 - b)\right), \quad d = E + s - 1, "
        r"\ a = \frac{E + n - 1}{n d}, \ b = \frac{E - 1}{n d}"
    ),
    origin=(
        "the mechanism is that of Murakami, Kawamoto, Utility-Optimized Local Differential Privacy Mechanisms for "
        "Distribution Estimation, USENIX Security 2019; when it is optimal is not published, as far as we know"
    ),
    family=Family({"sensitive": Whole(2, 6), "others": Whole(1, 12), "epsilon": Real(0.1, 4.0)}),
    claimed=(Condition("2 + (s^2-s-m^2-2ms+7m)/d^2 + 4m^2/d^3", "4(s-1)/d + ms(m+s)/d^4", pairs_excess),),
    printed=least_variance,
    test=_is_least,
)
