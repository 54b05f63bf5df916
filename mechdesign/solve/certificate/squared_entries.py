r"""A bound on information designs where sums of squared entries of a column are bounded: by lifts, a ball, or peaks.

With the mass ``m = P . q`` of a column and ``s = theta . q``, let every column satisfy

.. math:: \sum_x d_x q_x^2 \le m (l \cdot q) - k m^2 + s t(q), \qquad \sum_y t(q_y) \le c .

The information ``K = sum_y q q' / s`` of a mechanism has ``K theta = 1``. So for any b, and the a for which G below maps
equal entries to 0, ``b = (k P - l) / 2`` leaves

.. math:: \operatorname{trace}(G K) \le c + \sum_x (l_x - d_x) - k, \qquad
   G = \operatorname{diag}(d) + \theta a^T + a \theta^T + P b^T + b P^T ,

of which every criterion has its least value where G is positive on contrasts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from mechdesign.notions import Notion
from mechdesign.notions.cone import rounding_unit
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.bounded_lift import Lifts, lifts

#: Roundings of an entry of the slope, with room.
STEPS = 16.0


@dataclass(frozen=True)
class Squares:
    """``sum_x d_x q_x^2 <= m (l . q) - k m^2 + s t(q)`` for every column, with ``sum_y t(q_y) <= total``."""

    prior: Array
    on_inputs: Array
    on_mass: Array
    least: float
    total: float = 0.0

    @property
    def limit(self) -> float:
        """The largest ``trace(G K)``."""
        return self.total + float((self.on_mass - self.on_inputs).sum()) - self.least

    def slope(self, theta: Array) -> tuple[Array, float]:
        """Return G on contrasts, shape (n - 1, n - 1), and how far rounding may have moved its eigenvalues.

        Parameters
        ----------
        theta : ndarray, shape (n,)
        """
        across = 0.5 * (self.least * self.prior - self.on_mass)
        sums = -0.5 * (float(self.on_inputs.sum()) + 2.0 * float(across.sum()))
        along = -self.on_inputs - across - sums * theta - float(across.sum()) * self.prior
        sides = np.outer(theta, along) + np.outer(self.prior, across)
        basis = contrasts(len(theta))
        size = float(self.on_inputs.max()) + 2.0 * float(np.abs(sides).sum(axis=1).max())
        found = basis.T @ (np.diag(self.on_inputs) + sides + sides.T) @ basis
        return (found + found.T) / 2.0, STEPS * rounding_unit(len(theta)) * size


def of_lifts(found: Lifts, shares: Array) -> Squares:
    """Return that of ``(q_x - low m) (high_x m - q_x) >= 0``, each as often as its share says, shape (n,)."""
    ends = shares * (found.low + found.high)
    return Squares(found.prior, shares, ends, float((shares * found.low * found.high).sum()))


def of_ball(prior: Array, reach: float) -> Squares:
    """Return that of ``sum_x P_x (q_x - m)^2 <= reach^2 m^2``, the prior of shape (n,)."""
    return Squares(prior, prior, np.zeros_like(prior), -1.0 - reach**2)


def of_peaks(theta: Array, most: float) -> Squares:
    """Return that of ``q_x^2 <= q_x max(q)``, the largest entries adding up to `most`; theta of shape (n,)."""
    return Squares(theta, theta, np.zeros_like(theta), 0.0, most)


def squares_of(notion: Notion, objective: InformationDesign, problem: Problem, shares: Array | None) -> list[Squares]:
    """Return what is known of the squares of the notion's columns: nothing where that is none of the three kinds.

    Parameters
    ----------
    shares : ndarray, shape (n,), optional
        Of the inputs, where each has its own bounds. Without them some that are often good.
    """
    if problem.prior is None and not notion.sum_of_peaks(problem):
        return []
    theta, peaks = objective.theta_of(problem), notion.sum_of_peaks(problem)
    if peaks is not None:
        return [of_peaks(theta, peaks)]
    assert problem.prior is not None
    prior, reach = problem.prior / problem.prior.sum(), notion.reach(problem)
    if reach is not None:
        return [] if problem.is_hidden else [of_ball(prior, reach)]
    found = lifts(notion, problem)
    if found is None or not np.all(np.isfinite(found.high)):
        return []
    given = [] if shares is None else [shares]
    return [of_lifts(found, each) for each in (*given, np.ones(problem.n), prior, theta)]


def least_by_squares(
    notion: Notion, objective: InformationDesign, problem: Problem, weights: Array | None
) -> list[tuple[float, float]]:
    """Return values below that of every mechanism under the notion, each with an estimate of its rounding.

    Parameters
    ----------
    weights : ndarray, optional
        Shares of the inputs where its shape is (n,); whatever they are, the bound is sound.
    """
    known = weights is not None and np.shape(weights) == (problem.n,) and bool(np.all(np.isfinite(weights)))
    shares = np.maximum(weights, 0.0) if known and weights is not None else None
    found = map(partial(_least, objective, problem), squares_of(notion, objective, problem, shares))
    return [bound for bound in found if bound is not None]


def _least(objective: InformationDesign, problem: Problem, squares: Squares) -> tuple[float, float] | None:
    """Return the bound, None where the slope is not positive."""
    slope, error = squares.slope(objective.theta_of(problem))
    sizes = np.linalg.eigvalsh(slope)
    terms = squares.total + float((squares.on_mass + squares.on_inputs).sum()) + abs(squares.least)
    limit, noise = squares.limit, STEPS * rounding_unit(problem.n) * terms
    if not sizes[0] > 2.0 * error or not limit > 2.0 * noise:
        return None
    # A smaller slope, of a larger limit, bounds less: what rounding may have added is taken off.
    lower = slope - error * np.eye(len(slope))
    least = objective.least_value(lower, limit + noise, problem)
    return least, abs(objective.least_value(slope, limit, problem) - least) + rounding_unit(problem.n) * abs(least)
