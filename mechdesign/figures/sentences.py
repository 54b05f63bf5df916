"""What the sentences about a figure say of its curves: numbers that are formatted from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mechdesign.figures.figure import Curve
from mechdesign.figures.privacy import private


def at(curves: Sequence[Curve], name: str, x: float) -> str:
    """Return a curve's height where it is nearest to x, to four digits."""
    curve = next(curve for curve in curves if curve.name == name)
    return f"{curve.y[int(np.abs(curve.x - x).argmin())]:.4g}"


def listed(x: npt.ArrayLike) -> str:
    """Return numbers as a sentence lists them; "none" where there are none."""
    found = [f"{float(value):g}" for value in np.asarray(x)]
    return ", ".join(found) if found else "none"


def share_private(curves: Sequence[Curve], name: str) -> str:
    """Return how many of a curve's mechanisms keep their notion, as a sentence."""
    curve = next(curve for curve in curves if curve.name == name)
    flags = [private(*each) for used in curve.behind for each in used]
    return f"Of the mechanisms plotted for {name}, {100.0 * np.mean(flags):.3g} % are private."
