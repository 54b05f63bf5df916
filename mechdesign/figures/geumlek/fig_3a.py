"""Figure 3a: Bernoulli-Chain-6 under randomised response."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.geumlek.bernoulli_chain import baseline_flips, chain_figure

KEY = "geumlek/fig3a"


def make() -> PaperFigure:
    """Return the curves of the 6 profiles."""
    return chain_figure(KEY, 6, baseline_flips, "randomised response")
