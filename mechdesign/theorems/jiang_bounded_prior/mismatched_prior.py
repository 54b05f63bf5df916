"""The estimator assumes one prior, and another is true: Theorem 4 where they differ, and Lemma 1; in fractions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import Check, Equal, Holds
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_bounded_prior.binary import (
    BALANCED_AT,
    PriorRange,
    channel,
    estimates,
    mismatched,
    published_channel,
    published_flips,
)
from mechdesign.theorems.variables import Choice, Real

#: How far the two priors lie from one end of the range, as shares of it: assumptions that err most lie next to an end.
VARIABLES = {
    "E": Real(1.05, 8.0, log=True),
    "range": PriorRange(0.002, 0.998),
    "end": Choice(("a", "b")),
    "true": Real(0.0, 1.0),
    "guessed": Real(0.0, 1.0),
}


def _priors(at: Point) -> tuple[Any, Any]:
    """Return the true and the assumed probability of a 1: the shares are squared, so that most are small."""
    a, b = at.range if at.end == "a" else at.range[::-1]
    return a + at.true**2 * (b - a), a + at.guessed**2 * (b - a)


#: How far one output is mixed into the other: from next to nothing to nearly wholly.
MIXTURES = tuple(Fraction(part, 1000) for part in (1, 10, 50, 100, 250, 500, 750, 990))


def _is_private(at: Point, matrix: Array) -> bool:
    """Return whether each likelihood is within E times its output's mass, either way, at both ends of the range."""
    masses = [end * matrix[1] + (1 - end) * matrix[0] for end in at.range]
    return all(bool(np.all(row <= at.E * mass) and np.all(mass <= at.E * row)) for mass in masses for row in matrix)


def _mixtures() -> Iterator[Array]:
    """Yield channels that replace one of two outputs by the other at random, and the constant one."""
    yield np.ones((2, 1), dtype=object)
    for share in MIXTURES:
        yield np.array([[1 - share, share], [0, 1]], dtype=object)
        yield np.array([[1, 0], [share, 1 - share]], dtype=object)


def _short(number: Any) -> str:
    return f"{float(number):.6g}"


def _is_best(at: Point, given: Array) -> Iterator[Check]:
    matrix, (p, assumed) = channel(given), _priors(at)
    yield Holds(_is_private(at, matrix), "the mechanism is private")
    reached = mismatched(p, assumed, matrix)
    for mixing in _mixtures():
        mixed = matrix @ mixing
        other = mismatched(p, assumed, mixed)
        what = f"P_1 = {_short(p)}, assumed {_short(assumed)}: error {_short(reached)} at most {_short(other)}, that of"
        known = "a constant report" if mixed.shape[1] == 1 else f"flips {_short(mixed[0, 1])}, {_short(mixed[1, 0])}"
        yield Holds(bool(reached <= other), f"{what} {known}")


def _odds(p: Any) -> Any:
    return p / (1 - p)


def _spread(at: Point) -> tuple[Any, Any]:
    """Return both sides of the condition; the estimates are counted from the side to which the assumption errs."""
    p, assumed = _priors(at)
    zero, one = estimates(assumed, published_channel(at))
    if p < assumed:
        p, assumed, zero, one = 1 - p, 1 - assumed, 1 - one, 1 - zero
    ratio = _odds(assumed) / _odds(p)
    return 2 - ratio, (1 - ratio) * (2 * one + zero)


# Scaled to the mass that the estimator expects, an output with the estimate w costs w (1 - w) (A (1 - w) + B w) with
# A = P/P', B = (1 - P)/(1 - P'), P' the assumed prior. Mixing outputs never helps iff this lies above its chord between
# the two estimates: iff its second divided difference (B - 2 A) + (A - B)(x_1 + w + x_0) is nowhere positive between
# them. Where P > P' that is largest at w = x_1, and k = B/A; otherwise 0 and 1 exchange their roles.
T4M = Theorem(
    key="jiang_bounded_prior/T4m",
    place="Theorem 4, assumed prior",
    kind="exact optimum",
    words=(
        "Where the mechanism of Theorem 4 is private, it minimises the squared error also of an estimator that assumes "
        "any other prior of the range than the true one."
    ),
    latex=r"q_0^* = \frac{b}{b - a + e^{\epsilon}}, \quad q_1^* = \frac{1 - a}{b - a + e^{\epsilon}}",
    family=Family(VARIABLES, exact=True),
    printed=lambda at: published_flips(at.range, 1 / at.E),
    test=_is_best,
    claimed=BALANCED_AT,
    narrower=(
        Condition(
            "2 - k",
            "(1 - k)(2 x_1 + x_0), k the odds of a 1 as assumed by the true ones, x_0 and x_1 the estimates (0 and 1 "
            "exchanged where k > 1),",
            _spread,
        ),
    ),
)


def _published_difference(at: Point) -> Any:
    (a, b), big = at.range, at.E
    p, assumed = _priors(at)
    slope = (big - 1 + b) * b * (big - 1) ** 2 / ((big - a) * (1 - a) * big**3)
    return -slope * (p - assumed) ** 2


def _is_the_loss(at: Point, given: Any) -> Iterator[Check]:
    p, assumed = _priors(at)
    matrix = published_channel(at)
    right, wrong = mismatched(p, p, matrix), mismatched(p, assumed, matrix)
    yield Holds(bool(p == assumed or right < wrong), "a wrong prior costs")
    what = f"P_1 = {_short(p)}, assumed {_short(assumed)}: {_short(given)} for the difference {_short(right - wrong)}"
    yield Equal(given, right - wrong, what)


# By orthogonality the loss is the sum over y of Pr(Y = y) times the squared difference of the two estimates: (P - P')^2
# times a factor that depends on P and on P'. No constant stands in its place, so nothing corrects the print.
L1 = Theorem(
    key="jiang_bounded_prior/L1",
    place="Lemma 1, eqs. (13), (17)",
    kind="identity",
    words=(
        "For the mechanism of Theorem 4, an estimator that assumes a wrong prior does worse, by a constant (of a, b "
        "and epsilon) times the squared difference of the two."
    ),
    latex=(
        r"\mathcal{E}(P_1) - \mathcal{E}(\bar{P}_1) = -\frac{(e^{\epsilon} - 1 + b) b (e^{\epsilon} - 1)^2}"
        r"{(e^{\epsilon} - a)(1 - a) e^{3\epsilon}} (P_1 - \bar{P}_1)^2"
    ),
    family=Family(VARIABLES, exact=True),
    printed=_published_difference,
    test=_is_the_loss,
    claimed=BALANCED_AT,
)
