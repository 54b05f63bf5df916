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
from mechdesign.solve.search.worst_weights import SmoothCriterion

#: Sets of inputs, a row each.
Sets = npt.NDArray[np.bool_]
#: Rounds of the augmented Lagrangian, steps of each, and the least share of a contrast that X begins with.
ROUNDS, STEPS, LEAST = 5, 300, 1e-6
#: The penalty at first, its growth, and the miss of the rows at which the rounds end.
PENALTY, GROWTH, MISSED = 10.0, 3.0, 1e-5
#: Shares of the inputs that are flipped at most while sets are improved; ends that come early add variety.
FLIPPED = (0.0625, 0.125, 4.0)
#: What the number of a round is raised by for the second half of its sets.
OTHERS = 1 << 20


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
    """The criterion of ``J = u L' R R' L``, rows of R of length one, with a penalty for ``J theta = 1``."""

    def __init__(self, theta: Array, criterion: SmoothCriterion, ratio: float) -> None:
        self.theta, self.basis = theta, contrasts(len(theta))
        self.lift, self.criterion = lifted(ratio, len(theta)), criterion
        self.rows, self.penalty = self.theta.copy(), PENALTY
        self.scale = 1.0

    def first(self, loading: Array, ratio: float) -> Array:
        """Return R and ln u to begin with: signs correlated as the root of the loading is, of the mean of few.

        Of a loading of shape (n - 1, n - 1).
        """
        n = len(self.theta)
        sizes, vectors = np.linalg.eigh(loading)
        root = self.basis @ (vectors * np.sqrt(np.maximum(sizes, 0.0))) @ vectors.T @ self.basis.T
        root += LEAST * np.trace(root) / n * np.eye(n)
        spread, mean = np.sqrt(np.diag(root)), 2.0 / (1.0 + ratio) - 1.0
        moments = np.full((n + 1, n + 1), mean)
        moments[1:, 1:] = mean**2 + (1.0 - mean**2) * root / np.outer(spread, spread)
        moments[0, 0] = 1.0
        information = self.lift.T @ moments @ self.lift
        # At a ratio beyond floats signs that cancel leave nothing.
        size = 1.0 / max(
            float(self.theta @ information @ self.theta), np.finfo(float).eps * float(np.trace(information))
        )
        inner = self.basis.T @ (size * information) @ self.basis
        self.scale = self.criterion.settle(np.asarray(np.linalg.pinv(inner, hermitian=True)))
        factor = np.linalg.cholesky(moments + 1e-9 * np.eye(n + 1))
        return np.append(factor.ravel(), np.log(size))

    def settle(self, point: Array) -> None:
        """Let the smooth function come nearer to the criterion, at ln u after R, shape ((n + 1)^2 + 1,)."""
        seen = self.basis.T @ self.lift.T @ _of_length_one(point, len(self.lift))[0]
        self.criterion.settle(np.asarray(np.linalg.inv(float(np.exp(point[-1])) * seen @ seen.T)))

    def parts(self, point: Array) -> tuple[float, Array, Array, Array, Array, float]:
        """Return the value, its gradient, the slope, the multipliers that follow, R and the largest miss of a row.

        At ln u after the entries of R, shape ((n + 1)^2 + 1,), of any lengths of its rows.
        """
        n, theta, lift = len(self.theta), self.theta, self.lift
        size, (factor, length) = float(np.exp(point[-1])), _of_length_one(point, n + 1)
        seen = lift.T @ factor
        inner = self.basis.T @ seen
        reached, falling = self.criterion.at(np.asarray(np.linalg.inv(size * inner @ inner.T)))
        value, slope = reached / self.scale, self.basis @ (falling / self.scale) @ self.basis.T
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


def _of_length_one(point: Array, count: int) -> tuple[Array, Array]:
    """Return the rows of R at a point, divided by their lengths, and the lengths, shape (count, 1)."""
    free = point[:-1].reshape(count, count)
    length = np.linalg.norm(free, axis=1, keepdims=True)
    return free / length, length


def sign_moments(theta: Array, loading: Array, criterion: SmoothCriterion, ratio: float) -> SignMoments:
    """Return the moments of the least criterion, by an augmented Lagrangian over their factors, while there is time.

    Parameters
    ----------
    theta : ndarray, shape (n,)
        Frequencies that add up to 1.
    loading : ndarray, shape (n - 1, n - 1)
        Whose root the signs are correlated like at first, ``U' W' W U``.
    criterion : SmoothCriterion
        Of the inverse information on contrasts.
    ratio : float
        ``e^epsilon``.
    """
    from scipy.optimize import minimize

    lagrangian = _Lagrangian(theta, criterion, ratio)
    point, before = lagrangian.first(loading, ratio), np.inf

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
        lagrangian.settle(point)
        if (missed < MISSED and not criterion.is_smoothed) or is_late():
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
        sets = self._some(count, again, self.found.slope - granted(self.found.rows, self.theta))
        return _filled(self._columns(sets), self.ratio)

    def after(self, kept: tuple[Array, Array], slope: Array, count: int, again: int) -> Array:
        """Return sets that are improved along a slope, shape (n, n), and along the slope of the moments.

        The multipliers of the rows are those for which the reduced costs of the weighted columns are nearly zero.
        """
        columns, weights = kept
        root, mass = np.sqrt(weights), self.theta @ columns
        utility = np.einsum("xj,xj->j", columns, slope @ columns) / mass
        rows = np.linalg.lstsq((columns * root).T, utility * root, rcond=1e-10)[0]
        half = count // 2
        own = self._some(half, again, slope - granted(rows, self.theta))
        others = self._some(count - half, again + OTHERS, self.found.slope - granted(self.found.rows, self.theta))
        return self._columns(np.unique(np.vstack([own, others]), axis=0))

    def _columns(self, sets: Sets) -> Array:
        return 1.0 + (self.ratio - 1.0) * sets.T.astype(float)

    def _some(self, count: int, again: int, form: Array) -> Sets:
        """Return sets that are rounded from the moments, a part of them improved by a quadratic form."""
        n = len(self.theta)
        rng = np.random.default_rng([n, 11, again])
        root = np.linalg.cholesky(self.found.moments + 1e-9 * np.eye(n + 1))
        signs = rng.normal(size=(count, n + 1)) @ root.T > 0
        sets = signs[:, 1:] ^ ~signs[:, :1]
        each = np.array_split(sets, len(FLIPPED) + 1)
        improved = [self._raised(part, int(share * n), form) for part, share in zip(each[1:], FLIPPED, strict=True)]
        sets = np.unique(np.vstack([each[0], *improved]), axis=0)
        return np.asarray(sets[sets.any(axis=1) & ~sets.all(axis=1)])

    def _raised(self, sets: Sets, most: int, form: Array) -> Sets:
        """Return sets after flips of the best input each time, which raise ``v' G v - (lam . v) (theta . v)``."""
        rise = self.ratio - 1.0
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
