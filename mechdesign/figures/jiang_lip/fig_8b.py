"""Figure 8, N = 500 and 50,000: a survey of many people with priors of their own."""

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
    LIP_BEST,
    LIP_PRINTED,
    beats,
    compared,
)
from mechdesign.figures.sentences import at, share_private
from mechdesign.figures.squared_errors import bits, levels

KEY = "jiang_lip/fig8b"
EPSILONS = np.array([0.5, 1.0, 2.0, 3.0, 4.0, 5.0])
#: Errors are the same for P1 and 1 - P1, so that the lower half of [0, 1] stands for the whole.
PARTS = 60


def make() -> PaperFigure:
    """Return the curves of LIP at epsilon and epsilon/2, and of LDP."""
    priors = (np.arange(PARTS) + 0.5) / (2.0 * PARTS)
    curves = compared(EPSILONS, levels(bits(priors), EPSILONS))
    always, never = beats(curves, LIP_BEST, LDP_BEST), beats(curves, HALF_BEST, LDP_BEST)
    because = (
        f"LIP's error is below that of LDP at {always.sum()} of {len(EPSILONS)} levels: at epsilon = 1 it is plotted "
        f"at {at(curves, LIP_PRINTED, 1.0)}, the least private error is {at(curves, LIP_BEST, 1.0)}, and LDP's "
        f"{at(curves, LDP_BEST, 1.0)}. eps/2-LIP is below LDP at {never.sum()} levels, and plotted below it at "
        f"{beats(curves, HALF_PRINTED, LDP_PRINTED).sum()}. {share_private(curves, LIP_PRINTED)}"
    )
    return PaperFigure(
        KEY,
        "Error of a survey of many people with priors of their own",
        AXES,
        curves,
        left([*always, *~never], curves),
        because,
        f"n = 2, priors P1 in the middles of {PARTS} equal parts of [0, 1/2], which stand for N = 500 and 50,000 "
        "people with P1 uniform in [0, 1]; epsilon = 0.5 to 5; expected errors in place of 10,000 simulations",
        better="lower",
    )
