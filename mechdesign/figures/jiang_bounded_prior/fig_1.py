"""Figure 1: the mechanism of one bit."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.schematic import without_numbers

KEY = "jiang_bounded_prior/fig1"


def make() -> PaperFigure:
    """Return the figure without curves."""
    return without_numbers(
        KEY,
        "The mechanism of one bit",
        "A schematic: a 0 is sent as 1 with probability q_0, a 1 as 0 with q_1.",
    )
