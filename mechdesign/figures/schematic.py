"""Figures and tables without numbers: what they show, and why there is nothing to compute."""

from __future__ import annotations

from mechdesign.figures.figure import PaperFigure


def without_numbers(key: str, shows: str, because: str) -> PaperFigure:
    """Return a figure without curves, with the reason."""
    return PaperFigure(key, shows, ("", ""), (), "cannot be recomputed", because)
