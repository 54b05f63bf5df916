"""How a decision that is one number is shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.parameters.checks import Array


@dataclass(frozen=True)
class ShownDecision:
    """What a decision is, in which unit, and where its zero is: a ratio of probabilities is shown by its logarithm.

    Examples
    --------
    >>> ShownDecision("estimate", "value", moved=2.0).at(np.array([-1.0, 1.0])).tolist()
    [1.0, 3.0]
    """

    quantity: str = "decision"
    unit: str = ""
    moved: float = 0.0
    by_logarithm: bool = False

    def at(self, decisions: Array) -> Array:
        """Return what is shown of decisions, shape (k,): moved by a constant, or their logarithms."""
        return np.log(decisions) if self.by_logarithm else decisions + self.moved
