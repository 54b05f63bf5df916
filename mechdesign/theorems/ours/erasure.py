"""Many inputs at bounded total variation between any two of them: to disclose the input at random is optimal.

Write a functional ``|c . v|`` with c split into a transport ``sum f_xx' (e_x - e_x')`` of mass
``(||c||_1 - |c(X)|)/2`` and a rest of one sign. On a set S it is at most the sum of f over the pairs that S separates
plus the rest's size on S; summed over outputs, each pair is separated with total weight delta at most, and what comes
out is the value of erasure. Fisher information, f-divergences and mutual information are integrals of such functionals.
"""

from __future__ import annotations

import numpy as np

from mechdesign.notions import ApproximateLDP
from mechdesign.objectives import (
    MMSE,
    ChiSquare,
    FisherInformation,
    Hellinger,
    KLDivergence,
    MutualInformation,
    Objective,
    RatioType,
    Separable,
    TotalVariation,
)
from mechdesign.objectives.f_divergence import Divergence
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Form, Theorem
from mechdesign.theorems.checks import Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole


def erasure(question: Question) -> Array:
    """Return the erasure mechanism: the output is the input with probability delta, and an erasure symbol otherwise."""
    assert isinstance(question.notion, ApproximateLDP), "the form is about ApproximateLDP"
    n, delta = question.problem.n, question.notion.delta
    return np.hstack([delta * np.eye(n), np.full((n, 1), 1.0 - delta)])


def erased(question: Question) -> Published:
    """Return the erasure mechanism with its value: delta times the value of disclosing the inputs.

    That is ``delta sum direction^2 / theta`` for Fisher information, ``delta sum second f(first / second)`` where
    ``f(1) = 0``, ``delta H(prior)`` for mutual information, and ``(1 - delta) Var`` for the mean squared error.
    """
    matrix, objective, problem = erasure(question), question.objective, question.problem
    delta = question.notion.parameter
    if isinstance(objective, FisherInformation):
        terms = objective.direction**2 / (objective.theta / objective.theta.sum())
        return Published(matrix, delta * float(terms.sum()))
    if isinstance(objective, Divergence) and not objective.is_transformed:
        first, second = (part / part.sum() for part in (objective.first, objective.second))
        if np.all(second > 0) and float(objective.generator.value(np.ones(1))[0]) == 0:
            return Published(matrix, delta * float(second @ objective.generator.value(first / second)))
    if isinstance(objective, MMSE):
        return Published(matrix, (1 - delta) * objective.offset(problem))
    if isinstance(objective, MutualInformation):
        prior = problem.required_prior
        return Published(matrix, -delta * float(prior @ np.log(prior)))
    return Published(matrix)


def asked(point: Point) -> Question:
    """Return the question of the point's objective, one for which erasure is optimal."""
    mixtures = {"first": point.first, "second": point.second}
    objectives: dict[str, Objective] = {
        "Fisher": FisherInformation(point.second, point.direction),
        "KL": KLDivergence(**mixtures),
        "chi-square": ChiSquare(**mixtures),
        "Hellinger": Hellinger(**mixtures),
        "TV": TotalVariation(**mixtures),
        "MMSE": MMSE(),
        "information": MutualInformation(),
    }
    problem = Problem(prior=point.second, values=point.direction)
    return Question(problem, ApproximateLDP(0.0, point.delta), objectives[point.useful])


#: The utilities in words.
WORDS = "utilities of ratio type and mutual information"


def _of_the_theorem(question: Question) -> str | None:
    notion = question.notion
    assert isinstance(notion, ApproximateLDP), "the form is about ApproximateLDP"
    if not isinstance(question.objective, RatioType | MutualInformation):
        return f"it is about {WORDS}, not {question.objective.name}"
    return None if notion.epsilon == 0 else f"it is about epsilon 0, not {notion.epsilon:g}"


OPEN2 = Theorem(
    key="ours/yoshida-open-2",
    place="open question of yoshida Section VII, erasure",
    origin="answers a question that Yoshida, Yung, Hayashi 2019 leave open; not published, as far as we know",
    kind="exact optimum",
    words=(
        "For any number of inputs whose outputs differ by total variation delta at most, erasure (the input with "
        "probability delta, a blank otherwise) maximises every sum of absolute values of functionals: Fisher "
        "information, f-divergences, explained variance, mutual information, whatever their parameters."
    ),
    latex=r"p_x = \delta e_x + (1 - \delta) e_{blank}",
    family=Family(
        {
            "n": Whole(2, 4),
            "delta": Real(0.02, 0.98),
            "first": Distribution("n", least=0.02),
            "second": Distribution("n", least=0.02),
            "direction": Vector("n", -1.0, 1.0, balanced=True),
            "useful": Choice(("Fisher", "KL", "chi-square", "Hellinger", "TV", "MMSE", "information")),
        },
        subject=asked,
    ),
    printed=erased,
    test=is_optimal,
    form=Form(ApproximateLDP, Separable, WORDS, further=_of_the_theorem),
)
