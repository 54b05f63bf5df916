"""The variance of the best estimate of one user's value, in closed form; all in exact fractions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Channel, Distribution, Real, Vector, Whole


def variance(weights: Array, values: Array) -> Any:
    """Return the variance of numbers under a distribution."""
    mean = weights @ values
    return weights @ (values - mean) ** 2


def estimates(prior: Array, matrix: Array, values: Array) -> tuple[Array, Array]:
    """Return the probability of each output and the mean of the values given it, from the joint probabilities."""
    joint = prior[:, None] * matrix
    output = joint.sum(axis=0)
    return output, np.asarray((joint / output).T @ values)


def variance_of_estimate(prior: Array, matrix: Array, values: Array) -> Any:
    """Return the variance of the mean of the values given the output."""
    return variance(*estimates(prior, matrix, values))


def error(prior: Array, matrix: Array, values: Array) -> Any:
    """Return the posterior variance of the values, averaged over the outputs."""
    joint = prior[:, None] * matrix
    output = joint.sum(axis=0)
    return sum(mass * variance(column / mass, values) for mass, column in zip(output, joint.T, strict=True))


_ONE_USER = {"n": Whole(2, 3), "prior": Distribution("n", 0.01), "matrix": Channel("n", "n", 0.01)}


def _explained(point: Point) -> Any:
    return variance(point.prior, point.values) - variance_of_estimate(point.prior, point.matrix, point.values)


def _is_error(point: Point, given: Any) -> Iterable[Check]:
    yield Equal(given, error(point.prior, point.matrix, point.values), "the mean posterior variance")


EQ14 = Theorem(
    key="jiang_lip/eq14",
    place="eq. (14)",
    kind="identity",
    words="The mean posterior variance of a function of the input is its variance less that of its best estimate.",
    latex=r"E[\mathrm{Var}(f \mid Y)] = \mathrm{Var} f - \mathrm{Var}\, E[f \mid Y]",
    family=Family({**_ONE_USER, "values": Vector("n", 0.0, 3.0)}, exact=True),
    printed=_explained,
    test=_is_error,
)


def binary_matrix(point: Point) -> Array:
    """Return the channel with the flips q_0 and q_1."""
    return np.array([[1 - point.q_zero, point.q_zero], [point.q_one, 1 - point.q_one]])


def outputs(point: Point) -> tuple[Any, Any]:
    """Return the probabilities ``lambda_0`` and ``lambda_1`` of the outputs, as printed below (16)."""
    common, rare = point.prior
    return (
        common * (1 - point.q_zero) + rare * point.q_one,
        common * point.q_zero + rare * (1 - point.q_one),
    )


BITS = np.array([0, 1], dtype=object)


def _binary(point: Point) -> tuple[Array, Any]:
    """Return the estimates (16) and the error (18), as printed."""
    zero, one = outputs(point)
    p = point.prior[1]
    estimate = np.array([p * point.q_one / zero, p * (1 - point.q_one) / one])
    return estimate, p * (1 - p) - (p * (zero - point.q_one)) ** 2 / (zero * one)


def _is_binary(point: Point, given: tuple[Array, Any]) -> Iterable[Check]:
    matrix = binary_matrix(point)
    yield Equal(given[0], estimates(point.prior, matrix, BITS)[1], "the estimates")
    yield Equal(given[1], error(point.prior, matrix, BITS), "the error")


_FLIPS = Family({"prior": Distribution(2, 0.01), "q_zero": Real(0.01, 0.99), "q_one": Real(0.01, 0.99)}, exact=True)

EQ16 = Theorem(
    key="jiang_lip/eq16",
    place="eqs. (16) and (18)",
    kind="identity",
    words="The best estimate of a bit from a flipped one, and its mean squared error, in the two flips.",
    latex=(
        r"\hat{X} = P_1 \left(\frac{q_1}{\lambda_0} (1 - Y) + \frac{1 - q_1}{\lambda_1} Y\right), \quad "
        r"P_1 (1 - P_1) - \frac{(P_1 (\lambda_0 - q_1))^2}{\lambda_0 \lambda_1}"
    ),
    family=_FLIPS,
    printed=_binary,
    test=_is_binary,
)


def _binary_variance(point: Point, power: int) -> Any:
    zero, one = outputs(point)
    return point.prior[1] ** power * (zero - point.q_one) ** 2 / (zero * one)


def _is_binary_variance(point: Point, given: Any) -> Iterable[Check]:
    yield Equal(given, variance_of_estimate(point.prior, binary_matrix(point), BITS), "the variance of the estimate")


EQ17 = Theorem(
    key="jiang_lip/eq17",
    place="eq. (17)",
    kind="identity",
    words="The variance of the best estimate of a bit from a flipped one, in the two flips.",
    latex=r"P_1 \frac{(\lambda_0 - q_1)^2}{\lambda_0 \lambda_1}",
    family=_FLIPS,
    printed=lambda point: _binary_variance(point, 1),
    test=_is_binary_variance,
    corrected=lambda point: _binary_variance(point, 2),
    correction="P_1 is squared, as it is in (18)",
)


def _first_line(point: Point, weights: Array) -> Any:
    """Return the first line of (28), the coefficients of the indicators being ``weights[m, k] q_mk``."""
    mass = point.prior @ point.matrix
    coefficients = point.values @ (weights * point.matrix)
    covariance = np.diag(mass) - np.outer(mass, mass)
    return coefficients @ covariance @ coefficients


def _later_lines(point: Point) -> tuple[Any, Any]:
    """Return the second and the third line of (28)."""
    mass, matrix = point.prior @ point.matrix, point.matrix
    weights = point.prior * point.values
    second = third = 0
    for m in range(point.n):
        for other in range(point.n):
            for k in range(point.n):
                apart = matrix[other].sum() - matrix[other, k]
                factor = weights[m] * weights[other] * matrix[m, k]
                second += factor * (matrix[other, k] * (1 - mass[k]) / mass[k] - apart)
                third += factor * (matrix[other, k] / mass[k] - 1)
    return second, third


def _as_printed(point: Point) -> tuple[Array, Any, Any, Any]:
    """Return the ratios of (26) and the three lines of (28)."""
    ratios = (point.prior @ point.matrix) / point.matrix
    return ratios, _first_line(point, np.ones_like(point.matrix)), *_later_lines(point)


def _mended(point: Point) -> tuple[Array, Any, Any, Any]:
    mass = point.prior @ point.matrix
    return mass / point.matrix, _first_line(point, point.prior[:, None] / mass), *_later_lines(point)


def _are_variances(point: Point, given: tuple[Array, Any, Any, Any]) -> Iterable[Check]:
    joint = point.prior[:, None] * point.matrix
    posterior = joint / joint.sum(axis=0)
    yield Equal(given[0], point.prior[:, None] / posterior, "the ratios of prior and posterior (25)")
    found = variance_of_estimate(point.prior, point.matrix, point.values)
    for line, value in zip(("first", "second", "third"), given[1:], strict=True):
        yield Equal(value, found, f"the variance of the estimate by the {line} line")


EQ25 = Theorem(
    key="jiang_lip/eq25",
    place="eqs. (25) to (28)",
    kind="identity",
    words=(
        "Prior over posterior is lambda_k/q_mk, and three lines give the variance of the best estimate of a value in "
        "the mechanism's probabilities q_mk."
    ),
    latex=(
        r"\sum_{m,n,k} a_m a_n q_{mk} q_{nk} \mathrm{Var}[1_k] + \sum_{k \ne l} \sum_{m,n} a_m a_n q_{mk} q_{nl} "
        r"\mathrm{Cov}[1_k, 1_l] = \sum_{m,n,k} a_m a_n P_m P_n q_{mk} \left(\frac{q_{nk}}{\lambda_k} - 1\right)"
    ),
    family=Family({**_ONE_USER, "values": Vector("n", 0.0, 3.0)}, exact=True),
    printed=_as_printed,
    test=_are_variances,
    corrected=_mended,
    correction="in the first line q_mk stands for the posterior P_m q_mk/lambda_k; the other two lines are right",
)


def _histogram_variances(point: Point) -> tuple[Any, Any]:
    """Return the last two lines of (55), for one user."""
    mass, matrix = point.prior @ point.matrix, point.matrix
    before = last = 0
    for k, p in enumerate(point.prior):
        row = matrix[k]
        pairs = row.sum() ** 2 - (row**2).sum()
        before += ((row * p) ** 2 / mass * (1 - mass)).sum() - pairs * p**2
        last += p**2 * (row * (row / mass - 1)).sum()
    return before, last


def _are_histogram_variances(point: Point, given: tuple[Any, Any]) -> Iterable[Check]:
    indicators = np.array([[int(i == k) for i in range(point.n)] for k in range(point.n)], dtype=object)
    found = sum(variance_of_estimate(point.prior, point.matrix, each) for each in indicators)
    yield Equal(given[0], found, "the variances of the estimates by the line before the last")
    yield Equal(given[1], found, "the variances of the estimates by the last line")


EQ55 = Theorem(
    key="jiang_lip/eq55",
    place="eq. (55)",
    kind="identity",
    words="The variances of the best estimates of the data's indicators, summed, in the mechanism's probabilities.",
    latex=r"\sum_k P_k^2 \sum_j q_{kj} \left(\frac{q_{kj}}{\lambda_j} - 1\right)",
    family=Family(_ONE_USER, exact=True),
    printed=_histogram_variances,
    test=_are_histogram_variances,
)
