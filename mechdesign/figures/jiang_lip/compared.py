"""What most figures of the paper compare: LIP at epsilon and at epsilon/2 with LDP at epsilon, printed and best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mechdesign.baselines.response_matrix import response_matrix
from mechdesign.figures.figure import Behind, Curve
from mechdesign.figures.squared_errors import Point, best, published
from mechdesign.notions import LDP, LIP
from mechdesign.objectives import HistogramMMSE
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.jiang_lip.lip_optimum import closed_form

AXES = ("epsilon, nats", "sqrt(E/N), root of the mean squared error per person")
LIP_BEST, HALF_BEST, LDP_BEST = "best eps-LIP", "best eps/2-LIP", "best eps-LDP"
LIP_PRINTED, HALF_PRINTED, LDP_PRINTED = "eps-LIP, Theorem 3", "eps/2-LIP, Theorem 3", "eps-LDP, randomised response"


def printed_lip(problem: Problem, epsilon: float) -> Behind:
    """Return the mechanism of Theorems 2, 3 and 5 at that level."""
    return Behind(closed_form(Question(problem, LIP(epsilon), HistogramMMSE())).matrix, LIP(epsilon), problem)


def printed_ldp(problem: Problem, epsilon: float) -> Behind:
    """Return randomised response, printed as the optimum of LDP."""
    return Behind(response_matrix(problem.n, epsilon), LDP(epsilon), problem)


def halved(points: Sequence[Point]) -> list[Point]:
    """Return the points, with their people, at half their levels."""
    return [(people, level / 2.0) for people, level in points]


def compared(x: npt.ArrayLike, points: Sequence[Point]) -> tuple[Curve, ...]:
    """Return the three printed curves, the three best ones, and the bounds of those."""
    half = halved(points)
    return (
        published(LIP_PRINTED, x, points, printed_lip, LIP_BEST),
        published(HALF_PRINTED, x, half, printed_lip, HALF_BEST),
        published(LDP_PRINTED, x, points, printed_ldp, LDP_BEST),
        *best(LIP_BEST, x, points, LIP),
        *best(HALF_BEST, x, half, LIP),
        *best(LDP_BEST, x, points, LDP),
    )


def beats(curves: Sequence[Curve], left: str, right: str, margin: float = 1e-6) -> npt.NDArray[np.bool_]:
    """Return where the curve `left` is below `right` by more than a given share."""
    named = {curve.name: curve.y for curve in curves}
    return np.asarray(named[left] < named[right] * (1.0 - margin))
