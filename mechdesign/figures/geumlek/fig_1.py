"""Figure 1: which releases compose."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.schematic import without_numbers

KEY = "geumlek/fig1"


def make() -> PaperFigure:
    """Return the figure without curves."""
    return without_numbers(
        KEY,
        "Which releases compose",
        "A schematic of four ways of releasing twice; their statements are keys of the ledger (geumlek/O4, O5).",
    )
