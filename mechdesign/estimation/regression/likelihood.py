r"""The log-likelihood of a regression through a matrix, with its derivatives and a bound on its third ones.

With ``e_x = z'b_x``, 0 for the reference, ``pi_x = exp(e_x) / sum_v exp(e_v)`` and ``q_x = Q[x, y]``, one report y has
the log-likelihood ``ln sum_x exp(e_x) q_x - ln sum_x exp(e_x)``. Its gradient in e is ``r - pi``, with
``r_x = pi_x q_x / sum_v pi_v q_v`` the posterior of the input, and its Hessian the covariance matrix of r less one of
pi: it is not concave. Its third derivative along v is a third central moment of v under r less one under pi, of which
each is at most ``(max v - min v)^3 / (6 3^(1/2))``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array

Places = npt.NDArray[np.intp]
#: Entries that a step over part of the reports holds at once, in each of its arrays.
AT_ONCE = 1 << 22
#: What two third central moments can differ by, of a variable of range 1.
THIRD = 2.0 / (6.0 * 3.0**0.5)
#: The rounding of a sum over reports, as a share of the sum of the sizes of its terms.
ROUNDED = 16.0 * float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The log-likelihood of coefficients of shape (n - 1, k), the first input being the reference.

    Parameters
    ----------
    columns : ndarray, shape (p, k)
        A row of covariates for each kind of person.
    reports : ndarray of int, shape (p,)
        The output that each reported.
    weights : ndarray, shape (p,)
        What each counts for: how many people there are of the kind, or the sum of their weights.
    matrix : ndarray, shape (n, m)
        ``Q[x, y]``, the reference in its first row.
    """

    columns: Array
    reports: npt.NDArray[np.int64]
    weights: Array
    matrix: Array

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of coefficients."""
        return len(self.matrix) - 1, self.columns.shape[1]

    @cached_property
    def _logarithms(self) -> Array:
        """``ln Q[x, y]``, shape (m, n); minus infinity for an output that rules an input out."""
        with np.errstate(divide="ignore"):
            return np.ascontiguousarray(np.log(self.matrix).T)

    @cached_property
    def _pairs(self) -> tuple[Places, Places]:
        return np.triu_indices(self.shape[0])

    @cached_property
    def _products(self) -> tuple[Places, Places]:
        return np.triu_indices(self.shape[1])

    def _parts(self) -> Iterator[slice]:
        """Yield ranges of rows whose arrays fit in the room of `AT_ONCE` entries."""
        each = len(self._pairs[0]) + len(self._products[0]) + 4 * len(self.matrix)
        step = max(AT_ONCE // each, 1)
        yield from (slice(start, start + step) for start in range(0, len(self.reports), step))

    def predictor(self, coefficients: Array, rows: slice = slice(None)) -> Array:
        """Return ``e``, shape (p, n)."""
        columns = self.columns[rows]
        return np.column_stack([np.zeros(len(columns)), columns @ coefficients.T])

    def value(self, coefficients: Array) -> float:
        """Return the log-likelihood, in nats."""
        total = 0.0
        for rows in self._parts():
            plain, seen = self._scores(coefficients, rows)
            total += float(self.weights[rows] @ (_log_sum(seen)[:, 0] - _log_sum(plain)[:, 0]))
        return total

    def _scores(self, coefficients: Array, rows: slice) -> tuple[Array, Array]:
        plain = self.predictor(coefficients, rows)
        return plain, plain + self._logarithms[self.reports[rows]]

    def _laws(self, coefficients: Array, rows: slice) -> tuple[Array, Array]:
        """Return pi and r without the reference, shape (p, n - 1) each."""
        plain, seen = (np.exp(each - _log_sum(each))[:, 1:] for each in self._scores(coefficients, rows))
        return plain, seen

    def derivatives(self, coefficients: Array) -> tuple[Array, Array, Array]:
        """Return the gradient, shape (d,), the Hessian and the Hessian of complete data, shape (d, d), d = (n - 1) k.

        Complete data are reports together with their inputs: the Hessian of their likelihood is negative definite, and
        its step the one of expectation and maximisation.
        """
        kinds, count = self.shape
        gradient = np.zeros((kinds, count))
        upper = np.zeros((2, len(self._pairs[0]), len(self._products[0])))
        for rows in self._parts():
            plain, seen = self._laws(coefficients, rows)
            weights, columns = self.weights[rows, None], self.columns[rows]
            gradient += (weights * (seen - plain)).T @ columns
            products = weights * columns[:, self._products[0]] * columns[:, self._products[1]]
            complete = self._covariances(plain)
            upper += np.stack([(self._covariances(seen) - complete).T @ products, -complete.T @ products])
        observed, completed = (self._whole(each) for each in upper)
        return gradient.reshape(-1), observed, completed

    def scores(self, coefficients: Array) -> Array:
        """Return the gradient of one report of each kind of person, shape (p, d)."""
        found = np.empty((len(self.reports), self.shape[0] * self.shape[1]))
        for rows in self._parts():
            plain, seen = self._laws(coefficients, rows)
            found[rows] = ((seen - plain)[:, :, None] * self.columns[rows, None, :]).reshape(len(plain), -1)
        return found

    def third(self, covariance: Array) -> tuple[float, float]:
        """Return a bound on the third derivative along directions of length 1, and the rounding of the gradient.

        Both are in the norm in which a direction v has the length ``(v' A v)^(1/2)``, A the inverse of `covariance`.
        A score moves along it by at most ``s = max (c' covariance c)^(1/2)``, c over differences of two inputs.
        """
        kinds, count = self.shape
        blocks = np.zeros((kinds + 1, count, kinds + 1, count))
        blocks[1:, :, 1:, :] = covariance.reshape(kinds, count, kinds, count)
        first, second = np.triu_indices(kinds + 1, 1)
        own = blocks[range(kinds + 1), :, range(kinds + 1), :]
        spread = own[first] + own[second] - blocks[first, :, second, :] - blocks[second, :, first, :]
        left, right = self._products
        each = (spread[:, left, right] * np.where(left == right, 1.0, 2.0)).T
        total, size = 0.0, 0.0
        for rows in self._parts():
            columns = self.columns[rows]
            moved = np.sqrt(np.maximum((columns[:, left] * columns[:, right] @ each).max(axis=1), 0.0))
            total += float(self.weights[rows] @ moved**3)
            size += float(self.weights[rows] @ moved)
        return THIRD * total, ROUNDED * size

    def _covariances(self, law: Array) -> Array:
        """Return the covariance matrix of each law, its upper triangle in a row, shape (p, pairs)."""
        first, second = self._pairs
        return np.asarray(np.where(first == second, law[:, first], 0.0) - law[:, first] * law[:, second])

    def _whole(self, upper: Array) -> Array:
        """Return the symmetric matrix of which upper triangles of blocks, and of each block, are given."""
        kinds, count = self.shape
        blocks = np.empty((kinds, kinds, count, count))
        for values, x, v in zip(upper, *self._pairs, strict=True):
            block = np.empty((count, count))
            block[self._products] = values
            block.T[self._products] = values
            blocks[x, v] = blocks[v, x] = block
        return blocks.transpose(0, 2, 1, 3).reshape(kinds * count, kinds * count)


def _log_sum(scores: Array) -> Array:
    """Return ``ln sum_x exp(scores_x)`` of each row, shape (p, 1)."""
    # Column by column: rows are short, and reductions along them slow.
    most = reduce(np.maximum, scores.T)[:, None]
    total = reduce(np.add, np.exp(scores - most).T)[:, None]
    return np.asarray(most + np.log(total))


def pooled(
    columns: Array, reports: npt.NDArray[np.int64], weights: Array
) -> tuple[npt.NDArray[np.intp], Array, npt.NDArray[np.int64]]:
    """Return the first row of each kind of person, the sum of the weights of each kind, and the kind of each person.

    People are of one kind if they have the same covariates and the same report.
    """
    codes = np.asarray(reports, dtype=np.int64)
    for column in columns.T:
        _, entries = np.unique(column, return_inverse=True)
        _, codes = np.unique(codes * (int(entries.max()) + 1) + entries, return_inverse=True)
        if 2 * (int(codes.max()) + 1) > len(codes):
            everybody = np.arange(len(codes))
            return everybody, weights, everybody
    _, first, kinds = np.unique(codes, return_index=True, return_inverse=True)
    return first, np.asarray(np.bincount(kinds, weights), dtype=float), kinds
