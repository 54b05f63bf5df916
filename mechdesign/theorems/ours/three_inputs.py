"""Three inputs at bounded total variation between any two of them: the optimum of every sublinear utility.

The dual of the program over the indicators of the seven sets has one candidate for each sign of Hlawka's defect
``H = psi(e_1) + psi(e_2) + psi(e_3) + psi(1,1,1) - psi(1,1,0) - psi(1,0,1) - psi(0,1,1)``: multipliers of the pairs
for ``H >= 0``, and with those of the weights that are 0 for ``H < 0``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.notions import ApproximateLDP
from mechdesign.objectives import ExpectedLoss, FisherInformation, KLDivergence, Objective, Separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Check, Equal, Optimum, Private, Published
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.ours.erasure import erasure
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector


def loss_of(point: Point) -> ExpectedLoss:
    """Return a loss of three decisions, between a random one and "name an input that it is not"."""
    return ExpectedLoss(point.lean * np.eye(3) + (1 - point.lean) * np.reshape(point.loss, (3, 3)))


def asked_of_three(point: Point) -> Question:
    """Return the question of a loss, or of one of the sums of functionals, over three inputs."""
    objectives: dict[str, Objective] = {
        "loss": loss_of(point),
        "Fisher": FisherInformation(point.prior, [-1.0, 0.4, 0.6]),
        "KL": KLDivergence(first=[0.2, 0.3, 0.5], second=point.prior),
    }
    return Question(Problem(prior=point.prior), ApproximateLDP(0.0, point.delta), objectives[point.useful])


def on_sets(question: Question) -> tuple[Array, Array, float]:
    """Return the utility of the single inputs, of the pairs that leave out each, and of all three."""
    objective, problem = question.objective, question.problem
    assert isinstance(objective, Separable), "the objective is a sum over outputs"
    single, pairs = (objective.column_utility(columns, problem) for columns in (np.eye(3), 1 - np.eye(3)))
    return single, pairs, float(objective.column_utility(np.ones((3, 1)), problem)[0])


def of_three(question: Question) -> Published:
    """Return one of two mechanisms by the sign of Hlawka's defect, with the optimum."""
    single, pairs, whole = on_sets(question)
    delta = question.notion.parameter
    defect = float(single.sum()) + whole - float(pairs.sum())
    utility = delta * float(single.sum()) + (1 - delta) * whole + max(0.0, -defect) * min(delta, 1 - delta)
    value = question.objective.from_utility(utility, question.problem)
    if defect >= 0:
        return Published(erasure(question), value)
    if delta <= 0.5:
        return Published(np.hstack([delta * (1 - np.eye(3)), np.full((3, 1), 1 - 2 * delta)]), value)
    return Published(np.hstack([(2 * delta - 1) * np.eye(3), (1 - delta) * (1 - np.eye(3))]), value)


def is_best_of_three(question: Question, given: Published) -> Iterator[Check]:
    """Compare with the optimum; each output is put to its best use."""
    problem, objective = question.problem, question.objective
    assert isinstance(objective, Separable), "the objective is a sum over outputs"
    yield Private(given.matrix, problem, question.notion, "the mechanism is private")
    best = Optimum(question)
    used = np.asarray(given.matrix)
    reached = objective.from_utility(float(objective.column_utility(used, problem).sum()), problem)
    yield Equal(reached, best, "the mechanism is optimal")
    assert given.value is not None, "the value is given"
    yield Equal(given.value, best, "the value is the optimum")


OPEN3 = Theorem(
    key="ours/yoshida-open-3",
    place="open question of yoshida Section VII, three inputs",
    origin="answers a question that Yoshida, Yung, Hayashi 2019 leave open; not published, as far as we know",
    kind="exact optimum",
    words=(
        "For three inputs whose outputs differ by total variation delta at most and any sublinear psi, erasure is "
        "optimal if H >= 0; otherwise the pairs of inputs with mass delta each and a blank (delta <= 1/2), or pairs "
        "with 1 - delta and single inputs with 2 delta - 1 each."
    ),
    latex=(
        r"\delta \sum_x \psi(e_x) + (1-\delta) \psi(1,1,1) + \max(0, -H) \min(\delta, 1-\delta), \quad "
        r"H = \sum_x \psi(e_x) + \psi(1,1,1) - \psi(1,1,0) - \psi(1,0,1) - \psi(0,1,1)"
    ),
    family=Family(
        {
            "delta": Real(0.02, 0.98),
            "useful": Choice(("loss", "loss", "Fisher", "KL")),
            "lean": Real(0.0, 1.0),
            "loss": Vector(9, 0.0, 1.0),
            "prior": Distribution(3, least=0.02),
        },
        subject=asked_of_three,
    ),
    printed=of_three,
    test=is_best_of_three,
)
