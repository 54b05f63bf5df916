"""The second approach: the quadratic approximation P2 of problem (1) itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Holds, Optimum
from mechdesign.theorems.family import Family
from mechdesign.theorems.zamani.families import BEYOND_RANGE, SECOND_RANGE, VARIABLES, in_second_range, setting
from mechdesign.theorems.zamani.quadratic import (
    approximations,
    expanded,
    gammas,
    lower_bounds_of_first,
    lower_bounds_of_second,
)
from mechdesign.theorems.zamani.setting import Setting, first, second


def approximated(made: Setting, given: tuple[Array, float]) -> Iterator[Check]:
    """Check that problem (1) follows P2 up to the third order, and that P1 is no more than P2."""
    ladder, lesser = given
    yield from expanded(made, second, ladder)
    yield Equal(made.optimum(second(made.epsilon)).value, Optimum(made.question()), "the largest I(U; Y) under LIP")
    yield AtMost(lesser, made.P2, "P1 against P2")


P5 = Theorem(
    key="zamani/P5",
    place="Proposition 5, eq. (25)",
    kind="identity",
    words=("For epsilon < max(c1', c2'), problem (1) is P2 up to a remainder of smaller order, and P2 is at least P1."),
    latex=r"(1) = P_2 + o(\epsilon^2), \quad P_2 \ge P_1",
    family=Family(BEYOND_RANGE, subject=in_second_range),
    printed=lambda made: (approximations(made, second), made.P1),
    test=approximated,
    claimed=(SECOND_RANGE,),
)


def changes_with_epsilon(made: Setting, given: float) -> Iterator[Check]:
    """Check that each factor differs from the factor of a neighbouring epsilon, and that P1 is no more than P2."""
    near = made.epsilon * (1.0 + 1e-6)
    factors = [*gammas(made, first(made.epsilon))[:2], *made.scales(second(made.epsilon))]
    others = [*gammas(made, first(near))[:2], *made.scales(second(near))]
    for name, here, there in zip(("gamma_1", "gamma_2", "lambda_1", "lambda_2"), factors, others, strict=True):
        yield Holds(abs(here - there) > 1e-10 * here, f"{name} depends on epsilon")
    yield AtMost(given, made.P2, "P1 against P2")


def _both_lower(made: Setting) -> tuple[float, float]:
    ratios = made.L / np.sqrt(made.secret_prior)
    ends = float(ratios.max()), float(-ratios.min())
    return (1.0 + made.epsilon) * min(ends), max(ends)


R6 = Theorem(
    key="zamani/R6",
    place="Remarks 6 and 7",
    kind="comparison",
    words=(
        "gamma_1, gamma_2, lambda_1 and lambda_2 depend on epsilon; the second approach's P2 is at least the first "
        "approach's P1."
    ),
    latex=r"P_2 \ge P_1",
    family=Family(VARIABLES, subject=setting),
    printed=lambda made: made.P1,
    test=changes_with_epsilon,
    # Of (10) the lower side alone depends on epsilon: a gamma does where that side is met first.
    narrower=(Condition("(1 + epsilon) min(max r, max -r)", "max |r|, r = L*/sqrt P_X", _both_lower),),
)


def summary(made: Setting) -> tuple[Array, float, float, float]:
    """Return P2 at shares of the range, P1, and the two lower bounds of P2."""
    (lesser1, bound1), (lesser2, bound2) = lower_bounds_of_first(made), lower_bounds_of_second(made)
    return approximations(made, second), made.P1, max(bound1, bound2), max(lesser1, lesser2)


def summed_up(made: Setting, given: tuple[Array, float, float, float]) -> Iterator[Check]:
    """Check (30) to (32)."""
    ladder, lesser, bound, weaker = given
    yield from expanded(made, second, ladder)
    yield AtMost(lesser, made.P2, "(30): P1 against P2")
    yield AtMost(bound, made.P2, "(31)")
    yield AtMost(weaker, bound, "(32)")


T2 = Theorem(
    key="zamani/T2",
    place="Theorem 2, eqs. (30)-(32)",
    kind="lower bound",
    words=(
        "For epsilon < max(c1', c2'), problem (1) is P2 up to a remainder of smaller order, P2 is at least P1, and at "
        "least the larger of the bounds by L* of both approaches."
    ),
    latex=(
        r"(1) \cong P_2 \ge P_1, \quad P_2 \ge \frac{1}{2} \epsilon^2 \sigma_{max}^2 "
        r"\max\left(\frac{1}{\gamma_1 \gamma_2}, \lambda_1 \lambda_2\right) \ge \frac{1}{2} \epsilon^2 \sigma_{max}^2 "
        r"\max\left(\frac{1}{\gamma_{max}^2}, (\lambda')^2\right)"
    ),
    family=Family(BEYOND_RANGE, subject=in_second_range),
    printed=summary,
    test=summed_up,
    claimed=(SECOND_RANGE,),
)
