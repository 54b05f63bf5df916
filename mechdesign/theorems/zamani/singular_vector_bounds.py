"""Bounds on P1 and P2 by the largest singular value of W and its singular vector L*, scaled into the box."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal
from mechdesign.theorems.family import Family
from mechdesign.theorems.zamani.families import VARIABLES, setting
from mechdesign.theorems.zamani.quadratic import lower_bounds_of_first, lower_bounds_of_second
from mechdesign.theorems.zamani.setting import Setting, first, second


def between_bounds(made: Setting, optimum: float, given: tuple[float, float, float]) -> Iterator[Check]:
    """Check that the optimum lies between the two lower bounds and the upper one; for K = 2 it is the second."""
    lesser, lower, upper = given
    yield AtMost(lesser, lower, "the bound with one factor for both directions")
    yield AtMost(lower, optimum, "the bound with two factors")
    yield AtMost(optimum, upper, "the upper bound")
    if made.size == 2:
        yield Equal(lower, optimum, "for K = 2 the bound with two factors is exact")


L2 = Theorem(
    key="zamani/L2",
    place="Lemma 2, eqs. (16)-(17)",
    kind="lower bound",
    words=(
        "With gamma_1, gamma_2 >= 1 the least factors that L* and -L* have to be divided by to satisfy (10), and "
        "gamma_max the larger, P1 lies between these bounds; for K = 2 it is the second."
    ),
    latex=(
        r"\frac{1}{2} \epsilon^2 \frac{\sigma_{max}^2}{\gamma_{max}^2} \le "
        r"\frac{1}{2} \epsilon^2 \frac{\sigma_{max}^2}{\gamma_1 \gamma_2} \le P_1 "
        r"\le \frac{1}{2} \epsilon^2 \sigma_{max}^2"
    ),
    family=Family(VARIABLES, subject=setting),
    printed=lambda made: (*lower_bounds_of_first(made), 0.5 * made.epsilon**2 * made.sigma**2),
    test=lambda made, given: between_bounds(made, made.P1, given),
)

L3 = Theorem(
    key="zamani/L3",
    place="Lemma 3, eq. (26)",
    kind="lower bound",
    words=(
        "With lambda_1, lambda_2 the largest factors with which L* and -L* satisfy (9), and lambda' the less, P2 lies "
        "between these bounds; for K = 2 it is the second."
    ),
    latex=(
        r"\frac{1}{2} \epsilon^2 \sigma_{max}^2 (\lambda')^2 \le \frac{1}{2} \epsilon^2 \sigma_{max}^2 "
        r"\lambda_1 \lambda_2 \le P_2 \le \frac{1}{2} \sigma_{max}^2 (e^{\epsilon} - 1)^2"
    ),
    family=Family(VARIABLES, subject=setting),
    printed=lambda made: (*lower_bounds_of_second(made), 0.5 * made.sigma**2 * float(np.expm1(made.epsilon)) ** 2),
    test=lambda made, given: between_bounds(made, made.P2, given),
)


def not_both(made: Setting, factors: tuple[float, float], given: float) -> Iterator[Check]:
    """Check that L* or -L* leaves the box, as the proof says: both stay inside up to the given factor at most."""
    yield AtMost(min(factors), 1.0, "one of L* and -L* is not feasible", strictly=True)
    yield AtMost(min(factors), given, "the factor up to which both are feasible")
    yield AtMost(given, 1.0, "the proof's factor is below 1", strictly=True)


P4 = Theorem(
    key="zamani/P4",
    place="Proposition 4",
    kind="comparison",
    words="L* and -L*, of norm one, do not both satisfy (10): otherwise the norm would be at most 1/(1 + epsilon).",
    latex=r"\|L^*\| \le \frac{1}{1 + \epsilon} < 1",
    family=Family(VARIABLES, subject=setting),
    printed=lambda made: 1.0 / (1.0 + made.epsilon),
    test=lambda made, given: not_both(made, made.scales(first(made.epsilon)), given),
)

R5 = Theorem(
    key="zamani/R5",
    place="Remark 5, Proposition 6",
    kind="comparison",
    words=(
        "L* and -L*, of norm one, do not both satisfy (9), so that lambda_1 and lambda_2 are not both 1 or more: "
        "otherwise the norm would be at most (1 - e^-epsilon)/epsilon."
    ),
    latex=r"\|L^*\| \le \frac{1 - e^{-\epsilon}}{\epsilon} < 1",
    family=Family(VARIABLES, subject=setting),
    printed=lambda made: -float(np.expm1(-made.epsilon)) / made.epsilon,
    test=lambda made, given: not_both(made, made.scales(second(made.epsilon)), given),
)


def attained(made: Setting, given: tuple[float, float]) -> Iterator[Check]:
    """Check that the two bounds are the optima."""
    yield Equal(given[0], made.P1, "L*/gamma_1 and -L*/gamma_2 attain P1")
    yield Equal(given[1], made.P2, "lambda_1 L* and -lambda_2 L* attain P2")


TWO_VALUES = Condition("2", "K", lambda made: (2.0, float(made.size)))

VA = Theorem(
    key="zamani/VA",
    place="Section V-A, Fig. 4",
    kind="exact optimum",
    words=(
        "L*/gamma_1 and -L*/gamma_2 are optimal and attain P1, lambda_1 L* and -lambda_2 L* attain P2; shown for K = 2 "
        "and said to extend to any K > 2."
    ),
    latex=(
        r"P_1 = \frac{1}{2} \epsilon^2 \frac{\sigma_{max}^2}{\gamma_1 \gamma_2}, \quad "
        r"P_2 = \frac{1}{2} \epsilon^2 \sigma_{max}^2 \lambda_1 \lambda_2"
    ),
    family=Family(VARIABLES, subject=setting),
    printed=lambda made: (lower_bounds_of_first(made)[1], lower_bounds_of_second(made)[1]),
    test=attained,
    narrower=(TWO_VALUES,),
)
