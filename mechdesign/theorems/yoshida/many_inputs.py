"""Whether the optimal mechanism depends on the objective when there are three inputs or more."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.notions import ApproximateLDP
from mechdesign.objectives import FisherInformation, Separable
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.ours.erasure import erasure
from mechdesign.theorems.ours.three_inputs import loss_of, on_sets
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector


def asked(point: Point) -> Question:
    """Return the question of a loss over three inputs, or of the Fisher information at theta."""
    if point.useful == "loss":
        objective: Separable = loss_of(point)
    else:
        objective = FisherInformation(point.theta, [-1.0, 0.4, 0.6])
    return Question(Problem(prior=np.full(3, 1 / 3)), ApproximateLDP(0.0, point.delta), objective)


def differs(question: Question, given: None) -> Iterator[Check]:
    """Compare the mechanism that is optimal for other objectives with the optimum of this one."""
    objective, problem = question.objective, question.problem
    assert isinstance(objective, Separable), "the objective is a sum over outputs"
    reached = float(objective.column_utility(erasure(question), problem).sum())
    best, value = Optimum(question), objective.from_utility(reached, problem)
    least, most = (best, value) if objective.sense == "minimise" else (value, best)
    yield AtMost(least, most, "the mechanism of other objectives is not optimal for this one", strictly=True)


def _defect(question: Question) -> tuple[float, float]:
    single, pairs, whole = on_sets(question)
    return float(pairs.sum()), float(single.sum()) + whole + 1e-6


#: Here the utility of pairs outweighs that of single inputs and of all three: Hlawka's inequality fails.
PAIRS_WEIGH = Condition("psi(1,1,0) + psi(1,0,1) + psi(0,1,1)", "sum psi(e_x) + psi(1,1,1) + 0.000001", _defect)

VII = Theorem(
    key="yoshida/VII",
    place="Section VII",
    kind="comparison",
    words=(
        "For three inputs or more, optimal mechanisms depend on the objective (the paper: probably), for example on "
        "the theta at which the Fisher information is taken."
    ),
    # Erasure is optimal for the Fisher information at every theta and for all divergences (ours/yoshida-open-2), so an
    # objective that asks for another mechanism is one for which erasure is not optimal.
    family=Family(
        {
            "delta": Real(0.05, 0.95),
            "useful": Choice(("Fisher", "loss", "loss")),
            "lean": Real(0.0, 1.0),
            "loss": Vector(9, 0.0, 1.0),
            "theta": Distribution(3, least=0.02),
        },
        subject=asked,
    ),
    test=differs,
    narrower=(PAIRS_WEIGH,),
    loose="A comparison of two mechanisms, without a constant.",
)
