"""Estimates that know no prior: unbiased ones, from randomised response and from unary encoding."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mechdesign.baselines.response_matrix import response_matrix
from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Whole


def unbiased(matrix: Array) -> Array:
    """Return the two numbers c with ``E[c_Y | X = x] = x``: what each of two outputs counts for."""
    return np.asarray(np.linalg.solve(matrix, [0.0, 1.0]))


def unbiased_error(matrix: Array) -> Array:
    """Return ``E[(c_Y - x)^2 | X = x]`` for both inputs x, c the unbiased estimate."""
    apart = unbiased(matrix) - np.arange(2.0)[:, None]
    return np.asarray(np.sum(matrix * apart**2, axis=1))


def reports(point: Point) -> Array:
    """Return ``Pr(t of N reports are 1 | s of N inputs are)`` under randomised response, row s, column t."""
    response = response_matrix(2, point.epsilon)
    rows = []
    for ones in range(point.N + 1):
        row = np.ones(1)
        for person in range(point.N):
            row = np.convolve(row, response[1 if person < ones else 0])
        rows.append(row)
    return np.array(rows)


def _estimates(point: Point, p: float) -> Array:
    return np.asarray((np.arange(point.N + 1) - point.N * p) / (1.0 - 2.0 * p))


def _is_unbiased(point: Point, given: Array) -> Iterable[Check]:
    truth = np.arange(point.N + 1.0)
    yield Equal(reports(point) @ given, truth, "the mean estimate is the sum", scale=float(point.N))


def _spread(point: Point) -> float:
    p = 1.0 / (1.0 + float(np.exp(-point.epsilon)))
    return float(point.N * p * (1.0 - p) / (1.0 - 2.0 * p) ** 2)


def _misses_by(point: Point, given: float) -> Iterable[Check]:
    zero, one = unbiased(response_matrix(2, point.epsilon))
    ones = np.arange(point.N + 1.0)
    estimate = (point.N - ones) * zero + ones * one
    seen = reports(point)
    errors = np.sum(seen * (estimate - ones[:, None]) ** 2, axis=1)
    yield Equal(np.full(point.N + 1, given), errors, "the squared error, whatever the inputs are")
    variances = seen @ estimate**2 - (seen @ estimate) ** 2
    yield Equal(np.full(point.N + 1, given), variances, "the variance of the estimate", scale=float(errors[0]))


_REPORTS = Family({"N": Whole(1, 6), "epsilon": Real(0.2, 4.0)})

EQ41 = Theorem(
    key="jiang_lip/eq41",
    place="eq. (41)",
    kind="identity",
    words=(
        "The estimate (sum Y - N p)/(1 - 2 p) with p = e^epsilon/(e^epsilon + 1) of the sum is unbiased under "
        "randomised response that lies with probability 1/(e^epsilon + 1)."
    ),
    latex=r"\hat{C} = \frac{\sum_i Y_i - N p}{1 - 2p}, \quad p = \frac{e^{\epsilon}}{e^{\epsilon} + 1}",
    family=_REPORTS,
    printed=lambda point: _estimates(point, 1.0 / (1.0 + np.exp(-point.epsilon))),
    test=_is_unbiased,
    # p is the probability of a lie; with the printed one the estimate is of N - S.
    corrected=lambda point: _estimates(point, 1.0 / (1.0 + np.exp(point.epsilon))),
    correction="p is the probability of a lie, 1/(e^epsilon + 1)",
)

EQ42 = Theorem(
    key="jiang_lip/eq42",
    place="eq. (42)",
    kind="identity",
    words=(
        "The squared error of the unbiased estimate of the sum, and its variance for fixed inputs, are "
        "N p (1 - p)/(1 - 2 p)^2."
    ),
    latex=r"\frac{N p (1 - p)}{(1 - 2p)^2}",
    family=_REPORTS,
    # The formula is symmetric in p and 1 - p. For random inputs, the estimate's variance also has that of the sum.
    printed=_spread,
    test=_misses_by,
)


def _unary(point: Point) -> Iterable[float]:
    """Return the error of one bit of optimal unary encoding, of an item that is not held and of one that is."""
    q = 1.0 / (np.exp(point.epsilon) + 1.0)
    return [float(error) for error in unbiased_error(np.array([[1.0 - q, q], [0.5, 0.5]]))]


def _histogram_error(point: Point, given: float) -> Iterable[Check]:
    other, own = _unary(point)
    yield Equal(given, point.N * ((point.d - 1) * other + own), "the squared error, summed over the items")


def _per_rare_item(point: Point) -> float:
    exp = float(np.exp(point.epsilon))
    return float(point.N * 4.0 * exp / (exp - 1.0) ** 2)


def _over_all_items(point: Point) -> float:
    exp = float(np.exp(point.epsilon))
    return float(point.N * (4.0 * (point.d - 1) * exp + (exp + 1.0) ** 2) / (exp - 1.0) ** 2)


OUE = Theorem(
    key="jiang_lip/OUE",
    place="Section V-A.3",
    kind="identity",
    words=(
        "Optimal unary encoding of n people's items estimates their histogram with the squared error "
        "n 4 e^epsilon/(e^epsilon - 1)^2."
    ),
    latex=r"n \frac{4 e^{\epsilon}}{(e^{\epsilon} - 1)^2}",
    family=Family({"d": Whole(2, 20), "N": Whole(1, 500), "epsilon": Real(0.2, 5.0)}),
    printed=_per_rare_item,
    test=_histogram_error,
    # An item that is held adds (E + 1)^2/(E - 1)^2, each other item 4 E/(E - 1)^2, and each person holds one.
    corrected=_over_all_items,
    correction=(
        "the print is the error for one item that nobody holds; over all items it is "
        "n (4 (d - 1) e^epsilon + (e^epsilon + 1)^2)/(e^epsilon - 1)^2"
    ),
    is_another=True,
)
