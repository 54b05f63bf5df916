"""Figure 6a: sums of people with five possible values and random priors."""

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
from mechdesign.figures.squared_errors import People, levels
from mechdesign.problem import Problem

KEY = "jiang_lip/fig6a"
EPSILONS = np.arange(1.0, 5.25, 0.5)
#: The paper has 500 people; the mean error over them is estimated from so many.
PRIORS = 40


def people() -> People:
    """Return people with the values 0, ..., 4 and priors that are uniform numbers divided by their sum."""
    drawn = np.random.default_rng(6).uniform(size=(PRIORS, 5))
    problems = tuple(Problem(prior=row / row.sum(), values=np.arange(5.0)) for row in drawn)
    return People(problems, np.ones(PRIORS))


def make() -> PaperFigure:
    """Return the curves of LIP at epsilon and at epsilon/2, and of LDP."""
    curves = compared(EPSILONS, levels(people(), EPSILONS))
    printed, private = (beats(curves, *pair) for pair in ((HALF_PRINTED, LDP_PRINTED), (HALF_BEST, LDP_BEST)))
    because = (
        f"eps/2-LIP is below eps-LDP at {printed.sum()} of {len(EPSILONS)} plotted levels, and at {private.sum()} of "
        f"them where both are private and optimal: at epsilon = 2 it is plotted at {at(curves, HALF_PRINTED, 2.0)}, "
        f"the least private error is {at(curves, HALF_BEST, 2.0)}, and LDP's {at(curves, LDP_BEST, 2.0)} (randomised "
        f"response, which is plotted: {at(curves, LDP_PRINTED, 2.0)}). {share_private(curves, LIP_PRINTED)}"
    )
    return PaperFigure(
        KEY,
        "Error of a sum of values 0 to 4 by LIP at epsilon and epsilon/2 and by LDP",
        AXES,
        curves,
        left(private, curves),
        because,
        f"n = 5, {PRIORS} random priors (uniform numbers over their sum) in place of the paper's 500, which are not "
        "given; epsilon = 1, 1.5, ..., 5",
        log_y=True,
        better="lower",
    )
