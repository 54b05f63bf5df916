"""Bernoulli-Couplet: two profiles of one bit, the flips that the paper gives for them, and the certified least one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechdesign.designing.entry import design
from mechdesign.designing.result import Design
from mechdesign.figures.privacy import private
from mechdesign.notions import ProfileDP
from mechdesign.objectives import MaxOffDiagonal
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.family import Point
from mechdesign.theorems.geumlek.observation_10 import bound
from mechdesign.theorems.geumlek.programs import bernoulli, flipping, smooth_flips

EDGE = [(0, 1)]
#: The two profiles' probabilities of a one.
Couplet = tuple[float, float]


def centred(difference: float) -> Couplet:
    """Return two probabilities around 1/2 that differ by a given amount."""
    return (1.0 - difference) / 2.0, (1.0 + difference) / 2.0


def from_zero(difference: float) -> Couplet:
    """Return 0 and the difference."""
    return 0.0, difference


def smooth(couplet: Couplet, epsilon: float) -> Array:
    """Return the flip of each profile by program (5), the Smooth One Bit mechanism."""
    return smooth_flips(np.array(couplet), EDGE, epsilon)


def printed_bound(couplet: Couplet, epsilon: float) -> Array:
    """Return for both profiles the bound (7) of Observation 10."""
    return np.full(2, bound(Point({"first": couplet[0], "second": couplet[1], "epsilon": epsilon})))


def appendix_bound(couplet: Couplet, epsilon: float) -> Array:
    """Return for both profiles the bound as the appendix has it, with ``e^-epsilon`` in the third term."""
    first, second = couplet
    lowered, under = first - np.exp(-epsilon) * second, float(np.expm1(-epsilon))
    third = (lowered + under) / (2.0 * lowered + under)
    over = second - np.exp(epsilon) * first
    return np.full(2, max(0.0, over / (2.0 * over + float(np.expm1(epsilon))), third))


def flips_are_private(flips: Array, couplet: Couplet, epsilon: float) -> bool:
    """Return whether the mechanism that flips each profile's bit with its probability is private."""
    notion = ProfileDP(epsilon, bernoulli(couplet), EDGE)
    return private(flipping(flips), notion, notion.inputs(Problem(n=2)))


def certified(couplet: Couplet, epsilon: float) -> Design:
    """Return the mechanism that sees the profile with the least largest probability of a flip."""
    return design(Problem(n=2), ProfileDP(epsilon, bernoulli(couplet), EDGE), MaxOffDiagonal())


Family = Callable[[float], Couplet]
