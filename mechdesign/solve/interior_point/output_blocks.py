"""Newton systems of maps: a block for each output, and one Schur complement for the sums of rows.

In numbers relative to a column, ``d = dQ / Q``, a pair (y, x, x') has the ratio ``rho = Q[x, y] e^(-epsilon d) / Q[x',
y]``, the slack ``1 - rho``, the flow ``zeta = z Q[x', y]``, and ``(A d)_p = d[x'] - rho d[x]``. The system is

    ``M_y d_y - Q_y dlam = g_y`` for each output, ``sum_y Q_y d_y = r``, with ``M = A' diag(zeta / slack) A``.

Sources are eliminated by their diagonal D. With B the block of sinks and sources, ``X = M_NN - B D^-1 B' = L L'`` and
``U = L^-1 [I, -B D^-1]``: ``M_y^-1 = diag(D^-1) + U' U``, in ``k^2 n + k n^2`` operations for k sinks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point.map_program import Indices
from mechdesign.solve.interior_point.sink_pairs import Pairs

LEAST = 1e-300
#: What is added to the diagonal of a matrix of unit diagonal, in turn, until it can be factored.
ADDED = (1e-14, 1e-10, 1e-6, 1e-2)


@dataclass(frozen=True)
class Differences:
    """The operator A at some columns; `ratio` is rho, shape (pairs,)."""

    pairs: Pairs
    ratio: Array
    shape: tuple[int, int]

    def of(self, change: Array) -> Array:
        """Return the relative change of each slack, shape (pairs,), of relative changes, shape (m, n)."""
        flat = change.ravel()
        return np.asarray(flat[self.pairs.source_at] - self.ratio * flat[self.pairs.sink_at])

    def transposed(self, shipped: Array) -> Array:
        """Return what each entry ships less what arrives at it, shape (m, n)."""
        size = self.shape[0] * self.shape[1]
        sent = np.bincount(self.pairs.source_at, shipped, size)
        return np.asarray((sent - np.bincount(self.pairs.sink_at, self.ratio * shipped, size)).reshape(self.shape))


@dataclass(frozen=True)
class Blocks:
    """The factored system: U and D^-1 of each output, and the factor of the Schur complement after scaling."""

    columns: Array
    outputs: Sequence[tuple[Array, Array]]
    schur: Array
    scale: Array

    def solve(self, residual: Array, rows: Array) -> tuple[Array, Array]:
        """Return the change of the columns, shape (m, n), and of the multipliers, shape (n,)."""
        from scipy.linalg import cho_solve

        change = self._inverse(residual)
        scaled = self.scale * (rows - (self.columns * change).sum(axis=0))
        multipliers = self.scale * cho_solve((self.schur, True), scaled, check_finite=False)
        return change + self._inverse(self.columns * multipliers), np.asarray(multipliers)

    def _inverse(self, residual: Array) -> Array:
        found = [
            inverse * g + (factor @ g) @ factor for (factor, inverse), g in zip(self.outputs, residual, strict=True)
        ]
        return np.array(found)


def factored(differences: Differences, columns: Array, theta: Array) -> Blocks:
    """Factor the blocks of columns, shape (inputs, outputs), and of pairs with weights `theta`, shape (pairs,).

    Raises
    ------
    SolverError
        A block, or the Schur complement, is not positive definite in floating point.
    """
    n = columns.shape[1]
    outputs, schur, diagonal = [], np.zeros((n, n)), np.zeros(n)
    for y, column in enumerate(columns):
        factor, inverse = _block(differences, y, n, theta)
        weighted = factor * column
        schur += weighted.T @ weighted
        diagonal += inverse * column**2
        outputs.append((factor, inverse))
    schur[np.diag_indices(n)] += diagonal
    scale = 1.0 / np.sqrt(schur.diagonal())
    return Blocks(columns, outputs, _cholesky(schur * scale[:, None] * scale), scale)


def _block(differences: Differences, y: int, n: int, theta: Array) -> tuple[Array, Array]:
    """Return U and D^-1 of an output, shapes (k, n) and (n,); D^-1 is zero at the sinks."""
    from scipy.linalg.lapack import dtrtrs

    pairs = differences.pairs
    own, sinks = slice(pairs.first[y], pairs.first[y + 1]), pairs.sinks[y]
    theta, ratio, rank, source = theta[own], differences.ratio[own], pairs.rank[own], pairs.source[own]
    each = np.arange(len(sinks))
    block = np.zeros((len(sinks), n))
    block[rank, source] = -theta * ratio
    diagonal = np.bincount(source, theta, n)
    among = block[:, sinks] + block[:, sinks].T
    among[each, each] += np.bincount(rank, theta * ratio**2, len(sinks)) + diagonal[sinks]
    scale = 1.0 / np.sqrt(np.maximum(among.diagonal(), LEAST))
    inverse = 1.0 / np.maximum(diagonal, LEAST)
    inverse[sinks] = 0.0
    block[:, sinks] = 0.0
    block *= scale[:, None]
    half = block * np.sqrt(inverse)
    lower = _cholesky(among * scale[:, None] * scale - half @ half.T)
    block *= -inverse
    block[each, sinks] = scale
    return np.ascontiguousarray(dtrtrs(lower, block, lower=1)[0]), inverse


def _cholesky(matrix: Array) -> Array:
    """Return the lower factor of a matrix of unit diagonal, with as little added to that as works."""
    from scipy.linalg.lapack import dpotrf

    diagonal: Indices = np.arange(len(matrix))
    for added in ADDED:
        matrix[diagonal, diagonal] += added
        lower, failed = dpotrf(matrix, lower=1, clean=1)
        if not failed:
            return np.asarray(lower)
    raise SolverError("The Newton system of the map cannot be factored.", status="singular")
