"""What the least flip of one bit between two profiles is compared with, and how privacy grows with it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechdesign.notions import LDP, ProfileDP
from mechdesign.objectives import MaxOffDiagonal
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.geumlek.programs import asked, bernoulli, smooth_flips
from mechdesign.theorems.variables import Real


def hiding(point: Point) -> Question:
    """Return the question of (4) for two profiles with these probabilities of a one."""
    return asked(ProfileDP(point.epsilon, bernoulli((point.first, point.second)), [(0, 1)], sees_profile=False))


def warner(point: Point) -> float:
    """Return the flip of randomised response, ``1/(1 + e^epsilon)``."""
    return float(1.0 / (1.0 + np.exp(point.epsilon)))


def _below_warner(point: Point, given: float) -> list[Check]:
    least = Optimum(hiding(point))
    if {point.first, point.second} == {0.0, 1.0}:
        return [Equal(least, given, "the least flip between two certain bits")]
    return [AtMost(least, given, "the least flip", strictly=True)]


PAIR = {"epsilon": Real(0.05, 3.0), "first": Real(0.0, 1.0), "second": Real(0.0, 1.0)}

B4 = Theorem(
    key="geumlek/4b",
    place="after eq. (4)",
    kind="comparison",
    words=(
        "Between the profiles of two certain bits the least flip is that of randomised response; between any other two "
        "it is less."
    ),
    latex=r"\alpha^* = \frac{1}{1 + e^{\epsilon}}",
    family=Family(PAIR),
    printed=warner,
    test=_below_warner,
)


def _ones(point: Point, flip: Fraction) -> tuple[Fraction, Fraction]:
    """Return the probabilities of an output 1 under both profiles."""
    p, q = point.first, point.second
    return p * (1 - flip) + (1 - p) * flip, q * (1 - flip) + (1 - q) * flip


def slope(point: Point) -> Fraction:
    """Return ``(p_2 - p_1) / (q_1 q_2)``."""
    first, second = _ones(point, point.flip)
    apart: Fraction = point.second - point.first
    return apart / (first * second)


def _monotone(point: Point, given: Fraction) -> list[Check]:
    more = (point.flip + Fraction(1, 2)) / 2
    (a, b), (later_a, later_b) = _ones(point, point.flip), _ones(point, more)
    # The probabilities are linear in the flip: a difference over any step is the derivative. The step may be 0 at 1/2.
    step_a, step_b = (1 - 2 * p for p in (point.first, point.second))
    return [
        Equal(step_a / a - step_b / b, given, "the derivative of ln(q_1/q_2)"),
        AtMost(given, Fraction(0), "the derivative is not positive"),
        AtMost(-step_b / (1 - b) + step_a / (1 - a), Fraction(0), "nor is it for the other output"),
        AtMost(later_a / later_b, a / b, "the ratio at a larger flip"),
        AtMost((1 - later_b) / (1 - later_a), (1 - b) / (1 - a), "the other output's ratio at a larger flip"),
    ]


MONO = Theorem(
    key="geumlek/mono",
    place="eq. (28)-(31)",
    kind="identity",
    words=(
        "The logarithm of the ratio of an output's probabilities falls as the flip grows to 1/2; for output 1 its "
        "derivative is (p_2 - p_1)/(q_1 q_2)."
    ),
    latex=r"\frac{\partial}{\partial \alpha} \ln \frac{q_1}{q_2} = \frac{p_2 - p_1}{q_1 q_2}",
    family=Family({"first": Real(0.0, 1.0), "second": Real(0.0, 1.0), "flip": Real(0.01, 0.5)}, exact=True),
    printed=slope,
    test=_monotone,
    claimed=(Condition("p_1", "p_2", lambda point: (point.first, point.second)),),
)


def two_forms(point: Point) -> tuple[float, float]:
    """Return ``1/(1 + (1 + e^epsilon - 1))`` and ``1/(1 + (1 + (e^epsilon - 1)/(p_j - e^epsilon p_i)))``."""
    grown = np.exp(point.epsilon)
    with np.errstate(divide="ignore"):
        share = np.float64(grown - 1.0) / (point.second - grown * point.first)
    return float(1.0 / (1.0 + (1.0 + grown - 1.0))), float(1.0 / (1.0 + (1.0 + share)))


def _improves(point: Point, given: tuple[float, float]) -> list[Check]:
    local, ours = given
    p, q, grown = point.first, point.second, np.exp(point.epsilon)
    bits = Question(Problem(n=2), LDP(point.epsilon), MaxOffDiagonal())
    ends = [r * (1.0 - ours) + (1.0 - r) * ours for r in (p, q)]
    return [
        Equal(local, Optimum(bits), "the least flip under LDP"),
        Equal(ends[1], grown * ends[0], "(37) holds with equality", scale=1.0),
        AtMost(ours, local, "the flip of (37) against that of LDP"),
    ]


RRCMP = Theorem(
    key="geumlek/RRcmp",
    place="after Observation 10",
    kind="comparison",
    words=(
        "LDP takes a flip of 1/(1 + e^epsilon); the bound that profile-based privacy sets, "
        "1/(1 + (1 + (e^epsilon - 1)/(p_j - e^epsilon p_i))), is no larger."
    ),
    latex=(
        r"\frac{1}{1 + \left(1 + \frac{e^{\epsilon} - 1}{p_j - e^{\epsilon} p_i}\right)} \le "
        r"\frac{1}{1 + e^{\epsilon}}"
    ),
    family=Family(PAIR),
    printed=two_forms,
    test=_improves,
    claimed=(Condition("p_j", "e^epsilon p_i", lambda point: (point.second, np.exp(point.epsilon) * point.first)),),
)


def smooth_pair(point: Point, first: float, second: float) -> float:
    """Return the value of program (5) on one edge."""
    return float(smooth_flips(np.array([first, second]), [(0, 1)], point.epsilon).max())


def _grows(point: Point, given: float) -> list[Check]:
    near, far = sorted((point.near, point.far))
    start = point.start
    fixed = [smooth_pair(point, start, start + d * (1.0 - start)) for d in (near, far)]
    centred = [smooth_pair(point, (1.0 - d) / 2.0, (1.0 + d) / 2.0) for d in (near, far)]
    return [
        check
        for (less, more), what in ((fixed, "with one profile fixed"), (centred, "with the two around 1/2"))
        for check in (
            AtMost(less, more, f"the flip at a larger difference, {what}", scale=1.0),
            AtMost(more, given, f"the flip {what} against randomised response"),
        )
    ]


FIG2A = Theorem(
    key="geumlek/Fig2a",
    place="Figure 2(a)",
    kind="comparison",
    words=(
        "The flip of the Smooth One Bit mechanism for two profiles grows with the difference of their parameters, one "
        "fixed or both around 1/2, and stays below randomised response's."
    ),
    latex=r"\alpha \le \frac{1}{1 + e^{\epsilon}}",
    family=Family({"epsilon": Real(0.05, 3.0), "start": Real(0.0, 1.0), "near": Real(0.0, 1.0), "far": Real(0.0, 1.0)}),
    printed=warner,
    test=_grows,
)
