"""Fisher information about one parameter of the inputs' distribution."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.drawn import tilt
from mechdesign.errors import DomainError
from mechdesign.exact import fractions
from mechdesign.objectives.divergence_generators import Square
from mechdesign.objectives.exact_form import ConvexOfRatio, ExactForm, shares
from mechdesign.objectives.ratio import Ratio, RatioType
from mechdesign.objectives.shown_decision import ShownDecision
from mechdesign.parameters import Cases, Distribution, Vector
from mechdesign.parameters import checks as domains
from mechdesign.parameters.arrays import other_forms
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import SUM_TO_ONE

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True)
class Direction(Vector):
    """Vectors that sum to zero, up to 1e-9 of the sum of their sizes, and are not all zero."""

    def check(self, argument: str, value: Any) -> Array:
        """Return `value` as a read-only vector."""
        direction = super().check(argument, value)
        size, total = math.fsum(np.abs(direction)), math.fsum(direction)
        if size == 0:
            raise DomainError(argument, "all zero", "the distribution has to change", "give one entry at least")
        if abs(total) > SUM_TO_ONE * size:
            raise DomainError(
                argument,
                f"a vector that sums to {total!r}",
                "it has to sum to zero, since distributions keep the sum one",
                "subtract its mean, or give the difference of two distributions",
            )
        return direction

    @property
    def example(self) -> Array:
        """A direction between two."""
        return np.array([-1.0, 1.0])

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is invalid for any vector, and another sum."""
        given = self.example if near is None else np.asarray(near)
        yield from super().invalid(given)
        yield "all zero", 0.0 * given
        yield "another sum", given + 1e-8 * np.abs(given)

    def ends(self, near: Any = None) -> Cases:
        """Yield a direction whose sum is nearly zero, and the example in other forms."""
        given = self.example if near is None else np.asarray(near)
        yield "next to zero", given + 1e-10 * np.abs(given)
        yield from other_forms(given)


@dataclass(frozen=True)
class FisherInformation(RatioType):
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
    Y. Yoshida, M.-H. Yung, M. Hayashi, "Optimal Mechanism for Randomized Responses under Universally Composable
    Security Measure", IEEE ISIT 2019, eq. (8).

    L. Steinberger, "Efficiency in Local Differential Privacy", arXiv 2301.10600 (2023).

    C. Amorino, A. Gloter, "Factorization by Extremal Privacy Mechanisms: New Insights into Efficiency",
    arXiv 2507.21769 (2025).

    Examples
    --------
    >>> import mechdesign as md
    >>> objective = md.FisherInformation(theta=[0.5, 0.5], direction=[-1, 1])
    >>> objective.value([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2))
    1.0
    """

    card = Card(
        "Fisher information",
        latex=r"\sum_y \frac{(\text{direction} \cdot q_y)^2}{\theta \cdot q_y}",
        search=("parameter estimation",),
        works=("yoshida", "amorino2025", "steinberger2023"),
        examples=(lambda rng: (FisherInformation(**tilt(3, rng)), Problem(n=3)),),
        sized=lambda problem, rng: FisherInformation(**tilt(problem.n, rng)),
        anchor=lambda: Anchor(FisherInformation([0.5, 0.5], [1.0, -1.0]), 1.0, "2 (1/2)^2 / (1/2)"),
    )

    theta: Array
    direction: Array
    domains = {"theta": Distribution(), "direction": Direction()}
    axes = {"theta": ("inputs",), "direction": ("inputs",)}

    if TYPE_CHECKING:

        def __init__(self, theta: npt.ArrayLike, direction: npt.ArrayLike) -> None: ...

    sense = "maximise"
    unit = "per squared unit of the parameter"

    def check_together(self) -> None:
        """Refuse a direction over other inputs, or along which an input that never occurs would."""
        domains.vector("direction", self.direction, len(self.theta))
        missing = (self.theta == 0) & (self.direction != 0)
        if missing.any():
            place, entry = domains.first_of("theta", self.theta, missing)
            rule = "it has to be positive where the direction is not zero: the information is infinite there"
            raise DomainError(place, entry, rule, "drop the input, or set its direction to zero")

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield a direction over one input more, and a zero instead of a direction."""
        yield "a longer direction", {"direction": [*self.direction, 0.0]}
        yield "a longer theta", {"theta": [*self.theta, 0.0]}
        at = int(np.argmax(self.direction != 0))
        rest = np.arange(len(self.theta)) != at
        yield "no probability where there is a direction", {"theta": rest / rest.sum()}

    def check(self, problem: Problem) -> None:
        """Refuse vectors of another length than the mechanism has inputs."""
        super().check(problem)
        domains.vector("theta", self.theta, problem.n)

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the mean squared score of the output; outputs that never occur count nothing."""
        mass = self.theta @ np.asarray(matrix, dtype=float) / math.fsum(self.theta)
        used = mass > 0
        least = np.min(matrix, axis=0)
        # What all entries of a column share counts by what the direction adds up to: next to nothing.
        moved = self.direction @ (np.asarray(matrix, dtype=float) - least) + math.fsum(self.direction) * least
        return float(np.sum(moved[used] ** 2 / mass[used]))

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the information, convex in `Q`: no convex program maximises it."""
        return Square().perspective(self.direction @ Q, (self.theta / math.fsum(self.theta)) @ Q)

    def exact_form(self, problem: Problem) -> ExactForm:
        """Return the Fisher information in exact arithmetic, with theta as fractions that sum to 1."""
        return ConvexOfRatio(fractions(self.direction), shares(self.theta), Square().enclosed)

    def ratio(self, problem: Problem) -> Ratio:
        """Return ``a = direction``, ``b = theta``, ``f = t^2``."""
        direction = self.direction
        return Ratio(direction, self.theta / math.fsum(self.theta), Square(), rest=math.fsum(direction))

    def shown(self, problem: Problem) -> ShownDecision:
        """Return that decisions are scores."""
        return ShownDecision("score of the output", "per unit of the parameter")
