"""Figure 9a: how many items are popular, on Kosarak, first 36,682 transactions."""

from __future__ import annotations

import numpy as np

from mechdesign.figures.conclusions import left
from mechdesign.figures.counted import rows
from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.jiang_lip.compared import (
    AXES,
    HALF_BEST,
    HALF_PRINTED,
    LDP_BEST,
    LDP_PRINTED,
    LIP_BEST,
    LIP_PRINTED,
    beats,
    compared,
)
from mechdesign.figures.sentences import at, share_private
from mechdesign.figures.squared_errors import bits, levels

KEY = "jiang_lip/fig9a"
EPSILONS = np.arange(0.5, 8.25, 0.5)
#: The paper calls an item of the whole file, of so many clicks, popular when it has more than 15,000.
CLICKS, POPULAR = 8_019_015, 15_000


def popular() -> tuple[int, int]:
    """Return how many items of the extract exceed the paper's share of all clicks, and how many items it has."""
    counted = np.array([[int(row["clicks"]), int(row["items"])] for row in rows("kosarak-first-36682-clicks")])
    clicks, items = counted.T
    threshold = POPULAR * float(clicks @ items) / CLICKS
    return int(items[clicks > threshold].sum()), int(items.sum())


def make() -> PaperFigure:
    """Return the curves of LIP at epsilon and at epsilon/2, and of LDP."""
    many, total = popular()
    curves = compared(EPSILONS, levels(bits(many / total), EPSILONS))
    above, small = beats(curves, LIP_BEST, LDP_BEST), beats(curves, HALF_BEST, LDP_BEST)
    because = (
        f"eps/2-LIP is plotted below eps-LDP at {beats(curves, HALF_PRINTED, LDP_PRINTED).sum()} of {len(EPSILONS)} "
        f"levels, and is below it at {small.sum()} where both keep their level. eps-LIP is below eps-LDP by more "
        f"than a millionth at {above.sum()}: at epsilon = 1 it is plotted at {at(curves, LIP_PRINTED, 1.0)}, the least "
        f"private error is {at(curves, LIP_BEST, 1.0)}, and LDP's {at(curves, LDP_BEST, 1.0)}; at epsilon = 7 the "
        f"last two are {at(curves, LIP_BEST, 7.0)} and {at(curves, LDP_BEST, 7.0)}. "
        f"{share_private(curves, LIP_PRINTED)}"
    )
    return PaperFigure(
        KEY,
        "Error of the number of popular items, from one bit for each item",
        AXES,
        curves,
        left([*small, *above], curves),
        because,
        f"n = 2, prior P1 = {many}/{total}: items above {POPULAR:,}/{CLICKS:,} of the clicks, in Kosarak, first 36,682 "
        "transactions (the paper: more than 15,000 clicks, all transactions); epsilon = 0.5 to 8",
        better="lower",
    )
