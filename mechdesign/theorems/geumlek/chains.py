"""Chains of Bernoulli profiles: what the Smooth One Bit mechanism leaves of their differences."""

from __future__ import annotations

import numpy as np

from mechdesign.baselines.response_matrix import response_matrix
from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.geumlek.programs import chain, smooth_flips
from mechdesign.theorems.variables import Choice, Real


def outputs_of_one(n: int, epsilon: float) -> Array:
    """Return for each profile of Bernoulli-Chain-n the probability of an output 1 under the smooth mechanism."""
    ones = np.arange(n) / (n - 1)
    return np.asarray(ones + (1.0 - 2.0 * ones) * smooth_flips(ones, chain(n), epsilon))


def baseline_spread(point: Point) -> float:
    """Return the spread of randomised response over the profiles, ``(e^epsilon - 1)/(e^epsilon + 1)``."""
    return float(np.tanh(point.epsilon / 2.0))


def _spread_out(point: Point, given: float) -> list[Check]:
    flips = response_matrix(2, point.epsilon)
    local = np.array([1.0 - np.arange(point.n) / (point.n - 1), np.arange(point.n) / (point.n - 1)]).T @ flips[:, 1]
    ours = outputs_of_one(point.n, point.epsilon)
    # The first is at most 1/2 and the last at least, and n - 1 edges allow this ratio between any two.
    most = 0.5 * np.exp((point.n - 1) * point.epsilon)
    return [
        Equal(np.ptp(local), given, "the baseline's spread"),
        AtMost(np.ptp(local), np.ptp(ours), "the baseline's spread against the smooth mechanism's", strictly=True),
        AtMost(np.abs(ours - 0.5).max(), most - 0.5, "for a small epsilon all are close to 1/2"),
        AtMost(np.abs(local - 0.5).max(), most - 0.5, "and so they are under the baseline"),
    ]


FIG3 = Theorem(
    key="geumlek/Fig3",
    place="Figure 3",
    kind="comparison",
    words=(
        "In Bernoulli-Chain-6 and Bernoulli-Chain-21 the probabilities of an output 1 are close to 1/2 for a small "
        "epsilon, and the smooth mechanism spreads them more than randomised response does."
    ),
    latex=r"\frac{e^{\epsilon} - 1}{e^{\epsilon} + 1}",
    family=Family({"n": Choice((6, 21)), "epsilon": Real(0.001, 6.0, log=True)}),
    printed=baseline_spread,
    test=_spread_out,
)
