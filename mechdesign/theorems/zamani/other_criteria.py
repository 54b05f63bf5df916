"""LIP against the strong chi-square criterion."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from mechdesign.notions import LIP
from mechdesign.problem import Problem
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, OnRays
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.ours.lip_relations import chi
from mechdesign.theorems.variables import Distribution, Real, Whole

PRIORS = {"n": Whole(2, 4), "epsilon": Real(0.02, 4.0, log=True), "prior": Distribution("n", least=0.01)}


def _is_stronger(at: Point, given: float) -> Iterator[Check]:
    """Check that no output of a mechanism of LIP has a larger chi-square than the criterion allows."""
    largest = OnRays(LIP(at.epsilon), Problem(prior=at.prior), partial(chi, at.prior))
    yield AtMost(largest, given, "the root of chi-square under LIP")


def _common_enough(at: Point) -> tuple[float, float]:
    steep = at.epsilon / -float(np.expm1(-at.epsilon))
    return float(at.prior.min()), 1.0 / (1.0 + steep**2)


CHI2 = Theorem(
    key="zamani/chi2",
    place="Section VI, after eq. (60)",
    kind="implication",
    words=(
        "LIP at epsilon is stronger than the strong chi-square criterion at epsilon, which asks that the chi-square "
        "divergence of P_X|U=u from P_X is at most epsilon^2 for every u."
    ),
    latex=r"\sum_x \frac{(P_{X|U}(x|u) - P_X(x))^2}{P_X(x)} \le \epsilon^2",
    family=Family(PRIORS),
    printed=lambda at: at.epsilon,
    test=_is_stronger,
    # All inputs but those of probability p at the lift e^-epsilon have (1 - e^-epsilon)^2 (1 - p)/p: the most there is
    # where no set of inputs has a probability of 1/(1 + e^epsilon) or less.
    narrower=(Condition("min prior", "1/(1 + (epsilon/(1 - e^-epsilon))^2)", _common_enough),),
)
