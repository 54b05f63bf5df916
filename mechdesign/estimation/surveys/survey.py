r"""How much the shares of outputs vary over samples of one sampling design: a covariance as a sum of squares.

With s the weighted shares of the m outputs, ``cov(s) = sum over parts of R' diag(d) R``: a linear estimate ``a . s``
has the variance ``sum d (R a)^2``, whatever the mechanism is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.estimation.sampling import Indices
from mechdesign.parameters.checks import Array

#: Numbers that are held at once where a part of many rows is multiplied out.
AT_ONCE = 4_000_000
#: Rounding of a sum of squares, as a share of the sum of the sizes of its terms.
ROUNDED = 16.0 * float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Part:
    """One part ``R' diag(d) R`` of a covariance of shares.

    Parameters
    ----------
    rows : ndarray or sparse array, shape (r, m)
        R: what each sampled unit, stratum or replicate adds to the shares of outputs.
    factors : ndarray, shape (r,)
        d: what the square of each row counts for.
    keys : ndarray of int, shape (r,), optional
        The number of the unit that each row stands for, in ascending order; without it no other group shares a row.
    """

    rows: Any
    factors: Array
    keys: Indices | None = None

    def blocks(self, lines: Array) -> Iterator[tuple[Array, Array]]:
        """Yield ``R a`` of each line a, shape (rows, k), with the factors of those rows, a few rows at a time."""
        step = max(1, AT_ONCE // max(len(lines), 1))
        for start in range(0, len(self.factors), step):
            held = slice(start, start + step)
            yield np.asarray(self.rows[held] @ lines.T), self.factors[held]

    def of_keys(self, keys: Indices, lines: Array) -> tuple[Array, Array]:
        """Return ``R a`` of each line a in the rows of some keys, shape (keys, k), with the factors of those rows."""
        held = np.arange(len(self.factors)) if self.keys is None else np.searchsorted(self.keys, keys)
        return np.asarray(self.rows[held] @ lines.T), self.factors[held]


@dataclass(frozen=True, eq=False)
class Survey:
    """The weights of the reports of each output, and how the shares of outputs vary over samples.

    Parameters
    ----------
    sums : ndarray, shape (m,)
        The sum of the weights of the reports of each output.
    effective_reports : float
        Kish's number of reports of equal weights: ``(sum of weights)^2 / sum of squared weights``.
    parts : tuple of Part
        The covariance of the shares.
    degrees : float
        Degrees of freedom of the variance: clusters less strata, or what replicates leave.
    units : int
        How many people, clusters or replicates show the variance: of one it is unknown.
    words : str
        How people were drawn, for the printed estimate: "3 strata, 12 clusters".
    sample : object
        What groups of one sample have in common: they may share clusters.
    complete : bool
        Whether all of a finite population was drawn, so that a variance may be 0.
    least_effect : float
        The least design effect that intervals are taken at: one, or less if shares of finite populations were drawn.
    """

    sums: Array
    effective_reports: float
    parts: tuple[Part, ...]
    degrees: float
    units: int
    words: str
    sample: object
    complete: bool = False
    least_effect: float = 1.0

    @property
    def doubtful(self) -> bool:
        """Whether the weights are worth so few reports that the spread of all reports is taken."""
        return False

    @property
    def shares(self) -> Array:
        """The weighted share of each output, shape (m,)."""
        return np.asarray(self.sums / self.sums.sum())

    def variances(self, lines: Array) -> Array:
        """Return the variance of ``a . shares`` of each line a, shape (k,); infinite if one unit was drawn.

        Lines have the mean 0 over the shares.
        """
        if self.units < 2:
            return np.full(len(lines), np.inf)
        found, size = np.zeros(len(lines)), np.zeros(len(lines))
        for part in self.parts:
            for products, factors in part.blocks(lines):
                found += factors @ products**2
                size += np.abs(factors) @ products**2
        # What is left of terms that cancel each other is rounding, and no variance.
        return np.where(found <= ROUNDED * size, 0.0, found)

    def covariance(self, lines: Array) -> Array:
        """Return the covariance of ``a . shares`` of all lines, shape (k, k)."""
        if self.units < 2:
            return np.full((len(lines), len(lines)), np.inf)
        found = np.zeros((len(lines), len(lines)))
        for part in self.parts:
            for products, factors in part.blocks(lines):
                found += (products.T * factors) @ products
        return found

    def freedom(self, lines: Array) -> Array:
        """Return the degrees of freedom of each line's variance, shape (k,)."""
        return np.full(len(lines), self.degrees)

    def shared(self, other: Survey, lines: Array, others: Array) -> Array:
        """Return the covariance of each line with the same line of another group of this sample, shape (k,).

        It is 0 for groups of which each was drawn by itself.
        """
        found = np.zeros(len(lines))
        if self.sample is not other.sample or min(self.units, other.units) < 2:
            return found
        for mine, theirs in zip(self.parts, other.parts, strict=False):
            if mine.keys is None or theirs.keys is None:
                continue
            both = np.intersect1d(mine.keys, theirs.keys, assume_unique=True)
            step = max(1, AT_ONCE // max(len(lines), 1))
            for start in range(0, len(both), step):
                keys = both[start : start + step]
                (first, factors), (second, _) = mine.of_keys(keys, lines), theirs.of_keys(keys, others)
                found += factors @ (first * second)
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class IndependentReports(Survey):
    """People who were drawn one by one with unequal chances: a sample with replacement, as weights alone describe it.

    The variance is ``n / (n - 1) sum_i w_i^2 (a(y_i) - e)^2 / (sum_i w_i)^2``, with Satterthwaite's degrees of freedom
    ``2 (sum_i v_i)^2 / sum_i v_i^2``, v_i its terms: a few heavy weights leave few. If the weights are worth fewer than
    60 reports, few terms decide that variance, and it is too small most of the time. It is then ``s^2 / k``, k the
    effective number of reports: weights do not depend on answers, so that all reports show the variance s^2 of a(y),
    whatever their weight. It is taken with half a report of each input added, and has n - 1 degrees of freedom.

    Parameters
    ----------
    squares, fourths : ndarray, shape (m,)
        The sums of the squares and of the fourth powers of each output's weights.

    References
    ----------
    L. Kish, "Survey Sampling", Wiley 1965.

    F. E. Satterthwaite, "An Approximate Distribution of Estimates of Variance Components", Biometrics Bulletin 2
    (1946).
    """

    squares: Array
    fourths: Array

    #: Weights that are worth more reports show the variance themselves.
    MANY = 60.0

    @property
    def doubtful(self) -> bool:
        """Whether the weights are worth so few reports that the spread of all reports is taken."""
        return self.effective_reports < self.MANY

    def freedom(self, lines: Array) -> Array:
        """Return Satterthwaite's degrees of freedom of each line's variance, shape (k,)."""
        if self.doubtful:
            return super().freedom(lines)
        terms = lines**4 @ self.fourths
        return np.divide(2.0 * (lines**2 @ self.squares) ** 2, terms, out=np.ones(len(lines)), where=terms > 0)
