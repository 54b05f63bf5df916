"""The two parts of Figure 2: the largest Fisher information with two outputs and with three."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechdesign.figures.certified import OPTIMUM, best, bound
from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.yoshida import pairs


def theorem_1(key: str, setting: tuple[Fraction, Fraction]) -> PaperFigure:
    """Return both printed curves, with the certified optimum and its bound."""
    found = pairs.designs(setting)
    optimum = best(pairs.X, found)
    three = pairs.printed("three outputs, (iii)", 3, lambda _: pairs.three(*setting), setting, OPTIMUM)
    two = pairs.printed("two outputs, (i) and (ii)", 2, lambda theta: pairs.two(theta, *setting), setting)
    low, high = pairs.relative(three.y, two.y)
    off = float(np.abs(three.y / optimum.y - 1.0).max())
    curves = (three, two, optimum, bound(pairs.X, found))
    adult = pairs.relative(
        np.array([pairs.information(pairs.three(*setting), pairs.ADULT)]),
        np.array([pairs.information(pairs.two(pairs.ADULT, *setting), pairs.ADULT)]),
    )[0]
    agree = f"agree with the certified optimum within {pairs.NEAR:g}"
    return PaperFigure(
        key,
        "The largest Fisher information with two outputs and with three",
        pairs.AXES,
        curves,
        left((three.y > two.y) & (np.abs(three.y / optimum.y - 1.0) < pairs.NEAR), curves),
        f"Three outputs have {low:.3g} % to {high:.3g} % more information than two, and "
        f"{agree if off < pairs.NEAR else f'are {off:.3g} off the certified optimum'}. At Adult's share of incomes "
        f"above 50,000 dollars, {float(pairs.ADULT):.4f}, they have {adult:.3g} % more.",
        pairs.caption(*setting),
    )
