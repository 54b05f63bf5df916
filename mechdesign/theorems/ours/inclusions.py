"""How four notions include each other, and what that means for half the budget."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.notions import LDP, LIP, BoundedPriorLIP
from mechdesign.objectives import MMSE
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, OnRays, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_bounded_prior.notions import BOX, box, lifts, nearly_certain, ratios, vertices
from mechdesign.theorems.variables import Real, Vector, Whole


def _included(at: Point, given: tuple[float, float, float]) -> Iterator[Check]:
    problem, epsilon = Problem(prior=at.prior, values=at.values), at.epsilon
    lower, upper = box(at)
    any_prior, of_box, known = nearly_certain(at.n), vertices(lower, upper), at.prior[None, :]
    in_box, in_prior, half = given
    ldp, bounded, lip = LDP(epsilon), BoundedPriorLIP(epsilon, lower, upper), LIP(epsilon)
    yield AtMost(OnRays(ldp, problem, lambda v: lifts(of_box, v)), in_box, "LDP implies bounded-prior LIP")
    yield Equal(in_box, OnRays(ldp, problem, lambda v: lifts(any_prior, v)), "at the same level where any prior may be")
    yield AtMost(OnRays(bounded, problem, lambda v: lifts(known, v)), in_prior, "bounded-prior LIP implies LIP")
    yield Equal(in_prior, OnRays(lip, problem, lambda v: lifts(known, v)), "at the same level where the prior is known")
    yield AtMost(OnRays(lip, problem, ratios), half, "LIP implies LDP at twice the level")
    rare = np.array([1.0, np.exp(epsilon)]) / (1.0 + np.exp(epsilon))
    yield Equal(half, OnRays(lip, Problem(prior=rare), ratios), "at no less, next to an input of that probability")
    of_ldp, of_half = (Optimum(Question(problem, notion, MMSE())) for notion in (ldp, LIP(epsilon / 2.0)))
    yield AtMost(of_ldp, of_half, "the optimum of LDP is no worse than that of LIP at half its level")


# A mass is a mean of the entries of its column: LDP bounds it by each of them, whatever the prior. A prior is one of
# its box. Two entries, each within e^epsilon of one mass, are within e^(2 epsilon) of each other; with one input of
# probability 1/(1 + e^epsilon) the column that is largest on it alone reaches both ends.
M10 = Theorem(
    key="ours/M10",
    place="inclusions of LDP, bounded-prior LIP and LIP",
    origin=(
        "the implications are in Jiang, Li, Tandon 2018 and 2019; that no smaller level does is not "
        "published, as far as we know"
    ),
    kind="implication",
    words=(
        "LDP at epsilon implies bounded-prior LIP at epsilon, that implies LIP at epsilon, and LIP implies LDP at "
        "2 epsilon, each at no smaller level in general; so LIP at epsilon/2 never has a smaller error than LDP at "
        "epsilon."
    ),
    latex=(
        r"\epsilon\text{-LDP} \Rightarrow \epsilon\text{-BP-LIP} \Rightarrow \epsilon\text{-LIP} \Rightarrow "
        r"2\epsilon\text{-LDP}"
    ),
    family=Family({**BOX, "n": Whole(2, 3), "epsilon": Real(0.05, 3.0), "values": Vector("n", 0.0, 5.0)}),
    printed=lambda at: tuple(float(np.exp(level * at.epsilon)) for level in (1.0, 1.0, 2.0)),
    test=_included,
)
