r"""A bound on information designs where sums of squared entries of a column are bounded: by lifts, a ball, or peaks.

With the mass ``m = P . q`` of a column and ``s = theta . q``, let every column satisfy

.. math:: \sum_x d_x q_x^2 \le m (l \cdot q) - k m^2 + s t(q), \qquad \sum_y t(q_y) \le c .

The information ``K = sum_y q q' / s`` of a mechanism has ``K theta = 1``. So ``b = (k P - l) / 2``, and the a for which
G below maps equal entries to 0, leave

.. math:: \operatorname{trace}(G K) \le c + \sum_x (l_x - d_x) - k, \qquad
   G = \operatorname{diag}(d) + \theta a^T + a \theta^T + P b^T + b P^T ,

of which every criterion has its least value where G is positive on contrasts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.notions import Notion
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.bounded_lift import Lifts, lifts
from mechdesign.solve.pricing.support import support

#: Shares of the limit by the spread of masses that are tried, and quantiles of the prior.
SHARES, QUANTILES = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0), (0.25, 0.5, 0.75, 1.0)
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
    """Return the quadratic form of ``(q_x - low m) (high_x m - q_x) >= 0``, weighted by the shares, shape (n,)."""
    ends = shares * (found.low + found.high)
    return Squares(found.prior, shares, ends, float((shares * found.low * found.high).sum()))


def of_ball(prior: Array, reach: float, spread: float, share: float) -> Squares:
    """Return the quadratic form of ``sum_x P_x (q_x - m)^2 <= reach^2 m^2``, the prior of shape (n,).

    Parameters
    ----------
    spread : float
        At least ``sum_y m^2 / s``.
    share : float
        How much of the limit is by it, from 0 to 1: the more, the more often the slope is positive.
    """
    moved = share * reach**2
    return Squares(prior, prior, np.zeros_like(prior), -1.0 - reach**2 + moved, moved * spread)


def of_deviations(prior: Array, reach: float, spread: float, share: float, most: float) -> Squares:
    """Return the quadratic form of ``sum_x P_x |q_x - m| <= reach m``: one half above the mass, one half below.

    Where ``d_x = min(P_x^2, most P_x)``, ``sum_x d_x (q_x - m)^2`` is at most ``h^2 max d / P^2 + h max d / P`` times
    m^2, with ``h = reach / 2``: an entry above the mass is at most ``1 + h / P_x``, one below at least 0. The others as
    in `of_ball`, the prior of shape (n,).
    """
    on_inputs, half = np.minimum(prior**2, most * prior), 0.5 * reach
    limit = half**2 * float((on_inputs / prior**2).max()) + half * float((on_inputs / prior).max())
    moved = share * limit
    least = float(on_inputs.sum()) - limit + moved
    return Squares(prior, on_inputs, 2.0 * on_inputs, least, moved * spread)


def of_peaks(theta: Array, most: float) -> Squares:
    """Return the quadratic form of ``q_x^2 <= q_x max(q)``, with peaks of sum `most`; theta of shape (n,)."""
    return Squares(theta, theta, np.zeros_like(theta), 0.0, most)


def squares_of(notion: Notion, objective: InformationDesign, problem: Problem, shares: Array | None) -> list[Squares]:
    """Return the known bounds on the squares of the notion's columns: empty for other than three kinds of notions.

    Parameters
    ----------
    shares : ndarray, shape (n,), optional
        Of the inputs, where each has its own bounds. Without them some that are often good.
    """
    theta, shape = objective.theta_of(problem), notion.columns(problem)
    if shape.sum_of_peaks is not None:
        return [of_peaks(theta, shape.sum_of_peaks)]
    if problem.prior is None or problem.data_of_input is not None:
        return []
    prior, reach, deviation = problem.prior / problem.prior.sum(), shape.reach, shape.deviation
    if reach is not None:
        spread = _spread(notion, problem, theta)
        return [of_ball(prior, reach, spread, share) for share in SHARES]
    if deviation is not None:
        spread, each = _spread(notion, problem, theta), np.quantile(prior, QUANTILES)
        return [of_deviations(prior, deviation, spread, *pair) for pair in product(SHARES, each)]
    found = lifts(notion, problem)
    if found is None or not np.all(np.isfinite(found.high)):
        return []
    given = [] if shares is None else [shares]
    return [of_lifts(found, each) for each in (*given, np.ones(problem.n), prior, theta)]


def _spread(notion: Notion, problem: Problem, theta: Array) -> float:
    """Return a number that ``sum_y m^2 / s`` of a mechanism does not pass, infinite where none is known.

    That is where s can be next to 0, or the notion's slice is not that of mass one.

    Between ``low m`` and ``high m``, ``(s - low m) (high m - s) >= 0``, and s and m each add up to 1.
    """
    if problem.prior is None or not np.allclose(
        notion.columns(problem).normal, problem.prior / problem.prior.sum(), 1e-14, 0.0
    ):
        return np.inf
    found = support(notion, problem, np.array([theta, -theta]))
    high, low = float(found.values[0]), -float(found.values[1])
    return (low + high - 1.0) / (low * high) if low > 0.0 else np.inf


def least_by_squares(
    notion: Notion, objective: InformationDesign, problem: Problem, weights: Array | None
) -> list[tuple[float, float]]:
    """Return lower bounds on the value of every mechanism under the notion, each with an estimate of its rounding.

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
    """Return the bound, None where the slope is not positive or the limit infinite."""
    if not np.isfinite(squares.limit):
        return None
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
