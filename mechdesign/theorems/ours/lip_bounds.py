"""Bounds on what LIP lets through, whatever the prior: of the squared error, and of the information."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import MMSE, MutualInformation
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Distribution, Real, Seed, Whole

#: How far below tau the least probability of a value has to be for the error to differ clearly from the bound.
CLEAR = 1e-3


def asked(point: Point) -> Question:
    """Return the squared error of a value in {0, 1, 2, 3}, so that some data share one."""
    rng = np.random.default_rng(point.seed)
    values = rng.integers(0, 4, size=point.n).astype(float)
    values[0] = values[1:].min() + 1.0
    return Question(Problem(prior=point.prior, values=values), LIP(point.epsilon), MMSE())


def least_error(question: Question) -> float:
    """Return ``Var f (2/E - 1/E^2)``."""
    low = float(np.exp(-question.notion.parameter))
    return question.objective.offset(question.problem) * low * (2.0 - low)


def bounds_the_error(question: Question, given: float) -> Iterator[Check]:
    """Check the bound, and that it is attained exactly where every value has the probability tau at least."""
    problem, exp = question.problem, float(np.exp(question.notion.parameter))
    prior, values = problem.required_prior, problem.required_values
    masses = [float(prior[values == value].sum()) for value in np.unique(values)]
    room = min(masses) - 1.0 / (1.0 + exp)
    if room >= 0:
        yield Equal(given, Optimum(question), "the least squared error")
    else:
        what = "the bound, against the least squared error where some value is rarer than tau"
        yield AtMost(given, Optimum(question), what, strictly=room < -CLEAR)


M3 = Theorem(
    key="ours/M3",
    place="lower bound of the squared error under LIP",
    origin="not published, as far as we know; its equality is the case of Theorem 3 of Jiang, Li, Tandon 2018",
    kind="lower bound",
    words=(
        "Under LIP the squared error of f(X) is at least Var f (2 e^-epsilon - e^-2 epsilon), with equality exactly "
        "where each value of f has the probability 1/(1 + e^epsilon) at least."
    ),
    latex=r"E[(f(X) - \hat f(Y))^2] \ge \left(2 e^{-\epsilon} - e^{-2 \epsilon}\right) Var f",
    family=Family(
        {"n": Whole(2, 4), "epsilon": Real(0.05, 5.0), "prior": Distribution("n", least=0.02), "seed": Seed()},
        subject=asked,
    ),
    # p >= P/E alone allows the simplex of v_j = P/E + (1 - 1/E) e_j, on which Jensen bounds the estimate's variance by
    # (1 - 1/E)^2 Var f. Equality asks each p to be a mixture of the v_j of one value, which has the probability
    # P_G/E + 1 - 1/E under p: at most E P_G exactly where P_G >= tau.
    printed=least_error,
    test=bounds_the_error,
)


def of_all(point: Point) -> Question:
    """Return the information about n inputs; at an `even` point n + 1 equally likely ones at ``e^epsilon = n``."""
    if point.even:
        return Question(
            Problem(prior=np.full(point.n + 1, 1.0 / (point.n + 1))), LIP(float(np.log(point.n))), MutualInformation()
        )
    return Question(Problem(prior=point.prior), LIP(point.epsilon), MutualInformation())


def bounds_information(question: Question, given: float) -> Iterator[Check]:
    """Check the bound, and that it is attained for equally likely inputs of which some have the probability tau."""
    yield AtMost(Optimum(question), given, "the largest I(X; Y)")
    prior, tau = question.problem.required_prior, 1.0 / (1.0 + float(np.exp(question.notion.parameter)))
    share = tau * question.problem.n
    if np.ptp(prior) < 1e-12 and abs(share - round(share)) < 1e-12:
        yield Equal(given, Optimum(question), "it is attained")


M14 = Theorem(
    key="ours/M14",
    place="sharp bound of the information under LIP",
    origin="not published, as far as we know",
    kind="upper bound",
    words=(
        "Under LIP I(X; Y) is at most epsilon tanh(epsilon/2), with equality for d equally likely inputs where "
        "d/(1 + e^epsilon) is a whole number."
    ),
    latex=r"I(X;Y) \le \epsilon \tanh\left(\frac{\epsilon}{2}\right) \le \epsilon",
    family=Family(
        {
            "n": Whole(2, 4),
            "epsilon": Real(0.05, 4.0),
            "prior": Distribution("n", least=0.01),
            "even": Choice((False, True)),
        },
        subject=of_all,
    ),
    # The information is the mean of r ln r, r = p/P between 1/E and E with mean 1: below the chord, whose value at 1 is
    # epsilon (E - 1)/(E + 1). It is on the chord where r takes the two ends alone.
    printed=lambda question: question.notion.parameter * float(np.tanh(question.notion.parameter / 2.0)),
    test=bounds_information,
)
