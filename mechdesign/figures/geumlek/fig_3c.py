"""Figure 3c: Bernoulli-Chain-6 under the Smooth One Bit mechanism."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.geumlek.bernoulli_chain import chain_figure, method_flips

KEY = "geumlek/fig3c"


def make() -> PaperFigure:
    """Return the curves of the 6 profiles."""
    return chain_figure(KEY, 6, method_flips, "the Smooth One Bit mechanism")
