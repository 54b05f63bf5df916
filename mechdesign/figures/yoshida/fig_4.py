"""Figure 4: Warner's scheme and the best two outputs, beside the optimum."""

from __future__ import annotations

from fractions import Fraction

from mechdesign.figures.certified import OPTIMUM, best, bound
from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.yoshida import pairs

KEY = "yoshida/fig4"


def make() -> PaperFigure:
    """Return both printed curves, with the certified optimum and its bound."""
    setting = pairs.UPPER
    delta = setting[0]
    found = pairs.designs(setting)
    optimum = best(pairs.X, found)
    two = pairs.printed("two outputs", 2, lambda theta: pairs.two(theta, *setting), setting, OPTIMUM)
    old = pairs.scheme("Warner; unrelated, eta = 1/2", lambda _: pairs.warner(delta), setting, OPTIMUM)
    alike = pairs.warner(delta) == pairs.unrelated(delta, Fraction(1, 2))
    (low, high), (least, most) = pairs.times(two.y, old.y), pairs.times(optimum.y, old.y)
    share, curves = pairs.ADULT, (two, old, optimum, bound(pairs.X, found))
    reports = pairs.information(pairs.three(*setting), share) / pairs.information(pairs.warner(delta), share)
    return PaperFigure(
        KEY,
        "Warner's scheme and the best two outputs",
        pairs.AXES,
        curves,
        left((two.y > old.y) & (optimum.y > two.y) & alike, curves),
        f"The best two outputs have {low:.3g} to {high:.3g} times the information of Warner's scheme, which is "
        f"{'exactly' if alike else 'not'} the unrelated question at eta = 1/2; the certified optimum has "
        f"{least:.3g} to {most:.3g} times as much. At Adult's share of incomes above 50,000 dollars, "
        f"{float(share):.4f}, Warner's scheme needs {reports:.3g} times as many reports as three outputs.",
        pairs.caption(*setting),
    )
