"""Figure 2, the upper part."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.yoshida.pairs import UPPER
from mechdesign.figures.yoshida.theorem_1 import theorem_1

KEY = "yoshida/fig2_upper"


def make() -> PaperFigure:
    """Return both curves of Theorem 1."""
    return theorem_1(KEY, UPPER)
