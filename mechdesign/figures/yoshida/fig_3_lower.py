"""Figure 3, the lower part."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.yoshida.pairs import LOWER
from mechdesign.figures.yoshida.relative_entropy import slices

KEY = "yoshida/fig3_lower"


def make() -> PaperFigure:
    """Return slices of the surface."""
    return slices(KEY, LOWER)
