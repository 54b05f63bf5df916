"""The optimum of local differential privacy for two inputs."""

from __future__ import annotations

import numpy as np

from mechdesign.baselines import randomised_response
from mechdesign.domains import Array
from mechdesign.notions import LDP, Notion
from mechdesign.objectives import MMSE, Objective, Separable
from mechdesign.problem import Problem
from mechdesign.theorems.base import Form, Theorem


def _two_inputs(problem: Problem, notion: Notion, objective: Objective) -> Array:
    return randomised_response(2, notion.parameter)


def _error(problem: Problem, notion: Notion, objective: Objective) -> float | None:
    """Return ``V - V s D / (E + s D)`` with ``s = P_0 P_1``, ``D = (E - 1)^2``, E and D divided by ``E^2``."""
    if not isinstance(objective, MMSE) or problem.prior is None:
        return None
    variance = objective.offset(problem)
    low = float(np.exp(-notion.parameter))
    spread = float(np.prod(problem.prior / problem.prior.sum())) * (1.0 - low) ** 2
    return variance * low / (low + spread)


P4a = Theorem(
    key="jiang_lip/P4a",
    place="Proposition 4, eq. (24)",
    kind="exact optimum",
    words=(
        "For two inputs, randomised response that lies with probability 1/(1 + e^epsilon) minimises the mean squared "
        "error under LDP."
    ),
    # The cone has two rays, so every private mechanism is post-processing of this one.
    form=Form(LDP, Separable, "utilities that are sums over outputs", inputs=2),
    printed=_two_inputs,
    matrix=_two_inputs,
    value=_error,
)
