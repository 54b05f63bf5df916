"""Hidden secrets under LIP: the two approaches are one, and sharp bounds on its quadratic approximation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family
from mechdesign.theorems.variables import Whole
from mechdesign.theorems.zamani.families import VARIABLES, setting
from mechdesign.theorems.zamani.setting import Setting, first, second


def first_approach(made: Setting) -> tuple[float, float]:
    """Return P1, and the largest information under (10)."""
    return made.P1, made.optimum(first(made.epsilon)).value


def is_second_at_a_smaller_epsilon(made: Setting, given: tuple[float, float]) -> Iterator[Check]:
    """Check both against LIP at ``ln(1 + epsilon)``."""
    other = made.at(float(np.log1p(made.epsilon)))
    yield Equal(given[0], other.P2, "P1, against P2 at ln(1 + epsilon)")
    yield Equal(given[1], Optimum(other.question()), "the largest I(U; Y) under (10), against problem (1) there")


ID = Theorem(
    key="ours/zamani-id",
    place="the first approach is the second",
    origin="follows from the definitions of Zamani, Sadeghi, Skoglund 2025; not stated there",
    kind="identity",
    words=(
        "Zamani's criterion (10) at epsilon is LIP at ln(1 + epsilon): P1(epsilon) = P2(ln(1 + epsilon)), and so are "
        "the optima."
    ),
    latex=r"P_1(\epsilon) = P_2(\ln(1 + \epsilon))",
    family=Family(VARIABLES, subject=setting),
    # (10) reads 1/(1 + epsilon) <= P_X|U / P_X <= 1 + epsilon.
    printed=first_approach,
    test=is_second_at_a_smaller_epsilon,
)


def where_it_is_reached(made: Setting) -> Setting:
    """Return K = 3 or 4 equally likely values, epsilon = ln(K - 1), and a leakage mixed with a uniform one."""
    n = made.size + 1
    share = 0.5 * float(made.data_prior[0])
    return Setting((1.0 - share) * np.eye(n) + share / n, np.full(n, 1.0 / n), float(np.log(n - 1.0)))


def bound_of(made: Setting) -> float:
    """Return ``sigma^2 (e^epsilon - 1)(1 - e^-epsilon) / 2``."""
    return -0.5 * made.sigma**2 * float(np.expm1(made.epsilon) * np.expm1(-made.epsilon))


def bounds_and_is_reached(made: Setting, given: tuple[float, float]) -> Iterator[Check]:
    """Check the bound, and that it is reached."""
    yield AtMost(made.P2, given[0], "P2 against the bound")
    yield Equal(where_it_is_reached(made).P2, given[1], "P2 for K equally likely values and e^epsilon = K - 1")


TIGHT = Theorem(
    key="ours/zamani-tight",
    place="sharp upper bound of P2",
    origin="of the quadratic program of Zamani, Sadeghi, Skoglund 2025; not published, as far as we know",
    kind="upper bound",
    words=(
        "P2 is at most sigma^2 (e^epsilon - 1)(1 - e^-epsilon)/2, with equality for K equally likely values that are "
        "seen with equal chance or not at all, where e^epsilon = K - 1."
    ),
    latex=r"P_2 \le \frac{1}{2} \sigma_{max}^2 (e^{\epsilon} - 1)(1 - e^{-\epsilon})",
    family=Family(VARIABLES, subject=setting),
    # |W L| <= sigma |L|, and a variable of mean 0 between -b and a has a variance of a b at most: that is the mean of
    # epsilon^2 |L_u|^2 under P_X for each u, with a = e^epsilon - 1 and b = 1 - e^-epsilon.
    printed=lambda made: (bound_of(made), bound_of(where_it_is_reached(made))),
    test=bounds_and_is_reached,
)


def product_of_factors(made: Setting) -> float:
    """Return ``(E - 1)(1 - 1/E) p_min / p_max`` where the odds are E at least, else ``(1 - 1/E)^2``."""
    rarer, other = np.sort(made.secret_prior)
    up, down = float(np.expm1(made.epsilon)), -float(np.expm1(-made.epsilon))
    return float(up * down * rarer / other) if other >= rarer * (1.0 + up) else down**2


def product_is_reached(made: Setting, given: float) -> Iterator[Check]:
    """Check it against the factors by their definition, and against P2."""
    one, two = made.scales(second(made.epsilon))
    yield Equal(given, made.epsilon**2 * one * two, "epsilon^2 lambda_1 lambda_2")
    yield Equal(0.5 * made.sigma**2 * given, made.P2, "P2")


K2 = Theorem(
    key="ours/zamani-K2",
    place="P2 for two values",
    origin="of the quadratic program of Zamani, Sadeghi, Skoglund 2025; not published, as far as we know",
    kind="identity",
    words=(
        "For K = 2, P2 is sigma^2/2 times (e^epsilon - 1)(1 - e^-epsilon) p_min/p_max where p_max/p_min >= e^epsilon, "
        "and times (1 - e^-epsilon)^2 otherwise."
    ),
    latex=(
        r"\epsilon^2 \lambda_1 \lambda_2 = (e^{\epsilon} - 1)(1 - e^{-\epsilon}) \frac{p_{min}}{p_{max}} \text{ or } "
        r"(1 - e^{-\epsilon})^2"
    ),
    family=Family({**VARIABLES, "K": Whole(2, 2)}, subject=setting),
    # L* is (sqrt p_2, -sqrt p_1): its factors are the least of a and b times the root of the odds, either way.
    printed=product_of_factors,
    test=product_is_reached,
)
