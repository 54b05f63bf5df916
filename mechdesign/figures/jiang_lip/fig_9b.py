"""Figure 9b: a histogram of last places, on check-ins of Gowalla in New York City."""

from __future__ import annotations

import numpy as np

from mechdesign.figures.conclusions import left
from mechdesign.figures.counted import rows
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
from mechdesign.figures.squared_errors import levels, one
from mechdesign.objectives import HistogramMMSE
from mechdesign.problem import Problem
from mechdesign.tolerances import GAP

KEY = "jiang_lip/fig9b"
EPSILONS = np.array([0.5, 1.0, 2.0, 3.0, 4.0])


def past() -> Problem:
    """Return the cells that were ever checked into before; their shares of the check-ins are the prior."""
    counts = np.array([float(row["past"]) for row in rows("gowalla-nyc-cells")])
    used = counts[counts > 0]
    return Problem(prior=used / used.sum())


def make() -> PaperFigure:
    """Return the curves of LIP at epsilon and at epsilon/2, and of LDP."""
    cells = past()
    curves = compared(EPSILONS, levels(one(cells, HistogramMMSE()), EPSILONS))
    named = {curve.name: curve.y for curve in curves}
    above, small = beats(curves, LIP_BEST, LDP_BEST), beats(curves, HALF_BEST, LDP_BEST)
    wide = 1.0 - (named[f"{LIP_BEST}: bound"] / named[LIP_BEST]).min()
    apart = f"up to {100.0 * wide:.2g} %" if wide > GAP else "less than 0.0001 %"
    beyond = named[f"{LIP_BEST}: bound"] > named[LIP_PRINTED]
    because = (
        f"eps-LIP is below eps-LDP at {above.sum()} of {len(EPSILONS)} levels: at epsilon = 1 it is plotted at "
        f"{at(curves, LIP_PRINTED, 1.0)}, the best private error found is {at(curves, LIP_BEST, 1.0)}, and LDP's "
        f"{at(curves, LDP_BEST, 1.0)}. eps/2-LIP is plotted below eps-LDP at "
        f"{beats(curves, HALF_PRINTED, LDP_PRINTED).sum()} levels, and is below it at {small.sum()} where both keep "
        f"their level. {share_private(curves, LIP_PRINTED)} The bound of LIP is {apart} below what was found, "
        f"and above what is plotted at {beyond.sum()} levels."
    )
    return PaperFigure(
        KEY,
        "Error of a histogram of the cells of last check-ins, with past ones as the prior",
        AXES,
        curves,
        left([*small, *above], curves),
        because,
        f"n = {cells.n} of 9 x 9 cells over New York City, prior: shares of the past check-ins, the rarest "
        f"{cells.required_prior.min():.2g} (Gowalla, counts per cell; the paper: 83 cells of 36 x 36, whole file); "
        "epsilon = 0.5 to 4; expected errors under that prior",
        better="lower",
    )
