"""Extreme rays of any small cone, and of the fan on whose cells a budget is linear."""

from __future__ import annotations

import numpy as np

from mechdesign.domains import Array
from mechdesign.notions import Budget, Cone, Rays


def enumerable(cone: Cone, budget: Budget | None) -> bool:
    """Tell whether the cone is small enough for `extreme_rays`."""
    return False


def extreme_rays(cone: Cone, budget: Budget | None = None) -> Rays:
    """Return the extreme rays of `cone`."""
    raise NotImplementedError
