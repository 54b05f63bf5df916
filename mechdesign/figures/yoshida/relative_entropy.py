"""The two parts of Figure 3, surfaces over both shares, as slices: the largest relative entropy of two mixtures."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechdesign.designing.entry import design
from mechdesign.figures.certified import best
from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import Curve, PaperFigure
from mechdesign.figures.yoshida import pairs
from mechdesign.notions import WeightedTV
from mechdesign.objectives import KLDivergence
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.family import Point
from mechdesign.theorems.yoshida.divergences import largest_renyi, mixtures, weighed

#: The second share of each slice; at 1/2 the two readings agree.
SECOND = (0.2, 0.8)


class XLogX:
    """The f of the relative entropy as the paper has it; another term in x - 1 would change the misprinted sum."""

    @staticmethod
    def value(x: Array) -> Array:
        """Return ``x ln x``."""
        return np.asarray(x * np.log(x))


def slices(key: str, setting: tuple[Fraction, Fraction]) -> PaperFigure:
    """Return Corollary 2, Theorem 4 as printed, and the certified optimum, for each second share."""
    delta, weight = float(setting[0]), float(setting[1])
    flag = pairs.is_private(pairs.three(*setting), *setting)
    curves, off, above = [], [], []
    for second in SECOND:
        points = [
            Point({"delta": delta, "weight": weight, "theta1": t, "theta2": second, "f": XLogX()})
            for t in pairs.X.tolist()
        ]
        problem, notion = Problem(n=2), WeightedTV(delta, weight)
        optimum = best(
            pairs.X,
            [design(problem, notion, KLDivergence(**mixtures(point))) for point in points],
            f"certified optimum, theta_2 = {second}",
        )
        largest = np.array([largest_renyi(point, 0.0) for point in points])
        print_4 = np.array([weighed(point, 1.0 - second) for point in points])
        name = f"Corollary 2, theta_2 = {second}"
        curves += [
            Curve(name, "published", pairs.X, largest, np.full(len(largest), flag), optimum.name),
            Curve(f"Theorem 4 as printed, {second}", "published", pairs.X, print_4, np.full(len(largest), flag)),
            optimum,
        ]
        off.append(np.abs(largest - optimum.y))
        above.append(np.abs(print_4 - largest).max())
    return PaperFigure(
        key,
        "The largest relative entropy of two mixtures, in slices",
        ("share theta_1", "relative entropy of one report (nats)"),
        tuple(curves),
        left(np.concatenate(off) < pairs.NEAR, curves),
        f"Corollary 2 at s = 0 is {'within' if np.max(off) < pairs.NEAR else 'not within'} {pairs.NEAR:g} nats of the "
        "certified optimum. Theorem 4, whose third term is printed with 1 - theta_2 for theta_2, is up to "
        f"{max(above):.3g} nats away from it: its mechanism is private and does not have these values.",
        f"{pairs.caption(*setting)}; the paper draws surfaces over both shares",
    )
