"""Pricing where utility and information are sums over inputs: exact, or in one dimension, at any number of inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.columns.information_budget import InformationBound
from mechdesign.notions import Notion, SmoothBudget
from mechdesign.objectives import HistogramMMSE, MutualInformation, Objective, Separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.subdivision import RETURNED, Excess, best_apart

Index = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Intervals of each coordinate at first, and of all of them (one of each at least), and intervals that are looked at
#: before the bound is left as it is.
FIRST_INTERVALS, FIRST_OF_ALL, MOST_INTERVALS = 16, 1600, 200_000
#: Coordinates of intervals that are bounded at once, between two looks at the clock.
AT_ONCE = 1 << 15
#: Halvings of the multiplier's interval, and multiples of nu above which all coordinates are next to 0.
SEARCHED, FAR = 60, 60.0
#: A coordinate is taken as at least this in a slope, which is infinite at 0.
SMALLEST = 1e-300


def is_by_input(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether both are sums over the inputs of functions of one posterior: the secret is the input itself."""
    shape = notion.columns(problem)
    if not isinstance(shape, InformationBound) or shape.polyhedral or problem.data_of_input is not None:
        return False
    if not isinstance(objective, MutualInformation | HistogramMMSE) or problem.prior is None:
        return False
    return bool(np.all(problem.prior > 0)) and objective.kind == "sublinear"


def excess_by_input(
    notion: Notion, objective: Separable, problem: Problem, lam: Array, nu: float, tolerance: float
) -> Excess:
    """Bound ``mu(q) - nu beta(q) - lam . q`` over q of shape (n,) and mass 1, ``beta`` the information of a column.

    In posteriors ``r_x = P_x q_x`` it is ``sum_x phi_x(r_x)`` over the simplex. Information itself leaves ``1 - nu``
    of beta: convex or concave as a whole. For the squared norm, phi_x is concave up to ``nu / 2`` and convex beyond;
    where the sum is largest, at most one coordinate is beyond, by the second-order condition on the simplex.
    """
    budget, normal = notion.columns(problem).budget(), notion.columns(problem).normal
    assert isinstance(budget, SmoothBudget), "is_by_input() was asked first"
    corners = np.diag(1.0 / normal)
    worth = objective.column_utility(corners, problem) - nu * budget.cost(corners)[0] - lam / normal
    size = float((np.abs(lam) / normal).max() + np.abs(worth).max())
    same = isinstance(objective, MutualInformation)
    if nu <= 0 or (same and nu <= 1):
        best = np.argsort(-worth, kind="stable")[:RETURNED]
        return Excess(float(worth.max()), size, corners[:, best])
    if same:
        found = notion.columns(problem).support(-lam[None, :], np.array([nu - 1.0]))
        assert found is not None, "the support function under information is a formula"
        return Excess(float(found.values[0]), size, np.hstack([found.columns, corners[:, [worth.argmax()]]]))
    search = _SumOverSimplex(normal, lam / normal, nu)
    bound = max(search.bound(tolerance), float(worth.max()))
    columns = np.hstack([search.shares / normal[:, None], corners[:, [worth.argmax()]]])
    return Excess(bound, size + search.size, columns)


@dataclass(frozen=True)
class _Intervals:
    """Intervals of one coordinate beyond the inflexion, each with an upper bound on the sum."""

    at: Index
    low: Array
    high: Array
    upper: Array

    def __getitem__(self, chosen: Any) -> _Intervals:
        return _Intervals(self.at[chosen], self.low[chosen], self.high[chosen], self.upper[chosen])

    def halves(self) -> _Intervals:
        """Return both halves of each: either holds no more than the whole."""
        middle = self.low + (self.high - self.low) / 2.0
        ends = np.append(self.low, middle), np.append(middle, self.high)
        return _Intervals(np.tile(self.at, 2), *ends, np.tile(self.upper, 2))


class _SumOverSimplex:
    """``phi_x(r) = r^2 - nu r ln(r / P_x) - h_x r`` summed over the simplex, with ``nu > 0``."""

    def __init__(self, prior: Array, linear: Array, nu: float) -> None:
        self.prior, self.linear, self.nu = prior, linear, nu
        self.inflexion = nu / 2.0
        self.size, self.best = 0.0, -np.inf
        self.shares, self.values = np.zeros((len(prior), 0)), np.zeros(0)

    def bound(self, tolerance: float) -> float:
        """Return an upper bound; posteriors at which the sum is large are kept."""
        n, cut, closed = len(self.prior), self.inflexion, -np.inf
        if n * cut >= 1.0:
            # No coordinate beyond: a concave sum, bounded by one multiplier.
            theta, total = self._rest(np.zeros((1, n), dtype=bool), np.ones(1))
            closed = float(theta[0] + total[0])
        least = max(cut, 1.0 - (n - 1) * cut)
        if least >= 1.0:
            return max(closed, self.best)
        each = max(1, min(FIRST_INTERVALS, FIRST_OF_ALL // n))
        ends, upper = np.linspace(least, 1.0, each + 1), np.full(n * each, self._ceiling())
        whole = _Intervals(np.repeat(np.arange(n), each), np.tile(ends[:-1], n), np.tile(ends[1:], n), upper)
        open_, looked = self._bounded(whole), 0
        while len(open_.at) and looked < MOST_INTERVALS and not is_late():
            keep = open_.upper > self.best + tolerance
            closed, open_ = max(closed, float(open_.upper[~keep].max(initial=-np.inf))), open_[keep]
            if len(open_.at):
                open_ = self._bounded(open_.halves())
                looked += len(open_.at)
        return max(closed, self.best, float(open_.upper.max(initial=-np.inf)))

    def _ceiling(self) -> float:
        """Return a bound on the whole: ``nu ln sum P_x e^((1 - h_x) / nu)``, as ``r^2 <= r``."""
        exponents = (1.0 - self.linear) / self.nu
        most = float(exponents.max())
        bound = self.nu * (most + float(np.log(self.prior @ np.exp(exponents - most))))
        self.size = max(self.size, abs(bound), self.nu * abs(most))
        return bound

    def _bounded(self, given: _Intervals) -> _Intervals:
        """Return the intervals with bounds that are no wider, for the intervals that there is time for."""
        upper = given.upper.copy()
        for start in range(0, len(upper), max(1, AT_ONCE // len(self.prior))):
            if is_late():
                break
            part = slice(start, start + max(1, AT_ONCE // len(self.prior)))
            upper[part] = np.minimum(upper[part], self._upper(given.at[part], given.low[part], given.high[part]))
        return replace(given, upper=upper)

    def _upper(self, at: Index, low: Array, high: Array) -> Array:
        """Return a bound for each interval: a chord for the coordinate itself, a multiplier for the rest."""
        own = np.arange(len(self.prior)) == at[:, None]
        middle = low + (high - low) / 2.0
        theta, total = self._rest(own, 1.0 - middle, middle)
        # The chord is above a convex function, and the rest costs theta a unit: together largest at an end.
        ends = [self._phi(end[:, None], at[:, None])[:, 0] + theta * (1.0 - end) for end in (low, high)]
        return np.asarray(total + np.maximum(*ends))

    def _rest(self, own: Mask, mass: Array, share: Array | None = None) -> tuple[Array, Array]:
        """Return a multiplier theta and the sum of the others' largest ``phi_x(r) - theta r``, r up to the inflexion.

        However they share `mass`, what they add is at most ``theta mass`` and that sum.
        """
        theta = self._multiplier(own, mass)
        shares = self._coordinates(theta)
        gains, everyone = self._phi(shares, np.arange(len(self.prior))) - theta[:, None] * shares, ~own
        # The tangent at the coordinate bounds a concave function to the last digit.
        slopes = self._slopes(np.maximum(shares, SMALLEST)) - theta[:, None]
        gains += np.maximum(slopes * (self.inflexion - shares), -slopes * shares)
        self.size = max(self.size, float((np.abs(theta) + np.abs(gains).sum(axis=1)).max()))
        spread = np.where(everyone, shares, 0.0)
        spread *= np.divide(mass, spread.sum(axis=1), out=np.zeros(len(mass)), where=spread.sum(axis=1) > 0)[:, None]
        self._see(spread if share is None else np.where(own, share[:, None], spread))
        return theta, np.where(everyone, gains, 0.0).sum(axis=1)

    def _phi(self, shares: Array, at: Index) -> Array:
        logs = np.log(np.where(shares > 0, shares / self.prior[at], 1.0))
        return np.asarray(shares**2 - self.nu * shares * logs - self.linear[at] * shares)

    def _slopes(self, shares: Array) -> Array:
        return np.asarray(2.0 * shares - self.nu * (np.log(shares / self.prior) + 1.0) - self.linear)

    def _coordinates(self, theta: Array) -> Array:
        """Return where ``phi_x(r) - theta r`` is largest up to the inflexion c: ``r / c = -W(-e^-k)``."""
        from scipy.special import lambertw

        k = (self.linear + theta[:, None]) / self.nu + 1.0 - np.log(self.prior / self.inflexion)
        root = -np.real(lambertw(-np.exp(-np.maximum(k, 1.0))))
        return np.asarray(self.inflexion * np.where(k > 1.0, np.clip(root, 0.0, 1.0), 1.0))

    def _multiplier(self, own: Mask, mass: Array) -> Array:
        """Return the theta at which the others add up to `mass`, by bisection."""
        slopes = self._slopes(np.full(len(self.prior), self.inflexion))
        low = np.full(len(mass), float(slopes.min()) - self.nu)
        high = np.full(len(mass), float(slopes.max()) + FAR * self.nu)
        for _ in range(SEARCHED):
            middle = (low + high) / 2.0
            more = np.where(own, 0.0, self._coordinates(middle)).sum(axis=1) > mass
            low, high = np.where(more, middle, low), np.where(more, high, middle)
        return np.asarray((low + high) / 2.0)

    def _see(self, shares: Array) -> None:
        """Keep the posteriors at which the sum is largest."""
        shares = shares[shares.sum(axis=1) > 0]
        shares = shares / shares.sum(axis=1, keepdims=True)
        values = self._phi(shares, np.arange(len(self.prior))).sum(axis=1)
        self.best = max(self.best, float(values.max(initial=-np.inf)))
        self.shares, self.values = best_apart(np.hstack([self.shares, shares.T]), np.append(self.values, values))
