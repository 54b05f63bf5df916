"""Figure 2: the error of one bit without a prior, and with one of 0.5 and of 0.8."""

from __future__ import annotations

import numpy as np

from mechdesign.baselines.response_matrix import response_matrix
from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import Behind, Curve, PaperFigure
from mechdesign.figures.jiang_bounded_prior.one_bit import Bits, best, named, printed
from mechdesign.figures.sentences import at
from mechdesign.figures.squared_errors import audited, bound, certified, feasible
from mechdesign.notions import LDP
from mechdesign.objectives import MMSE
from mechdesign.theorems.family import Point
from mechdesign.theorems.jiang_bounded_prior.binary import bit, error
from mechdesign.theorems.jiang_bounded_prior.example import EX1C

KEY = "jiang_bounded_prior/fig2"
EPSILONS = np.arange(0.5, 5.25, 0.5)
FREE = "context-free LDP"
HALF, SKEWED, SKEWED_LDP = "best LIP, P1 = 0.5", "best LIP, P1 = 0.8", "best LDP, P1 = 0.8"


def _exact(prior: float) -> Bits:
    one = np.array([prior])
    return Bits(one, one, one, np.ones(1), exact=True)


def _free() -> Curve:
    """Return the error of randomised response with the printed estimate (1 - q) Y + q/2, the same for every prior."""
    behind = [[Behind(response_matrix(2, float(e)), LDP(float(e)), bit(0.5))] for e in EPSILONS]
    errors = [
        error(0.5, EX1C.printed(Point({"epsilon": float(e)})), used[0].matrix)
        for e, used in zip(EPSILONS, behind, strict=True)
    ]
    return audited(FREE, EPSILONS, errors, behind)


def _ldp(name: str, prior: float) -> tuple[Curve, Curve]:
    made = [[certified(bit(prior), LDP(float(e)), MMSE())] for e in EPSILONS]
    curve = feasible(name, EPSILONS, [used[0].value for used in made], made)
    return curve, bound(name, EPSILONS, [used[0].bound for used in made])


def make() -> PaperFigure:
    """Return the curves of the three cases, and of LDP where the estimate knows the prior."""
    curves = (
        _free(),
        printed("LIP, P1 = 0.5", EPSILONS, _exact(0.5), HALF),
        printed("LIP, P1 = 0.8", EPSILONS, _exact(0.8), SKEWED),
        *best(HALF, EPSILONS, _exact(0.5)),
        *best(SKEWED, EPSILONS, _exact(0.8)),
        *_ldp(SKEWED_LDP, 0.8),
    )
    y = named(curves)
    least = (y[SKEWED] < y[HALF]) & (y[SKEWED] < y[FREE])
    gap = y[FREE] - y[HALF]
    plotted = next(curve for curve in curves if curve.name == "LIP, P1 = 0.8")
    because = (
        f"With P1 = 0.8 the error is the least of the three at {least.sum()} of {len(EPSILONS)} levels also where the "
        f"mechanism is private; the plotted one is at {plotted.private.sum()} of them. At epsilon = 1 it is plotted at "
        f"{at(curves, plotted.name, 1.0)}, the least private error is {at(curves, SKEWED, 1.0)}, and LDP with an "
        f"estimate that knows the prior has {at(curves, SKEWED_LDP, 1.0)} already, of {at(curves, FREE, 1.0)} without. "
        f"The gap between LDP and LIP with P1 = 0.5 is largest at epsilon = {EPSILONS[gap.argmax()]:g}."
    )
    return PaperFigure(
        KEY,
        "Error of one bit without a prior, and with P1 = 0.5 and 0.8",
        ("epsilon, nats", "mean squared error"),
        curves,
        left(least, curves),
        because,
        "n = 2, prior P1 = 0.5 and 0.8 (context-free: any); epsilon = 0.5, 1, ..., 5",
        better="lower",
    )
