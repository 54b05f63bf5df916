"""The best information under LDP if columns were any signs with a positive semidefinite matrix of second moments.

Extreme columns are ``v = (1, t) L`` with signs t, so that a mechanism has the information ``J = u L' X L`` with X the
second moments of (1, t): positive semidefinite with ones on its diagonal, and ``J theta = 1``. Keeping no more of X is
a convex program, whose dual is a bound (`least_by_signs`), and whose X rounds to good columns by random hyperplanes.

References
----------
M. X. Goemans, D. P. Williamson, "Improved Approximation Algorithms for Maximum Cut and Satisfiability Problems Using
Semidefinite Programming", Journal of the ACM 42 (1995).

S. Burer, R. D. C. Monteiro, "A Nonlinear Programming Algorithm for Solving Semidefinite Programs via Low-Rank
Factorization", Mathematical Programming 95 (2003).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.mechanism import Multipliers
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.relaxed_signs import granted, lifted, packed
from mechdesign.solve.search.drawn_columns import DrawnColumns

#: Sets of inputs, a row each.
Sets = npt.NDArray[np.bool_]
#: Rounds of the augmented Lagrangian, steps of each, and the least share of a contrast that X begins with.
ROUNDS, STEPS, LEAST = 5, 300, 1e-6
#: The penalty at first, its growth, and the miss of the rows at which the rounds end.
PENALTY, GROWTH, MISSED = 10.0, 3.0, 1e-5
#: Shares of the inputs that are flipped at most while sets are improved; ends that come early add variety.
FLIPPED = (0.0625, 0.125, 4.0)


@dataclass(frozen=True)
class SignMoments:
    """Second moments of (1, t), shape (n + 1, n + 1), and the dual: a slope, multipliers of the rows, and delta."""

    moments: Array
    slope: Array
    rows: Array
    delta: Array

    @property
    def multipliers(self) -> Multipliers:
        """The multipliers of the bound."""
        return Multipliers(self.rows, weights=packed(self.slope, self.delta))


class _Lagrangian:
    """The criterion A of ``J = u L' R R' L``, rows of R of length one, with a penalty for ``J theta = 1``."""

    def __init__(self, theta: Array, loading: Array, ratio: float) -> None:
        self.theta, self.basis = theta, contrasts(len(theta))
        self.lift, self.loading = lifted(ratio, len(theta)), loading
        self.rows, self.penalty = self.theta.copy(), PENALTY
        self.scale = 1.0

    def first(self, ratio: float) -> Array:
        """Return R and ln u to begin with: signs correlated as the root of the loading is, of the mean of few."""
        n = len(self.theta)
        sizes, vectors = np.linalg.eigh(self.loading)
        root = self.basis @ (vectors * np.sqrt(np.maximum(sizes, 0.0))) @ vectors.T @ self.basis.T
        root += LEAST * np.trace(root) / n * np.eye(n)
        spread, mean = np.sqrt(np.diag(root)), 2.0 / (1.0 + ratio) - 1.0
        moments = np.full((n + 1, n + 1), mean)
        moments[1:, 1:] = mean**2 + (1.0 - mean**2) * root / np.outer(spread, spread)
        moments[0, 0] = 1.0
        information = self.lift.T @ moments @ self.lift
        size = 1.0 / float(self.theta @ information @ self.theta)
        inner = self.basis.T @ (size * information) @ self.basis
        self.scale = float((self.loading * np.linalg.pinv(inner, hermitian=True)).sum())
        factor = np.linalg.cholesky(moments + 1e-9 * np.eye(n + 1))
        return np.append(factor.ravel(), np.log(size))

    def parts(self, point: Array) -> tuple[float, Array, Array, Array, Array, float]:
        """Return the value, its gradient, the slope, the multipliers that follow, R and the largest miss of a row.

        At ln u after the entries of R, shape ((n + 1)^2 + 1,), of any lengths of its rows.
        """
        n, theta, lift = len(self.theta), self.theta, self.lift
        size, free = float(np.exp(point[-1])), point[:-1].reshape(n + 1, n + 1)
        length = np.linalg.norm(free, axis=1, keepdims=True)
        factor = free / length
        seen = lift.T @ factor
        inner = self.basis.T @ seen
        loading = self.loading / self.scale
        inverse = np.linalg.inv(size * inner @ inner.T)
        value = float((loading * inverse).sum())
        slope = self.basis @ (inverse @ loading @ inverse) @ self.basis.T
        miss = size * seen @ (seen.T @ theta) - 1.0
        rows = self.rows + self.penalty * miss
        turned = (granted(rows, theta) - slope) @ seen
        gradient = 2.0 * size * lift @ turned
        gradient = (gradient - (gradient * factor).sum(axis=1, keepdims=True) * factor) / length
        value += float(self.rows @ miss) + 0.5 * self.penalty * float(miss @ miss)
        return (
            value,
            np.append(gradient.ravel(), size * (seen * turned).sum()),
            slope,
            rows,
            factor,
            float(np.abs(miss).max()),
        )


def sign_moments(theta: Array, loading: Array, ratio: float) -> SignMoments:
    """Return the moments of the least criterion A, by an augmented Lagrangian over their factors, while there is time.

    Parameters
    ----------
    theta : ndarray, shape (n,)
        Frequencies that add up to 1.
    loading : ndarray, shape (n - 1, n - 1)
        The criterion is its inner product with the inverse information on contrasts.
    ratio : float
        ``e^epsilon``.
    """
    from scipy.optimize import minimize

    lagrangian = _Lagrangian(theta, loading, ratio)
    point, before = lagrangian.first(ratio), np.inf

    def stop(_: Any) -> None:
        if is_late():
            raise StopIteration

    for _ in range(ROUNDS):
        options = {"maxiter": STEPS, "maxcor": 20, "ftol": 1e-12, "gtol": 1e-9}
        solved = minimize(
            lambda at: lagrangian.parts(at)[:2], point, jac=True, method="L-BFGS-B", callback=stop, options=options
        )
        point = solved.x
        _, _, slope, rows, factor, missed = lagrangian.parts(point)
        lagrangian.rows = rows
        if missed < MISSED or is_late():
            break
        lagrangian.penalty *= GROWTH if missed > 0.3 * before else 1.0
        before = missed
    moments, lift = factor @ factor.T, lagrangian.lift
    delta = (lift @ (slope - granted(rows, lagrangian.theta)) @ lift.T * moments).sum(axis=1)
    return SignMoments(moments, slope, rows, delta)


@dataclass(frozen=True)
class OfSigns(DrawnColumns):
    """Columns of two values, whose signs random hyperplanes draw with the second moments that are best."""

    found: SignMoments
    theta: Array
    ratio: float

    def draw(self, count: int, again: int) -> tuple[Array, Array]:
        """Return sets that are rounded from the moments, and improved along the slope; single inputs; and no set."""
        n = len(self.theta)
        rng = np.random.default_rng([n, 11, again])
        root = np.linalg.cholesky(self.found.moments + 1e-9 * np.eye(n + 1))
        signs = rng.normal(size=(count, n + 1)) @ root.T > 0
        sets = signs[:, 1:] ^ ~signs[:, :1]
        each = np.array_split(sets, len(FLIPPED) + 1)
        improved = [self._raised(part, int(share * n)) for part, share in zip(each[1:], FLIPPED, strict=True)]
        sets = np.unique(np.vstack([each[0], *improved]), axis=0)
        sets = sets[sets.any(axis=1) & ~sets.all(axis=1)]
        return _filled(1.0 + (self.ratio - 1.0) * sets.T.astype(float), self.ratio)

    def _raised(self, sets: Sets, most: int) -> Sets:
        """Return sets after flips of the best input each time, which raise ``v' G v - (lam . v) (theta . v)``."""
        rise, form = self.ratio - 1.0, self.found.slope - granted(self.found.rows, self.theta)
        inside = sets.astype(float)
        seen, live = (1.0 + rise * inside) @ form, np.arange(len(inside))
        for _ in range(most):
            change = rise * (1.0 - 2.0 * inside[live])
            gain = 2.0 * change * seen[live] + change**2 * np.diag(form)
            at = gain.argmax(axis=1)
            grows = gain[np.arange(len(live)), at] > 0
            live, at = live[grows], at[grows]
            if not len(live):
                break
            seen[live] += (rise * (1.0 - 2.0 * inside[live, at]))[:, None] * form[at]
            inside[live, at] = 1.0 - inside[live, at]
        return np.asarray(inside > 0.5)


def _filled(columns: Array, ratio: float) -> tuple[Array, Array]:
    """Return columns with the sets of single inputs and of no input, and weights with which all rows sum to 1."""
    n, share = len(columns), 0.9 / float(columns.sum(axis=1).max())
    filled = columns.sum(axis=1)
    while True:
        rest = 1.0 - share * filled
        single = (rest - rest.min()) / (ratio - 1.0)
        idle = float(rest.min() - single.sum())
        if idle > 0.0:
            break
        share *= 0.8
    singles = 1.0 + (ratio - 1.0) * np.eye(n)
    weights = np.concatenate([np.full(columns.shape[1], share), single, [idle]])
    return np.hstack([columns, singles, np.ones((n, 1))]), weights
