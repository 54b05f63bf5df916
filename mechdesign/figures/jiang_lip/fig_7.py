"""Figure 7: histograms of people with twenty possible answers, by LIP, by LDP, and by unary encoding."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mechdesign.baselines import unary_encoding
from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import Behind, Curve, PaperFigure
from mechdesign.figures.jiang_lip.compared import (
    AXES,
    HALF_BEST,
    LDP_BEST,
    LIP_BEST,
    LIP_PRINTED,
    compared,
)
from mechdesign.figures.sentences import at, share_private
from mechdesign.figures.squared_errors import audited, levels, one
from mechdesign.notions import LDP
from mechdesign.objectives import HistogramMMSE
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.family import Point
from mechdesign.theorems.jiang_lip.context_free import OUE

KEY = "jiang_lip/fig7"
EPSILONS = np.array([0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0])
SIZE = 20
UNARY_PRINTED, UNARY = "unary encoding (OUE), as printed", "unary encoding (OUE), over all items"


def _behind(epsilon: float) -> tuple[Behind, ...]:
    # Each answer changes two bits, so that the level is that of two answers already.
    two = Problem(n=2)
    return (Behind(unary_encoding(two, epsilon).matrix, LDP(epsilon), two),)


def _unary() -> tuple[Curve, Curve]:
    """Return the error of unary encoding per person: as printed, for one item, and over all items."""
    assert OUE.corrected is not None, "the print is that of one item"
    asked = [Point({"d": SIZE, "N": 1, "epsilon": float(epsilon)}) for epsilon in EPSILONS]
    behind = [_behind(float(epsilon)) for epsilon in EPSILONS]
    printed = audited(UNARY_PRINTED, EPSILONS, [math.sqrt(OUE.printed(each)) for each in asked], behind, UNARY)
    found = audited(UNARY, EPSILONS, [math.sqrt(OUE.corrected(each)) for each in asked], behind)
    return printed, Curve(UNARY, "feasible", found.x, found.y, found.private, "", found.behind)


def _below(upper: Array, lower: Array) -> npt.NDArray[np.bool_]:
    return np.asarray(lower <= upper * (1.0 + 1e-6))


def make() -> PaperFigure:
    """Return the curves of LIP at epsilon and epsilon/2, of LDP, and of unary encoding."""
    histogram = one(Problem(prior=np.full(SIZE, 1.0 / SIZE)), HistogramMMSE())
    curves = (*compared(EPSILONS, levels(histogram, EPSILONS)), *_unary())
    named = {curve.name: curve.y for curve in curves}
    between = _below(named[LDP_BEST], named[LIP_BEST]) & _below(named[HALF_BEST], named[LDP_BEST])
    overtakes = named[UNARY] < named[LDP_BEST]
    because = (
        f"Between private and optimal mechanisms LDP lies between LIP at epsilon and at epsilon/2 at {between.sum()} "
        f"of {len(EPSILONS)} levels. Unary encoding overtakes it at {overtakes.sum()}: the printed error is that of "
        f"one item nobody holds, {at(curves, UNARY_PRINTED, 10.0)} at epsilon = 10; over all items, as the other "
        f"curves are, it is {at(curves, UNARY, 10.0)}, against {at(curves, LDP_BEST, 10.0)} for LDP. "
        f"{share_private(curves, LIP_PRINTED)}"
    )
    return PaperFigure(
        KEY,
        "Error of a histogram of 20 items by LIP, by LDP, and by unary encoding",
        AXES,
        curves,
        left([*between, *overtakes[len(EPSILONS) // 2 :]], curves),
        because,
        f"n = {SIZE}, prior uniform (the paper gives none), epsilon = 0.5 to 10",
        log_y=True,
        better="lower",
    )
