"""The smallest level at which a matrix passes a notion's exact check, to the last bit."""

from __future__ import annotations

import math

from mechdesign.exact import Integers
from mechdesign.notions import Notion
from mechdesign.notions.exact_check import exact_check
from mechdesign.problem import Problem


def exact_level(notion: Notion, numerators: Integers, problem: Problem, near: float) -> float:
    """Return the smallest float at which the exact check passes, searched by units in the last place from `near`."""
    if math.isinf(near):
        return near
    least, most = notion.columns(problem).least_level, notion.most_level

    holds = exact_check(notion, numerators, problem)
    if near < 1e-9 + least and holds(least):
        return least
    near = min(max(near, least), most)
    low, high, step = near, near, math.ulp(max(near, 1e-300))
    while high < most and not holds(high):
        low, high, step = high, min(high + step, most), 2 * step
    step = math.ulp(low)
    while low > least and holds(low):
        low, high, step = max(low - step, least), low, 2 * step
    while math.nextafter(low, math.inf) < high:
        middle = low + (high - low) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
