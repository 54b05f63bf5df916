"""Numbers that are known up to an interval: how far apart two of them are, and how wide."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Interval:
    """What is known of a number, or of an array of numbers: it lies in ``[low, high]``."""

    low: Any
    high: Any


def both_exact(left: Interval, right: Interval) -> bool:
    """Return whether both are fractions, of which equality is decided exactly."""
    return all(np.asarray(side.low).dtype == object for side in (left, right))


def has_value(side: Interval) -> bool:
    """Return whether every entry is a number, infinity among them."""
    return not np.isnan(np.asarray(side.low, dtype=float)).any()


def scale_of(left: Interval, right: Interval, least: float) -> float:
    """Return the largest finite size of an end, at least `least`, above 0."""
    sizes = [
        float(np.max(np.abs(np.asarray(end, dtype=float)))) for side in (left, right) for end in (side.low, side.high)
    ]
    finite = [size for size in sizes if math.isfinite(size)]
    return max([*finite, least, np.finfo(float).tiny])


def distance(left: Interval, right: Interval, least: float) -> float:
    """Return how far the two intervals are apart, relative to their size; infinite where one is not a number."""
    gap = np.maximum(np.asarray(left.low - right.high, dtype=float), np.asarray(right.low - left.high, dtype=float))
    if np.isnan(gap).any():
        # Infinity equals infinity; NaN equals nothing.
        same = np.asarray(left.low == right.high) & np.asarray(right.low == left.high)
        gap = np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))
    return max(float(np.max(gap)), 0.0) / scale_of(left, right, least)


def width(side: Interval, other: Interval, least: float) -> float:
    """Return how wide one interval is, relative to the size of both."""
    wide = np.asarray(side.high - side.low, dtype=float)
    return float(np.max(np.where(np.isnan(wide), 0.0, wide))) / scale_of(side, other, least)


def written(known: Interval) -> str:
    """Return the lower end in six digits, or as a fraction; of an array the first nine entries."""
    low = np.asarray(known.low)
    if low.ndim:
        return f"({', '.join(written(Interval(part, part)) for part in low.ravel()[:9])})"
    return str(known.low) if low.dtype == object else f"{float(low):.6g}"
