"""Sentences of Section V, which the figures carry: comparisons of LIP at epsilon and epsilon/2 with LDP at epsilon."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mechdesign.notions import LDP, LIP, Notion
from mechdesign.objectives import MMSE, HistogramMMSE, Objective
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_lip.ldp_optimum import two_inputs
from mechdesign.theorems.ours.binary_lip import exact_binary
from mechdesign.theorems.variables import Distribution, Real, Whole

#: The level of LIP beside LDP at epsilon: half of it.
HALF = 0.5


def _bit(p: float) -> Problem:
    return Problem(prior=[1.0 - p, p], values=[0.0, 1.0])


def _even(n: int) -> Problem:
    return Problem(prior=np.full(n, 1.0 / n), values=np.arange(float(n)))


def _least(problem: Problem, notion: Notion, objective: Objective | None = None) -> Optimum:
    return Optimum(Question(problem, notion, objective or MMSE()))


def _half_is_better(problem: Problem, epsilon: float, share: float) -> Iterable[Check]:
    what = "the error of LIP at epsilon/2 is less than that of LDP at epsilon"
    yield AtMost(_least(problem, LIP(share * epsilon)), _least(problem, LDP(epsilon)), what, strictly=True)


def _share_of_error(p: float, epsilon: float) -> tuple[float, Iterable[Check]]:
    """Return the error of LIP as a share of LDP's error, and that both are optimal."""
    lip, ldp = (Question(_bit(p), notion(epsilon), MMSE()) for notion in (LIP, LDP))
    left, right = exact_binary(lip).value, two_inputs(ldp).value
    assert left is not None and right is not None, "both are given for squared errors"
    what = f"the error at P_1 = {p:g}"
    return left / right, (
        Equal(left, Optimum(lip), f"{what} under LIP"),
        Equal(right, Optimum(ldp), f"{what} under LDP"),
    )


def _gap_grows(point: Point, given: tuple[float, float]) -> Iterable[Check]:
    (fair, optimal), (skewed, also) = (_share_of_error(p, point.epsilon) for p in given)
    yield from (*optimal, *also)
    yield AtMost(skewed, fair, "LIP's share of LDP's error, at the skewed prior against the even one")


FIG5 = Theorem(
    key="jiang_lip/fig5",
    place="Section V-A.1, Fig. 5",
    kind="comparison",
    words=(
        "For epsilon from 1 to 5, the gap between the errors of Opt-LIP and Opt-LDP is larger at P_1 = 0.99 than at "
        "P_1 = 0.5; taken as: LIP's error is a smaller share of LDP's, as on the logarithmic axis."
    ),
    # So it is where the rarer answer is common enough for the printed mechanism: from epsilon = ln 99 on, and just
    # below.
    family=Family({"epsilon": Real(1.0, 5.0)}),
    printed=lambda point: (0.5, 0.99),
    test=_gap_grows,
)

FIG6A = Theorem(
    key="jiang_lip/fig6a",
    place="Section V-A.2, Fig. 6(a)",
    kind="comparison",
    words="For five values 0 to 4 and random priors, LIP at epsilon/2 has a smaller error than LDP at epsilon.",
    # What is LIP at epsilon/2 is LDP at epsilon, by Theorem 1: it is so for no prior.
    family=Family({"epsilon": Real(0.5, 5.0), "prior": Distribution(5)}),
    printed=lambda point: HALF,
    test=lambda point, given: _half_is_better(Problem(prior=point.prior, values=np.arange(5.0)), point.epsilon, given),
)

FIG6B = Theorem(
    key="jiang_lip/fig6b",
    place="Section V-A.2, Fig. 6(b)",
    kind="comparison",
    words=(
        "As the number of values grows, with a uniform prior and epsilon = 1, LIP at epsilon/2 eventually has a "
        "smaller error than LDP at epsilon; here from four values on, as the printed formulas have it."
    ),
    family=Family({"d": Whole(4, 9)}),
    printed=lambda point: HALF,
    test=lambda point, given: _half_is_better(_even(point.d), 1.0, given),
)


def _between(point: Point, given: float) -> Iterable[Check]:
    problem = Problem(prior=point.prior)
    ldp = _least(problem, LDP(point.epsilon), HistogramMMSE())
    yield AtMost(_least(problem, LIP(point.epsilon), HistogramMMSE()), ldp, "LIP at epsilon against LDP")
    yield AtMost(ldp, _least(problem, LIP(given * point.epsilon), HistogramMMSE()), "LDP against LIP at epsilon/2")


FIG7 = Theorem(
    key="jiang_lip/fig7",
    place="Section V-A.3, Fig. 7",
    kind="comparison",
    words=(
        "For a histogram, the error of LDP at epsilon with an estimate that knows the prior lies between those of LIP "
        "at epsilon and at epsilon/2."
    ),
    family=Family({"n": Whole(2, 4), "epsilon": Real(0.05, 5.0), "prior": Distribution("n")}),
    printed=lambda point: HALF,
    test=_between,
    loose="LIP at a little more than epsilon/2 is still worse than LDP for all but a few priors",
)


def _unary_is_better(point: Point, given: float) -> Iterable[Check]:
    exp = float(np.exp(point.epsilon))
    unary = given * (4.0 * (point.d - 1) * exp + (exp + 1.0) ** 2) / (exp - 1.0) ** 2
    ldp = _least(_even(point.d), LDP(point.epsilon), HistogramMMSE())
    yield AtMost(unary, ldp, "the error of unary encoding per person against that of LDP")


FIG7_OUE = Theorem(
    key="jiang_lip/fig7-OUE",
    place="Section V-A.3, Fig. 7",
    kind="comparison",
    words=(
        "For large epsilon optimal unary encoding, with its estimate that knows no prior, has a smaller error of the "
        "histogram than LDP with an estimate that knows the prior."
    ),
    # Over all items the error of unary encoding is more than one for each person; knowing nothing leaves less than one.
    family=Family({"d": Whole(2, 6), "epsilon": Real(3.0, 8.0)}),
    printed=lambda point: 1.0,
    test=_unary_is_better,
)

FIG9A = Theorem(
    key="jiang_lip/fig9a",
    place="Section V-B.1, Fig. 9(a)",
    kind="comparison",
    words="For a rare answer and small epsilon, LIP at epsilon/2 has a smaller error than LDP at epsilon.",
    family=Family({"p_one": Real(0.001, 0.1), "epsilon": Real(0.1, 2.0)}),
    printed=lambda point: HALF,
    test=lambda point, given: _half_is_better(_bit(point.p_one), point.epsilon, given),
)
