"""By how much local information privacy beats local differential privacy for two inputs, as the prior grows skewed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.baselines.response_matrix import response_matrix
from mechdesign.notions import LDP, LIP
from mechdesign.objectives import MMSE
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Remainder
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.ours.binary_lip import exact_binary
from mechdesign.theorems.variables import Real


def _asked(notion: LIP | LDP, m: float, scale: float = 1.0) -> Question:
    return Question(Problem(prior=[1.0 - m, m], values=[0.0, scale]), notion, MMSE())


def quotient(m: float, exp: float) -> float:
    """Return the least squared error under LDP as a multiple of that under LIP; m is the rarer input's probability."""
    spread, excess = m * (1.0 - m), (exp - 1.0) ** 2
    if m * (1.0 + exp) >= 1.0:
        return exp / ((exp + spread * excess) * (2.0 / exp - 1.0 / exp**2))
    return exp**2 / ((exp + spread * excess) * (exp - m * excess / (1.0 - m)))


def peak(exp: float) -> float:
    """Return ``E^2 (E+1)^2 / (2 (E^2+1) (2E-1))``."""
    return exp**2 * (exp + 1.0) ** 2 / (2.0 * (exp**2 + 1.0) * (2.0 * exp - 1.0))


def _quotients(at: Point) -> tuple[float, float]:
    exp = float(np.exp(at.epsilon))
    return quotient(at.rarer, exp), peak(exp)


def _errors(m: float, epsilon: float) -> tuple[float, float]:
    """Return the squared errors of the optimal mechanisms of LDP and LIP, from their definition."""
    question = _asked(LIP(epsilon), m)
    matrices = response_matrix(2, epsilon), exact_binary(question).matrix
    ldp, lip = (question.objective.value(matrix, question.problem) for matrix in matrices)
    return ldp, lip


def _is_skewed(at: Point, given: tuple[float, float]) -> Iterator[Check]:
    m, tau = at.rarer, 1.0 / (1.0 + float(np.exp(at.epsilon)))
    for where, found in ((m, given[0]), (tau, given[1])):
        # Values that are larger by a factor have a squared error that is larger by its square.
        larger = _asked(LIP(at.epsilon), where, scale=float(np.sqrt(found)))
        what = f"the least error under LDP against the multiple of that under LIP at {where:.4g}"
        yield Equal(Optimum(larger), Optimum(_asked(LDP(at.epsilon), where)), what)
    ldp, lip = _errors(m + at.way * (tau - m), at.epsilon)
    yield AtMost(given[0], ldp / lip, "the quotient grows on the way to tau, from both sides")
    yield AtMost(given[0], given[1], "it is largest there")
    what = "the quotient goes to 1 with the square of m"
    yield Remainder(lambda step: _errors(step, at.epsilon), 3, tau / 2.0, what)


# With s = m(1-m) and D = (E-1)^2 the error is s E/(E + s D) under LDP; under LIP it is s (2/E - 1/E^2) where m >= tau
# and s - m^2 D/E below. Above tau only E + s D depends on m. Below, the logarithm of 1/R falls with m iff
# (1-2m) (1-m)^2 (E - m D/(1-m)) < E + s D, and the left side is at most E.
M11 = Theorem(
    key="ours/M11",
    place="skewness and the advantage of LIP",
    origin="not published, as far as we know",
    kind="comparison",
    words=(
        "For two inputs the least squared error under LDP, as a multiple of that under LIP, falls as the prior grows "
        "more even than tau = 1/(1 + E) or more skewed: it is largest where the rarer input has probability tau, and "
        "goes to 1 with the probability of the rarer input."
    ),
    latex=(
        r"R(\tau) = \frac{E^2 (E+1)^2}{2 (E^2+1)(2E-1)}, \quad R(m) = \frac{E}{(E + sD)(2/E - 1/E^2)} "
        r"\text{ if } m \ge \tau, \quad \frac{E^2}{(E + sD)(E - mD/(1-m))} \text{ if } m < \tau, \quad "
        r"s = m(1-m), \quad D = (E-1)^2"
    ),
    family=Family({"epsilon": Real(0.1, 4.0), "rarer": Real(0.001, 0.5), "way": Real(0.0, 1.0)}),
    printed=_quotients,
    test=_is_skewed,
)
