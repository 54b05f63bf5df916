"""Figure 6b: sums of people with ever more possible values, at epsilon = 1."""

from __future__ import annotations

import numpy as np

from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.jiang_lip.compared import (
    AXES,
    HALF_BEST,
    HALF_PRINTED,
    LDP_BEST,
    LDP_PRINTED,
    LIP_PRINTED,
    beats,
    compared,
)
from mechdesign.figures.sentences import at, share_private
from mechdesign.figures.squared_errors import one
from mechdesign.problem import Problem

KEY = "jiang_lip/fig6b"
SIZES = np.array([2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20])
EPSILON = 1.0


def make() -> PaperFigure:
    """Return the curves of LIP at epsilon and at epsilon/2, and of LDP, against the number of values."""
    points = [(one(Problem(prior=np.full(n, 1.0 / n), values=np.arange(float(n)))), EPSILON) for n in SIZES]
    curves = compared(SIZES, points)
    printed, private = (beats(curves, *pair) for pair in ((HALF_PRINTED, LDP_PRINTED), (HALF_BEST, LDP_BEST)))
    because = (
        f"eps/2-LIP is plotted below eps-LDP at {printed.sum()} of the {len(SIZES)} sizes, from "
        f"d = {SIZES[printed].min() if printed.any() else 'none'} on; with private and optimal mechanisms it is so at "
        f"{private.sum()} of them. At d = 20 eps/2-LIP is plotted at {at(curves, HALF_PRINTED, 20)}, the least private "
        f"error is {at(curves, HALF_BEST, 20)}, and LDP's {at(curves, LDP_BEST, 20)} (randomised response, which is "
        f"plotted: {at(curves, LDP_PRINTED, 20)}). {share_private(curves, LIP_PRINTED)}"
    )
    return PaperFigure(
        KEY,
        "Error of a sum of values 0 to d - 1 against d",
        ("d, number of values", AXES[1]),
        curves,
        left(private, curves),
        because,
        "n = d = 2, ..., 20, prior uniform, epsilon = 1, as in the paper",
        better="lower",
    )
