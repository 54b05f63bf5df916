"""Example 1: least flips of one bit under LDP and LIP, and the estimates that go with them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.baselines.response_matrix import response_matrix
from mechdesign.notions import LDP
from mechdesign.objectives import MaxOffDiagonal, TotalVariation
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Private, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_bounded_prior.binary import asked_at_known_prior, channel, estimates
from mechdesign.theorems.jiang_lip.lip_optimum import COMMON_ENOUGH
from mechdesign.theorems.variables import Real


def _one_flip(question: Question) -> Published:
    flip = 1.0 / (1.0 + float(np.exp(question.notion.parameter)))
    return Published(channel((flip, flip)), flip)


EX1A = Theorem(
    key="jiang_bounded_prior/Ex1a",
    place="Example 1, LDP",
    kind="exact optimum",
    words="Under LDP the least probability with which both values of a bit are flipped is 1/(1 + e^epsilon).",
    latex=r"\min q = \frac{1}{1 + e^{\epsilon}}",
    family=Family(
        {"epsilon": Real(0.05, 5.0)}, subject=lambda at: Question(Problem(n=2), LDP(at.epsilon), MaxOffDiagonal())
    ),
    printed=_one_flip,
    test=is_optimal,
)


def _of_ones(question: Question) -> tuple[float, float]:
    """Return the probability of a 1, and ``e^-epsilon``."""
    return float(question.problem.required_prior[1]), float(np.exp(-question.notion.parameter))


def _least_flips(question: Question) -> Array:
    p, low = _of_ones(question)
    return np.array([p * low, (1.0 - p) * low])


def _flips_are_least(question: Question, given: Array) -> Iterator[Check]:
    problem, notion = question.problem, question.notion
    yield Private(channel(given), problem, notion, "the mechanism is private")
    # The rows of a bit's mechanism are 1 - q_0 - q_1 apart in total variation.
    apart = TotalVariation(first=[1.0, 0.0], second=[0.0, 1.0])
    yield Equal(1.0 - given.sum(), Optimum(Question(problem, notion, apart)), "no smaller sum of the two flips")
    yield Equal(question.objective.value(channel(given), problem), Optimum(question), "no smaller squared error")


EX1B = Theorem(
    key="jiang_bounded_prior/Ex1b",
    place="Example 1, LIP",
    kind="exact optimum",
    words=(
        "Under LIP the least probabilities with which a 0 and a 1 are flipped are P_1 e^-epsilon and "
        "(1 - P_1) e^-epsilon: least in their sum, and in the squared error that they leave."
    ),
    latex=r"\min q_0 = \frac{P_1}{e^{\epsilon}}, \quad \min q_1 = \frac{1 - P_1}{e^{\epsilon}}",
    family=Family({"epsilon": Real(0.05, 4.0), "prior": Real(0.01, 0.99)}, subject=asked_at_known_prior),
    printed=_least_flips,
    test=_flips_are_least,
    narrower=(COMMON_ENOUGH,),
)


def _prior_free(coin: float) -> Array:
    """Return ``(1 - q) y + q/2`` for y = 0, 1, where q is `coin`."""
    return np.array([coin / 2.0, 1.0 - coin / 2.0])


def _flip(at: Point) -> float:
    return 1.0 / (1.0 + float(np.exp(at.epsilon)))


# An estimate that is the mean of X given Y at any prior p has x_1/(1 - x_1) (1 - x_0)/x_0 = ((1 - q)/q)^2; the printed
# one has ((2 - q)/q)^2, so it is none; it is the uniform prior's for the flip probability q/2.
EX1C = Theorem(
    key="jiang_bounded_prior/Ex1c",
    place="Example 1, estimate under LDP",
    kind="identity",
    words=(
        "The estimate without a prior of a bit that is flipped with probability q = 1/(1 + e^epsilon) is "
        "(1 - q) Y + q/2: here, the mean of X given Y where both values are equally likely."
    ),
    latex=r"\hat{X}_{LDP} = (1 - q) Y + \frac{q}{2}",
    family=Family({"epsilon": Real(0.05, 5.0)}),
    printed=lambda at: _prior_free(_flip(at)),
    corrected=lambda at: _prior_free(2.0 * _flip(at)),
    correction=(
        "(1 - 2q) Y + q: a flip with probability q is a fair coin in place of the answer with probability 2q, and the "
        "print is right where q is the probability of the coin. That it is meant for equally likely values is "
        "our reading."
    ),
    test=lambda at, given: (Equal(given, estimates(0.5, response_matrix(2, at.epsilon)), "the mean of X given Y"),),
)


def _lip_estimates(question: Question) -> Array:
    p, low = _of_ones(question)
    return np.array([p * low, 1.0 - (1.0 - p) * low])


def _are_the_best_posteriors(question: Question, given: Array) -> Iterator[Check]:
    """Two means around p are the posteriors of one mechanism of two outputs, private and of least error."""
    p, _ = _of_ones(question)
    most = float(np.exp(question.notion.parameter))
    for y, mean in enumerate(given):
        lifts = np.array([mean / p, (1.0 - mean) / (1.0 - p)])
        yield AtMost(lifts, np.full(2, most), f"the posteriors given Y = {y} are at most e^epsilon times the prior")
        yield AtMost(np.full(2, 1.0 / most), lifts, f"those given Y = {y} are at least e^-epsilon times the prior")
    low, high = given
    yield Equal(p * (1.0 - p) - (p - low) * (high - p), Optimum(question), "the squared error is the least")


EX1D = Theorem(
    key="jiang_bounded_prior/Ex1d",
    place="Example 1, estimate under LIP",
    kind="identity",
    words=(
        "The estimate that goes with the optimal mechanism of LIP is (1 - (1 - P_1) e^-epsilon) Y + "
        "P_1 e^-epsilon (1 - Y)."
    ),
    latex=(r"\hat{X}_{LIP} = \left(1 - \frac{1 - P_1}{e^{\epsilon}}\right) Y + \frac{P_1}{e^{\epsilon}} (1 - Y)"),
    family=Family({"epsilon": Real(0.05, 4.0), "prior": Real(0.01, 0.99)}, subject=asked_at_known_prior),
    printed=_lip_estimates,
    test=_are_the_best_posteriors,
    narrower=(COMMON_ENOUGH,),
)
