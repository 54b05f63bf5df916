"""Inputs of prior zero under the published optimum of local information privacy."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Whole


def unseen(point: Point) -> Array:
    """Return the published probabilities of the output that names an input of prior zero, by input, that one last."""
    low = np.exp(-point.epsilon)
    return np.append(np.zeros(point.n), 1.0 - (1.0 - 0.0) * low)


def _never(point: Point, given: Array) -> Iterable[Check]:
    yield Equal(given, np.zeros(point.n + 1), "the output is never made, whatever the input", scale=1.0)


R3 = Theorem(
    key="jiang_lip/R3",
    place="Section V-B.2",
    kind="privacy claim",
    words=(
        "Of districts with prior zero, the published mechanism never outputs any, so that they may be left in the "
        "domain. (It does so with probability one; it fails given that somebody is there, an event of prior zero.)"
    ),
    latex=r"P_m = 0 \Rightarrow \Pr(Y = a_m \mid X) = 0",
    # Whoever is there outputs the district with probability 1 - e^-epsilon, and nobody else ever does: (7) fails there,
    # and every LDP level. Leave such inputs out of the domain, or give them a row that no other input's output betrays.
    family=Family({"n": Whole(2, 4), "epsilon": Real(0.05, 4.0)}),
    printed=unseen,
    test=_never,
)
