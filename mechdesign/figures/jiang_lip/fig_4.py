"""Figure 4: the models of perturbation."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.schematic import without_numbers

KEY = "jiang_lip/fig4"


def make() -> PaperFigure:
    """Return the figure without curves."""
    return without_numbers(
        KEY, "The models of perturbation", "A schematic: two inputs, d inputs, and a trusted curator."
    )
