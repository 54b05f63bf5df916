"""What is left of Newton's equations once the pairs are eliminated, reduced further to the decisions or to the inputs.

For rows r, boxes t and masses m: ``D r + T t + B m = .``, ``-T' r + a t + e m = .``, ``-B' r + e t - f m = .`` with
diagonal D, a, e, f. Two unknowns for each decision are left, or one for each input, whichever are fewer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point.rank_one_plus_sparse import Lifted

#: What is added to a unit diagonal, in turn, where rounding has left a matrix that is not positive definite.
NUDGES = (1e-15, 1e-13, 1e-11, 1e-9, 1e-7)


@dataclass(frozen=True)
class Masses:
    """B, f and e."""

    on_mass: Lifted
    of_mass: Array
    cross: Array


@dataclass(frozen=True)
class Coupling:
    """D, a and T, and what there is of masses."""

    of_rows: Array
    of_t: Array
    on_t: Lifted
    masses: Masses | None = None


class ByInputs:
    """One unknown for each input: each decision's ``(t_d, m_d)`` is a two by two block."""

    def __init__(self, coupling: Coupling) -> None:
        self.coupling = coupling
        matrix, of_t, carried, m = np.diag(coupling.of_rows), coupling.of_t, coupling.on_t, coupling.masses
        if m is not None:
            of_t = of_t + m.cross**2 / m.of_mass
            matrix -= (m.on_mass * (1.0 / np.sqrt(m.of_mass))).gram()
            carried = carried + m.on_mass * (m.cross / m.of_mass)
        self.of_t = of_t
        matrix += (carried * (1.0 / np.sqrt(of_t))).gram()
        self.factor = _Factor(matrix)

    def solve(self, of_rows: Array, of_t: Array, of_mass: Array | None) -> tuple[Array, Array, Array]:
        """Return rows, shape (n,), and t and masses, shape (decisions,) each."""
        s, m = self.coupling, self.coupling.masses
        t, masses = self._decisions(of_t, of_mass)
        rows = self.factor.solve(of_rows - s.on_t @ t - (0.0 if m is None else m.on_mass @ masses))
        pulled = None if m is None or of_mass is None else of_mass + rows @ m.on_mass
        return rows, *self._decisions(of_t + rows @ s.on_t, pulled)

    def _decisions(self, of_t: Array, of_mass: Array | None) -> tuple[Array, Array]:
        """Solve each decision's block ``[[a, e], [e, -f]]`` for its box and its mass's multiplier."""
        m = self.coupling.masses
        if m is None or of_mass is None:
            return of_t / self.of_t, np.zeros(len(of_t))
        t = (of_t + of_mass * (m.cross / m.of_mass)) / self.of_t
        return t, (m.cross * t - of_mass) / m.of_mass


class ByDecisions:
    """Two unknowns for each decision: ``A t + C m = .``, ``C' t - L m = .``, A positive definite, L a Laplacian."""

    def __init__(self, coupling: Coupling) -> None:
        self.scale = 1.0 / np.sqrt(coupling.of_rows)
        self.on_t = self.scale[:, None] * coupling.on_t.dense()
        self.first = _Factor(np.diag(coupling.of_t) + self.on_t.T @ self.on_t)
        m = coupling.masses
        if m is None:
            return
        self.on_mass = self.scale[:, None] * m.on_mass.dense()
        self.mixed = np.diag(m.cross) + self.on_t.T @ self.on_mass
        # f less what the rows carry has rows that add up to 0: summed from the others no digit cancels.
        laplacian = -(self.on_mass.T @ self.on_mass)
        np.fill_diagonal(laplacian, 0.0)
        np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
        self.second = _Factor(laplacian + self.mixed.T @ self.first.solve(self.mixed))

    def solve(self, of_rows: Array, of_t: Array, of_mass: Array | None) -> tuple[Array, Array, Array]:
        """Return rows, shape (n,), and t and masses, shape (decisions,) each."""
        known = self.scale * of_rows
        right_t = of_t + self.on_t.T @ known
        if of_mass is None:
            t, masses = self.first.solve(right_t), np.zeros(len(of_t))
            return self.scale * (known - self.on_t @ t), t, masses
        right_mass = of_mass + self.on_mass.T @ known
        masses = self.second.solve(self.mixed.T @ self.first.solve(right_t) - right_mass)
        t = self.first.solve(right_t - self.mixed @ masses)
        return self.scale * (known - self.on_t @ t - self.on_mass @ masses), t, masses


class _Factor:
    """The Cholesky factor of a positive definite matrix of unit diagonal, nudged where rounding broke it."""

    def __init__(self, matrix: Array) -> None:
        from scipy.linalg.lapack import dpotrf

        self.scale = 1.0 / np.sqrt(np.maximum(np.diag(matrix), 1e-300))
        balanced = self.scale[:, None] * matrix * self.scale
        diagonal = np.diag_indices_from(balanced)
        for nudge in (0.0, *NUDGES):
            balanced[diagonal] += nudge
            self.factor, failed = dpotrf(balanced, lower=1)
            if not failed:
                break

    def solve(self, right: Array) -> Array:
        """Return the solution, of the shape of `right`, not finite where the matrix could not be factored."""
        from scipy.linalg.lapack import dpotrs

        scale = self.scale if right.ndim == 1 else self.scale[:, None]
        return np.asarray(scale * dpotrs(self.factor, scale * right, lower=1)[0])
