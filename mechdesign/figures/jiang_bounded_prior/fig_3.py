"""Figure 3: who knows what."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.schematic import without_numbers

KEY = "jiang_bounded_prior/fig3"


def make() -> PaperFigure:
    """Return the figure without curves."""
    return without_numbers(
        KEY,
        "Who knows what when one bit is collected",
        "A schematic: a person sends Y, and a curator who assumes a prior in [a, b] estimates X.",
    )
