"""The bound on the least flip of one bit: its hypothesis, whether it is one, and whether it is the solution."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.geumlek.flips import PAIR, hiding
from mechdesign.theorems.variables import Real


def _ends(point: Point) -> tuple[tuple[np.float64, np.float64], tuple[np.float64, np.float64]]:
    """Return numerator and denominator of the two fractions of (7), both signs of the second turned."""
    grown = np.exp(point.epsilon)
    first = point.second - grown * point.first
    second = grown * point.second - point.first
    return (first, 2.0 * first - (1.0 - grown)), (second - grown + 1.0, 2.0 * second - grown + 1.0)


def bound(point: Point) -> float:
    """Return ``max{0, A/(2A - (1 - e^epsilon)), (p_i - e^epsilon p_j + e^epsilon - 1)/(2 (..) + e^epsilon - 1)}``."""
    with np.errstate(divide="ignore"):
        return float(max(0.0, *(over / under for over, under in _ends(point))))


IN_ORDER = Condition("p_j", "p_i", lambda point: (point.second, point.first))
IN_REACH = Condition("e^epsilon p_j", "p_j", lambda point: (float(np.exp(point.epsilon)) * point.second, point.second))


def _two_hold(point: Point, _: None) -> list[Check]:
    first, second = ((1 - point.flip) * p + point.flip * (1 - p) for p in (point.first, point.second))
    return [
        AtMost(first, second, "output 1 of the first profile against the second", scale=1.0),
        AtMost(1.0 - second, 1.0 - first, "output 0 of the second profile against the first", scale=1.0),
    ]


O10 = Theorem(
    key="geumlek/O10",
    place="Observation 10, hypothesis",
    kind="implication",
    words=(
        "With p_i <= p_j <= e^epsilon p_j two of the four constraints of (4) hold by themselves for flips up to 1/2. "
        "The hypothesis's second inequality says nothing: it holds for every p_j."
    ),
    latex=r"p_i \le p_j \le e^{\epsilon} p_j",
    family=Family({**PAIR, "flip": Real(0.0, 1.0)}),
    test=_two_hold,
    claimed=(IN_ORDER, IN_REACH, Condition("1/2", "the flip", lambda point: (0.5, point.flip))),
    loose="a statement without a constant",
)


def least_feasible(point: Point) -> float:
    """Return the least flip of (4) from its four inequalities, each linear in the flip and satisfied at 1/2."""
    low, least = float(np.exp(-point.epsilon)), 0.0
    for p, q in ((point.first, point.second), (point.second, point.first)):
        for ours, theirs in ((p, q), (1.0 - p, 1.0 - q)):
            excess, half = low * ours - theirs, (low - 1.0) / 2.0
            if excess > 0.0:
                least = max(least, 0.5 * excess / (excess - half))
    return least


def _bounds(point: Point, given: float) -> list[Check]:
    best = Optimum(hiding(point))
    return [
        AtMost(best, given, "the least flip", scale=1.0),
        Equal(best, least_feasible(point), "the least flip against (4)", scale=1.0),
    ]


O10A = Theorem(
    key="geumlek/O10a",
    place="Observation 10, eq. (7), as a bound",
    kind="upper bound",
    words="For p_i <= p_j the least flip of (4) is at most the largest of 0 and the two fractions of (7).",
    latex=(
        r"\max\left(0, \frac{p_j - e^{\epsilon} p_i}{2(p_j - e^{\epsilon} p_i) - (1 - e^{\epsilon})}, "
        r"\frac{p_i - e^{\epsilon} p_j + e^{\epsilon} - 1}{2(p_i - e^{\epsilon} p_j) + e^{\epsilon} - 1}\right)"
    ),
    family=Family(PAIR),
    printed=bound,
    test=_bounds,
    claimed=(IN_ORDER, IN_REACH),
    # With A, B the two numerators, A + B = (1 + E)(p_j - p_i) - (E - 1): for p_i >= p_j one of them is at most
    # -(E - 1)/2, and its fraction then at least 1/2.
    wider="for p_i > p_j one of the two fractions is at least 1/2, more than any least flip",
)


_SOUND = (
    Condition("2 (p_j - e^epsilon p_i) + e^epsilon - 1", "0", lambda point: (_ends(point)[0][1], 0.0)),
    Condition("2 ((1 - p_i) - e^epsilon (1 - p_j)) + e^epsilon - 1", "0", lambda point: (_ends(point)[1][1], 0.0)),
)

O10B = Theorem(
    key="geumlek/O10b",
    place="Observation 10, eq. (7), as the solution",
    kind="exact optimum",
    words="The largest of 0 and the two fractions of (7) satisfies all constraints of (4) and is its least flip.",
    latex=O10A.latex,
    family=Family(PAIR),
    printed=bound,
    test=lambda point, given: [Equal(least_feasible(point), given, "the least flip", scale=1.0)],
    claimed=(IN_ORDER, IN_REACH),
    # A fraction with a negative denominator has a negative numerator too: it is 1 or more, no probability.
    narrower=_SOUND,
)


def root(point: Point) -> tuple[Fraction, Fraction]:
    """Return numerator and denominator of the printed solution of (38), with ``e^-epsilon``."""
    lowered = point.first - point.second / point.E
    return lowered + 1 / point.E - 1, 2 * lowered + 1 / point.E - 1


def mended_root(point: Point) -> tuple[Fraction, Fraction]:
    """Return numerator and denominator of the printed solution of (38) with ``e^epsilon`` for ``e^-epsilon``."""
    raised = point.first - point.second * point.E
    return raised + point.E - 1, 2 * raised + point.E - 1


def _solves(point: Point, given: tuple[Fraction, Fraction]) -> list[Check]:
    over, under = given
    zeros = [(1 - p) * (under - over) + p * over for p in (point.first, point.second)]
    return [Equal(zeros[0], point.E * zeros[1], "(38) with equality, times the denominator")]


O19 = Theorem(
    key="geumlek/O19",
    place="Observation 19, solution of (38)",
    kind="identity",
    words=("Equality in (38) is at alpha = D/(2 D - e^-epsilon + 1), where D = p_i - e^-epsilon p_j + e^-epsilon - 1."),
    latex=(
        r"\alpha = \frac{p_i - e^{-\epsilon} p_j + e^{-\epsilon} - 1}"
        r"{2(p_i - e^{-\epsilon} p_j) + e^{-\epsilon} - 1}"
    ),
    family=Family({"E": Real(1.05, 20.0), "first": Real(0.0, 1.0), "second": Real(0.0, 1.0)}, exact=True),
    claimed=(IN_ORDER,),
    printed=root,
    test=_solves,
    corrected=mended_root,
    correction="e^epsilon in place of e^-epsilon, as in eq. (7); the print is 1 less the solution of (37)",
    wider="the equation is the same for p_i > p_j",
)
