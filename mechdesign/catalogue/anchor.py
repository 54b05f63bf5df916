"""The value of an objective worked out by hand on a fair coin, which fixes its unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: A fair coin.
COIN = Problem(prior=np.array([0.5, 0.5]), values=np.array([0.0, 2.0]))


@dataclass(frozen=True)
class Anchor:
    """The value of randomised response with ratio 3 (entries 3/4 and 1/4), worked out by hand.

    Attributes
    ----------
    objective : Objective
        With its parameters.
    value : float
        What it has to be.
    why : str
        How that is worked out.
    problem : Problem
        A fair coin with the values 0 and 2.
    """

    objective: Any
    value: float
    why: str
    problem: Problem = COIN


def two_ends() -> dict[str, Array]:
    """Return two hypotheses that say for certain which side comes up."""
    return {"first": np.array([1.0, 0.0]), "second": np.array([0.0, 1.0])}


def unlike_losses() -> Array:
    """Return losses of guessing a coin that are not alike: 2 of one wrong guess, 4 of the other."""
    return np.array([[0.0, 2.0], [4.0, 0.0]])
