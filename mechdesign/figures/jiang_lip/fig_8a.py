"""Figure 8, N = 5: a survey of five people with priors of their own, and a curator whom they trust."""

from __future__ import annotations

import math

import numpy as np

from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import Curve, PaperFigure
from mechdesign.figures.jiang_lip.compared import (
    AXES,
    HALF_BEST,
    HALF_PRINTED,
    LDP_BEST,
    LIP_BEST,
    LIP_PRINTED,
    beats,
    compared,
)
from mechdesign.figures.sentences import at, share_private
from mechdesign.figures.squared_errors import bits, bound, certified, feasible, levels
from mechdesign.notions import CentralizedIP
from mechdesign.objectives import MMSE
from mechdesign.problem import Problem

KEY = "jiang_lip/fig8a"
EPSILONS = np.arange(0.5, 5.25, 0.5)
PEOPLE = 5
CURATOR = "best CIP"


def _curator(priors: list[float]) -> tuple[Curve, Curve]:
    """Return the error of a curator who sees all answers and publishes their sum, and its bound."""
    rows, sums = [[1.0 - p, p] for p in priors], Problem(n=PEOPLE + 1, values=np.arange(PEOPLE + 1.0))
    made = [certified(sums, CentralizedIP(float(epsilon), rows), MMSE()) for epsilon in EPSILONS]
    reached, least = (
        [math.sqrt(max(error, 0.0) / PEOPLE) for error in errors]
        for errors in ([each.value for each in made], [each.bound for each in made])
    )
    return feasible(CURATOR, EPSILONS, reached, [[each] for each in made]), bound(CURATOR, EPSILONS, least)


def make() -> PaperFigure:
    """Return the curves of LIP at epsilon and epsilon/2, of LDP, and of a trusted curator."""
    priors = np.random.default_rng(8).uniform(size=PEOPLE)
    curves = (*compared(EPSILONS, levels(bits(priors), EPSILONS)), *_curator(priors.tolist()))
    crossed, central = beats(curves, HALF_BEST, LDP_BEST), beats(curves, CURATOR, LIP_BEST)
    because = (
        f"The trusted curator's error is below that of LIP at {central.sum()} of {len(EPSILONS)} levels, "
        f"{at(curves, CURATOR, 1.0)} against {at(curves, LIP_BEST, 1.0)} at epsilon = 1. The crossing that is "
        f"described, eps/2-LIP below eps-LDP for small epsilon, is plotted at "
        f"{beats(curves, HALF_PRINTED, LDP_BEST).sum()} of them, and is there at {crossed.sum()} where both keep "
        f"their level: at epsilon = 1 eps/2-LIP is plotted at {at(curves, HALF_PRINTED, 1.0)}, the least private error "
        f"is {at(curves, HALF_BEST, 1.0)}, LDP's {at(curves, LDP_BEST, 1.0)}. {share_private(curves, LIP_PRINTED)}"
    )
    return PaperFigure(
        KEY,
        "Error of a survey of 5 people with priors of their own, and of a trusted curator",
        AXES,
        curves,
        left([*central, *crossed], curves),
        because,
        f"n = 2, N = {PEOPLE}, priors P1 = {', '.join(f'{p:.3f}' for p in priors)} (uniform in [0, 1], drawn here), "
        "epsilon = 0.5, 1, ..., 5; expected errors in place of 10,000 simulations",
        better="lower",
    )
