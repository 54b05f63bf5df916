"""The first approach: a stronger criterion in place of LIP, its quadratic approximation P1 and bounds on it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Optimum, Remainder
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Distribution, Real, Whole
from mechdesign.theorems.zamani.families import (
    BEYOND_RANGE,
    DATA,
    FIRST_RANGE,
    VARIABLES,
    in_first_range,
    setting,
)
from mechdesign.theorems.zamani.quadratic import approximations, expanded, lower_bounds_of_first
from mechdesign.theorems.zamani.setting import Setting, first, second
from mechdesign.theorems.zamani.vertices import extreme_points

#: The range that the first results print.
BELOW_ONE = Condition("1", "epsilon", lambda subject: (1.0, subject.epsilon))


def stronger_bounds(point: Point) -> tuple[Array, Array]:
    """Return the two sides of (10)."""
    return -point.prior / (1.0 + point.epsilon), point.prior


def within_lip(point: Point, given: tuple[Array, Array]) -> Iterator[Check]:
    """Check the logarithm of ``P_X|U / P_X`` at every vertex of the bounds."""
    low, high = given
    eye = np.eye(len(point.prior))
    vertices = extreme_points(np.concatenate([eye, -eye]), np.concatenate([high, -low]))
    moved = point.epsilon * vertices / point.prior
    yield AtMost(float(np.log1p(moved.max())), point.epsilon, "ln(P_X|U / P_X) is at most epsilon")
    yield AtMost(-float(np.log1p(moved.min())), point.epsilon, "-ln(P_X|U / P_X) is at most epsilon")


L1 = Theorem(
    key="zamani/L1",
    place="Lemma 1, eq. (10)",
    kind="implication",
    words="For epsilon < 1, -P_X/(1 + epsilon) <= J_u <= P_X implies LIP.",
    latex=r"\frac{-P_X(x)}{1 + \epsilon} \le J_u(x) \le P_X(x)",
    family=Family(
        {
            "K": Whole(2, 4),
            "prior": Distribution("K", least=0.02),
            "epsilon": Real(0.003, 3.0, log=True),
        }
    ),
    printed=stronger_bounds,
    test=within_lip,
    claimed=(BELOW_ONE,),
    wider="(10) says 1/(1 + epsilon) <= P_X|U / P_X <= 1 + epsilon, and 1 + epsilon <= e^epsilon for every epsilon",
)

C1 = Theorem(
    key="zamani/C1",
    place="Corollary 1, eq. (13)",
    kind="lower bound",
    words="For epsilon < 1, the largest I(U; Y) under (10) is a lower bound of problem (1).",
    latex=r"\max_{LIP} I(U;Y) \ge \max_{(10)} I(U;Y)",
    family=Family(VARIABLES, subject=setting),
    printed=lambda made: made.optimum(first(made.epsilon)).value,
    test=lambda made, given: (AtMost(given, Optimum(made.question()), "the largest information under (10)"),),
    claimed=(BELOW_ONE,),
    wider="(10) implies LIP for every epsilon",
)


def tends_to(made: Setting, given: float) -> Iterator[Check]:
    """Check that the two sides of (13) have this ratio in the limit: their difference is of the third order."""

    def sides(step: float) -> tuple[float, float]:
        at = made.at(step)
        return at.optimum(first(step)).value, given * at.optimum(second(step)).value

    yield Remainder(sides, 3.0, made.range_second / 16, "the two sides of (13)")


R3 = Theorem(
    key="zamani/R3",
    place="Remark 3",
    kind="comparison",
    words="As epsilon decreases, the lower bound (13) becomes tighter: the ratio of its sides tends to 1.",
    latex=r"\frac{\max_{(10)} I(U;Y)}{\max_{LIP} I(U;Y)} \to 1",
    # Read as a limit, as the remark argues. From one epsilon to a smaller one the ratio may also fall: for large ones
    # both sides come to all the information that there is.
    family=Family(DATA, subject=lambda point: setting(point.changed(epsilon=1.0))),
    printed=lambda made: 1.0,
    test=tends_to,
)

P3 = Theorem(
    key="zamani/P3",
    place="Proposition 3, eq. (15)",
    kind="identity",
    words="For epsilon < max(c1, c2) the largest I(U; Y) under (10) is P1, up to a remainder of smaller order.",
    latex=r"\max_{(10)} I(U;Y) = P_1 + o(\epsilon^2)",
    family=Family(BEYOND_RANGE, subject=in_first_range),
    printed=lambda made: approximations(made, first),
    test=lambda made, given: expanded(made, first, given),
    claimed=(FIRST_RANGE,),
)


def chain(made: Setting) -> tuple[Array, float, float]:
    """Return P1 at shares of the range, and its two lower bounds at epsilon."""
    return (approximations(made, first), *lower_bounds_of_first(made)[::-1])


def is_a_chain(made: Setting, given: tuple[Array, float, float]) -> Iterator[Check]:
    """Check the inequalities and the approximation of the chain."""
    ladder, bound, lesser = given
    yield AtMost(made.optimum(first(made.epsilon)).value, Optimum(made.question()), "(13)")
    yield from expanded(made, first, ladder)
    yield AtMost(bound, made.P1, "the bound by gamma_1 gamma_2")
    yield AtMost(lesser, bound, "the bound by gamma_max")


T1 = Theorem(
    key="zamani/T1",
    place="Theorem 1, eqs. (22)-(23)",
    kind="lower bound",
    words=(
        "For epsilon < max(c1, c2), problem (1) is at least the largest I(U; Y) under (10), which is P1 up to a "
        "remainder of smaller order, and P1 is at least the bounds by the singular vector L*."
    ),
    latex=(
        r"(1) \ge \max_{(10)} I(U;Y) \cong P_1 \ge \frac{1}{2} \epsilon^2 \frac{\sigma_{max}^2}{\gamma_1 \gamma_2} "
        r"\ge \frac{1}{2} \epsilon^2 \frac{\sigma_{max}^2}{\gamma_{max}^2}"
    ),
    family=Family(BEYOND_RANGE, subject=in_first_range),
    printed=chain,
    test=is_a_chain,
    claimed=(FIRST_RANGE,),
)
