"""The curves of certified designs: the best private mechanism, and the bound that none is beyond."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mechdesign.designing.result import Design
from mechdesign.figures.figure import Curve
from mechdesign.parameters.checks import Array

OPTIMUM = "certified optimum"
BOUND = "certified bound"


def best(x: Array, designs: Sequence[Design], name: str = OPTIMUM) -> Curve:
    """Return the values of the designs, with their exact audits."""
    holds = np.array([made.audit.holds for made in designs])
    return Curve(name, "feasible", x, np.array([made.value for made in designs]), holds)


def bound(x: Array, designs: Sequence[Design], name: str = BOUND, beside: str = OPTIMUM) -> Curve:
    """Return the bounds of the designs, beside the curve of their values."""
    return Curve(name, "bound", x, np.array([made.bound for made in designs]), np.ones(len(x), dtype=bool), beside)
