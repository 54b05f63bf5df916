"""The deficiency of randomised response at a lower level with respect to that at a higher one."""

from __future__ import annotations

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Whole


def _response(n: int, epsilon: float) -> Array:
    """Return randomised response on n inputs, shape (n, n)."""
    entries = np.where(np.eye(n) > 0, np.exp(epsilon), 1.0)
    return np.asarray(entries / entries[0].sum())


def deficiency(point: Point) -> float:
    """Return what the probability of the truth grows by between both levels."""
    low, high = np.exp(point.epsilon), np.exp(point.epsilon + point.more)
    return float(high / (high + point.n - 1) - low / (low + point.n - 1))


def _from_both_sides(point: Point, given: float) -> list[Equal]:
    weak, strong = _response(point.n, point.epsilon), _response(point.n, point.epsilon + point.more)
    unprocessed = 0.5 * np.abs(weak - strong).sum(axis=1).max()
    guessed = (strong.max(axis=0).sum() - weak.max(axis=0).sum()) / point.n
    return [
        Equal(given, float(unprocessed), "the distance without any processing, which no best one exceeds"),
        Equal(given, float(guessed), "what a right guess of an even input earns more: at most the deficiency"),
    ]


RESPONSE_DEFICIENCY = Theorem(
    key="ours/response-deficiency",
    place="deficiency of randomised response",
    origin="elementary; deficiency is that of Le Cam 1964, and not published for this pair, as far as we know",
    kind="identity",
    words=(
        "No processing brings randomised response at a level epsilon nearer to that at a higher level epsilon': its "
        "deficiency is the difference of the probabilities of the truth."
    ),
    latex=r"\frac{e^{\epsilon'}}{e^{\epsilon'} + n - 1} - \frac{e^{\epsilon}}{e^{\epsilon} + n - 1}",
    family=Family({"n": Whole(2, 8), "epsilon": Real(0.0, 3.0), "more": Real(0.05, 3.0)}),
    printed=deficiency,
    test=_from_both_sides,
)
