"""Figure 1: randomised response of one person in Example 1."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.schematic import without_numbers

KEY = "jiang_lip/fig1"


def make() -> PaperFigure:
    """Return the figure without curves."""
    return without_numbers(
        KEY,
        "Randomised response of one person in Example 1",
        "A schematic: a 0 is sent as 1 with one probability, a 1 as 0 with another.",
    )
