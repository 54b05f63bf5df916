"""Figure 5: a survey of people with one prior, by LIP, by LDP, and by LDP with an estimate that knows no prior."""

from __future__ import annotations

import numpy as np

from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import Behind, Curve, PaperFigure
from mechdesign.figures.jiang_lip.compared import AXES, printed_ldp, printed_lip
from mechdesign.figures.sentences import at, listed
from mechdesign.figures.squared_errors import audited, best, bits, levels, published
from mechdesign.notions import LDP, LIP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

KEY = "jiang_lip/fig5"
EPSILONS = np.arange(1.0, 5.25, 0.5)
PRIORS = (0.5, 0.99)


def _context_free() -> Curve:
    """Return eq. (42): the error of the unbiased estimate, whatever the prior."""
    low = 1.0 / (1.0 + np.exp(EPSILONS))
    fair = Problem(n=2)
    behind = [(Behind(printed_ldp(fair, e).matrix, LDP(e), fair),) for e in map(float, EPSILONS)]
    return audited("context-free LDP, (42)", EPSILONS, np.sqrt(low * (1.0 - low)) / (1.0 - 2.0 * low), behind)


def _of(prior: float) -> tuple[Curve, ...]:
    points = levels(bits(prior), EPSILONS)
    lip, ldp = f"best LIP, P1 = {prior:g}", f"best LDP, P1 = {prior:g}"
    return (
        published(f"eps-Opt-LIP, P1 = {prior:g}", EPSILONS, points, printed_lip, lip),
        published(f"eps-Opt-LDP, P1 = {prior:g}", EPSILONS, points, printed_ldp, ldp),
        *best(lip, EPSILONS, points, LIP),
        *best(ldp, EPSILONS, points, LDP),
    )


def _gain(curves: tuple[Curve, ...], prior: float) -> Array:
    """Return the relative reduction of the least error under LIP against that under LDP."""
    named = {curve.name: curve.y for curve in curves}
    return np.asarray(1.0 - named[f"best LIP, P1 = {prior:g}"] / named[f"best LDP, P1 = {prior:g}"])


def _everywhere(curves: tuple[Curve, ...]) -> str:
    """Return whether LIP is at most LDP, and LDP at most the estimate without a prior, between private mechanisms."""
    named = {curve.name: curve.y for curve in curves}
    holds = all(
        np.all(named[f"best LIP, P1 = {prior:g}"] <= named[ldp]) and np.all(named[ldp] <= curves[0].y)
        for prior in PRIORS
        for ldp in [f"best LDP, P1 = {prior:g}"]
    )
    return "everywhere" if holds else "not everywhere"


def make() -> PaperFigure:
    """Return the curves for both priors of the paper."""
    curves = (_context_free(), *_of(PRIORS[0]), *_of(PRIORS[1]))
    fair, skewed = (_gain(curves, prior) for prior in PRIORS)
    grown = skewed > fair
    plotted = next(curve for curve in curves if curve.name == "eps-Opt-LIP, P1 = 0.99")
    because = (
        f"That the gap between LIP and LDP is larger at P1 = 0.99 holds at epsilon = {listed(EPSILONS[grown])} only. "
        f"At epsilon = 1 LIP is plotted at {at(curves, plotted.name, 1.0)}, the least private error is "
        f"{at(curves, 'best LIP, P1 = 0.99', 1.0)} and LDP's {at(curves, 'best LDP, P1 = 0.99', 1.0)}: a gain of "
        f"{100.0 * skewed[0]:.2g} %, against {100.0 * fair[0]:.3g} % at P1 = 0.5. The plotted mechanism is private at "
        f"epsilon = {listed(EPSILONS[plotted.private])}. That Opt-LIP is at most Opt-LDP, and that below the "
        f"context-free estimate, holds {_everywhere(curves)}."
    )
    return PaperFigure(
        KEY,
        "Error of a survey with and without the prior, for an even and a skewed prior",
        AXES,
        curves,
        left(grown, curves),
        because,
        "n = 2, prior P1 = 0.5 and 0.99, the same for all N people; epsilon = 1, 1.5, ..., 5, as in the paper",
        log_y=True,
        better="lower",
    )
