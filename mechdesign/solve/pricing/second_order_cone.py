"""Pricing over a ball around the prior, a second-order cone: the slice is cut up, each cell also by a tangent."""

from __future__ import annotations

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.subdivision import Cells, Excess, Pricing, corner_count, faces, is_small, searched

#: Corners of a cell at most: its bound is by one half-space.
MOST_CORNERS = 4


class _OnBall(Pricing):
    """``mu - lam`` on the slice of ``|A q| <= reach m . q``, with ``A = sqrt(pi) (W - pi W)`` and ``m = pi W``."""

    def __init__(self, reach: float, objective: Separable, problem: Problem, normal: Array, lam: Array) -> None:
        super().__init__(objective, problem, normal, lam)
        self.spread, self.mass = _spread(problem)
        self.reach = reach

    def cells(self, corners: Array) -> Cells:
        """Return the cells with corners of shape (cells, corners, n): mu is at most linear between them."""
        count, each, n = corners.shape
        flat = corners.reshape(-1, n).T
        inner = _shrunk(flat, self.spread, self.mass, self.reach)
        self.see(inner, self.gains(inner))
        projected = self.spread @ corners.mean(axis=1).T
        sizes = np.linalg.norm(projected, axis=0)
        # w . A q <= |A q| for any w of length one, or of zeros: no corner is cut off then.
        towards = np.divide(projected, sizes, out=np.zeros_like(projected), where=sizes > 0)
        out = np.einsum("kc,kx,cvx->cv", towards, self.spread, corners, optimize=True)
        sides = self.reach * (corners @ self.mass)
        # Half-spaces are moved outward by what rounding may cut off: that of the terms, which may cancel.
        terms = np.einsum("kc,kx,cvx->cv", np.abs(towards), np.abs(self.spread), corners, optimize=True) + sides
        out -= sides + rounding_unit(n + len(self.spread)) * terms
        return Cells(corners, _largest_within(self.gains(flat).reshape(count, each), out))


def _largest_within(gains: Array, out: Array) -> Array:
    """Return the largest mixture of `gains` for which the same mixture of `out` is not positive, for each row."""
    first, second = np.nonzero(~np.eye(gains.shape[1], dtype=bool))
    crosses = (out[:, first] <= 0) & (out[:, second] > 0)
    share = np.divide(-out[:, first], out[:, second] - out[:, first], out=np.zeros(crosses.shape), where=crosses)
    on_edges = np.where(crosses, gains[:, first] + share * (gains[:, second] - gains[:, first]), -np.inf)
    return np.asarray(np.maximum(np.where(out <= 0, gains, -np.inf).max(axis=1), on_edges.max(axis=1, initial=-np.inf)))


def can_cut(problem: Problem) -> bool:
    """Return whether the slice is small enough to be cut up."""
    return is_small(problem.n, _size(problem), MOST_CORNERS)


def excess_on_ball(
    reach: float, normal: Array, objective: Separable, problem: Problem, lam: Array, tolerance: float
) -> Excess:
    """Bound ``mu(q) - lam . q`` over the slice ``normal . q = 1`` of the ball, q of shape (n,), by branch and bound."""
    pricing = _OnBall(reach, objective, problem, normal, lam)
    return searched(pricing, faces(problem.n, _size(problem)), tolerance)


def moved_inside(reach: float, problem: Problem, columns: Array) -> Array:
    """Return columns of the slice, shape (n, m), moved towards the constant one just so far that the cone has them."""
    return _shrunk(columns, *_spread(problem), reach)


def _shrunk(columns: Array, spread: Array, mass: Array, reach: float) -> Array:
    # The deviation and the mass are linear along the way, and the constant column has none of the first.
    deviation, held = np.linalg.norm(spread @ columns, axis=0), mass @ columns
    slope = deviation + reach * (1.0 - held)
    share = np.divide(reach, slope, out=np.ones_like(slope), where=slope > reach)
    return np.asarray(1.0 + share * (columns - 1.0))


def _size(problem: Problem) -> int:
    return corner_count(len(problem.channel), _spread(problem)[1])


def _spread(problem: Problem) -> tuple[Array, Array]:
    prior = problem.required_prior_of_secret
    return np.sqrt(prior)[:, None] * problem.deviations, prior @ problem.channel
