"""Figure 4: the scaled singular vectors that reach P1 and P2 for two values, and what is left of that for three."""

from __future__ import annotations

import numpy as np

from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import Curve, PaperFigure
from mechdesign.figures.zamani.example_1 import AXES, LARGEST, SETTING, example, output_keeps_lip, rectangle
from mechdesign.theorems.zamani.quadratic import lower_bounds_of_second
from mechdesign.theorems.zamani.setting import Setting, first, second

KEY = "zamani/fig4"

#: A share this near to one is one up to rounding.
NEAR = 1e-9


def three_values(epsilon: float) -> Setting:
    """Return a setting of three values whose leakage is half identity, half noise; its singular values are distinct."""
    return Setting(0.5 * np.eye(3) + 1.0 / 6.0, np.array([0.2, 0.3, 0.5]), epsilon)


def _arrow(name: str, made: Setting, factor: float) -> Curve:
    tip = factor * made.L
    flags = np.array([True, output_keeps_lip(made, tip)])
    return Curve(name, "published", np.array([0.0, tip[0]]), np.array([0.0, tip[1]]), flags)


def make() -> PaperFigure:
    """Return the arrows of both approaches in their boxes."""
    made, many = example(LARGEST), three_values(LARGEST)
    shrunk, full = made.scales(first(LARGEST)), made.scales(second(LARGEST))
    # With two values (7) leaves no direction but L*; with more there are others.
    of_two, of_many = lower_bounds_of_second(made)[1] / made.P2, lower_bounds_of_second(many)[1] / many.P2
    curves = (
        _arrow("lambda_1 L*", made, full[0]),
        _arrow("-lambda_2 L*", made, -full[1]),
        _arrow("L* / gamma_1", made, shrunk[0]),
        _arrow("-L* / gamma_2", made, -shrunk[1]),
        rectangle("bounds (9)", made, second(LARGEST)),
        rectangle("bounds (10)", made, first(LARGEST)),
    )
    return PaperFigure(
        KEY,
        "The scaled vectors L* and -L* that reach P1 and P2",
        AXES,
        curves,
        left(np.array([of_two, of_many]) > 1.0 - NEAR, curves),
        f"For two values the scaled vectors reach {100.0 * of_two:.4g} % of P2, as the figure shows. The text says "
        f"that this is easily extended to more values: for three, with leakage I/2 + 1/6 and P_Y = (0.2, 0.3, 0.5), "
        f"they reach {100.0 * of_many:.3g} % of it.",
        f"{SETTING}, epsilon = {LARGEST}; the paper gives no numbers for this figure",
    )
