"""Figure 2: the directions that the first approach allows."""

from __future__ import annotations

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

KEY = "zamani/fig2"


def make() -> PaperFigure:
    """Return the line S1, the rectangle S2 of (10), their common segment S3, and the unit circle."""
    made = example(LARGEST)
    box, lip = first(LARGEST), second(LARGEST)
    one, other = made.scales(box)
    curves = (
        line(made),
        rectangle("S2, (10)", made, box),
        segment("S3, (7) and (10)", made, box),
        circle(),
    )
    share = length(made, box) / length(made, lip)
    inside = "all" if curves[2].private.all() else "not all"
    return PaperFigure(
        KEY,
        "The directions L that the first approach allows",
        AXES,
        curves,
        left([one < 1.0, other < 1.0], curves),
        f"S3 reaches from -{other:.4f} L* to {one:.4f} L*, inside the unit circle, and {inside} of it is private; it "
        f"is {100.0 * share:.2f} % as long as what LIP allows.",
        f"{SETTING}, epsilon = {LARGEST}; the paper gives no numbers for this figure",
    )
