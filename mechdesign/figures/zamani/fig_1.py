"""Figure 1: the model."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.schematic import without_numbers

KEY = "zamani/fig1"


def make() -> PaperFigure:
    """Return the figure without curves."""
    return without_numbers(
        KEY, "The model X - Y - U", "A schematic: the disclosed U is made from Y, which depends on the private X."
    )
