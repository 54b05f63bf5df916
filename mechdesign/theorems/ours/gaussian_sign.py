"""Fisher information about a Gaussian mean under LDP: up to which epsilon the sign mechanism is optimal.

By ``ours/quantised-rr`` some optimum cuts the line into k cells and applies randomised response to the cell. At mean 0
its Fisher information is ``(E-1)^2 / (E + k - 1) sum_j m_j^2 / (1 + (E-1) p_j)``. A cell has mass ``p_j`` and its
derivative by the mean ``m_j``, the difference of the densities at its ends. Two cells that meet at 0 give
``(2 / pi) tanh(epsilon / 2)^2``; three, cut at -c and c, give more if epsilon exceeds 2.007403.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.stats import norm

from mechdesign.notions import LDP
from mechdesign.objectives import FisherInformation
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Private
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Seed, Whole

#: The epsilon at which three cells are as good as two, rounded down.
LARGEST = 2.0074
#: The best place of a cut for three cells there.
CUT = 0.3638
#: Numbers of cells that are tried at random cuts.
CELLS = (2, 3, 4, 5, 6)


def sign_information(epsilon: float) -> float:
    """Return ``(2 / pi) tanh(epsilon / 2)^2``."""
    return 2.0 / math.pi * math.tanh(epsilon / 2.0) ** 2


def cells_information(cuts: Array, epsilon: float) -> float:
    """Return the Fisher information of randomised response on the cells between cuts of the line."""
    masses, changes = _cells(cuts)
    gained = math.expm1(epsilon)
    return float(gained**2 / (gained + len(masses)) * np.sum(changes**2 / (1.0 + gained * masses)))


def _cells(cuts: Array) -> tuple[Array, Array]:
    """Return the mass of each cell under N(0, 1), and its derivative by the mean."""
    ends = np.r_[-np.inf, np.sort(cuts), np.inf]
    # Cells of the upper half by the other tail, which keeps their digits.
    masses = np.where(ends[:-1] > 0, norm.sf(ends[:-1]) - norm.sf(ends[1:]), norm.cdf(ends[1:]) - norm.cdf(ends[:-1]))
    return masses, norm.pdf(ends[:-1]) - norm.pdf(ends[1:])


def _is_optimal(point: Point, given: float) -> Iterator[Check]:
    rng = np.random.default_rng(point.seed)
    half = rng.uniform(0.05, 2.5, size=point.n - 1)
    masses, changes = _cells(np.r_[-half, 0.0, half])
    problem, notion = Problem(prior=masses), LDP(point.epsilon)
    useful = FisherInformation(masses, changes)
    right = 1.0 / (1.0 + math.exp(-point.epsilon))
    signs = np.repeat([[right, 1.0 - right], [1.0 - right, right]], point.n, axis=0)
    yield Private(signs, problem, notion, "the sign mechanism")
    yield Equal(useful.value(signs, problem), given, "the sign mechanism, on cells that 0 cuts")
    yield Equal(Optimum(Question(problem, notion, useful)), given, "no mechanism on these cells is better")
    for cells in CELLS:
        reached = cells_information(rng.normal(size=cells - 1), point.epsilon)
        yield AtMost(reached, given, "randomised response on any cells of the line")
    for epsilon in (point.epsilon, LARGEST):
        reached = cells_information(np.array([-CUT, CUT]), epsilon)
        yield AtMost(reached, sign_information(epsilon), "three cells at their best cuts")
    beyond = LARGEST + 1e-3
    reached = cells_information(np.array([-CUT, CUT]), beyond)
    yield AtMost(sign_information(beyond), reached, "three cells at a larger epsilon", strictly=True)


GAUSSIAN_SIGN = Theorem(
    key="ours/gaussian-sign",
    place="mean of a Gaussian under LDP",
    kind="exact optimum",
    words=(
        "Under LDP at epsilon <= 2.0074 the largest Fisher information about the mean of a Gaussian of variance 1, at "
        "mean 0, is (2/pi) tanh(epsilon/2)^2, that of randomised response on the sign. From 2.0075 on three cells are "
        "better."
    ),
    latex=r"\frac{2}{\pi} \tanh^2\frac{\varepsilon}{2}",
    origin=(
        "Kalinin, Steinberger, Efficient Estimation of a Gaussian Mean with Local Differential Privacy, AISTATS 2025, "
        "prove it for epsilon <= 1.04 (read as an abstract); beyond, here, by ours/quantised-rr and cuts that are "
        "searched"
    ),
    family=Family({"n": Whole(1, 4), "epsilon": Real(0.05, LARGEST), "seed": Seed()}),
    printed=lambda point: sign_information(point.epsilon),
    test=_is_optimal,
)
