"""Table II: the pairs of earlier schemes and the paper's own, as curves over the share."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechdesign.figures.certified import OPTIMUM, best, bound
from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.yoshida import pairs

KEY = "yoshida/table2"
#: The paper leaves open how many answer the unrelated question with yes.
ETA = Fraction(1, 10)


def make() -> PaperFigure:
    """Return the Fisher information of each of the four pairs, with the certified optimum and its bound."""
    setting = pairs.UPPER
    delta = setting[0]
    found = pairs.designs(setting)
    optimum = best(pairs.X, found)
    curves = (
        pairs.scheme("Warner", lambda _: pairs.warner(delta), setting),
        pairs.scheme(f"unrelated question, eta = {ETA}", lambda _: pairs.unrelated(delta, ETA), setting),
        pairs.scheme("Holohan et al.", lambda theta: pairs.two(theta, *setting), setting),
        pairs.scheme("this paper", lambda _: pairs.three(*setting), setting, OPTIMUM),
    )
    last = curves[-1].y
    most = np.all([last > curve.y for curve in curves[:-1]], axis=0) & (abs(last / optimum.y - 1.0) < pairs.NEAR)
    gains = "; ".join(
        f"{curve.name} {least:.4g} to {most:.4g}"
        for curve in curves[:-1]
        for least, most in [pairs.times(last, curve.y)]
    )
    return PaperFigure(
        KEY,
        "The information of the four listed pairs about the share",
        pairs.AXES,
        (*curves, optimum, bound(pairs.X, found)),
        left(most, (*curves, optimum)),
        f"{'All' if all(curve.private.all() for curve in curves) else 'Not all'} four are private. The paper's pair, "
        f"which is the certified optimum, has this many times the information of the others: {gains}.",
        f"{pairs.caption(*setting)}; the table prints the pairs, not their information",
    )
