"""Figure 2, the lower part."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.yoshida.pairs import LOWER
from mechdesign.figures.yoshida.theorem_1 import theorem_1

KEY = "yoshida/fig2_lower"


def make() -> PaperFigure:
    """Return both curves of Theorem 1."""
    return theorem_1(KEY, LOWER)
