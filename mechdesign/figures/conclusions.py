"""What is left of a conclusion, by a rule: where it holds between private mechanisms, and what is published."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mechdesign.figures.figure import FAITHFUL, Conclusion, Curve


def faithful(curves: Sequence[Curve]) -> bool:
    """Return whether every published point is private, or within `FAITHFUL` of the feasible curve it is beside."""
    named = {curve.name: curve for curve in curves}
    for curve in curves:
        if curve.kind != "published" or bool(np.all(curve.private)):
            continue
        if not curve.beside:
            return False
        other = np.interp(curve.x, named[curve.beside].x, named[curve.beside].y)
        if np.any((np.abs(curve.y - other) > FAITHFUL * np.abs(other)) & ~np.asarray(curve.private, dtype=bool)):
            return False
    return True


def left(holds: npt.ArrayLike, curves: Sequence[Curve]) -> Conclusion:
    """Return whether a conclusion is kept, weakened or reversed, given the points where feasible curves support it."""
    points = np.asarray(holds, dtype=bool)
    if not points.any():
        return "reversed"
    return "kept" if points.all() and faithful(curves) else "weakened"
