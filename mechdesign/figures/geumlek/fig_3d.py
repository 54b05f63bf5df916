"""Figure 3d: Bernoulli-Chain-21 under the Smooth One Bit mechanism."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.geumlek.bernoulli_chain import chain_figure, method_flips

KEY = "geumlek/fig3d"


def make() -> PaperFigure:
    """Return the curves of the 21 profiles."""
    return chain_figure(KEY, 21, method_flips, "the Smooth One Bit mechanism")
