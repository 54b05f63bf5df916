"""Columns of two values under LDP, whose sets are drawn by random hyperplanes and improved by flips of single inputs.

Vectors are drawn with the second moments of the information that `best_reference` finds; their signs are the sets.

References
----------
M. X. Goemans, D. P. Williamson, "Improved Approximation Algorithms for Maximum Cut and Satisfiability Problems Using
Semidefinite Programming", Journal of the ACM 42 (1995).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.solve.certificate.reference_frequencies import of_reference
from mechdesign.solve.search.drawn_columns import DrawnColumns
from mechdesign.solve.search.reference_frequencies import Reference

#: Sets of inputs, a row each.
Sets = npt.NDArray[np.bool_]
#: Shares of the inputs that are flipped at most while sets are improved; ends that come early add variety.
FLIPPED = (0.0625, 0.125, 4.0)
#: What the number of a round is raised by for the second half of its sets.
OTHERS = 1 << 20


@dataclass(frozen=True)
class OfSets(DrawnColumns):
    """Columns with entries 1 and `ratio`: of a first mechanism, and of sets that random hyperplanes draw.

    The first mechanism is given as its columns and their weights, shapes (n, m) and (m,), if there is one.
    """

    found: Reference
    theta: Array
    ratio: float
    first: tuple[Array, Array] | None = None

    def draw(self, count: int, again: int) -> tuple[Array, Array]:
        """Return sets that are rounded from the moments, and improved along the slope; single inputs; and no set."""
        # Single inputs, too: at a large ratio no others may be drawn.
        sets = np.vstack([self._some(count, again, self._form()), np.eye(len(self.theta), dtype=bool)])
        columns = self._columns(np.unique(sets, axis=0))
        if self.first is None:
            return _filled(columns, self.ratio)
        return np.hstack([self.first[0], columns]), np.append(self.first[1], np.zeros(columns.shape[1]))

    def after(self, kept: tuple[Array, Array], slope: Array, count: int, again: int) -> Array:
        """Return sets that are improved along a slope, shape (n, n), and along the slope of the moments.

        The multipliers of the rows are those for which the reduced costs of the weighted columns are nearly zero.
        """
        columns, weights = kept
        root, mass = np.sqrt(weights), self.theta @ columns
        utility = np.einsum("xj,xj->j", columns, slope @ columns) / mass
        rows = np.linalg.lstsq((columns * root).T, utility * root, rcond=1e-10)[0]
        half = count // 2
        own = self._some(half, again, slope - _granted(rows, self.theta))
        others = self._some(count - half, again + OTHERS, self._form())
        return self._columns(np.unique(np.vstack([own, others]), axis=0))

    def _form(self) -> Array:
        """Return the quadratic form of a column that is at most 0, and 0 for the columns of the best information."""
        return -of_reference(self.found.nu, math.log(self.ratio)).matrix()

    def _columns(self, sets: Sets) -> Array:
        return 1.0 + (self.ratio - 1.0) * sets.T.astype(float)

    def _some(self, count: int, again: int, form: Array) -> Sets:
        """Return sets that are rounded from the moments, a part of them improved by a quadratic form."""
        n, ratio, nu = len(self.theta), self.ratio, self.found.nu
        rng = np.random.default_rng([n, 11, again])
        sizes, axes = np.linalg.eigh(self.found.information)
        root = contrasts(n) @ (axes * np.sqrt(np.maximum(sizes, 0.0)))
        # Vectors v = (E + 1) / 2 x + (E - 1) / 2 t, of which (1, t) / x would be the signs.
        drawn = rng.normal(size=(count, n - 1)) @ (root - self.theta @ root).T + rng.normal(size=(count, 1))
        whole = (ratio + 1.0) / (2.0 * ratio) * (drawn @ nu)[:, None]
        sets = (drawn > 0.5 * (ratio + 1.0) * whole) ^ (whole < 0.0)
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


def _granted(lam: Array, theta: Array) -> Array:
    """Return the symmetric form of ``(lam . v) (theta . v)``, shape (n, n), of two vectors of shape (n,)."""
    product = np.outer(lam, theta)
    return np.asarray(0.5 * (product + product.T))


def _filled(columns: Array, ratio: float) -> tuple[Array, Array]:
    """Return columns, single inputs and no input among them, and weights with which all rows sum to 1."""
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
