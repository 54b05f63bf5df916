"""Which prior to assume against the worst of a range: eqs. (5) to (8), Theorem 5, eq. (18)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.objectives import MMSE
from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Holds
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_bounded_prior.binary import (
    BALANCED_AT,
    SHARE,
    PriorRange,
    bit,
    bounded,
    mismatched,
    published_channel,
    within,
)
from mechdesign.theorems.jiang_bounded_prior.estimator import PROBABILITY, flipped
from mechdesign.theorems.variables import Distribution, Real, Vector

#: The cost of assuming one probability of a 1 where another is true, under a mechanism.
Cost = Callable[[Any, Any, Array], Any]


def regret(p: float, assumed: float, matrix: Array) -> float:
    """Return by how much the error exceeds the error of the estimator that knows the prior."""
    return float(mismatched(p, assumed, matrix) - mismatched(p, p, matrix))


def worst(cost: Cost, assumed: float, prior_range: Array, matrix: Array) -> float:
    """Return the largest cost over the range: at an end, since the error is linear in p, and its optimum concave."""
    return float(max(cost(p, assumed, matrix) for p in prior_range))


def best_assumption(cost: Cost, prior_range: Array, matrix: Array) -> float:
    """Return the prior whose worst cost over the range is least, by bisection.

    The further the assumption is from an end, the larger the cost there: the two costs are equal, or one is always
    the larger.
    """
    a, b = map(float, prior_range)
    low, high = a, b

    def nearer_to_b(assumed: float) -> bool:
        return bool(cost(a, assumed, matrix) > cost(b, assumed, matrix))

    if nearer_to_b(a):
        return a
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (low, middle) if nearer_to_b(middle) else (middle, high)
    return high


def _middle(at: Point) -> float:
    return float(at.range.sum()) / 2.0


RANGE = {"E": Real(1.05, 40.0, log=True), "range": PriorRange(0.01, 0.99)}


def _formulated(at: Point, assumed: Any) -> tuple[float, float, float]:
    """Return the error (5) at the true prior, the level (6), and the value of (8)."""
    matrix, p = flipped(at), within(at.range, at.share)
    guesses = (p * matrix[1]) / (p * matrix[1] + (1 - p) * matrix[0])
    squared = float(sum((x - guesses[y]) ** 2 * (p, 1 - p)[1 - x] * matrix[x, y] for x in (0, 1) for y in (0, 1)))
    quotients = [_quotients(end, matrix) for end in at.range]
    level = float(np.log(max(max(part.max(), 1.0 / part.min()) for part in quotients)))
    return squared, level, worst(mismatched, assumed, at.range, matrix)


def _quotients(p: float, matrix: Array) -> Array:
    """Return ``F_xy = Pr(X = x)/Pr(X = x | Y = y)``."""
    prior = np.array([1.0 - p, p])
    joint = prior[:, None] * matrix
    return np.asarray(prior[:, None] / (joint / joint.sum(axis=0)))


def _is_the_problem(at: Point, given: tuple[float, float, float]) -> Iterator[Check]:
    matrix, p = flipped(at), float(within(at.range, at.share))
    squared, level, value = given
    yield Equal(squared, MMSE().value(matrix, bit(p)), "the mean squared error")
    yield Equal(level, bounded(1.0, at.range).level(matrix, bit(p)).value, "the level of bounded-prior LIP")
    # The error is linear in the prior and each estimate serves one, so the least favourable prior gives the value.
    least = best_assumption(mismatched, at.range, matrix)
    yield Equal(value, mismatched(least, least, matrix), "the value of the minimax problem")
    yield AtMost(mismatched(p, p, matrix), value, "no prior of the range is less favourable")


EQ5 = Theorem(
    key="jiang_bounded_prior/eq5",
    place="eqs. (5) to (8)",
    kind="definition",
    words=(
        "The error of the estimator, the constraints of bounded-prior LIP for a bit, and the problem of the least "
        "worst error over the range, printed with its outer minimum over the true prior (the assumed one is free)."
    ),
    latex=r"\min_{P_1 \in [a, b]} \max_{P_1 \in [a, b]} \mathcal{E}(P_1, \bar{P}_1)",
    family=Family({"q0": PROBABILITY, "q1": PROBABILITY, "range": RANGE["range"], "share": SHARE, "guessed": SHARE}),
    printed=lambda at: _formulated(at, within(at.range, at.guessed)),
    corrected=lambda at: _formulated(at, best_assumption(mismatched, at.range, flipped(at))),
    correction="The outer minimum of (8) is over the assumed prior: its bar may be lost in the text that was read.",
    test=_is_the_problem,
)


def _is_minimax(cost: Cost, what: str) -> Callable[[Point, float], Iterator[Check]]:
    def test(at: Point, given: float) -> Iterator[Check]:
        matrix = published_channel(at)
        least = best_assumption(cost, at.range, matrix)
        reached, value = (worst(cost, assumed, at.range, matrix) for assumed in (given, least))
        yield Equal(reached, value, f"{what} at {given:.6g} is that at {least:.6g}")

    return test


# The error is linear in the true prior, so the best assumption is the prior of the range at which the error with a
# known prior is largest: the middle only where the mechanism is symmetric, a + b = 1.
T5 = Theorem(
    key="jiang_bounded_prior/T5",
    place="Theorem 5, eq. (17)",
    kind="exact optimum",
    words=(
        "For the mechanism of Theorem 4, the largest error over the range is least where the estimator assumes its "
        "middle."
    ),
    latex=r"\bar{P}^* = \frac{a + b}{2}",
    family=Family(RANGE),
    printed=_middle,
    test=_is_minimax(mismatched, "the worst error"),
    claimed=BALANCED_AT,
)

T5REG = Theorem(
    key="jiang_bounded_prior/T5reg",
    place="proof of Theorem 5",
    kind="exact optimum",
    words=(
        "For the mechanism of Theorem 4, also the largest excess over the error with a known prior is least at the "
        "middle of the range (which is what the proof minimises)."
    ),
    latex=(
        r"\min_{\bar{P}_1} \max_{P_1} \left[\mathcal{E}(P_1, \bar{P}_1) - \mathcal{E}(P_1, P_1)\right] "
        r"\text{ at } \frac{a + b}{2}"
    ),
    family=Family(RANGE),
    printed=_middle,
    test=_is_minimax(regret, "the worst regret"),
    claimed=BALANCED_AT,
)


def _averages(at: Point) -> tuple[Any, Any]:
    """Return the mean of the prior: under weights on three points of the range, and evenly over it."""
    return at.weights @ within(at.range, at.points), (at.range[0] + at.range[1]) / 2


def _is_best_on_average(at: Point, given: tuple[Any, Any]) -> Iterator[Check]:
    matrix, (a, b) = flipped(at), at.range
    even = np.array([Fraction(part, 4) for part in range(5)], dtype=object)
    # Evenly over the range: the ends with half the weight of the points between, exact for what is linear.
    trapezoid = np.array([Fraction(part, 8) for part in (1, 2, 2, 2, 1)], dtype=object)
    cases = ((at.weights, at.points, given[0]), (trapezoid, even, given[1]))
    for weights, points, best in cases:

        def average(assumed: Any, weights: Array = weights, points: Array = points) -> Any:
            priors = within(at.range, points)
            return sum(w * mismatched(p, assumed, matrix) for w, p in zip(weights, priors, strict=True))

        for step in (Fraction(1, 1000), Fraction(1, 20), Fraction(1, 2)):
            for end in (a, b):
                other = best + step * (end - best)
                what = f"the average error at {float(best):.6g} is at most that at {float(other):.6g}"
                yield Holds(bool(average(best) <= average(other)), what)


EQ18 = Theorem(
    key="jiang_bounded_prior/eq18",
    place="eq. (18)",
    kind="exact optimum",
    words=(
        "Where the prior itself is random, the average error is least where the estimator assumes its mean, the middle "
        "of the range for an even distribution; for every mechanism of two outputs."
    ),
    latex=r"\bar{P}_1^* = E[P_1]",
    # The error is linear in the true prior, so its average is the error at the mean, which Bayes' rule minimises.
    family=Family(
        {
            "q0": PROBABILITY,
            "q1": PROBABILITY,
            "range": PriorRange(0.01, 0.99),
            "points": Vector(3),
            "weights": Distribution(3, least=0.01),
        },
        exact=True,
    ),
    printed=_averages,
    test=_is_best_on_average,
)
