"""The published optimum of local information privacy as the least absolute error of the reported value itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import MMSE, AbsoluteError
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Private, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_lip.lip_optimum import COMMON_ENOUGH, closed_form
from mechdesign.theorems.variables import Distribution, Real, Vector, Whole


def _binary(question: Question) -> tuple[Published, float]:
    """Return the mechanism and ``P_1 q_1 + P_0 q_0``, its absolute error (23)."""
    optimum = closed_form(question)
    prior = question.problem.required_prior
    return optimum, float(prior[1] * optimum.matrix[1, 0] + prior[0] * optimum.matrix[0, 1])


def _is_least_absolute(question: Question, given: tuple[Published, float]) -> Iterable[Check]:
    yield from is_optimal(question, given[0])
    absolute = replace(question, objective=AbsoluteError())
    reached = absolute.objective.value(given[0].matrix, question.problem)
    yield Equal(given[1], reached, "the absolute error (23)")
    yield Equal(given[1], Optimum(absolute), "the absolute error is the least")


P3 = Theorem(
    key="jiang_lip/P3",
    place="Proposition 3, eqs. (22) and (23)",
    kind="exact optimum",
    words=(
        "Pr(Y=1 | X=0) = P_1 e^-epsilon and Pr(Y=0 | X=1) = P_0 e^-epsilon minimise, under LIP, the mean squared error "
        "of the estimate and the absolute error P_1 q_1 + (1 - P_1) q_0 of the output, both at once."
    ),
    latex=r"q_0 = P_1 e^{-\epsilon}, \quad q_1 = (1 - P_1) e^{-\epsilon}, \quad P_1 q_1 + (1 - P_1) q_0",
    family=Family(
        {"epsilon": Real(0.05, 4.0), "prior": Distribution(2)},
        subject=lambda point: Question(Problem(prior=point.prior, values=[0.0, 1.0]), LIP(point.epsilon), MMSE()),
    ),
    printed=_binary,
    test=_is_least_absolute,
    narrower=(COMMON_ENOUGH,),
)


def _distinct(point: Point) -> Question:
    """Return the question of the least squared error under LIP, for distinct values."""
    problem = Problem(prior=point.prior, values=np.cumsum(point.steps))
    return Question(problem, LIP(point.epsilon), MMSE())


def _only_identity(question: Question, given: Published) -> Iterable[Check]:
    objective, problem = AbsoluteError(), question.problem
    yield Private(given.matrix, problem, question.notion, "the mechanism is private")
    own = objective.value(given.matrix, problem)
    for order in permutations(range(problem.n)):
        if order != tuple(range(problem.n)):
            other = objective.value(given.matrix[:, order], problem)
            yield AtMost(own, other, f"the absolute error with the outputs in order {order}", strictly=True)
    yield Equal(own, Optimum(replace(question, objective=objective)), "the absolute error is the least")


T3MAE = Theorem(
    key="jiang_lip/T3mae",
    place="Section IV-B, after Theorem 3",
    kind="exact optimum",
    words=(
        "Of the n! optima that differ in the order of the outputs, only the one of Theorem 3 minimises the absolute "
        "error of the output."
    ),
    latex=r"q_{mk} = P_k e^{-\epsilon}, \quad q_{mm} = 1 - (1 - P_m) e^{-\epsilon}",
    # That all orders are optimal is Theorem 3. Where they are private, e^epsilon is at least n - 1. An output k has the
    # posterior P/E + (1 - 1/E) e_k, whose best value is a_k for E >= 2: it is then the least absolute error of all
    # private mechanisms.
    family=Family(
        {"n": Whole(2, 4), "epsilon": Real(0.05, 5.0), "prior": Distribution("n"), "steps": Vector("n", 0.2, 3.0)},
        subject=_distinct,
    ),
    printed=lambda question: Published(closed_form(question).matrix),
    test=_only_identity,
    narrower=(COMMON_ENOUGH,),
)
