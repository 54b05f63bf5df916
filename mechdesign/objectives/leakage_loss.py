"""Maximal leakage from the datum to the output, to be minimised under constraints of the user's own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.drawn import random_pairs
from mechdesign.errors import DomainError
from mechdesign.objectives.base import Convex, unit
from mechdesign.objectives.decisions import mass_by_datum
from mechdesign.objectives.exact_form import ExactForm
from mechdesign.objectives.exact_worst_case import SumOfLargest
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True)
class LeakageLoss(Convex):
    r"""ln(sum_y max_x Q[x, y]), the maximal leakage from the datum to the output, in nats; minimised.

    Between 0 (outputs are independent of the datum) and the logarithm of the number of data. No prior is used, unless
    a notion widened the inputs: then x is the datum that they carry, and ``Q[x, y]`` the mean over those inputs.
    Without constraints of your own the optimum is 0: give ``subject_to`` a largest expected loss, as in the example.

    Raises
    ------
    DomainError
        Inputs that a notion widened, without a prior over them.

    Notes
    -----
    The sum is convex and piecewise linear in `Q`, its logarithm quasiconvex. For all weights ``w >= 0`` with
    ``sum_x w_xy = 1`` the sum is at least ``sum_y sum_x w_xy Q[x, y]``. The convex route answers, over one output for
    each input unless ``outputs`` says otherwise.

    Examples
    --------
    >>> import cvxpy as cp
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> round(md.LeakageLoss().value([[0.75, 0.25], [0.25, 0.75]], problem), 6)
    0.405465
    >>> half = lambda Q: [(Q[0, 1] + Q[1, 0]) / 2 <= 0.25]
    >>> round(md.design(problem, md.LDP(5.0), md.LeakageLoss(), subject_to=half).value, 6)
    0.405465
    """

    card = Card(
        "maximal leakage from the datum to the output",
        latex=r"\ln \sum_y \max_x Q_{xy}",
        examples=(
            lambda rng: (LeakageLoss(), Problem(n=3)),
            lambda rng: (LeakageLoss(), random_pairs(rng)),
        ),
        anchor=lambda: Anchor(LeakageLoss(), math.log(1.5), "ln(3/4 + 3/4) nats"),
    )

    kind = "convex"
    unit = "nats"
    lowest = 0.0
    is_transformed = True
    measures_leakage = True

    def check(self, problem: Problem) -> None:
        """Refuse widened inputs without a prior: a datum then has no distribution over its inputs."""
        super().check(problem)
        if problem.data_of_input is not None and problem.prior is None:
            raise DomainError(
                "prior",
                None,
                f"{self.name} needs it where several inputs carry one datum",
                "give the notion its prior (profile_prior)",
            )

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the logarithm of the sum of the columns' largest entries."""
        given = np.asarray(matrix, dtype=float)
        # Less what all entries share, and the mean never exceeds the largest: no leakage is lost in rounding.
        seen = _by_datum(problem) @ (given - given.min(axis=0))
        return math.log1p(max(math.fsum(seen.max(axis=0) - seen.mean(axis=0)), 0.0))

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return some units in the last place of what each column's largest entry exceeds its least by."""
        given = np.asarray(matrix, dtype=float)
        seen = _by_datum(problem) @ (given - given.min(axis=0))
        return unit(problem.n) * 2.0 * float((seen.max(axis=0) - seen.min(axis=0)).sum())

    def exact_form(self, problem: Problem) -> ExactForm | None:
        """Return the sum of the columns' largest entries; None where a notion widened the inputs."""
        return SumOfLargest(problem.n) if problem.data_of_input is None else None

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the leakage, quasiconvex in `Q`."""
        import cvxpy as cp

        return cp.log(cp.sum(cp.max(_by_datum(problem) @ Q, axis=0)))

    def utility_expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return minus the sum, concave in `Q`."""
        import cvxpy as cp

        return -cp.sum(cp.max(_by_datum(problem) @ Q, axis=0))

    def uninformative(self, problem: Problem) -> float:
        """Return 0."""
        return 0.0

    def no_privacy(self, problem: Problem) -> float:
        """Return the logarithm of the number of data that occur."""
        return math.log(len(_by_datum(problem)))

    def from_utility(self, utility: float, problem: Problem) -> float:
        """Return ``ln(-U)``; a mechanism's U is at most -1, so that larger ones bound the leakage by 0."""
        return math.log(max(-utility, 1.0))

    def to_utility(self, value: float, problem: Problem) -> float:
        """Return ``-e^value``."""
        return -math.exp(value)

    def steepness(self, value: float, problem: Problem) -> float:
        """Return ``e^value``."""
        return math.exp(value)

    def minorant(self, weights: Array | None, problem: Problem) -> Array:
        """Return the cost of weights of each output's data, shape (data, outputs): clipped and normalised."""
        data = _by_datum(problem)
        given = np.ones((len(data), 1)) if weights is None or np.shape(weights)[:1] != (len(data),) else weights
        clipped = np.maximum(np.atleast_2d(given), 0.0)
        totals = clipped.sum(axis=0)
        shares = np.where(totals > 0, clipped / np.where(totals > 0, totals, 1.0), 1.0 / len(data))
        return np.asarray(data.T @ shares)

    def weights_for(self, room: Array, problem: Problem) -> Array:
        """Return the least weights whose cost is at least `room`."""
        data = _by_datum(problem)
        carries = data[:, :, None] > 0
        wanted = np.divide(room[None, :, :], data[:, :, None], out=np.zeros((len(data), *room.shape)), where=carries)
        return np.asarray(np.maximum(wanted, 0.0).max(axis=1))


def _by_datum(problem: Problem) -> Array:
    """Return how likely each input is given its datum, shape (data, n), without data that have no mass."""
    if problem.data_of_input is None:
        return np.eye(problem.n)
    mass = mass_by_datum(problem)
    return np.asarray(mass / mass.sum(axis=1, keepdims=True))
