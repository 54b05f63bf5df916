"""Quadratic approximations of the information at falling epsilon, and their bounds by the singular vector L*."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.checks import AtMost, Check, Remainder
from mechdesign.theorems.zamani.families import LADDER
from mechdesign.theorems.zamani.setting import Box, Setting, first, second


def approximations(made: Setting, box: Callable[[float], Box]) -> Array:
    """Return the quadratic approximation over the box at small shares of the range: P1 or P2, and their like."""
    return np.array([made.at(step).quadratic(box(step)) for step in (made.range_first * LADDER).tolist()])


def expanded(made: Setting, box: Callable[[float], Box], given: Array) -> Iterator[Check]:
    """Check that the largest information over the box follows those values up to the third order.

    The expansion is one of logarithms; epsilon is in its range where they have a series.
    """
    steps = (made.range_first * LADDER).tolist()
    known = dict(zip(steps, given.tolist(), strict=True))

    def sides(step: float) -> tuple[float, float]:
        return made.at(step).optimum(box(step)).value, known[step]

    yield AtMost(made.largest_change(box(made.epsilon)), 1.0, "the largest |epsilon R^-1 J_u / P_Y|")
    yield Remainder(sides, 3.0, steps[0], "the largest I(U; Y) and its quadratic approximation")


def gammas(made: Setting, box: Box) -> tuple[float, float, float]:
    """Return ``gamma_1``, ``gamma_2`` and ``gamma_max``, all at least 1: what L* and -L* are divided by."""
    of_plus, of_minus = (max(1.0, 1.0 / factor) for factor in made.scales(box))
    return of_plus, of_minus, max(of_plus, of_minus)


def lower_bounds_of_first(made: Setting) -> tuple[float, float]:
    """Return ``epsilon^2 sigma^2 / (2 gamma_max^2)`` and ``epsilon^2 sigma^2 / (2 gamma_1 gamma_2)``."""
    of_plus, of_minus, largest = gammas(made, first(made.epsilon))
    half = 0.5 * made.epsilon**2 * made.sigma**2
    return half / largest**2, half / (of_plus * of_minus)


def lower_bounds_of_second(made: Setting) -> tuple[float, float]:
    """Return ``epsilon^2 sigma^2 lambda'^2 / 2`` and ``epsilon^2 sigma^2 lambda_1 lambda_2 / 2``."""
    of_plus, of_minus = made.scales(second(made.epsilon))
    half = 0.5 * made.epsilon**2 * made.sigma**2
    return half * min(of_plus, of_minus) ** 2, half * of_plus * of_minus
