"""Figure 2: the survey of Example 1, in which one of ten is ill, by LDP, by LDP with other flips, and by LIP."""

from __future__ import annotations

import numpy as np

from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import Behind, Curve, PaperFigure
from mechdesign.figures.sentences import at, listed
from mechdesign.figures.squared_errors import audited, best, bits, levels
from mechdesign.notions import LDP, LIP, Notion
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

KEY = "jiang_lip/fig2"
EPSILONS = np.arange(0.5, 4.25, 0.25)
PEOPLE, ILL = 100, 0.1
LDP_PRINTED, OPT_PRINTED, LIP_PRINTED = "LDP, as printed", "Opt-LDP, as printed", "LIP, as printed"
OPT_READ, LDP_READ = "Opt-LDP, read with e^-eps", "LDP, read with 1 - p - q"
LIP_BEST, LDP_BEST = "best LIP", "best LDP"


def _behind(flips: Array, notion: Notion) -> tuple[Behind, ...]:
    """Return the mechanism that answers 1 for a 0 with probability p, and 0 for a 1 with q."""
    p, q = flips
    return (Behind(np.array([[1.0 - p, p], [q, 1.0 - q]]), notion, Problem(prior=[1.0 - ILL, ILL])),)


def _printed() -> tuple[Curve, ...]:
    """Return the three printed curves, and the curves of the formulas with a missing sign restored."""
    exp, half = np.exp(EPSILONS), np.full(len(EPSILONS), 0.5)
    same = np.stack([1.0 / (exp + 1.0)] * 2, axis=1)
    of_prior = np.stack([ILL / exp, (1.0 - ILL) / exp], axis=1)
    found = (
        (LDP_PRINTED, PEOPLE * exp / (exp + 1.0) ** 2, same, LDP, LDP_BEST),
        (LDP_READ, PEOPLE * exp / (exp - 1.0) ** 2, same, LDP, LDP_BEST),
        (OPT_PRINTED, 25.0 / (0.5 - exp / 2.0) ** 2, np.stack([1.0 - exp / 2.0, half], axis=1), LDP, LDP_BEST),
        (OPT_READ, 25.0 / (0.5 - 1.0 / exp / 2.0) ** 2, np.stack([0.5 / exp, half], axis=1), LDP, LDP_BEST),
        (LIP_PRINTED, (10.0 * exp - 1.0) / 0.64, of_prior, LIP, LIP_BEST),
    )
    return tuple(
        audited(name, EPSILONS, y, [_behind(row, notion(float(e))) for row, e in zip(flips, EPSILONS, strict=True)], to)
        for name, y, flips, notion, to in found
    )


def _best() -> tuple[Curve, ...]:
    """Return the least error of the number of the ill, as the paper plots it: not its root, and of all people."""
    points = levels(bits(ILL), EPSILONS)
    made = (*best(LIP_BEST, EPSILONS, points, LIP), *best(LDP_BEST, EPSILONS, points, LDP))
    return tuple(Curve(c.name, c.kind, c.x, PEOPLE * c.y**2, c.private, c.beside, c.behind) for c in made)


def make() -> PaperFigure:
    """Return the printed curves and the best ones."""
    curves = (*_printed(), *_best())
    named = {curve.name: curve for curve in curves}
    smaller = 1.0 - named[LIP_BEST].y / named[LDP_BEST].y
    much = smaller > 0.1
    other = np.asarray(named[OPT_READ].private, dtype=bool) & (named[OPT_READ].y < named[LDP_READ].y)
    because = (
        f"At epsilon = 1 the printed formulas give {at(curves, LDP_PRINTED, 1.0)} for LDP, "
        f"{at(curves, OPT_PRINTED, 1.0)} for Opt-LDP and {at(curves, LIP_PRINTED, 1.0)} for LIP, the reverse of "
        f"what is said of them. The least private errors are {at(curves, LDP_BEST, 1.0)} under LDP and "
        f"{at(curves, LIP_BEST, 1.0)} under LIP. By more than a tenth LIP's error is the smaller one at "
        f"epsilon = {listed(EPSILONS[much])}; its printed flips are private from "
        f"{EPSILONS[named[LIP_PRINTED].private].min():g} on. Opt-LDP's other flips are private and better than p = q, "
        f"with the same unbiased estimate, at {other.sum()} of {len(EPSILONS)} levels."
    )
    return PaperFigure(
        KEY,
        "Error of the number of ill people among 100 by LDP, by Opt-LDP, and by LIP",
        ("epsilon, nats", "expected squared error of the sum"),
        curves,
        left([*much, *other], curves),
        because,
        "n = 2, N = 100, prior P1 = 0.1; epsilon = 0.5 to 4 (the paper gives no range). Signs may be lost in the text "
        "that was read: both readings are drawn",
        log_y=True,
        better="lower",
    )
