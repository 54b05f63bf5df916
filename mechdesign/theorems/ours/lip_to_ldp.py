"""The LDP level of local information privacy, exactly."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from mechdesign.notions import LIP
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Equal, OnRays
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_bounded_prior.notions import ratios
from mechdesign.theorems.variables import Distribution, Real, Whole


def exact_ratio(at: Point) -> float:
    """Return the largest quotient of two entries of a column of LIP."""
    most = float(np.exp(at.epsilon))
    tau = 1.0 / (1.0 + most)

    def of_pair(p: float, other: float) -> float:
        if p >= tau:
            return 1.0 + (most - 1.0) / p
        if other <= 1.0 - tau:
            return most**2
        return most / (1.0 / most + (tau - 1.0 + other) / other * (most - 1.0 / most))

    return max(of_pair(*pair) for pair in permutations(at.prior.tolist(), 2))


# On the slice of mass one, v_x = 1/E + t_x (E - 1/E) with 0 <= t <= 1 and P.t = tau = 1/(1+E). For v_x/v_x' to be
# largest, t_x is as large as it can be, min(1, tau/P_x), and t_x' as small: 0, unless all the others at 1 do not use
# up tau, where it is (tau - 1 + P_x')/P_x'.
M13 = Theorem(
    key="ours/M13",
    place="exact LDP level of LIP",
    origin="not published, as far as we know; Jiang, Li, Tandon 2018 have 2 epsilon for every prior",
    kind="implication",
    words=(
        "LIP at epsilon implies LDP at the logarithm of the largest, over ordered pairs of inputs, of "
        "1 + (e^epsilon - 1)/P_x where P_x >= tau = 1/(1 + e^epsilon), of e^(2 epsilon) where P_x < tau and "
        "P_x' <= 1 - tau, and of a smaller number otherwise; at no smaller level."
    ),
    latex=(
        r"\max_{x \ne x'} \left( 1 + \frac{E - 1}{P_x} \text{ if } P_x \ge \tau; \quad "
        r"E^2 \text{ if } P_x < \tau, P_{x'} \le 1 - \tau; \quad "
        r"\frac{E}{\frac{1}{E} + \frac{\tau - 1 + P_{x'}}{P_{x'}} (E - \frac{1}{E})} \right)"
    ),
    family=Family({"n": Whole(2, 5), "epsilon": Real(0.05, 4.0), "prior": Distribution("n", least=0.01)}),
    printed=exact_ratio,
    test=lambda at, given: (
        Equal(given, OnRays(LIP(at.epsilon), Problem(prior=at.prior), ratios), "the largest quotient of two entries"),
    ),
)
