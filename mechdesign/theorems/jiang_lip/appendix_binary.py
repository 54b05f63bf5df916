"""Appendix A, the proof of Theorem 2, steps 1 to 3: what two flips explain, and the ratios LIP bounds; exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_lip.variance_of_estimate import (
    BITS,
    binary_matrix,
    estimates,
    outputs,
    variance_of_estimate,
)
from mechdesign.theorems.variables import Distribution, Real

FLIPS = Family({"prior": Distribution(2, 0.02), "q_zero": Real(0.01, 0.99), "q_one": Real(0.01, 0.99)}, exact=True)


def share(point: Point) -> Any:
    """Return ``L``, the share of the variance that is explained over P_1 squared, from the channel itself."""
    return variance_of_estimate(point.prior, binary_matrix(point), BITS) / point.prior[1] ** 2


def slope(share_at: Callable[[Any], Point]) -> Any:
    """Return the derivative at 0 of L along a line of flips: its numerator and denominator are quadratic there."""
    parts = []
    for step in (Fraction(-1), Fraction(0), Fraction(1)):
        point = share_at(step)
        zero, one = outputs(point)
        parts.append(((zero - point.q_one) ** 2, zero * one))
    (before, below), (over, under), (after, above) = parts
    return ((after - before) * under - over * (above - below)) / (2 * under**2)


def _explained(point: Point) -> tuple[Any, Any, Any]:
    """Return the values of the two forms of (43), and of (44)."""
    (zero, one), q, other = outputs(point), point.q_one, point.q_zero
    ours = one * q + zero * (1 - q)
    return (
        (zero - q) ** 2 / (zero * one),
        (one * q - zero * (1 - q)) ** 2 / (zero * one),
        point.prior[0] ** 2 * ours * (q + other - 1) / (zero * one) ** 2,
    )


def _is_explained(point: Point, given: tuple[Any, Any, Any]) -> Iterable[Check]:
    for form in given[:2]:
        yield Equal(share(point), form, "L")
    yield Equal(slope(lambda step: point.changed(q_zero=point.q_zero + step)), given[2], "its derivative by q_0")
    side = point.q_zero + point.q_one - 1
    yield AtMost(Fraction(0), given[2] * side, "L falls with q_0 where q_0 + q_1 < 1 and grows beyond")
    other = slope(lambda step: point.changed(q_one=point.q_one + step))
    yield AtMost(Fraction(0), other * side, "so it does with q_1")


A43 = Theorem(
    key="jiang_lip/appA-eq43",
    place="eqs. (43) and (44)",
    kind="identity",
    words=(
        "What two flips explain of the variance, over P_1 squared, and its derivative by q_0; for q_0 + q_1 < 1 it "
        "falls with both flips."
    ),
    latex=(
        r"L = \frac{(\lambda_0 - q_1)^2}{\lambda_0 \lambda_1}, \quad \frac{\partial L}{\partial q_0} = "
        r"(1 - P_1)^2 \frac{(\lambda_1 q_1 + \lambda_0(1 - q_1))(q_1 + q_0 - 1)}{\lambda_1^2 \lambda_0^2}"
    ),
    family=FLIPS,
    printed=_explained,
    test=_is_explained,
)


def ratios(point: Point) -> tuple[Any, Any, Any, Any]:
    """Return ``F_1, ..., F_4``: the prior over the posterior of X = 1 after Y = 0 and 1, then of X = 0."""
    ones = estimates(point.prior, binary_matrix(point), BITS)[1]
    zeros = [1 - one for one in ones]
    common, rare = point.prior
    return rare / ones[0], rare / ones[1], common / zeros[0], common / zeros[1]


def _turned(point: Point, last: int) -> tuple[Any, ...]:
    (zero, one), found = outputs(point), ratios(point)
    turned = point.prior[0] ** 2 * (1 - point.q_zero - point.q_one) ** 2 / (one * zero)
    return turned, found[1], found[0], found[3], found[last]


def _is_turned(point: Point, given: tuple[Any, ...]) -> Iterable[Check]:
    turned = point.changed(q_zero=1 - point.q_zero, q_one=1 - point.q_one)
    yield Equal(share(turned), given[0], "L at the turned flips")
    yield Equal(share(point), given[0], "L itself")
    for index, (ratio, claimed) in enumerate(zip(ratios(turned), given[1:], strict=True), 1):
        yield Equal(ratio, claimed, f"F_{index} at the turned flips")


SYMM = Theorem(
    key="jiang_lip/appA-symm",
    place="Appendix A, step 2",
    kind="identity",
    words="With 1 - q_0 and 1 - q_1 for the flips, L is the same, F_1 and F_2 change places, F_3 becomes F_4, F_4 F_1.",
    latex=r"F_1' = F_2, \quad F_2' = F_1, \quad F_3' = F_4, \quad F_4' = F_1",
    family=FLIPS,
    printed=lambda point: _turned(point, 0),
    test=_is_turned,
    corrected=lambda point: _turned(point, 2),
    correction="F_4 at the turned flips is F_3, not F_1",
)


def _differences(point: Point) -> tuple[Any, Any]:
    q = point.q_one
    printed = point.prior[0] * (1 - point.q_zero - q) / (q * (1 - q))
    return printed, printed


def _mended_differences(point: Point) -> tuple[Any, Any]:
    p = point.q_zero
    return _differences(point)[0], point.prior[1] * (1 - p - point.q_one) / (p * (1 - p))


def _are_differences(point: Point, given: tuple[Any, Any]) -> Iterable[Check]:
    first, second, third, fourth = ratios(point)
    yield Equal(first - second, given[0], "F_1 - F_2")
    yield Equal(fourth - third, given[1], "F_4 - F_3")
    yield AtMost(second, first, "F_2 against F_1")
    yield AtMost(third, fourth, "F_3 against F_4")


STEP3 = Theorem(
    key="jiang_lip/appA-step3",
    place="Appendix A, step 3, differences",
    kind="identity",
    words=(
        "F_1 - F_2 and F_4 - F_3 are both (1 - P_1)(1 - q_0 - q_1)/(q_1 (1 - q_1)), and so not negative for "
        "q_0 + q_1 <= 1."
    ),
    latex=r"F_1 - F_2 = F_4 - F_3 = (1 - P_1) \frac{1 - q_0 - q_1}{q_1(1 - q_1)}",
    family=FLIPS,
    # Of such flips the proof speaks.
    claimed=(Condition("1", "q_0 + q_1", lambda point: (1, point.q_zero + point.q_one)),),
    printed=_differences,
    test=_are_differences,
    corrected=_mended_differences,
    correction="F_4 - F_3 = P_1 (1 - q_0 - q_1)/(q_0 (1 - q_0))",
)


def _falls(point: Point, _: None) -> Iterable[Check]:
    by_zero = slope(lambda step: point.changed(q_zero=point.q_zero + step))
    by_one = slope(lambda step: point.changed(q_one=point.q_one + step))
    yield AtMost(by_zero, Fraction(0), "what is explained falls with q_0")
    yield AtMost(by_one, Fraction(0), "what is explained falls with q_1")


HALF = Theorem(
    key="jiang_lip/half",
    place="Section IV-A, after Theorem 2",
    kind="comparison",
    words="The error grows with both flips when q_0 + q_1 is at most 0.5: the flips should be as unlikely as can be.",
    latex=r"q_0 + q_1 \le 0.5",
    family=FLIPS,
    # It grows up to q_0 + q_1 = 1, and falls beyond.
    claimed=(Condition("0.5", "q_0 + q_1", lambda point: (0.5, point.q_zero + point.q_one)),),
    test=_falls,
    loose="a statement without a constant",
)
