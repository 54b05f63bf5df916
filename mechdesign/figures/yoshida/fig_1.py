"""Figure 1: how the share is estimated."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.schematic import without_numbers

KEY = "yoshida/fig1"


def make() -> PaperFigure:
    """Return the figure without curves."""
    return without_numbers(
        KEY, "How the share theta is estimated", "A schematic: private bits are disclosed by p_0 and p_1 and counted."
    )
