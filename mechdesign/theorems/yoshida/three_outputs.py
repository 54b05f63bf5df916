"""Two secrets at bounded weighted total variation: three outputs are optimal."""

from __future__ import annotations

import numpy as np

from mechdesign.domains import Array
from mechdesign.notions import Notion, WeightedTV
from mechdesign.objectives import FisherInformation, Objective, Separable
from mechdesign.problem import Problem
from mechdesign.theorems.base import Condition, Form, Theorem


def three_outputs(problem: Problem, notion: Notion, objective: Objective) -> Array:
    """Return rows ``[a/(1-w), 1 - a/(1-w), 0]`` and ``[a/w, 0, 1 - a/w]`` with ``a = (1 - delta)/2``, w the weight.

    The first output says nothing that the weight does not say, the others betray the secret.
    """
    a, w = _parameters(notion)
    # At the ends of the domain a/w or a/(1-w) is 1, up to rounding.
    first, second = min(a / (1.0 - w), 1.0), min(a / w, 1.0)
    return np.array([[first, 1.0 - first, 0.0], [second, 0.0, 1.0 - second]])


def _parameters(notion: Notion) -> tuple[float, float]:
    assert isinstance(notion, WeightedTV), "the form is about WeightedTV"
    return (1.0 - notion.delta) / 2.0, notion.weight


def _reached(problem: Problem, notion: Notion, objective: Objective) -> tuple[float, float]:
    assert isinstance(notion, WeightedTV), "the form is about WeightedTV"
    return notion.delta, abs(1.0 - 2.0 * notion.weight)


def _information(problem: Problem, notion: Notion, objective: Objective) -> float | None:
    """Return ``s^2 (1 - a/(w (1-t) + (1-w) t)) / (t (1-t))`` at the mixture ``(1-t, t)`` and direction ``(-s, s)``."""
    assert isinstance(objective, FisherInformation), "the form is about Fisher information"
    a, w = _parameters(notion)
    other, t = objective.theta / objective.theta.sum()
    slope = objective.direction[1]
    return float(slope**2 / (t * other) * (1.0 - a / (w * other + (1.0 - w) * t)))


#: Below it no mechanism is private, whatever it tells.
ATTAINABLE = Condition("delta", "|1 - 2 weight|", _reached)

T1iii = Theorem(
    key="yoshida/T1iii",
    place="Theorem 1 (iii)",
    kind="exact optimum",
    words=(
        "With three outputs or more, the largest Fisher information at theta is "
        "(1/(theta (1-theta))) (1 - a/(w (1-theta) + (1-w) theta)) with a = (1-delta)/2."
    ),
    form=Form(WeightedTV, FisherInformation, "Fisher information", inputs=2),
    claimed=(ATTAINABLE,),
    confirmed=(ATTAINABLE,),
    printed=three_outputs,
    matrix=three_outputs,
    value=_information,
)

T2 = Theorem(
    key="yoshida/T2",
    place="Theorem 2",
    kind="exact optimum",
    words=(
        "With three outputs or more, one mechanism maximises the sum over outputs of every sublinear function of the "
        "two probabilities."
    ),
    form=Form(WeightedTV, Separable, "utilities that are sums over outputs", inputs=2),
    claimed=(ATTAINABLE,),
    confirmed=(ATTAINABLE,),
    printed=three_outputs,
    matrix=three_outputs,
)
