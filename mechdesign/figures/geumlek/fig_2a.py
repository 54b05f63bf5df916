"""Figure 2a: the probability of a flip in Bernoulli-Couplet, against how far apart the two profiles are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechdesign.figures.certified import best, bound
from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import Curve, PaperFigure
from mechdesign.figures.geumlek import bernoulli_couplet as couplets
from mechdesign.parameters.checks import Array

KEY = "geumlek/fig2a"

#: The paper names neither epsilon nor which two profiles have the difference.
EPSILON = 1.0
#: The rounding error that is allowed in a comparison of flip probabilities.
ROUNDING = 1e-12
DIFFERENCES = np.linspace(0.05, 1.0, 20)
FAMILIES = {"around 1/2": couplets.centred, "0 and d": couplets.from_zero}


def _flips(
    name: str, family: couplets.Family, of: Callable[[couplets.Couplet, float], Array], beside: str = ""
) -> Curve:
    made = [of(family(d), EPSILON) for d in DIFFERENCES.tolist()]
    flags = [
        couplets.flips_are_private(flips, family(d), EPSILON)
        for flips, d in zip(made, DIFFERENCES.tolist(), strict=True)
    ]
    heights = np.array([flips.max() for flips in made])
    # A "probability" above 1 stands for nothing: the curve has a gap there, and the point is not private.
    return Curve(
        name, "published", DIFFERENCES, np.where(heights <= 1.0, heights, np.nan), np.array(flags, dtype=bool), beside
    )


def make() -> PaperFigure:
    """Return the flips of both families of profiles, the printed bounds, and the certified least flips."""
    line = np.full(len(DIFFERENCES), 1.0 / (1.0 + np.exp(EPSILON)))
    always = [couplets.flips_are_private(line[:2], couplets.from_zero(d), EPSILON) for d in DIFFERENCES.tolist()]
    ours, optima, bounds = [], [], []
    for name, family in FAMILIES.items():
        designs = [couplets.certified(family(d), EPSILON) for d in DIFFERENCES.tolist()]
        optima.append(best(DIFFERENCES, designs, f"certified optimum, {name}"))
        bounds.append(bound(DIFFERENCES, designs, f"certified bound, {name}", optima[-1].name))
        ours.append(_flips(f"smooth one bit, {name}", family, couplets.smooth, optima[-1].name))
    printed = _flips("bound (7), 0 and d", couplets.from_zero, couplets.printed_bound, optima[-1].name)
    appendix = _flips("bound in the appendix, 0 and d", couplets.from_zero, couplets.appendix_bound)
    local = Curve("randomised response (LDP)", "published", DIFFERENCES, line, np.array(always))
    holds = [(np.diff(curve.y, prepend=0.0) >= -ROUNDING) & (curve.y <= line + ROUNDING) for curve in ours]
    curves = (local, *ours, printed, appendix, *optima, *bounds)
    return PaperFigure(
        KEY,
        "The probability of a flip that hides which of two profiles it is",
        ("difference d of the two profiles' probabilities of a one", "largest probability of a flip"),
        curves,
        left(np.concatenate(holds), curves),
        _because(line[0], ours, optima, printed, appendix),
        f"n = 2 values, no prior, epsilon = {EPSILON:g}; the paper names neither epsilon nor the family of profiles",
    )


def _because(line: float, ours: list[Curve], optima: list[Curve], printed: Curve, appendix: Curve) -> str:
    at = int(np.searchsorted(DIFFERENCES, 0.6 - 1e-9))
    less = [1.0 - optimum.y[at] / flip.y[at] for flip, optimum in zip(ours, optima, strict=True)]
    gone = int(np.isnan(printed.y).sum())
    return (
        f"The flip grows with d and stays at or below randomised response's {line:.4f}. It is no function of d alone: "
        f"at d = {DIFFERENCES[at]:g} it is {ours[0].y[at]:.4f} for profiles around 1/2 and {ours[1].y[at]:.4f} for 0 "
        f"and d. Where flips of 0 and of 1 may differ, {optima[0].y[at]:.4f} and {optima[1].y[at]:.4f} suffice "
        f"({100.0 * less[0]:.3g} % and {100.0 * less[1]:.3g} % less). For 0 and d the bound (7) is above 1 at {gone} "
        f"of {len(printed.y)} points, and the appendix's reading of it is never below {np.nanmin(appendix.y):.3f}."
    )
