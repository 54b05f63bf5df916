"""Two inputs under (epsilon, delta)-LDP: disclosure with probability delta, randomised response else, dominates all.

The largest gain of a decision about the input over one that ignores it is at most that of this mechanism, whatever the
prior: it attains every error of the privacy region, so every other mechanism is a coarsening of it (Blackwell).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mechdesign.notions import ApproximateLDP
from mechdesign.objectives import FisherInformation, MutualInformation
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Private
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real


def four_outputs(epsilon: float, delta: float) -> Array:
    """Return the mechanism: "surely 0", "0", "1", "surely 1"."""
    right = 1.0 / (1.0 + math.exp(-epsilon))
    first = np.array([delta, (1.0 - delta) * right, (1.0 - delta) * (1.0 - right), 0.0])
    return np.stack([first, first[::-1]])


def two_outputs(epsilon: float, delta: float) -> list[Array]:
    """Return the corners of the mechanisms with two outputs, but for the names of inputs and outputs."""
    ratio = math.exp(epsilon)
    ends = [(delta, 0.0), (0.0, delta), ((ratio + delta) / (1.0 + ratio), (1.0 - delta) / (1.0 + ratio))]
    return [np.array([[1.0 - none, none], [1.0 - one, one]]) for one, none in ends]


def information_of_share(point: Point) -> float:
    """Return ``delta / (pi (1 - pi)) + (1 - delta) tanh(epsilon / 2)^2 / (r (1 - r))``, r the share that reports 1."""
    share, delta, gained = float(point.share), float(point.delta), math.tanh(point.epsilon / 2.0)
    reported = 0.5 + gained * (share - 0.5)
    return delta / (share * (1.0 - share)) + (1.0 - delta) * gained**2 / (reported * (1.0 - reported))


def _is_optimal(point: Point, given: float) -> Iterator[Check]:
    problem = Problem(prior=[1.0 - point.share, point.share])
    notion = ApproximateLDP(point.epsilon, point.delta)
    useful = FisherInformation(problem.required_prior, [-1.0, 1.0])
    best = four_outputs(point.epsilon, point.delta)
    yield Private(best, problem, notion, "the mechanism of four outputs")
    yield Equal(useful.value(best, problem), given, "its Fisher information about the share")
    yield Equal(Optimum(Question(problem, notion, useful)), given, "no mechanism has more")
    known = MutualInformation()
    yield Equal(
        known.value(best, problem), Optimum(Question(problem, notion, known)), "nor more information about the input"
    )
    for made in two_outputs(point.epsilon, point.delta):
        yield Private(made, problem, notion, "a corner of two outputs")
        yield AtMost(useful.value(made, problem), given, "two outputs lose", strictly=True)


TWO_INPUTS = Theorem(
    key="ours/two-inputs",
    place="two inputs under (epsilon, delta)-LDP",
    kind="exact optimum",
    words=(
        "Under (epsilon, delta)-LDP of a yes or no, 0 < delta < 1, disclosure with probability delta and randomised "
        "response else has the largest Fisher information about the share pi of yes: delta/(pi (1-pi)) + (1-delta) "
        "tanh(epsilon/2)^2 / (r (1-r)), with r = 1/2 + tanh(epsilon/2) (pi - 1/2). Every mechanism of two outputs has "
        "less."
    ),
    latex=(
        r"\frac{\delta}{\pi (1 - \pi)} + \frac{(1 - \delta) \tanh^2(\varepsilon/2)}{r (1 - r)}, \quad "
        r"r = \tfrac12 + \tanh\tfrac{\varepsilon}{2} \left(\pi - \tfrac12\right)"
    ),
    origin=(
        "that the mechanism dominates: Kairouz, Oh, Viswanath, The Composition Theorem for Differential Privacy, ICML "
        "2015; Holohan, Leith, Mason, Optimal Differentially Private Mechanisms for Randomised Response, IEEE TIFS "
        "2017, take the best of two outputs"
    ),
    family=Family({"epsilon": Real(0.05, 4.0), "delta": Real(0.01, 0.9), "share": Real(0.02, 0.98)}),
    printed=information_of_share,
    test=_is_optimal,
)
