"""Mean squared error of the posterior as an estimate of the one-hot datum."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.digits import ColumnUtility, mass_of, prior_of
from mechdesign.catalogue.drawn import random_pairs, random_problem
from mechdesign.objectives.base import Separable, unit
from mechdesign.objectives.decisions import by_input, joint, mass_by_datum, masses
from mechdesign.objectives.exact_convex import ConvexOfColumn, squared_shares
from mechdesign.objectives.exact_form import ExactForm, prior_shares
from mechdesign.objectives.near_one import unshared
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp


def _exact_utility(objective: HistogramMMSE, problem: Problem) -> ColumnUtility | None:
    """Return the sum of the squares of each datum's mass, divided by the output's; None if inputs share a datum."""
    if problem.data_of_input is not None:
        return None
    prior = prior_of(problem)

    def utility(column: list[Fraction]) -> Fraction:
        mass = mass_of(prior, column)
        return sum(((p * v) ** 2 for p, v in zip(prior, column, strict=True)), Fraction(0)) / mass if mass else mass

    return utility


@dataclass(frozen=True)
class HistogramMMSE(Separable):
    r"""E[sum_x (1{X=x} - Pr(x|Y))^2], the least squared error of an estimate of the one-hot datum; no unit, minimised.

    With ``m_y = P . q_y`` it is ``1 - sum_y sum_x (P_x Q[x, y])^2 / m_y``, between 0 and ``1 - sum_x P_x^2``: what one
    report leaves unknown of the histogram. Where a notion widened the inputs, x is the datum that they carry.

    Raises
    ------
    DomainError
        A problem without prior.

    Notes
    -----
    The utility is sublinear and no ratio of two numbers: the decisions are whole posteriors, so the columns route
    refuses and the rays route answers.

    Examples
    --------
    >>> import mechdesign as md
    >>> md.HistogramMMSE().value([[0.75, 0.25], [0.25, 0.75]], md.Problem(prior=[0.5, 0.5]))
    0.375
    """

    card = Card(
        "squared error of the posterior as an estimate of the one-hot datum",
        latex=r"E\left[\sum_x \left(1_{X = x} - \Pr(x \mid Y)\right)^2\right]",
        examples=(
            lambda rng: (HistogramMMSE(), random_problem(4, rng, skew=2.0)),
            lambda rng: (HistogramMMSE(), random_pairs(rng)),
        ),
        anchor=lambda: Anchor(HistogramMMSE(), 0.375, "(3/4) 2 (1/4)^2 + (1/4) 2 (3/4)^2"),
        exact_utility=_exact_utility,
    )

    kind = "sublinear"
    sense = "minimise"
    unit = "squared probability, summed over the data"
    lowest = 0.0
    needs_prior = True

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the posterior variances of the data's indicators, averaged over the outputs."""
        both = joint(np.asarray(matrix, dtype=float), problem)
        both = both[:, both.sum(axis=0) > 0]
        posterior = both / both.sum(axis=0)
        return float(np.sum(both * (1.0 - posterior)))

    def exact_form(self, problem: Problem) -> ExactForm | None:
        """Return the utility, 1 minus the error, under the exact prior; None where a notion widened the inputs."""
        if problem.data_of_input is not None:
            return None
        prior = prior_shares(problem)
        rough = partial(self.column_utility, problem=problem)
        return ConvexOfColumn(
            problem.n, squared_shares(prior), rough, lambda u: (1 - u, 1 - u), alike=len(set(prior)) == 1
        )

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the error, concave in `Q`."""
        import cvxpy as cp

        weights = mass_by_datum(problem)
        both, mass = weights @ Q, weights.sum(axis=0) @ Q
        return 1.0 - cp.sum([cp.quad_over_lin(both[:, y], mass[y]) for y in range(Q.shape[1])])

    def improvement(self, matrix: Array, problem: Problem) -> tuple[float, float]:
        """Return ``sum_y m_y |r_y - P|^2`` with the posteriors r_y: what the utility gains, as a sum of squares."""
        columns, prior = np.asarray(matrix, dtype=float), masses(problem)[:, None]
        mass, moved = joint(columns, problem).sum(axis=0), joint(unshared(columns, problem.required_prior)[1], problem)
        moved = moved - prior * moved.sum(axis=0)
        gained = np.divide(np.sum(moved**2, axis=0), mass, out=np.zeros(len(mass)), where=mass > 0)
        return float(gained.sum()), unit(problem.n) * float(gained.sum())

    def offset(self, problem: Problem) -> float:
        """Return 1: the error is that less the expected squared norm of the posterior."""
        return 1.0

    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return ``sum_x (P_x v_x)^2 / P . v``, 0 for a column of zeros."""
        both = joint(columns, problem)
        mass = both.sum(axis=0)
        return np.asarray(np.divide(np.sum(both**2, axis=0), mass, out=np.zeros(len(mass)), where=mass > 0))

    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return ``P_x (2 r_x - |r|^2)`` with the posterior r of each column, the prior for a column of zeros."""
        both = joint(columns, problem)
        mass = both.sum(axis=0)
        prior = np.broadcast_to(masses(problem)[:, None], both.shape).copy()
        posterior = np.divide(both, mass, out=prior, where=mass > 0)
        return by_input(2.0 * posterior - np.sum(posterior**2, axis=0), problem)
