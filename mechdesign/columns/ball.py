"""What columns within a distance of their own mass share."""

from __future__ import annotations

from dataclasses import dataclass

from mechdesign.columns.masses import Masses
from mechdesign.columns.shape import Shape
from mechdesign.parameters.checks import Array


@dataclass(frozen=True, eq=False)
class Ball(Shape):
    """Vectors v whose distance to their mass ``m = pi . v`` is at most epsilon m.

    Parameters
    ----------
    n : int
    masses : Masses
        pi.
    epsilon : float
    """

    masses: Masses
    epsilon: float

    @property
    def around_mass(self) -> bool:
        """Within a distance of the mass."""
        return True

    @property
    def normal(self) -> Array:
        """The masses: on their slice every column has mass one."""
        return self.masses.floats
