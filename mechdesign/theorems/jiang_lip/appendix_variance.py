"""Appendices B and C, the proofs of Theorems 3 and 4: how the variance of the estimate moves; in exact fractions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Remainder
from mechdesign.theorems.distinct_values import Increasing
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_lip.variance_of_estimate import estimates, variance, variance_of_estimate
from mechdesign.theorems.variables import Channel, Distribution, Seed, Vector, Whole

INPUTS = {"n": Whole(2, 4), "prior": Distribution("n", 0.02), "values": Vector("n", 0.0, 5.0)}
DRAWN = {**INPUTS, "matrix": Channel("n", "n", 0.01)}


def _permuted(point: Point) -> Array:
    order = np.random.default_rng(point.order).permutation(point.n)
    return np.array([[Fraction(int(k == order[x])) for k in range(point.n)] for x in range(point.n)], dtype=object)


def extremes(point: Point) -> tuple[Any, Any]:
    """Return the two ends of (47): the triple sum at a permutation, and the sum over inputs and pairs."""
    prior, values, matrix, n = point.prior, point.values, _permuted(point), range(point.n)
    output = prior @ matrix
    terms = [
        values[m] * values[j] * prior[m] * prior[j] * matrix[m, k] * (matrix[j, k] / output[k] - 1)
        for m in n
        for j in n
        for k in n
    ]
    alone = sum(values[m] ** 2 * prior[m] * (1 - prior[m]) for m in n)
    return sum(terms), alone - sum(values[m] * values[j] * prior[m] * prior[j] for m in n for j in n if m != j)


def _are_extremes(point: Point, given: tuple[Any, Any]) -> Iterable[Check]:
    prior, values, matrix = point.prior, point.values, point.matrix
    constant = np.array([prior @ matrix] * point.n, dtype=object)
    yield Equal(variance_of_estimate(prior, constant, values), Fraction(0), "the variance with equal rows")
    for end in given:
        yield Equal(variance_of_estimate(prior, _permuted(point), values), end, "the variance at a permutation")
    yield AtMost(variance_of_estimate(prior, matrix, values), given[1], "the variance at any mechanism")


L1 = Theorem(
    key="jiang_lip/appB-L1",
    place="Lemma 1 and eq. (47)",
    kind="identity",
    words=(
        "The variance of the estimate is least, 0, where all inputs have the same outputs, and largest, that of the "
        "input, where each input has an output of its own."
    ),
    latex=r"\sum_n a_n^2 P_n (1 - P_n) - \sum_n \sum_{m \ne n} a_n a_m P_n P_m",
    family=Family({**DRAWN, "order": Seed()}, exact=True),
    printed=extremes,
    test=_are_extremes,
)


def printed_slope(point: Point) -> Array:
    """Return (48) for every q_lk, rows l: its last line."""
    prior, values, matrix = point.prior, point.values, point.matrix
    output, weighted = prior @ matrix, values @ matrix
    others = weighted[None] - values[:, None] * matrix
    return np.asarray(values[:, None] * matrix * others * (1 - prior)[None] * (matrix - output) / output)


def moved(point: Point) -> Array:
    """Return the derivative of the estimate's variance for mass moved within row l from output j to k, ``[l, j, k]``.

    ``P_l ((a_l - mu_j)^2 - (a_l - mu_k)^2)`` with mu the estimates.
    """
    mean = estimates(point.prior, point.matrix, point.values)[1]
    far = (point.values[:, None] - mean[None]) ** 2
    return np.asarray(point.prior[:, None, None] * (far[:, :, None] - far[:, None, :]))


def _shifted(matrix: Array, at: tuple[int, int, int], step: Fraction) -> Array:
    row, source, target = at
    shifted = matrix.copy()
    shifted[row, target] += step
    shifted[row, source] -= step
    return shifted


def _grows(point: Point, given: Array) -> Iterable[Check]:
    slopes, n = moved(point), range(point.n)
    # The sign of (48) decides at q_lk and, the other way, at q_lj: both say that the variance grows.
    pairs = [(x, j, k) for x in n for j in n for k in n if given[x, k] > 0 > given[x, j]]
    for x, j, k in pairs[:1]:

        def sides(step: float, at: tuple[int, int, int] = (x, j, k)) -> tuple[Any, Any]:
            after, before = (
                variance_of_estimate(point.prior, _shifted(point.matrix, at, sign * Fraction(step)), point.values)
                for sign in (1, -1)
            )
            return (after - before) / (2 * Fraction(step)), slopes[at]

        yield Remainder(sides, 2.0, 0.005, "the derivative against differences")
    worst = min((slopes[at] for at in pairs), default=Fraction(0))
    yield AtMost(Fraction(0), worst, "the variance grows with q_lk > lambda_k at the cost of q_lj < lambda_j")


L2 = Theorem(
    key="jiang_lip/appB-L2",
    place="Lemma 2 and eq. (48)",
    kind="comparison",
    words=(
        "The variance of the estimate grows with q_lk where q_lk > lambda_k and falls where q_lk < lambda_k, as the "
        "sign of (48) says; tested where mass moves from an output below its lambda to one above."
    ),
    latex=(
        r"\frac{\partial \mathrm{Var} \hat{X}}{\partial q_{lk}} = "
        r"\frac{a_l q_{lk} (\sum_{m \ne l} a_m q_{mk})(1 - P_k)(q_{lk} - \lambda_k)}{\lambda_k}"
    ),
    # The derivative is P_l ((a_l - mu_j)^2 - (a_l - mu_k)^2): what counts is which estimate is closer.
    family=Family({**DRAWN, "values": Increasing("n", 0.5, 5.0)}, exact=True),
    printed=printed_slope,
    test=_grows,
)


def _loss(point: Point) -> Any:
    prior, values = point.prior, point.values
    weighted = prior * values
    rest = sum(weighted[0] * weighted[m] for m in range(2, point.n))
    return (weighted[0] - weighted[1]) ** 2 / (prior[0] + prior[1]) + rest


def _mended_loss(point: Point) -> Any:
    (p, q), (a, b) = point.prior[:2], point.values[:2]
    return p * q * (a - b) ** 2 / (p + q)


def _is_loss(point: Point, given: Any) -> Iterable[Check]:
    merged = np.array([[Fraction(int(k == max(x - 1, 0))) for k in range(point.n - 1)] for x in range(point.n)])
    left = variance_of_estimate(point.prior, merged, point.values)
    yield Equal(variance(point.prior, point.values) - left, given, "the variance that is lost")
    yield AtMost(Fraction(0), given, "it is a loss")


B49 = Theorem(
    key="jiang_lip/appB-eq49",
    place="eq. (49)",
    kind="identity",
    words="What two inputs of one output cost: (a_l P_l - a_k P_k)^2/(P_l + P_k) and products with the others' means.",
    latex=r"\frac{(a_l P_l - a_k P_k)^2}{P_l + P_k} + \sum_m a_l P_l a_m P_m",
    family=Family(INPUTS, exact=True),
    printed=_loss,
    test=_is_loss,
    corrected=_mended_loss,
    correction="P_l P_k (a_l - a_k)^2/(P_l + P_k), and nothing of the others",
)


def truncated(point: Point) -> Array:
    """Return the variances of the estimators (54) with the first f outputs, f = 1, ..., n; the last is (53)'s."""
    output, mean = estimates(point.prior, point.matrix, point.values)
    first, second = np.cumsum(output * mean), np.cumsum(output * mean**2)
    return np.asarray(second - first**2)


def _rises(point: Point, given: Array) -> Iterable[Check]:
    yield Equal(given[-1], variance_of_estimate(point.prior, point.matrix, point.values), "the variance of (53)")
    for fewer, more in pairwise(given):
        yield AtMost(fewer, more, "the variance with one output more")


C53 = Theorem(
    key="jiang_lip/appC-eq53",
    place="eqs. (53) and (54)",
    kind="comparison",
    words=(
        "With the same probabilities and values that are not negative, the variance of the sum over the first f "
        "outputs of the estimate's parts grows with f."
    ),
    latex=r"\hat{X}' = \sum_j \sum_{k \le f} a_j Pr(X = a_j | Y = a_k) 1_k",
    family=Family(DRAWN, exact=True),
    printed=truncated,
    test=_rises,
)
