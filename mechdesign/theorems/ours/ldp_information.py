"""The largest mutual information under local differential privacy, for every prior.

An extreme ray is ``1 + (E-1) 1_S``, ``E = e^epsilon``; its utility ``epsilon E m - phi(1 + (E-1) m)`` with
``phi(z) = z ln z`` depends on the set through its mass ``m = P(S)`` alone. Divide by its own mass ``z = 1 + (E-1) m``:
what is left, ``c (z-1)/z - ln z`` with ``c = epsilon E/(E-1)``, is largest at z = c, where it is ``c - 1 - ln c``. The
outputs' masses sum to one, so this bounds the information, and it is reached exactly if every output has
``m = (c-1)/(E-1)`` and the sets cover the inputs evenly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from mechdesign.notions import LDP
from mechdesign.objectives import MutualInformation
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Distribution, Real, Whole

#: Inputs and size of the sets that cover them evenly.
EVEN = ((3, 1), (4, 1), (5, 1), (5, 2), (6, 2))

#: A set whose mass misses the best by less may come next to the bound.
FAR = 0.01


def parts(epsilon: float) -> tuple[float, float]:
    """Return c and the mass ``(c-1)/(E-1)``."""
    c = -epsilon / math.expm1(-epsilon)
    return c, (c - 1) / math.expm1(epsilon)


def epsilon_at(mass: float) -> float:
    """Return the epsilon at which the best mass, which falls from 1/2 to 0, is `mass`."""
    low, high = 1e-3, 50.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if parts(middle)[1] > mass else (low, middle)
    return low


def asked(point: Point) -> Question:
    """Return the question of a drawn prior, or of even inputs where sets of them have the best mass."""
    if point.prior_is == "drawn":
        return Question(Problem(prior=point.prior), LDP(point.epsilon), MutualInformation())
    n, size = point.even
    return Question(Problem(prior=np.full(n, 1 / n)), LDP(epsilon_at(size / n)), MutualInformation())


def most(question: Question) -> float:
    """Return ``c - 1 - ln c``, without cancellation near c = 1."""
    c, _ = parts(question.notion.parameter)
    return (c - 1) - math.log1p(c - 1)


def bounds(question: Question, given: float) -> Iterator[Check]:
    """Compare with the optimum: reached where sets of the best mass cover the inputs, never where none has it."""
    prior, best = question.problem.required_prior, parts(question.notion.parameter)[1]
    nearest = min(abs(float(np.dot(inside, prior)) - best) for inside in product((0, 1), repeat=len(prior)))
    yield AtMost(Optimum(question), given, "no mechanism has more information", strictly=nearest > FAR)
    if nearest < 1e-12 and np.ptp(prior) < 1e-12:
        yield Equal(Optimum(question), given, "it is reached")


INFORMATION = Theorem(
    key="ours/ldp-information",
    place="mutual information under LDP",
    origin="not published, as far as we know; for equally likely inputs Wang et al. 2016 have the sets",
    kind="upper bound",
    words=(
        "For every prior the mutual information under local differential privacy is at most c - 1 - ln c with "
        "c = epsilon E/(E-1); it is reached exactly if inputs are covered evenly by sets of mass (c-1)/(E-1)."
    ),
    latex=r"I(X;Y) \le c - 1 - \ln c, \quad c = \frac{\epsilon e^{\epsilon}}{e^{\epsilon} - 1}",
    family=Family(
        {
            "prior_is": Choice(("drawn", "even")),
            "n": Whole(2, 5),
            "prior": Distribution("n", least=0.01),
            "epsilon": Real(0.05, 5.0),
            "even": Choice(EVEN),
        },
        subject=asked,
    ),
    printed=most,
    test=bounds,
)
