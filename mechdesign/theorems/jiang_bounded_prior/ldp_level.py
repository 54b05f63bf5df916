"""The LDP level of bounded-prior LIP for one bit, and how it changes with the range: Theorem 3."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, OnRays
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_bounded_prior.binary import SHARE, PriorRange, bounded, within
from mechdesign.theorems.jiang_bounded_prior.notions import ratios
from mechdesign.theorems.variables import Real


def largest_level(epsilon: float, prior_range: Array) -> OnRays:
    """Return the largest LDP level over the columns that the notion allows."""
    return OnRays(bounded(epsilon, prior_range), Problem(n=2), lambda columns: np.log(ratios(columns)))


def published_level(at: Point) -> float:
    """Return epsilon' of the theorem's four cases; ``e^epsilon a <= 1 - b`` is its first condition."""
    (a, b), most = at.range, np.exp(at.epsilon)
    if a + b <= 1.0:
        first = a * most <= 1.0 - b
        return float(np.log((1.0 - a) / (1.0 / most - a) if first else (most + b - 1.0) / b))
    first = (1.0 - b) * most <= a
    return float(np.log(b / (1.0 / most - 1.0 + b) if first else (most - a) / (1.0 - a)))


VARIABLES = {"epsilon": Real(0.05, 4.0), "range": PriorRange()}

T3 = Theorem(
    key="jiang_bounded_prior/T3",
    place="Theorem 3",
    kind="implication",
    words=(
        "For a bit that is 1 with a probability in [a, b], bounded-prior LIP at epsilon implies LDP at epsilon', by "
        "four cases; and no smaller epsilon' will do."
    ),
    latex=(
        r"\epsilon' = \ln\frac{1 - a}{e^{-\epsilon} - a} \text{ if } \epsilon \le \ln\frac{1 - b}{a}, "
        r"\text{ else } \ln\frac{e^{\epsilon} + b - 1}{b} \quad (a + b \le 1)"
    ),
    family=Family(VARIABLES),
    printed=published_level,
    test=lambda at, given: (Equal(given, largest_level(at.epsilon, at.range), "the largest LDP level"),),
)


def _monotone(at: Point, given: tuple[float, float]) -> Iterator[Check]:
    (a, b), epsilon = at.range, at.epsilon
    one, two = given
    here = largest_level(epsilon, at.range)
    yield AtMost(one, here, "epsilon is at most epsilon'")
    yield AtMost(here, two, "epsilon' is at most 2 epsilon")
    inner = within(at.range, at.share)
    yield AtMost(here, largest_level(epsilon, np.array([inner, b])), "epsilon' grows with a")
    yield AtMost(here, largest_level(epsilon, np.array([a, inner])), "epsilon' falls with b")
    yield AtMost(
        here, largest_level(epsilon, np.array([inner, inner])), "epsilon' is largest where the range is a point"
    )
    yield Equal(one, largest_level(epsilon, np.array([0.0, 1.0])), "epsilon' is epsilon where any prior may be")
    rare = 1.0 / (1.0 + np.exp(epsilon))
    yield Equal(
        two, largest_level(epsilon, np.array([rare, rare])), "epsilon' is 2 epsilon at a = b = 1/(1 + e^epsilon)"
    )


T3P = Theorem(
    key="jiang_bounded_prior/T3p",
    place="Section II, after Theorem 3",
    kind="comparison",
    words=(
        "epsilon' lies between epsilon and 2 epsilon, grows with a and falls with b (not strictly: it is epsilon "
        "already where a = 0 or b = 1); it is largest where a = b, and epsilon at a = 0, b = 1."
    ),
    latex=r"\epsilon \le \epsilon' \le 2\epsilon",
    family=Family({**VARIABLES, "share": SHARE}),
    printed=lambda at: (at.epsilon, 2.0 * at.epsilon),
    test=_monotone,
)
