"""The numerical example of two values: its printed numbers, and what is said of the curves that compare them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Remainder
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real
from mechdesign.theorems.zamani.setting import Setting, first, second

LEAKAGE = np.array([[1 / 4, 2 / 5], [3 / 4, 3 / 5]])
DATA = np.array([1 / 4, 3 / 4])

#: Half a unit of the fourth decimal.
HALF = 0.5e-4


class Numbers(NamedTuple):
    """What the example prints: numbers, and arrays that depend on epsilon."""

    secret_prior: Array
    W: Array
    #: sigma_max, then L*.
    sigma: float
    direction: Array
    #: The lower bound of the second component in the first approach, before it is divided by -(1 + epsilon).
    component: float
    #: gamma_1 and gamma_2/(1 + epsilon); also one over what is before lambda_1 and lambda_2.
    gamma: float
    #: Of epsilon^2/(1 + epsilon) in P1, and of e^epsilon + e^-epsilon - 2 in P2.
    constant: float
    #: Of epsilon^2 under the strong chi-square criterion.
    chi_square: float
    #: P_Y|U=0 and P_Y|U=1 as rows, of both approaches.
    first_rows: Array
    second_rows: Array


def example(point: Point) -> Setting:
    """Return the setting of the example."""
    return Setting(LEAKAGE, DATA, point.epsilon)


def rows(slope: float, forth: float, back: float) -> Array:
    """Return ``P_Y - slope forth (1, -1)`` and ``P_Y + slope back (1, -1)``."""
    away = np.array([1.0, -1.0])
    return np.array([DATA - slope * forth * away, DATA + slope * back * away])


def as_printed(made: Setting) -> Numbers:
    """Return the numbers as printed."""
    epsilon, slope = made.epsilon, 2.4169
    up = float(np.expm1(epsilon))
    return Numbers(
        secret_prior=np.array([0.3625, 0.6375]),
        W=np.array([[-4.8166, 4.2583], [3.4761, -1.5366]]),
        sigma=7.4012,
        direction=np.array([0.7984, -0.6021]),
        component=7984.0,
        gamma=1.326,
        constant=15.5771,
        chi_square=27.39,
        first_rows=rows(slope, epsilon, epsilon / (1.0 + epsilon)),
        second_rows=rows(slope, up, -up),
    )


def as_it_should_read(made: Setting) -> Numbers:
    """Return the numbers with the slips of the print mended."""
    epsilon, slope = made.epsilon, 2.4167
    return as_printed(made)._replace(
        component=0.7984,
        constant=15.5741,
        first_rows=rows(slope, epsilon, epsilon / (1.0 + epsilon)),
        second_rows=rows(slope, float(np.expm1(epsilon)), -float(np.expm1(-epsilon))),
    )


def reached(made: Setting) -> tuple[Array, Array]:
    """Return the rows ``P_{Y|U=u}`` of both approaches, from the scaled directions L* and -L*."""
    found = []
    for box in (first(made.epsilon), second(made.epsilon)):
        factors = np.array(made.scales(box)) * np.array([1.0, -1.0])
        found.append(made.moved(factors[:, None] * (np.sqrt(made.secret_prior) * made.L)))
    return found[0], found[1]


def numbers_are_right(made: Setting, given: tuple[object, ...]) -> Iterator[Check]:
    """Check each number up to half a unit of its last digit, and that both mechanisms have the mean P_Y."""
    printed = Numbers(*given)  # type: ignore[arg-type]
    epsilon, up, down = made.epsilon, float(np.expm1(made.epsilon)), -float(np.expm1(-made.epsilon))
    box, other = first(epsilon), second(epsilon)
    gamma_1, gamma_2 = (1.0 / factor for factor in made.scales(box))
    lambda_1, lambda_2 = made.scales(other)

    def near(number: float | Array, exact: float | Array, half: float, what: str) -> AtMost:
        return AtMost(np.abs(np.asarray(number) - exact).max(), half, f"the error of {what}")

    yield near(printed.secret_prior, made.secret_prior, HALF, "P_X")
    yield near(printed.W, made.W, HALF, "W")
    yield near(printed.sigma, made.sigma, HALF, "the largest singular value")
    yield near(1.0, float(np.linalg.svd(made.W)[1][-1]), HALF, "the other")
    yield near(printed.direction, made.L, HALF, "L*")
    yield near(printed.component, float(np.sqrt(made.secret_prior[1])), HALF, "sqrt P_X(2) in the bounds")
    yield near(printed.gamma, gamma_1, 5e-4, "gamma_1")
    yield near(printed.gamma, gamma_2 / (1.0 + epsilon), 5e-4, "gamma_2 / (1 + epsilon)")
    yield near(printed.gamma, up / epsilon / lambda_1, 5e-4, "(e^epsilon - 1)/epsilon / lambda_1")
    yield near(printed.gamma, down / epsilon / lambda_2, 5e-4, "(1 - e^-epsilon)/epsilon / lambda_2")
    yield near(printed.chi_square, 0.5 * made.sigma**2, 5e-3, "the constant of the chi-square criterion")
    yield near(printed.constant, made.P1 * (1.0 + epsilon) / epsilon**2, HALF, "the constant of P1, (58)")
    yield near(printed.constant, made.P2 / (up * down), HALF, "the constant of P2, (60)")
    (forth, back), (further, behind) = reached(made)
    yield near(printed.first_rows[0], forth, HALF * epsilon, "P_Y|U=0 of the first approach")
    yield near(printed.first_rows[1], back, HALF * epsilon, "P_Y|U=1 of the first approach")
    yield near(printed.second_rows[0], further, HALF * up, "P_Y|U=0 of the second approach")
    yield near(printed.second_rows[1], behind, HALF * down, "P_Y|U=1 of the second approach")
    for table, weights in ((printed.first_rows, (gamma_1, gamma_2)), (printed.second_rows, (lambda_2, lambda_1))):
        yield Equal(np.array(weights) @ table / sum(weights), DATA, "the mean of P_Y|U is P_Y")
    yield AtMost(epsilon, made.range_second, "epsilon is in the range of the two approaches")


EX1 = Theorem(
    key="zamani/Ex1",
    place="Example 1, eqs. (58)-(60)",
    kind="identity",
    words=(
        "For P_X|Y = (1/4, 2/5; 3/4, 3/5), P_Y = (1/4, 3/4) and epsilon < 0.05: P_X, W, its singular value 7.4012 and "
        "vector L*, the factors of L* and -L*, P1, P2, the value under strong chi-square privacy, and P_Y|U of both "
        "approaches."
    ),
    latex=(
        r"P_1 = 15.5771 \frac{\epsilon^2}{1 + \epsilon}, \quad P_2 = 15.5771 (e^{\epsilon} + e^{-\epsilon} - 2), \quad "
        r"P_{Y|U=1} = [0.25 + 2.4169 (1 - e^{\epsilon}), 0.75 - 2.4169 (1 - e^{\epsilon})]^T"
    ),
    family=Family({"epsilon": Real(0.001, 0.05)}, subject=example),
    printed=as_printed,
    test=numbers_are_right,
    corrected=as_it_should_read,
    correction=(
        "15.5741 = 841/54 and 2.4167 = 29/12, the printed digits being those of the rounded 1.326; 0.7984 for 7984 in "
        "the bounds; 1 - e^-epsilon for 1 - e^epsilon in P_Y|U=1 of the second approach"
    ),
)


def curves(made: Setting) -> tuple[float, float, float]:
    """Return P1, P2 and the approximate optimum under the strong chi-square criterion, with exact constants."""
    both = float(np.expm1(made.epsilon) * -np.expm1(-made.epsilon))
    square = made.epsilon**2
    return 841 / 54 * square / (1.0 + made.epsilon), 841 / 54 * both, 493 / 18 * square


def curves_compare(made: Setting, given: tuple[float, float, float]) -> Iterator[Check]:
    """Check the curves against their definitions, their order, and that P2 comes close to the optimum, unlike P1."""
    lower, direct, chi_square = given
    exact = Optimum(made.question())
    yield Equal(lower, made.P1, "P1")
    yield Equal(direct, made.P2, "P2")
    yield Equal(chi_square, 0.5 * made.epsilon**2 * made.sigma**2, "the approximation under strong chi-square privacy")
    yield AtMost(lower, direct, "P1 is below P2", strictly=True)
    yield AtMost(exact, chi_square, "the optimum is below the value under strong chi-square privacy", strictly=True)
    yield AtMost(direct, chi_square, "P2 is below it", strictly=True)
    value = made.optimum(second(made.epsilon)).value
    yield Equal(value, exact, "the largest I(U; Y)")
    yield AtMost(abs(value - direct), abs(value - lower), "the gap of P2, against that of P1")

    def sides(step: float) -> tuple[float, float]:
        return made.at(step).optimum(second(step)).value, made.at(step).P2

    yield Remainder(sides, 3.0, made.epsilon, "the optimum and P2")


FIG5 = Theorem(
    key="zamani/Fig5",
    place="Fig. 5",
    kind="comparison",
    words=(
        "In Example 1 P2 is above P1, the gap between P2 and the optimum found by exhaustive search is small, and the "
        "value under the strong chi-square criterion is above the optimum."
    ),
    latex=r"P_1 < P_2, \quad (1) \cong P_2, \quad (1) < \frac{1}{2} \epsilon^2 \sigma_{max}^2",
    family=Family({"epsilon": Real(0.001, 0.05)}, subject=example),
    printed=curves,
    test=curves_compare,
)
