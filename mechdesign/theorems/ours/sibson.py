"""Sibson's mutual information: it grows with its order, and its largest value under LDP.

Under LDP a column is a mixture of rays ``1 + (E - 1) 1_S``, ``E = e^epsilon``, and the norm of order a is convex: the
norm of a ray over its mass, ``(1 + (E^a - 1) m)^(1/a) / (1 + (E - 1) m)`` with ``m = P(S)``, is largest where its
logarithm's slope ``(E^a - 1) / (a (1 + (E^a - 1) m)) - (E - 1) / (1 + (E - 1) m)`` is 0. The masses of the outputs sum
to one, so this bounds the sum of norms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mechdesign.notions import LDP, MaximalLeakage, MutualInformationPrivacy, SibsonLeakage
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Distribution, Real, Seed, Whole

#: Inputs and size of the sets that cover them evenly.
EVEN = ((3, 1), (4, 1), (5, 1), (5, 2))


def _grows(point: Point, given: None) -> Iterator[Check]:
    rng = np.random.default_rng(point.seed)
    matrix, problem = rng.dirichlet(np.full(point.m, 0.5), size=point.n), Problem(prior=point.prior)
    low, high = sorted((point.alpha, point.order))
    names = ["mutual information", f"order {low:.6g}", f"order {high:.6g}", "maximal leakage"]
    levels = [
        MutualInformationPrivacy(1.0).level(matrix, problem).value,
        *(SibsonLeakage(1.0, order).level(matrix, problem).value for order in (low, high)),
        MaximalLeakage(1.0).level(matrix, problem).value,
    ]
    for i in range(3):
        yield AtMost(levels[i], levels[i + 1], f"{names[i]} is at most that of {names[i + 1]}")


def _of_share(share: float, epsilon: float, alpha: float) -> float:
    """Return ``(alpha / (alpha - 1)) ln`` of the norm of a ray of that mass over its own mass."""
    power, ratio = math.expm1(alpha * epsilon), math.expm1(epsilon)
    return alpha / (alpha - 1.0) * (math.log1p(power * share) / alpha - math.log1p(ratio * share))


def _best_share(epsilon: float, alpha: float) -> float:
    power, ratio = math.expm1(alpha * epsilon), math.expm1(epsilon)
    return (power - alpha * ratio) / ((alpha - 1.0) * power * ratio)


def _level(point: Point) -> float:
    """Return the drawn level, or that at which sets of even inputs have the best mass."""
    n, size = point.even
    return float(point.epsilon) if point.prior_is == "drawn" else _epsilon_at(size / n, point.alpha)


def _most(point: Point) -> float:
    epsilon = _level(point)
    return _of_share(_best_share(epsilon, point.alpha), epsilon, point.alpha)


def _epsilon_at(share: float, alpha: float) -> float:
    """Return the epsilon at which the best share, which falls from 1/2 to 0, is `share`."""
    low, high = 1e-3, 30.0 / alpha + 10.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _best_share(middle, alpha) > share else (low, middle)
    return low


def _subsets(n: int, size: int, epsilon: float) -> Array:
    """Return the mechanism whose outputs are the n shifts of a set of `size` inputs."""
    inside = (np.arange(n)[None, :] - np.arange(n)[:, None]) % n < size
    columns = np.where(inside, math.exp(epsilon), 1.0)
    return np.asarray(columns / columns.sum(axis=1, keepdims=True))


def _some(point: Point, epsilon: float) -> Array:
    """Return a mechanism of columns of two values, and a last one that makes up for what they leave."""
    rng = np.random.default_rng(point.seed)
    columns = np.where(rng.random((point.n, point.m)) < 0.5, 1.0, math.exp(epsilon))
    # So small that the ratio of the last column is at most e^epsilon too.
    columns *= rng.random() / columns.sum(axis=1).max() * -math.expm1(-epsilon)
    return np.column_stack([columns, 1.0 - columns.sum(axis=1)])


def _bounds(point: Point, given: float) -> Iterator[Check]:
    epsilon, notion = _level(point), SibsonLeakage(1.0, point.alpha)
    matrix, problem = _some(point, epsilon), Problem(prior=point.prior)
    yield AtMost(LDP(1.0).level(matrix, problem).value, epsilon, "the mechanism satisfies LDP")
    yield AtMost(notion.level(matrix, problem).value, given, "no mechanism has more")
    if point.prior_is == "even":
        n, size = point.even
        reached = notion.level(_subsets(n, size, epsilon), Problem(prior=np.full(n, 1.0 / n))).value
        yield Equal(given, reached, "it is reached where sets of the best mass cover the inputs evenly")


ORDER = Theorem(
    key="ours/sibson-order",
    place="Sibson's mutual information and its order",
    kind="implication",
    words=(
        "Sibson's mutual information of a mechanism grows with its order: at least the mutual information, at most the "
        "maximal leakage, whatever the prior."
    ),
    origin="Sibson 1969, and Issa et al. 2020 for its limit",
    family=Family(
        {
            "n": Whole(2, 5),
            "m": Whole(2, 5),
            "prior": Distribution("n"),
            "alpha": Real(1.1, 100.0, log=True),
            "order": Real(1.1, 100.0, log=True),
            "seed": Seed(),
        },
    ),
    test=_grows,
    loose="it has no formula",
)

UNDER_LDP = Theorem(
    key="ours/sibson-ldp",
    place="Sibson's mutual information under LDP",
    kind="upper bound",
    words=(
        "For every prior Sibson's mutual information of order alpha under LDP is at most that of a ray whose larger "
        "entries have the mass m = (p - alpha r)/((alpha - 1) p r), with p = E^alpha - 1 and r = E - 1; it is reached "
        "if inputs are covered evenly by sets of mass m."
    ),
    latex=r"\frac{\alpha}{\alpha - 1} \ln \frac{(1 + (E^\alpha - 1) m)^{1/\alpha}}{1 + (E - 1) m}",
    origin="not published, as far as we know",
    family=Family(
        {
            "prior_is": Choice(("drawn", "even")),
            "n": Whole(2, 5),
            "m": Whole(1, 5),
            "prior": Distribution("n"),
            "epsilon": Real(0.05, 3.0),
            "alpha": Real(1.1, 20.0, log=True),
            "even": Choice(EVEN),
            "seed": Seed(),
        },
    ),
    printed=_most,
    test=_bounds,
)
