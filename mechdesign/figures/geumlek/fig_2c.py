"""Figure 2c: what the Smooth Categorical mechanism costs in each category of Table 1, and how far it is determined."""

from __future__ import annotations

from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import Curve, PaperFigure
from mechdesign.figures.geumlek import categorical_chain as made

KEY = "geumlek/fig2c"
#: The rounding error that is allowed in a comparison of costs.
ROUNDING = 1e-12
#: An epsilon at which the baseline is better in category 3, and one at which the order of the others is open.
SMALL, MIDDLE = 0.05, 0.3


def make() -> PaperFigure:
    """Return the four costs of an optimum of (6), beside the baseline, the range over optima, and the least cost."""
    levels = made.EPSILONS.tolist()
    ours = made.category_curves("smooth", [made.smooth_categorical(e) for e in levels])
    base = made.feasible("k-ary response, each category", [made.k_ary(e) for e in levels])
    feasible = made.feasible("least largest cost, any mechanism", [made.regardless(e) for e in levels])
    third = made.feasible("category 3, least over optima of (6)", [made.cheapest(e, 2) for e in levels], 2)
    curves = (*ours, base, feasible, third)
    cheaper = (third.y <= base.y) & (ours[3].y <= ours[2].y + ROUNDING)
    return PaperFigure(
        KEY,
        "What the Smooth Categorical mechanism costs in each category",
        made.AXES,
        curves,
        left(cheaper, curves),
        _because(base, third, ours),
        f"{made.SETTING}; which of 2b and 2c shows the baseline is our reading",
    )


def _because(base: Curve, third: Curve, ours: list[Curve]) -> str:
    at = made.EPSILONS.tolist().index(SMALL)
    where = ", ".join(
        f"{j + 1}: {low:.3f} to {high:.3f}"
        for j, (low, high) in enumerate(made.cost_range(MIDDLE, j) for j in range(4))
    )
    order = "costs no more" if (ours[3].y <= ours[2].y + ROUNDING).all() else "does not always cost less"
    return (
        f"Category 4, which reveals nothing of the profile, {order} than category 3, which reveals most. But program "
        f"(6) has many optima, and the costs are not determined: at epsilon = {MIDDLE:g} they are {where}, so that the "
        f"order of 1, 2 and 4 depends on the solver. The baseline is not always worse: at epsilon = {SMALL:g} it costs "
        f"{base.y[at]:.4f} in each category, every optimum of (6) at least {third.y[at]:.4f} in category 3."
    )
