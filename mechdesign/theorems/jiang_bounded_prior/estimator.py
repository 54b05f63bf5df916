"""The estimator and its error as functions of the two flips: eqs. (9) to (12), (14) to (16), and a symmetry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_bounded_prior.binary import (
    SHARE,
    PriorRange,
    channel,
    estimates,
    mismatched,
    published_channel,
    within,
)
from mechdesign.theorems.variables import Real

PROBABILITY = Real(0.02, 0.98)
#: Both flips, the true probability of a 1, and the one that the estimator takes it to be.
VARIABLES = {"q0": PROBABILITY, "q1": PROBABILITY, "prior": PROBABILITY, "assumed": PROBABILITY}

#: Otherwise the outputs' names are exchanged.
SENSIBLE = Condition("1", "q_0 + q_1", lambda at: (1.0, at.q0 + at.q1))


def flipped(at: Point) -> Array:
    """Return the point's mechanism."""
    return channel((at.q0, at.q1))


def _both_estimates(p: Any, at_zero: Any, at_one: Any) -> Array:
    """Return Bayes' rule for y = 0, 1, `at_zero` and `at_one` the probabilities of a 0 that becomes 1, and stays."""
    zero, one = p * at_zero[0], p * at_one[0]
    return np.array([zero / (zero + (1 - p) * at_zero[1]), one / (one + (1 - p) * at_one[1])])


EQ9 = Theorem(
    key="jiang_bounded_prior/eq9",
    place="proof of Theorem 4, estimates after eq. (9)",
    kind="identity",
    words="The means of X given Y = 1 and given Y = 0, at the assumed probability of a 1.",
    latex=(
        r"\hat{X}_1 = \frac{\bar{P}_1 (1 - q_1)}{\bar{P}_1 (1 - q_1) + (1 - \bar{P}_1) q_1}, \quad "
        r"\hat{X}_0 = \frac{\bar{P}_1 q_1}{\bar{P}_1 q_1 + (1 - \bar{P}_1) (1 - q_1)}"
    ),
    family=Family(VARIABLES),
    printed=lambda at: _both_estimates(at.assumed, (at.q1, 1 - at.q1), (1 - at.q1, at.q1)),
    corrected=lambda at: _both_estimates(at.assumed, (at.q1, 1 - at.q0), (1 - at.q1, at.q0)),
    correction="q_0 in place of the q_1 that is multiplied by 1 - P: a 0 is sent as 1 with probability q_0.",
    test=lambda at, given: (Equal(given, estimates(at.assumed, flipped(at)), "the estimates by Bayes' rule"),),
)


def _four_terms(p: Any, lost: Any, guesses: Array, at: Point) -> Any:
    """Return the sum of eq. (10), where `lost` is the weight of a 1 that is sent as 0."""
    zero, one = guesses
    ones = (1 - one) ** 2 * p * (1 - at.q1) + (1 - zero) ** 2 * lost
    return ones + one**2 * (1 - p) * at.q0 + zero**2 * (1 - p) * (1 - at.q0)


def _error_at(p: Any, at: Point) -> Any:
    return _four_terms(p, p * at.q1, estimates(at.assumed, flipped(at)), at)


EQ10 = Theorem(
    key="jiang_bounded_prior/eq10",
    place="eq. (10)",
    kind="identity",
    words="The squared error of eq. (5) as a sum of four terms, one for each value of X and of Y.",
    latex=(
        r"(1 - \hat{X}_1)^2 \bar{P}_1 (1 - q_1) + (1 - \hat{X}_0)^2 \bar{P}_1 q_1 + "
        r"\hat{X}_1^2 (1 - \bar{P}_1) q_0 + \hat{X}_0^2 (1 - \bar{P}_1)(1 - q_0)"
    ),
    family=Family(VARIABLES),
    printed=lambda at: _error_at(at.assumed, at),
    corrected=lambda at: _error_at(at.prior, at),
    correction="The weights are the true probabilities P_1 and 1 - P_1, not the assumed ones.",
    test=lambda at, given: (Equal(given, mismatched(at.prior, at.assumed, flipped(at)), "the squared error"),),
)


def _difference(factor: Any, at: Point) -> Any:
    ones = at.assumed * (1 - at.q1) + (1 - at.assumed) * at.q0
    return factor * (1 - at.q0 - at.q1) / (ones * (1 - ones))


def _is_the_difference(at: Point, given: Any) -> Iterator[Check]:
    zero, one = estimates(at.assumed, flipped(at))
    yield Equal(given, one - zero, "the estimates' difference", scale=1.0)
    yield AtMost(0.0, one - zero, "the estimate given Y = 1 is the larger one", scale=1.0)


EQ11 = Theorem(
    key="jiang_bounded_prior/eq11",
    place="eq. (11)",
    kind="identity",
    words="The difference of the two estimates, which is not negative where q_0 + q_1 <= 1.",
    latex=r"\hat{X}_1 - \hat{X}_0 = \frac{(1 - \bar{P}_1)(1 - q_0 - q_1)}{\Pr(Y = 1) [1 - \Pr(Y = 1)]} \ge 0",
    family=Family(VARIABLES),
    printed=lambda at: _difference(1 - at.assumed, at),
    corrected=lambda at: _difference(at.assumed * (1 - at.assumed), at),
    correction="The factor (1 - P) is P (1 - P).",
    test=_is_the_difference,
    claimed=(SENSIBLE,),
)


def _masses_over(at: Point, p: Any) -> tuple[Any, Any]:
    zero, one = (1 - p) * (1 - at.q0) + p * at.q1, (1 - p) * at.q0 + p * (1 - at.q1)
    return one / at.q0, zero / at.q1


def _largest_over_range(at: Point, given: tuple[Any, Any]) -> Iterator[Check]:
    priors = within(at.range, np.linspace(0.0, 1.0, 11))
    zeros, ones = (np.array([1 - priors, priors]).T @ flipped(at)).T
    for y, (part, quotients) in enumerate(zip(given, (ones / at.q0, zeros / at.q1), strict=True)):
        yield Equal(part, quotients.max(), f"the largest Pr(Y = {1 - y})/q_{y} over the range")


EQ12 = Theorem(
    key="jiang_bounded_prior/eq12",
    place="eq. (12) and the line after it",
    kind="identity",
    words=(
        "Over P_1 in [a, b] and where q_0 + q_1 <= 1, Pr(Y = 1)/q_0 is largest at P_1 = b and Pr(Y = 0)/q_1 at P_1 = a."
    ),
    latex=(
        r"\max \frac{\Pr(Y = 1)}{q_0} = \frac{b (1 - q_1) + (1 - b) q_0}{q_0}, \quad "
        r"\max \frac{\Pr(Y = 0)}{q_1} = \frac{a q_1 + (1 - a)(1 - q_0)}{q_1}"
    ),
    family=Family({"q0": PROBABILITY, "q1": PROBABILITY, "range": PriorRange()}),
    printed=lambda at: (_masses_over(at, at.range[1])[0], _masses_over(at, at.range[0])[1]),
    test=_largest_over_range,
    claimed=(SENSIBLE,),
)

#: A range inside (0, 1), and where in it the true and the assumed probability lie.
MISMATCH = {"E": Real(1.05, 40.0, log=True), "range": PriorRange(0.02, 0.98), "true": SHARE, "guessed": SHARE}


def true_prior(at: Point) -> Any:
    """Return the true probability of a 1."""
    return within(at.range, at.true)


def assumed_prior(at: Point) -> Any:
    """Return the probability of a 1 that the estimator assumes."""
    return within(at.range, at.guessed)


def _of_theorem_4(at: Point, sign: int) -> Array:
    (a, b), p, big = at.range, assumed_prior(at), at.E
    return np.array([p * (1 - a) / (p - a + sign * big - p * big), p * (b + big - 1) / (b - p + p * big)])


EQ14 = Theorem(
    key="jiang_bounded_prior/eq14",
    place="eq. (14)",
    kind="identity",
    words="The two estimates where the mechanism is that of Theorem 4.",
    latex=(
        r"\hat{X}_1 = \frac{\bar{P}_1 (b + e^{\epsilon} - 1)}{b - \bar{P}_1 + \bar{P}_1 e^{\epsilon}}, \quad "
        r"\hat{X}_0 = \frac{\bar{P}_1 (1 - a)}{\bar{P}_1 - a - e^{\epsilon} - \bar{P}_1 e^{\epsilon}}"
    ),
    family=Family(MISMATCH),
    printed=lambda at: _of_theorem_4(at, -1),
    corrected=lambda at: _of_theorem_4(at, 1),
    correction="The denominator of the second has + e^epsilon.",
    test=lambda at, given: (Equal(given, estimates(assumed_prior(at), published_channel(at)), "the estimates"),),
)


def _two_errors(at: Point, lost: Callable[[Any, Point], Any]) -> tuple[Any, Any]:
    """Return eqs. (15) and (16), the weight of their third term given."""
    p, matrix = true_prior(at), published_channel(at)
    flips = Point({"q0": matrix[0, 1], "q1": matrix[1, 0]})
    wrong, right = (_four_terms(p, lost(p, flips), estimates(q, matrix), flips) for q in (assumed_prior(at), p))
    return wrong, right


def _are_the_errors(at: Point, given: tuple[Any, Any]) -> Iterator[Check]:
    p, matrix = true_prior(at), published_channel(at)
    yield Equal(given[0], mismatched(p, assumed_prior(at), matrix), "the squared error at the assumed prior")
    yield Equal(given[1], mismatched(p, p, matrix), "the squared error at the true prior")


EQ15 = Theorem(
    key="jiang_bounded_prior/eq15",
    place="eqs. (15), (16)",
    kind="identity",
    words="The squared error of the mechanism of Theorem 4 where the estimator assumes another prior, or the true one.",
    latex=(
        r"(1 - \hat{X}_1)^2 P_1 (1 - q_1^*) + \hat{X}_1^2 (1 - P_1) q_0^* + "
        r"(1 - \hat{X}_0)^2 (1 - P_1) q_0^* + \hat{X}_0^2 (1 - P_1)(1 - q_0^*)"
    ),
    family=Family(MISMATCH),
    printed=lambda at: _two_errors(at, lambda p, flips: (1 - p) * flips.q0),
    corrected=lambda at: _two_errors(at, lambda p, flips: p * flips.q1),
    correction="The third term is (1 - X_0)^2 P_1 q_1.",
    test=_are_the_errors,
)

SYMM = Theorem(
    key="jiang_bounded_prior/symm",
    place="proof of Theorem 4, after eq. (10)",
    kind="identity",
    words="The squared error is the same at (q_0, q_1) and at (1 - q_0, 1 - q_1): the outputs exchange their names.",
    latex=r"\mathcal{E}(q_0, q_1) = \mathcal{E}(1 - q_0, 1 - q_1)",
    family=Family(VARIABLES),
    printed=lambda at: mismatched(at.prior, at.assumed, flipped(at)),
    test=lambda at, given: (
        Equal(given, mismatched(at.prior, at.assumed, channel((1 - at.q0, 1 - at.q1))), "the error after the exchange"),
    ),
)
