"""Columns of a cone of one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mechdesign.columns.cone import Cone
from mechdesign.columns.shape import Shape
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True, eq=False)
class Listed(Shape):
    """Columns q of a cone that is given as it is, over the inputs.

    Parameters
    ----------
    n : int
    given : callable
        Returns the cone.
    rows : float
        About how many rows it has.
    least : callable
        Returns the level of a constant column.
    """

    given: Callable[[], Cone]
    rows: float
    least: Callable[[], float]

    @property
    def least_level(self) -> float:
        """The level of constant columns, by the notion's own level."""
        return self.least()

    @property
    def cone_rows(self) -> float:
        """The number of rows that was given."""
        return self.rows

    def cone_of(self, seen: Array) -> Cone:
        """Return the cone that was given, over what is seen."""
        cone = self.given()
        return Cone(cone.on_column @ seen, cone.on_auxiliary, cone.ceiling, terms=cone.sizes @ np.abs(seen))

    def cone(self) -> Cone:
        """Return the cone that was given."""
        return self.given()

    def facets(self) -> Cone | None:
        """Return the cone that was given."""
        return self.given()

    def through(self, problem: Problem) -> Shape:
        """Return itself: it is over the inputs."""
        return self
