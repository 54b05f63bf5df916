"""Figure 3: the directions that the second approach allows are the directions of LIP itself."""

from __future__ import annotations

import math

from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.zamani.example_1 import (
    AXES,
    LARGEST,
    SETTING,
    circle,
    example,
    length,
    line,
    rectangle,
    segment,
)
from mechdesign.theorems.zamani.setting import first, second

KEY = "zamani/fig3"


def make() -> PaperFigure:
    """Return the line S1, the rectangle S2 of (9), their common segment S3, and the unit circle."""
    made = example(LARGEST)
    box = second(LARGEST)
    curves = (
        line(made),
        rectangle("S2, (9)", made, box),
        segment("S3, (7) and (9)", made, box),
        circle(),
    )
    ratio, utility = length(made, box) / length(made, first(LARGEST)), made.P2 / made.P1
    smaller = math.log1p(LARGEST)
    return PaperFigure(
        KEY,
        "The directions L that the second approach allows",
        AXES,
        curves,
        left([ratio > 1.0, utility > 1.0], curves),
        f"S3 is {100.0 * (ratio - 1.0):.2f} % longer than in the first approach and P2 is "
        f"{100.0 * (utility - 1.0):.2f} % above P1. The whole difference is one of scale: the first approach at "
        f"epsilon = {LARGEST} is LIP at ln(1 + epsilon) = {smaller:.6f}, where P2 is {made.at(smaller).P2:.6g}, as P1 "
        f"is {made.P1:.6g} at {LARGEST}.",
        f"{SETTING}, epsilon = {LARGEST}; the paper gives no numbers for this figure",
    )
