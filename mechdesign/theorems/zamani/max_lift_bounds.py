"""Bounds on P1' and P2' of max-lift by the singular vector L*, and where they are attained."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Holds
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Distribution, Real, Whole
from mechdesign.theorems.zamani.families import VARIABLES, setting
from mechdesign.theorems.zamani.max_lift import (
    P1_of_lift,
    P2_of_lift,
    first_bound,
    first_of_lift,
    second_bound,
    second_of_lift,
)
from mechdesign.theorems.zamani.setting import Setting, first, second
from mechdesign.theorems.zamani.singular_vector_bounds import TWO_VALUES


def balanced(point: Point) -> Setting:
    """Return a setting with ``|L*| = sqrt P_X``, which is what (36) comes to for L* and -L* of norm one.

    The secret falls into two groups of probability 1/2 and L* is ``sqrt P_X`` with a sign for each; within the groups
    the data say more of the secret than which group it is of.
    """
    half = (point.K + 1) // 2
    parts = point.parts[:half], point.parts[half:]
    prior = np.concatenate([0.5 * part / part.sum() for part in parts])
    sign = np.where(np.arange(point.K) < half, 1.0, -1.0)
    between, within = point.kept, point.kept + point.share * (1.0 - point.kept) / 2
    said = prior[:, None] * ((1.0 - within) + (between - within) * np.outer(sign, sign))
    return Setting(said + within * np.eye(point.K), prior, point.epsilon)


BALANCED = {
    "K": Whole(2, 4),
    "parts": Distribution("K", least=0.1),
    "kept": Real(0.1, 0.6),
    "share": Real(0.2, 0.9),
    "epsilon": Real(0.003, 3.0, log=True),
}


def meets_its_bound(made: Setting) -> Equal:
    """Return the check that L* is ``sqrt P_X`` up to signs, so that L* and -L* satisfy (36) with equality."""
    return Equal(np.abs(made.L), np.sqrt(made.secret_prior), "|L*| is sqrt P_X: L* and -L* satisfy (36)")


L4A = Theorem(
    key="zamani/L4a",
    place="Lemma 4, eq. (40)",
    kind="exact optimum",
    words="If L* and -L*, of norm one, both satisfy (36), P1' is epsilon^2 sigma^2/2.",
    latex=r"P_1' = \frac{1}{2} \epsilon^2 \sigma_{max}^2",
    family=Family(BALANCED, subject=balanced),
    printed=lambda made: 0.5 * made.epsilon**2 * made.sigma**2,
    test=lambda made, given: (meets_its_bound(made), Equal(given, P1_of_lift(made), "P1'")),
    narrower=(TWO_VALUES,),
)


def between(optimum: float, given: tuple[float, float]) -> Iterator[Check]:
    """Check that the optimum lies between the two numbers."""
    yield AtMost(given[0], optimum, "the lower bound")
    yield AtMost(optimum, given[1], "the upper bound")


L4B = Theorem(
    key="zamani/L4b",
    place="Lemma 4, eq. (41)",
    kind="upper bound",
    words=(
        "With gamma_1, gamma_2 >= 1 the least factors that L* and -L* have to be divided by to satisfy (36), P1' lies "
        "between these bounds."
    ),
    latex=(
        r"\frac{1}{2} \epsilon^2 \frac{\sigma_{max}^2}{\gamma_1 \gamma_2} \le P_1' \le "
        r"\frac{1}{2} \epsilon^2 \sigma_{max}^2"
    ),
    family=Family(VARIABLES, subject=setting),
    printed=lambda made: (first_bound(made), 0.5 * made.epsilon**2 * made.sigma**2),
    test=lambda made, given: between(P1_of_lift(made), given),
    narrower=(TWO_VALUES,),
)


def unbounded_factors(made: Setting) -> float:
    """Return ``epsilon^2 sigma^2 / (2 gamma_1 gamma_2)`` with gammas that may be below 1."""
    of_plus, of_minus = made.scales(first_of_lift(made.epsilon))
    return 0.5 * made.epsilon**2 * made.sigma**2 * of_plus * of_minus


L4C = Theorem(
    key="zamani/L4c",
    place="Lemma 4, eq. (42)",
    kind="exact optimum",
    words="For K = 2, P1' is epsilon^2 sigma^2 / (2 gamma_1 gamma_2), with gamma_1, gamma_2 >= 1.",
    latex=r"P_1' = \frac{1}{2} \epsilon^2 \frac{\sigma_{max}^2}{\gamma_1 \gamma_2}, \quad \gamma_1, \gamma_2 \ge 1",
    family=Family({**VARIABLES, "K": Whole(2, 2)}, subject=setting),
    printed=first_bound,
    test=lambda made, given: (Equal(given, P1_of_lift(made), "P1'"),),
    corrected=unbounded_factors,
    correction=(
        "the gammas may be below 1, where L* or -L* can be made longer: then gamma_1 gamma_2 = 1 for K = 2, and P1' is "
        "epsilon^2 sigma^2/2"
    ),
)


def between_and_reached(made: Setting, given: tuple[float, float]) -> Iterator[Check]:
    """Check that P2' lies between the two numbers; for K = 2 it is the first."""
    optimum = P2_of_lift(made)
    yield from between(optimum, given)
    if made.size == 2:
        yield Equal(given[0], optimum, "for K = 2 the lower bound is exact")


L5 = Theorem(
    key="zamani/L5",
    place="Lemma 5, eq. (45)",
    kind="upper bound",
    words=(
        "With lambda_1, lambda_2 the largest factors with which L* and -L* satisfy (44), P2' lies between these "
        "bounds; for K = 2 it is the lower one."
    ),
    latex=(
        r"\frac{1}{2} \epsilon^2 \sigma_{max}^2 \lambda_1 \lambda_2 \le P_2' \le "
        r"\frac{1}{2} \sigma_{max}^2 (e^{\epsilon} - 1)^2"
    ),
    family=Family(VARIABLES, subject=setting),
    printed=lambda made: (second_bound(made), 0.5 * made.sigma**2 * float(np.expm1(made.epsilon)) ** 2),
    test=between_and_reached,
    narrower=(TWO_VALUES,),
)


def feasible_and_optimal(made: Setting, given: tuple[float, float]) -> Iterator[Check]:
    """Check what L* and -L* satisfy under max-lift and under LIP, and that their bounds are then optimal."""
    yield meets_its_bound(made)
    yield Holds(min(made.scales(second_of_lift(made.epsilon))) >= 1.0, "L* and -L* satisfy (44)")
    for box, name in ((first, "(10)"), (second, "(9)")):
        yield Holds(min(made.scales(box(made.epsilon))) < 1.0, f"L* and -L* do not both satisfy {name}")
    yield Equal(given[0], P1_of_lift(made), "the lower bound of P1' is optimal")
    yield Equal(given[1], P2_of_lift(made), "the lower bound of P2' is optimal")


R10 = Theorem(
    key="zamani/R10",
    place="Remark 10",
    kind="comparison",
    words=(
        "Under max-lift, unlike LIP, L* and -L* of norm one can both satisfy (36) or (44); the lower bounds on P1' and "
        "P2' are then optimal. (For (36) that asks for |L*| = sqrt P_X, of two values for "
        "equally likely ones.)"
    ),
    latex=(
        r"P_1' = \frac{1}{2} \epsilon^2 \frac{\sigma_{max}^2}{\gamma_1 \gamma_2}, \quad "
        r"P_2' = \frac{1}{2} \epsilon^2 \sigma_{max}^2 \lambda_1 \lambda_2"
    ),
    family=Family(BALANCED, subject=balanced),
    printed=lambda made: (first_bound(made), second_bound(made)),
    test=feasible_and_optimal,
    narrower=(TWO_VALUES,),
)
