"""The optimum of local differential privacy for two inputs."""

from __future__ import annotations

import numpy as np

from mechdesign.baselines.response_matrix import response_matrix
from mechdesign.notions import LDP
from mechdesign.objectives import MMSE, ErrorProbability, MutualInformation, Separable
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Form, Theorem
from mechdesign.theorems.checks import Published, is_optimal
from mechdesign.theorems.distinct_values import Increasing
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole


def asked(point: Point) -> Question:
    """Return the question of the point's objective under LDP."""
    return Question(Problem(prior=point.prior, values=point.values), LDP(point.epsilon), point.objective)


def two_inputs(question: Question) -> Published:
    """Return randomised response, and the squared error ``V - V s D / (E + s D)``.

    V is the values' variance, ``s = P_0 P_1``, ``D = (E - 1)^2``; E and D are divided by ``E^2``.
    """
    problem, epsilon = question.problem, question.notion.parameter
    matrix = response_matrix(2, epsilon)
    if not isinstance(question.objective, MMSE) or problem.prior is None:
        return Published(matrix)
    low = float(np.exp(-epsilon))
    spread = float(np.prod(problem.prior / problem.prior.sum())) * (1.0 - low) ** 2
    return Published(matrix, question.objective.offset(problem) * low / (low + spread))


P4a = Theorem(
    key="jiang_lip/P4a",
    place="Proposition 4, eq. (24)",
    kind="exact optimum",
    words=(
        "For two inputs, randomised response that lies with probability 1/(1 + e^epsilon) minimises the mean squared "
        "error under LDP."
    ),
    latex=r"q_0 = q_1 = \frac{1}{1 + e^{\epsilon}}",
    family=Family(
        {
            "epsilon": Real(0.05, 4.0),
            "prior": Distribution(2),
            "values": Vector(2, 0.0, 5.0),
            "objective": Choice((MMSE(), MutualInformation(), ErrorProbability())),
        },
        subject=asked,
    ),
    printed=two_inputs,
    test=is_optimal,
    # The cone has two rays, so every private mechanism is post-processing of this one.
    form=Form(LDP, Separable, "utilities that are sums over outputs", inputs=2),
)


def asked_for_error(point: Point) -> Question:
    """Return the question of the least squared error under LDP."""
    return Question(Problem(prior=point.prior, values=point.values), LDP(point.epsilon), MMSE())


MLDP = Theorem(
    key="jiang_lip/mLDP",
    place="Section IV-B, Opt-mimo-LDP",
    kind="exact optimum",
    words=(
        "For n inputs, randomised response that reports the truth with probability e^epsilon/(e^epsilon + n - 1) "
        "minimises the mean squared error under LDP."
    ),
    latex=(r"q_{mm} = \frac{e^{\epsilon}}{e^{\epsilon} + d - 1}, \quad q_{mk} = \frac{1}{e^{\epsilon} + d - 1}"),
    # It is optimal for two inputs. With more, an optimum reports intervals of values: k-ary randomised response among
    # k of them, and often k = 2.
    family=Family(
        {"n": Whole(2, 5), "epsilon": Real(0.05, 4.0), "prior": Distribution("n"), "values": Increasing("n", 0.0, 5.0)},
        subject=asked_for_error,
    ),
    printed=lambda question: Published(response_matrix(question.problem.n, question.notion.parameter)),
    test=is_optimal,
)
