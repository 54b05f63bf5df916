"""Figure 3, the upper part."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.yoshida.pairs import UPPER
from mechdesign.figures.yoshida.relative_entropy import slices

KEY = "yoshida/fig3_upper"


def make() -> PaperFigure:
    """Return slices of the surface."""
    return slices(KEY, UPPER)
