"""Max-lift in place of LIP: the two approaches without the lower bound on what an output may say."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mechdesign.notions import LIP, MaxLift
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, OnRays, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real
from mechdesign.theorems.zamani.families import DATA, LADDER, VARIABLES, setting
from mechdesign.theorems.zamani.quadratic import gammas
from mechdesign.theorems.zamani.setting import Box, Setting


def first_of_lift(epsilon: float) -> Box:
    """Return the first approach's bound, (36)."""
    return Box(-np.inf, 1.0)


def second_of_lift(epsilon: float) -> Box:
    """Return the second approach's bound, (44): max-lift itself."""
    return Box(-np.inf, float(np.expm1(epsilon)) / epsilon)


def P1_of_lift(made: Setting) -> float:  # noqa: N802 # as in the paper
    """Return P1', (38): the quadratic optimum within the bound (36), from its definition."""
    return made.quadratic(first_of_lift(made.epsilon))


def P2_of_lift(made: Setting) -> float:  # noqa: N802 # as in the paper
    """Return P2', the quadratic optimum within the bound (44), from its definition."""
    return made.quadratic(second_of_lift(made.epsilon))


def largest_lift(made: Setting) -> tuple[float, float]:
    """Return the largest information of problem (35) over its vertices, and the lift that LIP allows."""
    return made.optimum(second_of_lift(made.epsilon)).value, float(np.exp(made.epsilon))


def is_upper_half(made: Setting, given: tuple[float, float]) -> Iterator[Check]:
    """Check the optimum of (35), that (1) is no more, and that LIP keeps the lift within its bound."""
    prior = made.secret_prior
    yield Equal(given[0], Optimum(made.question(MaxLift(made.epsilon))), "the largest I(U; Y) under max-lift")
    yield AtMost(Optimum(made.question()), given[0], "the largest under LIP, against the largest under max-lift")
    lifts = OnRays(LIP(made.epsilon), Problem(prior=prior), lambda columns: (columns / (prior @ columns)).max(axis=0))
    yield AtMost(lifts, given[1], "the lift under LIP")


VB_DEFINITION = Theorem(
    key="zamani/VBdef",
    place="Section V-B, eqs. (34)-(35)",
    kind="upper bound",
    words="LIP implies max-lift, so the largest I(U; Y) under max-lift, (35), is an upper bound of problem (1).",
    latex=r"\log \frac{P_{X|U}(x|u)}{P_X(x)} \le \epsilon, \quad (1) \le (35)",
    family=Family(VARIABLES, subject=setting),
    printed=largest_lift,
    test=is_upper_half,
)


def in_lift_range(point: Point) -> Setting:
    """Return the setting whose epsilon is a share of where the expansion under max-lift ends."""
    made = setting(point.changed(epsilon=1.0))
    return made.at(point.share * range_of_lift(made))


def range_of_lift(made: Setting) -> float:
    """Return the epsilon at which some vector of (44) changes a probability of the data by its whole."""
    change = np.abs(1.0 - made.inverse / made.data_prior[:, None])
    return float(np.log1p(1.0 / change.max()))


def steps(made: Setting) -> list[float]:
    """Return epsilons that fall to 0, within the range of the expansion."""
    return [float(step) for step in range_of_lift(made) * LADDER]


SMALL = {**DATA, "share": Real(0.02, 1.0)}


def is_quadratic(made: Setting, box: Callable[[float], Box], given: Array) -> Iterator[Check]:
    """Check that the largest information over the box follows the given values, at a distance of the third order.

    Where no probability of the data changes by more than the share tau, a divergence misses its square by at most
    tau/3/(1 - tau) of it, and so does the largest mean.
    """
    found = [made.at(step) for step in steps(made)]
    exact = np.array([at.optimum(box(at.epsilon)).value for at in found])
    taus = np.array([at.largest_change(box(at.epsilon)) for at in found])
    yield AtMost(np.abs(exact / given - 1.0) / (taus / (1.0 - taus)), 1 / 3, "the relative error over tau / (1 - tau)")


def first_ladder(made: Setting) -> tuple[Array, float]:
    """Return P1' at falling epsilon, and the order k of the remainder ``o(epsilon^k)`` as printed."""
    return np.array([P1_of_lift(made.at(step)) for step in steps(made)]), 1.0


def is_below_lift(made: Setting, given: tuple[Array, float]) -> Iterator[Check]:
    """Check that (35) is no less than the largest information under (36), and that this is P1' and less than it."""
    ladder, order = given
    value = made.optimum(first_of_lift(made.epsilon)).value
    yield AtMost(value, Optimum(made.question(MaxLift(made.epsilon))), "the largest I(U; Y) under (36), against (35)")
    yield from is_quadratic(made, first_of_lift, ladder)
    own = float(np.log2(P1_of_lift(made) / P1_of_lift(made.at(made.epsilon / 2))))
    yield AtMost(own, order, "the order of P1', against that of what is left out")


EQ39 = Theorem(
    key="zamani/eq39",
    place="eq. (39)",
    kind="lower bound",
    words="Problem (35) is at least P1' up to a remainder o(epsilon), which may be left out.",
    latex=r"(35) \ge P_1' + o(\epsilon) \cong P_1'",
    family=Family(SMALL, subject=in_lift_range),
    printed=first_ladder,
    test=is_below_lift,
    corrected=lambda made: (first_ladder(made)[0], 2.0),
    correction=(
        "o(epsilon^2): P1' is itself of the order epsilon^2, so that o(epsilon) says nothing; the reading is ours, of "
        "a text in which signs may be lost"
    ),
)


def first_bound(made: Setting) -> float:
    """Return ``epsilon^2 sigma^2 / (2 gamma_1 gamma_2)``, the gammas at least 1."""
    of_plus, of_minus, _ = gammas(made, first_of_lift(made.epsilon))
    return 0.5 * made.epsilon**2 * made.sigma**2 / (of_plus * of_minus)


def second_bound(made: Setting) -> float:
    """Return ``epsilon^2 sigma^2 lambda_1 lambda_2 / 2``."""
    of_plus, of_minus = made.scales(second_of_lift(made.epsilon))
    return 0.5 * made.epsilon**2 * made.sigma**2 * of_plus * of_minus


def summary(made: Setting) -> tuple[Array, float, float]:
    """Return P2' at falling epsilon, P1', and the larger of the two bounds by L*."""
    ladder = np.array([P2_of_lift(made.at(step)) for step in steps(made)])
    return ladder, P1_of_lift(made), max(first_bound(made), second_bound(made))


def summed_up(made: Setting, given: tuple[Array, float, float]) -> Iterator[Check]:
    """Check (46) and (47)."""
    ladder, lesser, bound = given
    exact = made.optimum(second_of_lift(made.epsilon)).value
    yield Equal(exact, Optimum(made.question(MaxLift(made.epsilon))), "the largest I(U; Y) under max-lift")
    yield from is_quadratic(made, second_of_lift, ladder)
    yield AtMost(lesser, P2_of_lift(made), "(46): P1' against P2'")
    yield AtMost(bound, P2_of_lift(made), "(47)")


T3 = Theorem(
    key="zamani/T3",
    place="Theorem 3, eqs. (46)-(47)",
    kind="lower bound",
    words=(
        "For small epsilon, problem (35) is P2' up to a remainder of smaller order, P2' is at least P1', and at least "
        "the larger of the bounds by L* of both approaches."
    ),
    latex=(
        r"(35) \cong P_2' \ge P_1', \quad P_2' \ge \frac{1}{2} \epsilon^2 \sigma_{max}^2 "
        r"\max\left(\frac{1}{\gamma_1 \gamma_2}, \lambda_1 \lambda_2\right)"
    ),
    family=Family(SMALL, subject=in_lift_range),
    printed=summary,
    test=summed_up,
)
