"""The errors of local information privacy and of local differential privacy for two inputs, side by side."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mechdesign.notions import LDP, LIP
from mechdesign.objectives import MMSE
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real

#: An epsilon that stands for infinity: e^-40 is 4e-18.
ENDLESS = 40.0


def errors(p_one: float, epsilon: float) -> tuple[float, float]:
    """Return the least errors that are published for LIP (21) and for LDP (24)."""
    spread, exp = p_one * (1.0 - p_one), float(np.exp(epsilon))
    lip = spread * (2.0 * np.exp(-epsilon) - np.exp(-2.0 * epsilon))
    ldp = spread - (spread * (1.0 - exp)) ** 2 / ((1.0 - p_one + p_one * exp) * (exp - p_one * exp + p_one))
    return float(lip), ldp


def _errors(point: Point) -> Array:
    """Return the errors of LIP and LDP at epsilon, at 0, and where there is no privacy: rows in this order."""
    return np.array([errors(point.p_one, epsilon) for epsilon in (point.epsilon, 0.0, ENDLESS)])


def _in_order(point: Point, given: Array) -> Iterable[Check]:
    problem = Problem(prior=[1.0 - point.p_one, point.p_one], values=[0.0, 1.0])
    best_lip, best_ldp = (Optimum(Question(problem, notion(point.epsilon), MMSE())) for notion in (LIP, LDP))
    lip, ldp = given[0]
    yield AtMost(lip, ldp, "the published error of LIP against that of LDP")
    # For rarer inputs or smaller epsilon the two errors differ by less than the certificates resolve.
    apart = point.epsilon > 0.1 and 0.01 < point.p_one < 0.99
    yield AtMost(best_lip, best_ldp, "the least error of LIP against that of LDP", strictly=apart)
    yield Equal(ldp, best_ldp, "the published error of LDP")
    spread = point.p_one * (1.0 - point.p_one)
    yield Equal(given[1], np.full(2, spread), "both errors at epsilon 0")
    yield Equal(given[2], np.zeros(2), "both errors as epsilon grows", scale=spread)


_PRIORS = Real(0.001, 0.999)

P4B = Theorem(
    key="jiang_lip/P4b",
    place="Proposition 4, second part",
    kind="comparison",
    words=(
        "For two inputs the least error under LDP is at least that under LIP, and they are equal only at epsilon 0 and "
        "without privacy."
    ),
    latex=r"\mathcal{E}_{LDP} \ge \mathcal{E}_{LIP}",
    # Every LDP mechanism is LIP at the same epsilon.
    family=Family({"epsilon": Real(0.05, 4.0), "p_one": _PRIORS}),
    printed=_errors,
    test=_in_order,
)


def _advantages(point: Point) -> Array:
    """Return the difference of the errors at a prior near one half, at its mirror image, and farther off."""
    priors = (0.5 + point.near, 0.5 - point.near, 0.5 + point.near + point.more)
    pairs = [errors(p_one, point.epsilon) for p_one in priors]
    return np.array([ldp - lip for lip, ldp in pairs])


def _grows(point: Point, given: Array) -> Iterable[Check]:
    near, mirrored, far = given
    yield Equal(near, mirrored, "the advantage is symmetric about one half, and so stationary there", scale=0.25)
    yield AtMost(near, far, "the advantage near one half against that farther off")


P4C = Theorem(
    key="jiang_lip/P4c",
    place="proof of Proposition 4",
    kind="comparison",
    words=(
        "For two inputs the error under LDP less that under LIP is stationary at P_1 = 0.5 and grows with |P_1 - 0.5|."
    ),
    latex=r"\frac{\partial \Delta\mathcal{E}}{\partial P_1} = 0 \text{ at } P_1 = 0.5",
    # Both errors vanish with P_1. At epsilon = 1 the difference falls from the middle on.
    family=Family({"epsilon": Real(0.05, 4.0), "near": Real(0.0, 0.25), "more": Real(0.0, 0.249)}),
    printed=_advantages,
    test=_grows,
)
