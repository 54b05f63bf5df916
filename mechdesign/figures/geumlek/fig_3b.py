"""Figure 3b: Bernoulli-Chain-21 under randomised response."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.geumlek.bernoulli_chain import baseline_flips, chain_figure

KEY = "geumlek/fig3b"


def make() -> PaperFigure:
    """Return the curves of the 21 profiles."""
    return chain_figure(KEY, 21, baseline_flips, "randomised response")
