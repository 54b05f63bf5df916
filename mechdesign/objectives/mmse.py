"""Mean squared error of the best estimate of a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.drawn import random_pairs, random_problem
from mechdesign.exact import fractions
from mechdesign.objectives.base import unit
from mechdesign.objectives.divergence_generators import Square
from mechdesign.objectives.exact_form import ConvexOfRatio, ExactForm, prior_shares
from mechdesign.objectives.magnitudes import check_magnitude
from mechdesign.objectives.ratio import Ratio, RatioType
from mechdesign.objectives.shown_decision import ShownDecision
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.problem.interval import Rounded, require_uniform
from mechdesign.tolerances import LARGEST_VALUE, SMALLEST_VALUE

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True)
class MMSE(RatioType):
    r"""E[(a_X - E[a_X | Y])^2], the least mean squared error of an estimate of the value; in squared units.

    With ``m_y = P . q_y`` the mass of output y and centred values, it is
    ``Var a - sum_y (sum_x P_x a_x Q[x, y])^2 / m_y``: the utility is the explained variance, of ratio type
    with ``a = P * values``, ``b = P`` and ``f(t) = t^2``. Minimised; between 0 and the values' variance. Over an
    interval (`Problem.from_interval` with ``prior="uniform"``) it is the error of all numbers, not of the points.

    Raises
    ------
    DomainError
        A problem without prior or values.

    Notes
    -----
    Rounded at random, a uniform number and the point have the covariance of the points under their prior with each
    output: the explained variance of any mechanism of the interval is that of a mechanism of the points, whose rows are
    averages of its rows, so that the points' largest one bounds it.

    References
    ----------
    B. Jiang, M. Li, R. Tandon, "Context-aware Data Aggregation with Localized Information Privacy", IEEE CNS 2018, eq.
    (14).

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5], values=[0, 1])
    >>> md.MMSE().value([[0.75, 0.25], [0.25, 0.75]], problem)
    0.1875
    """

    card = Card(
        "mean squared error of the best estimate",
        latex=r"E\left[(a_X - E[a_X \mid Y])^2\right] \quad \text{for the values } a",
        search=("variance",),
        works=("jiang_lip",),
        examples=(
            lambda rng: (MMSE(), random_problem(4, rng, skew=2.0)),
            lambda rng: (MMSE(), random_pairs(rng)),
        ),
        anchor=lambda: Anchor(MMSE(), 0.75, "the posterior variance 4 (3/4) (1/4)"),
    )

    unit = "value squared"
    lowest = 0.0
    holds_over_intervals = True
    needs_prior = True
    needs_values = True

    def check(self, problem: Problem) -> None:
        """Refuse values whose squares overflow or are negligible, and an interval whose numbers are not uniform."""
        super().check(problem)
        check_magnitude("values", problem.required_values, SMALLEST_VALUE, LARGEST_VALUE)
        if problem.interval is not None:
            require_uniform(problem)

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the posterior variance, averaged over inputs and outputs."""
        prior, values, within = self._moments(problem)
        joint = prior[:, None] * np.asarray(matrix, dtype=float)
        mass = joint.sum(axis=0)
        used = mass > 0
        means = (values @ joint[:, used]) / mass[used]
        return float(np.sum(joint[:, used] * (values[:, None] - means) ** 2)) + within

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the error, concave in `Q`."""
        prior, values = problem.centred
        explained = Square().perspective((prior * values) @ Q, prior @ Q)
        return self.offset(problem) - explained

    def output_names(self, matrix: Array, problem: Problem) -> tuple[str, ...]:
        """Return the estimate that each output stands for: the posterior mean of the value."""
        prior, values = problem.required_prior, problem.required_values
        if problem.interval is not None:
            values = Rounded.of(problem).means
        mass = prior @ matrix
        means = (prior * values) @ matrix / np.where(mass > 0, mass, 1.0)
        for digits in (6, 9, 17):
            names = tuple(f"{mean:.{digits}g}" for mean in means)
            if len(set(names)) == len(names):
                return names
        return super().output_names(matrix, problem)

    def offset(self, problem: Problem) -> float:
        """Return the values' variance."""
        if problem.interval is not None:
            return Rounded.of(problem).variance
        prior, values = problem.centred
        return float(prior @ values**2)

    def no_privacy(self, problem: Problem) -> float:
        """Return the value of the identity; the number itself has no error."""
        return 0.0 if problem.interval is not None else super().no_privacy(problem)

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return the rounding error of the sum of squares; as the means minimise it, their rounding enters squared."""
        value = self.value(matrix, problem)
        _, centred = problem.centred
        return unit(problem.n) * (value + unit(problem.n) * float(np.square(centred).max()))

    def exact_form(self, problem: Problem) -> ExactForm | None:
        """Return the explained variance of the values as they are, under the exact prior; None over an interval."""
        if problem.interval is not None:
            return None
        prior, values = prior_shares(problem), fractions(problem.required_values)
        centred = values - prior @ values
        variance = prior @ centred**2
        return ConvexOfRatio(prior * centred, prior, Square().enclosed, lambda u: (variance - u, variance - u))

    @staticmethod
    def _moments(problem: Problem) -> tuple[Array, Array, float]:
        """Return the prior, the centred mean of what each input stands for, and the variance beside it."""
        if problem.interval is None:
            return *problem.centred, 0.0
        found = Rounded.of(problem)
        low, high = problem.interval
        return (
            problem.required_prior / problem.required_prior.sum(),
            found.means - (0.5 * low + 0.5 * high),
            found.within,
        )

    def ratio(self, problem: Problem) -> Ratio:
        """Return ``a = P * values``, ``b = P``, ``f = t^2`` with centred values."""
        prior, values = problem.centred
        return Ratio(prior * values, prior, Square(), rest=0.0)

    def shown(self, problem: Problem) -> ShownDecision:
        """Return that decisions are estimates of the value; the utility is of the centred values."""
        prior = problem.required_prior
        mean = float(prior @ problem.required_values / prior.sum())
        return ShownDecision("estimate", "value", moved=mean)
