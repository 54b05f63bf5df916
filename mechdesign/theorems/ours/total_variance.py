"""Variances of all frequencies under maximal leakage, chi-square and LDP: bounds, reached at equal frequencies.

With the Fisher information ``K = sum_y q_y q_y' / s_y`` of a report, ``s_y = theta . q_y``, ``K theta = 1``. A column's
entries are at most its largest, so ``trace(diag(theta) K) = sum_y sum_x theta_x q_xy^2 / s_y <= sum_y max_x q_xy``, and
``trace((diag(theta) - theta theta') K)`` is at most that less one. If theta is the prior, the latter trace is
``sum_y s_y sum_x theta_x (q_xy / s_y - 1)^2``. On contrasts the covariance C is the inverse of K, and
``trace(C) trace(G K) >= trace(G^(1/2))^2`` by the inequality of Cauchy and Schwarz.

Under LDP the entries of a column lie between l and ``E l``, so ``sum_x nu_x q_x^2 <= (E + 1) l a - E l^2`` for its mean
``a = nu . q`` under any distribution nu. With ``1 / sinh^2(epsilon / 2) = 4 E / (E - 1)^2`` and ``s = theta . q`` this
leaves ``(sum_x nu_x q_x^2 - a^2) / sinh^2(epsilon / 2) - (a - s)^2 <= 2 a s - s^2``. Divided by s and summed over the
outputs, that is ``trace(G K) <= 1`` for ``G = (diag(nu) - nu nu') / sinh^2(epsilon / 2) - (nu - theta) (nu - theta)'``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mechdesign.notions import LDP, MaximalLeakage, StrongChiSquare
from mechdesign.objectives import InformationDesign
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Private
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Distribution, Real, Seed, Whole


def least_product(frequencies: Array) -> float:
    """Return ``trace((diag(theta) - theta theta')^(1/2))^2``, of frequencies of shape (n,)."""
    # The smallest eigenvalue is 0, its root of what rounding leaves is not small.
    sizes = np.linalg.eigvalsh(np.diag(frequencies) - np.outer(frequencies, frequencies))[1:]
    return float(np.sqrt(sizes).sum()) ** 2


def _problem(point: Point) -> Problem:
    """Return the point's frequencies, drawn or equal."""
    return Problem(prior=point.prior if point.frequencies == "drawn" else np.full(point.n, 1.0 / point.n))


def _printed(point: Point) -> float:
    return least_product(np.asarray(_problem(point).prior))


def _some_mechanism(point: Point) -> Array:
    """Return a random mechanism of twice as large a number of outputs as inputs: a third reports the input itself."""
    rng = np.random.default_rng(point.seed)
    noise = rng.dirichlet(np.full(point.n, 0.5), size=point.n)
    return np.hstack([np.eye(point.n) / 3.0, 2.0 * noise / 3.0])


def _variance(matrix: Array, problem: Problem) -> float:
    return InformationDesign("A").value(matrix, problem)


def _of_leakage(point: Point, given: float) -> Iterator[Check]:
    problem, matrix = _problem(point), _some_mechanism(point)
    gained = math.expm1(MaximalLeakage(1.0).level(matrix, problem).value)
    yield AtMost(given, gained * _variance(matrix, problem), "variances times leakage, of a random mechanism")
    if point.frequencies == "equal":
        share = math.expm1(point.epsilon) / (point.n - 1)
        erased = np.hstack([share * np.eye(point.n), np.full((point.n, 1), 1.0 - share)])
        level = MaximalLeakage(1.0).level(erased, problem).value
        yield Equal(level, point.epsilon, "the leakage of erasure")
        yield Equal(_variance(erased, problem), given / math.expm1(point.epsilon), "erasure at equal frequencies")
        yield Equal(given, (point.n - 1) ** 2 / point.n, "the product at equal frequencies")


def _of_chi_square(point: Point, given: float) -> Iterator[Check]:
    problem, matrix = _problem(point), _some_mechanism(point)
    reached = StrongChiSquare(1.0).level(matrix, problem).value
    yield AtMost(given, reached**2 * _variance(matrix, problem), "variances times chi-square, of a random mechanism")
    if point.frequencies == "equal":
        ratio = math.exp(point.epsilon)
        response = (np.ones((point.n, point.n)) + (ratio - 1.0) * np.eye(point.n)) / (ratio + point.n - 1)
        level = StrongChiSquare(1.0).level(response, problem).value
        yield Equal(_variance(response, problem), given / level**2, "randomised response at equal frequencies")
        yield Equal(given, (point.n - 1) ** 2 / point.n, "the product at equal frequencies")


def _under_ldp(point: Point) -> float:
    return least_product(np.asarray(_problem(point).prior)) / math.sinh(point.epsilon / 2.0) ** 2


def _of_ldp(point: Point, given: float) -> Iterator[Check]:
    problem, rng = _problem(point), np.random.default_rng(point.seed)
    ratio, theta = math.exp(point.epsilon), np.asarray(problem.prior)
    columns = np.where(rng.random((point.n, 2 * point.n)) < rng.random(2 * point.n), ratio, 1.0)
    columns = columns * rng.dirichlet(np.ones(2 * point.n))
    filled = columns.sum(axis=1)
    # The least sum of each row at which what is left of the rows is a column within e^epsilon, too.
    whole = float(ratio * filled.max() - filled.min()) / math.expm1(point.epsilon)
    matrix = np.hstack([columns, (whole - filled)[:, None]]) / whole
    yield Private(matrix, problem, LDP(point.epsilon), "a random mechanism")
    matrix = matrix[:, matrix.max(axis=0) > 0]
    information = (matrix / (theta @ matrix)) @ matrix.T
    reference = rng.dirichlet(np.ones(point.n))
    spread = np.diag(reference) - np.outer(reference, reference)
    apart = reference - theta
    limit = math.sinh(point.epsilon / 2.0) ** 2 * (1.0 + float(apart @ information @ apart))
    yield AtMost(float(np.trace(spread @ information)), limit, "information along a reference, of a random mechanism")
    design = Question(problem, LDP(point.epsilon), InformationDesign("A"))
    yield AtMost(given, Optimum(design), "no mechanism has less variance")
    if point.frequencies == "equal" and point.n > 2:
        response = (np.ones((point.n, point.n)) + (point.n - 2.0) * np.eye(point.n)) / (2.0 * point.n - 2.0)
        reached = least_product(theta) / math.sinh(math.log(point.n - 1.0) / 2.0) ** 2
        yield Equal(_variance(response, problem), reached, "randomised response at e^epsilon = n - 1")


def _family(levels: Real) -> Family:
    frequencies, prior = Choice(("drawn", "equal")), Distribution("n", least=0.02)
    return Family({"n": Whole(2, 6), "frequencies": frequencies, "prior": prior, "epsilon": levels, "seed": Seed()})


LEAKED_VARIANCE = Theorem(
    key="ours/leakage-frequencies",
    place="estimated frequencies under maximal leakage",
    kind="lower bound",
    words=(
        "Under maximal leakage epsilon the total variance of the estimated frequencies, per report, is at least "
        "trace((diag(theta) - theta theta')^(1/2))^2 / (e^epsilon - 1), whatever the frequencies theta. Where they are "
        "equal, this is (n-1)^2 / (n (e^epsilon - 1)), and erasure reaches it for epsilon up to ln n."
    ),
    latex=r"\operatorname{tr} C \ge "
    r"\frac{(\operatorname{tr} (\operatorname{diag} \theta - \theta \theta^T)^{1/2})^2}{e^\varepsilon - 1}",
    origin="not published, as far as we know; the inequality of Cauchy and Schwarz",
    # Erasure reveals an input with probability (e^epsilon - 1) / (n - 1), at most 1 from two inputs on.
    family=_family(Real(0.02, 0.69)),
    printed=_printed,
    test=_of_leakage,
)
CHI_SQUARE_VARIANCE = Theorem(
    key="ours/chi-square-frequencies",
    place="estimated frequencies under strong chi-square privacy",
    kind="lower bound",
    words=(
        "Where the chi-square divergence of the posterior from the prior theta is at most r^2 for every output, the "
        "total variance of the estimated frequencies, per report, is at least "
        "trace((diag(theta) - theta theta')^(1/2))^2 / r^2. Where all are equal, this is (n-1)^2 / (n r^2), and "
        "randomised response reaches it."
    ),
    latex=r"\operatorname{tr} C \ge "
    r"\frac{(\operatorname{tr} (\operatorname{diag} \theta - \theta \theta^T)^{1/2})^2}{r^2}",
    origin="not published, as far as we know; the inequality of Cauchy and Schwarz",
    family=_family(Real(0.05, 4.0)),
    printed=_printed,
    test=_of_chi_square,
)
LDP_VARIANCE = Theorem(
    key="ours/ldp-frequencies",
    place="estimated frequencies under LDP",
    kind="lower bound",
    words=(
        "Under LDP the information K of a report at frequencies theta has trace((diag(nu) - nu nu') K) <= "
        "sinh^2(epsilon / 2) (1 + (nu - theta)' K (nu - theta)) for every distribution nu. At nu = theta, the total "
        "variance of the estimated frequencies, per report, is at least "
        "trace((diag(theta) - theta theta')^(1/2))^2 / sinh^2(epsilon / 2). Where all are equal and e^epsilon = n - 1, "
        "randomised response reaches it."
    ),
    latex=r"\operatorname{tr} C \ge "
    r"\frac{(\operatorname{tr} (\operatorname{diag} \theta - \theta \theta^T)^{1/2})^2}{\sinh^2(\varepsilon / 2)}",
    origin="not published, as far as we know; the inequality of Cauchy and Schwarz",
    family=_family(Real(0.05, 4.0)),
    printed=_under_ldp,
    test=_of_ldp,
)
