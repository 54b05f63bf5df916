"""What a solver claims, as an array of floats where it is one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_MULTIPLIER


def real_numbers(claimed: object, shape: tuple[int, ...] | None = None) -> Array | None:
    """Return a solver's result as an array of floats, or None if it has no real numbers or another shape.

    Parameters
    ----------
    shape : tuple of int, optional
        Without it any shape will do.
    """
    if claimed is None:
        return None
    try:
        given = np.asarray(claimed)
    except Exception:  # noqa: BLE001 - a sequence of anything may raise anything
        return None
    if given.dtype.kind not in "fiu" or (shape is not None and given.shape != shape):
        return None
    return np.asarray(given, dtype=float)


def reshaped(claimed: object, shape: tuple[int, ...]) -> Array | None:
    """Return `claimed` in `shape` if it has that number of real numbers and no product overflows, otherwise None."""
    numbers = real_numbers(claimed)
    if numbers is None or numbers.size != math.prod(shape) or not usable(numbers):
        return None
    return numbers.reshape(shape)


def usable(numbers: Any) -> bool:
    """Return whether all are finite numbers that no product overflows with."""
    # A NaN compares as false.
    return bool(np.all(np.abs(numbers) <= LARGEST_MULTIPLIER))
