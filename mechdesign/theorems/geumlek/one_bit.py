"""Profile-based privacy of one bit between two profiles."""

from __future__ import annotations

import numpy as np

from mechdesign.domains import Array
from mechdesign.notions import Notion, ProfileDP
from mechdesign.objectives import MaxOffDiagonal, Objective
from mechdesign.problem import Problem
from mechdesign.theorems.base import Form, Theorem


def flip_probability(problem: Problem, notion: Notion, objective: Objective) -> float:
    """Return ``M / (2 M + e^epsilon - 1)``, M the largest excess of one end of the edge over e^epsilon times the other.

    Excesses are taken for both outputs and both ways, and of 0; everything is divided by ``e^epsilon``.
    """
    assert isinstance(notion, ProfileDP), "the form is about ProfileDP"
    low = float(np.exp(-notion.epsilon))
    first, second = notion.profiles / notion.profiles.sum(axis=1, keepdims=True)
    excess = max(0.0, float((low * first - second).max()), float((low * second - first).max()))
    # At 0 nothing has to be flipped, also where epsilon is 0.
    return 0.0 if excess == 0.0 else excess / (2.0 * excess + 1.0 - low)


def _symmetric(problem: Problem, notion: Notion, objective: Objective) -> Array:
    flip = flip_probability(problem, notion, objective)
    return np.array([[1.0 - flip, flip], [flip, 1.0 - flip]])


def _one_edge(problem: Problem, notion: Notion, objective: Objective) -> str | None:
    assert isinstance(notion, ProfileDP), "the form is about ProfileDP"
    if notion.sees_profile:
        return "it is about a mechanism that does not see the profile"
    if len(notion.profiles) != 2:
        return f"it is about two profiles, not {len(notion.profiles)}"
    return None


EQ4 = Theorem(
    key="geumlek/eq4",
    place="eq. (4), Algorithm 1",
    kind="exact optimum",
    words=(
        "For one bit and one edge between two profiles, the least probability of a flip that hides the profile is the "
        "optimum of one program in one variable."
    ),
    # Raising the smaller of two unequal flips to the larger keeps the mechanism private: symmetric flips lose nothing.
    form=Form(ProfileDP, MaxOffDiagonal, "the largest probability of a flip", inputs=2, hidden=True, further=_one_edge),
    printed=_symmetric,
    matrix=_symmetric,
    value=flip_probability,
)
