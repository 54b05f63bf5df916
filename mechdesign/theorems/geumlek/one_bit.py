"""Profile-based privacy of one bit between two profiles."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import ProfileDP
from mechdesign.objectives import MaxOffDiagonal
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Form, Theorem
from mechdesign.theorems.checks import Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Channel, Real


def asked(point: Point) -> Question:
    """Return the question of the least flip probability that hides which of two profiles it is."""
    notion = ProfileDP(point.epsilon, profiles=point.profiles, edges=[(0, 1)], sees_profile=False)
    return Question(notion.inputs(Problem(n=2)), notion, MaxOffDiagonal())


def least_flip(question: Question) -> Published:
    """Return symmetric flips with probability ``M / (2 M + e^epsilon - 1)``, which is their value.

    M is the largest excess of one end of the edge over e^epsilon times the other, for both outputs and both ways, and
    at least 0; everything is divided by ``e^epsilon``.
    """
    notion = question.notion
    assert isinstance(notion, ProfileDP), "the form is about ProfileDP"
    low = float(np.exp(-notion.epsilon))
    first, second = notion.profiles / notion.profiles.sum(axis=1, keepdims=True)
    excess = max(0.0, float((low * first - second).max()), float((low * second - first).max()))
    # At 0 nothing has to be flipped, also where epsilon is 0.
    flip = 0.0 if excess == 0.0 else excess / (2.0 * excess + 1.0 - low)
    return Published(np.array([[1.0 - flip, flip], [flip, 1.0 - flip]]), flip)


def _one_edge(question: Question) -> str | None:
    notion = question.notion
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
        "optimum of one program in one variable: (ours) M/(2M + e^epsilon - 1), M the largest excess of an output's "
        "probability under one profile over e^epsilon times that under the other, or 0."
    ),
    latex=r"\alpha^* = \frac{M}{2M + e^{\epsilon} - 1}",
    # Raising the smaller of two unequal flips to the larger keeps the mechanism private: symmetric flips lose nothing.
    family=Family({"epsilon": Real(0.05, 3.0), "profiles": Channel(2, 2)}, subject=asked),
    printed=least_flip,
    test=is_optimal,
    form=Form(ProfileDP, MaxOffDiagonal, "the largest probability of a flip", inputs=2, hidden=True, further=_one_edge),
)
