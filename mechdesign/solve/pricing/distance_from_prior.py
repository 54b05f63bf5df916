"""Columns whose lifts are near 1, where their distance from the prior is bounded: what the pricing has of each kind.

A column of mass one has the lifts ``q_x = v_x / P . v``, and the utility is a sum of convex functions of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.utility_of_lifts import UtilityOfLifts


@dataclass(frozen=True)
class NearPrior(ABC):
    """Columns of mass one within a distance of the column without information, and a utility of their lifts."""

    utility: UtilityOfLifts
    #: Normalised, shape (n,).
    prior: Array
    #: The distance: r.
    distance: float

    @abstractmethod
    def excess(self, lam: Array) -> tuple[float, float]:
        """Return a bound on ``mu(q) - lam . q``, rounded outward, and by how much it was, for lam of shape (n,)."""

    @abstractmethod
    def multipliers(self) -> Array:
        """Return multipliers of the rows whose bound is near the optimum where inputs are many, shape (n,)."""
