"""Appendix D, the proof of Theorem 5: the histogram's error as a case of the squared error; in exact fractions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_lip.variance_of_estimate import variance_of_estimate
from mechdesign.theorems.variables import Channel, Distribution, Whole

_DRAWN = Family({"n": Whole(2, 4), "prior": Distribution("n", 0.02), "matrix": Channel("n", "n", 0.01)}, exact=True)


def _sum_over_inputs(point: Point, masses: Array) -> Any:
    """Return ``sum_k P_k^2 sum_j q_kj (q_kj / m_kj - 1)``, m the masses that are divided by, shape (n, n)."""
    return (point.prior[:, None] ** 2 * point.matrix * (point.matrix / masses - 1)).sum()


def _by_output(point: Point) -> Array:
    return np.array([point.prior @ point.matrix] * point.n, dtype=object)


def _is_the_histogram(point: Point, given: Any) -> Iterable[Check]:
    """Compare with the variances of the estimates of each input's indicator."""
    indicators = np.eye(point.n, dtype=int).astype(object)
    found = sum(variance_of_estimate(point.prior, point.matrix, each) for each in indicators)
    yield Equal(given, found, "the sum of the variances of the estimates")


D57 = Theorem(
    key="jiang_lip/appD-eq57",
    place="eq. (57)",
    kind="identity",
    words=(
        "The parameter-related term of the histogram's error is sum_k P_k^2 sum_j q_kj (q_kj/lambda_k - 1), from the "
        "terms m = n = k of (56) with a_j = 1."
    ),
    latex=r"\sum_k P_k^2 \sum_j q_{kj} \left(\frac{q_{kj}}{\lambda_k} - 1\right)",
    family=_DRAWN,
    printed=lambda point: _sum_over_inputs(point, _by_output(point).T),
    test=_is_the_histogram,
    corrected=lambda point: _sum_over_inputs(point, _by_output(point)),
    correction="lambda_j, the probability of the output, in place of lambda_k, as in (55) and (56)",
)


def _all_pairs(point: Point) -> Any:
    """Return (56) with ``a_j = 1``: all pairs of inputs, not the equal ones alone."""
    matrix, output = point.matrix, point.prior @ point.matrix
    weighted = point.prior[:, None] * matrix
    return ((weighted.sum(axis=0) ** 2) / output - weighted.sum(axis=0)).sum()


D_CASE = Theorem(
    key="jiang_lip/appD-case",
    place="Appendix D, after eq. (57)",
    kind="identity",
    words=(
        "The histogram's problem is that of the squared error with a_j = 1 for every j, as a special case, and so has "
        "the same optimal solutions."
    ),
    latex=r"\sum_m \sum_n \sum_j a_m a_n P_m P_n q_{mj} \left(\frac{q_{nj}}{\lambda_j} - 1\right), \quad a_j = 1",
    # With a_j = 1 the value is a constant, whose estimate never varies: (56) is 0 for every mechanism. The terms m = n
    # alone are no case of it.
    family=_DRAWN,
    printed=_all_pairs,
    test=_is_the_histogram,
)
