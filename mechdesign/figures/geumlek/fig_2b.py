"""Figure 2b: what the baseline, k-ary randomised response, costs in each category of Table 1."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.geumlek import categorical_chain as made

KEY = "geumlek/fig2b"
#: The rounding error that is allowed in a comparison of costs.
ROUNDING = 1e-12
LEAST = "least largest cost, any mechanism"


def make() -> PaperFigure:
    """Return the baseline's four costs and the least largest cost of any private mechanism."""
    levels = made.EPSILONS.tolist()
    curves = made.category_curves("k-ary response", [made.k_ary(e) for e in levels])
    feasible = made.feasible(LEAST, [made.regardless(e) for e in levels])
    curves = [*(replace(curve, beside=LEAST) for curve in curves), feasible]
    apart = np.ptp([curve.y for curve in curves[:4]], axis=0)
    return PaperFigure(
        KEY,
        "What k-ary randomised response costs in each category",
        made.AXES,
        tuple(curves),
        left(apart < ROUNDING, curves),
        f"The four curves are one, 0.6/(e^eps + 3), {curves[0].y[-1]:.4f} at epsilon = {levels[-1]:g}: the baseline "
        "exploits no structure, as the paper says. But the cost (8) says little of the data: the least largest cost of "
        f"a private mechanism, {feasible.y[-1]:.4f} there and {feasible.y[1]:.4f} at epsilon = {levels[1]:g}, is that "
        "of one which ignores the datum and reports by the profile alone.",
        f"{made.SETTING}; which of 2b and 2c shows the baseline is our reading",
    )
