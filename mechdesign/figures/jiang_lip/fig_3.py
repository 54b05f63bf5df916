"""Figure 3: who sends what to whom."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.schematic import without_numbers

KEY = "jiang_lip/fig3"


def make() -> PaperFigure:
    """Return the figure without curves."""
    return without_numbers(
        KEY, "Who sends what to whom", "A schematic: users perturb their data, and a curator combines what they send."
    )
