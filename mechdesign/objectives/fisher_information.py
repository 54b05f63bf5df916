"""Fisher information about one parameter of the inputs' distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign import domains
from mechdesign.domains import Array, EqualByContent
from mechdesign.errors import DomainError
from mechdesign.objectives.generators import Square
from mechdesign.objectives.ratio import Ratio, RatioType
from mechdesign.problem import Problem
from mechdesign.tolerances import SUM_TO_ONE

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True, eq=False)
class FisherInformation(EqualByContent, RatioType):
    r"""sum_y (direction . q_y)^2 / (theta . q_y), per squared unit of the parameter; maximised.

    The inputs are drawn from ``theta + s direction`` and s is to be estimated near 0: n reports give it with a
    variance of about ``1 / (n J)``. Of ratio type with ``a = direction``, ``b = theta`` and ``f(t) = t^2``; at most
    ``sum_x direction_x^2 / theta_x``. No prior is used.

    Parameters
    ----------
    theta : array_like, shape (n,)
        The distribution of the inputs at the parameter, kept as given; zeros only where the direction is 0.
    direction : array_like, shape (n,)
        How it changes with the parameter: not all zero, and sums to zero within 1e-9 of its absolute sum.

    Raises
    ------
    DomainError
        A theta that is no distribution, or zero where the direction is not; a direction that does not sum to zero
        or is zero; lengths that differ from each other or from the number of inputs.

    References
    ----------
    yoshida, eq. (8).

    Examples
    --------
    >>> import mechdesign as md
    >>> objective = md.FisherInformation(theta=[0.5, 0.5], direction=[-1, 1])
    >>> objective.value([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2))
    1.0
    """

    theta: Array
    direction: Array

    if TYPE_CHECKING:

        def __init__(self, theta: npt.ArrayLike, direction: npt.ArrayLike) -> None: ...

    sense = "maximise"
    unit = "per squared unit of the parameter"
    words = "Fisher information"

    def __post_init__(self) -> None:
        theta = domains.distribution("theta", self.theta)
        direction = domains.vector("direction", self.direction, len(theta))
        size, total = math.fsum(np.abs(direction)), math.fsum(direction)
        if size == 0:
            raise DomainError("direction", "all zero", "the distribution has to change", "give one entry at least")
        if abs(total) > SUM_TO_ONE * size:
            raise DomainError(
                "direction",
                f"a vector that sums to {total!r}",
                "it has to sum to zero, since distributions keep the sum one",
                "subtract its mean, or give the difference of two distributions",
            )
        missing = (theta == 0) & (direction != 0)
        if missing.any():
            at = int(missing.argmax())
            raise DomainError(
                f"theta[{at}]",
                0.0,
                "it has to be positive where the direction is not zero: the information is infinite there",
                "drop the input, or set its direction to zero",
            )
        object.__setattr__(self, "theta", theta)
        object.__setattr__(self, "direction", direction)

    def check(self, problem: Problem) -> None:
        """Refuse vectors of another length than the mechanism has inputs."""
        super().check(problem)
        domains.vector("theta", self.theta, problem.n)

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the mean squared score of the output; outputs that never occur count nothing."""
        mass = self.theta @ np.asarray(matrix, dtype=float) / math.fsum(self.theta)
        used = mass > 0
        score = (self.direction @ np.asarray(matrix, dtype=float))[used] / mass[used]
        return float(mass[used] @ score**2)

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the information, convex in `Q`: no convex program maximises it."""
        return Square().perspective(self.direction @ Q, (self.theta / math.fsum(self.theta)) @ Q)

    def ratio(self, problem: Problem) -> Ratio:
        """Return ``a = direction``, ``b = theta``, ``f = t^2``."""
        return Ratio(self.direction, self.theta / math.fsum(self.theta), Square())
