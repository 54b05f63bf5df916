"""Logarithms and powers of ``1 + w`` near ``w = 0``, without cancellation: right to some units in the last place.

Next to no information is of second order in the change w of a ratio. Written with ``ln(1 + w)`` and ``(1 + w)^a``, it
is a small difference of large numbers; here it never is.
"""

from __future__ import annotations

import math

import numpy as np

from mechdesign.parameters.checks import Array

#: Changes of a ratio up to this size are near: the forms below hold there; beyond it the plain ones lose a digit.
NEAR = 1.0 / 16.0
#: Terms of the series, whose arguments are at most 1/961 (of squares) and 1: what follows is below 2^-53.
OF_SQUARES, OF_EXPONENTIAL = 6, 18


def _polynomial(coefficients: list[float], x: Array) -> Array:
    total = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total *= x
        total += coefficient
    return total


def unshared(columns: Array, weights: Array) -> tuple[Array, Array]:
    """Return the common part of each column's entries, the entry nearest to their mean, and the column less that entry.

    A sum of an information is of what entries do not share. An input of next to no weight may lie far from all others,
    so that the least entry is not what the others share.

    Examples
    --------
    >>> shared, rest = unshared(np.array([[0.5], [0.5 + 2.0**-40], [0.0]]), np.array([0.5, 0.5, 1e-30]))
    >>> shared, rest.tolist()
    (array([0.5]), [[0.0], [9.094947017729282e-13], [-0.5]])
    """
    total = float(weights.sum())
    mean = weights @ columns / total if total > 0.0 else columns.min(axis=0)
    nearest = np.abs(columns - mean).argmin(axis=0)
    shared = np.take_along_axis(columns, nearest[None, :], axis=0)[0]
    return shared, columns - shared


def log_less_change(w: Array) -> Array:
    """Return ``ln(1 + w) - w`` for ``|w| <= 1/16``: at most 0, about ``-w^2 / 2``.

    Examples
    --------
    >>> float(log_less_change(np.array(1e-9)))
    -4.999999996666666e-19
    """
    w = np.asarray(w, dtype=float)
    # ln(1 + w) = 2 (u + u^3/3 + u^5/5 + ...), and 2 u = w - u w.
    u = w / (2.0 + w)
    series = _polynomial([1.0 / (2 * k + 3) for k in range(OF_SQUARES)], u * u)
    return np.asarray(u * (2.0 * u * u * series - w))


def log_ratio(p: Array, s: Array, apart: Array) -> Array:
    """Return ``ln(p / s)`` from ``p - s`` where the two are not far apart, 0 where one of them is not positive."""
    both = (p > 0) & (s > 0)
    change = np.divide(apart, s, out=np.zeros(np.shape(apart)), where=both)
    close = both & (np.abs(change) <= 0.5)
    plain = np.log(np.where(both, p, 1.0)) - np.log(np.where(both, s, 1.0))
    return np.where(close, np.log1p(np.where(close, change, 0.0)), plain)


def exponential_rest(z: Array) -> Array:
    """Return ``(e^z - 1 - z) / z^2``, 1/2 at 0.

    Examples
    --------
    >>> exponential_rest(np.array([0.0, 2.0])).round(6).tolist()
    [0.5, 1.097264]
    """
    z = np.asarray(z, dtype=float)
    small = np.abs(z) < 1.0
    near = _polynomial([1.0 / math.factorial(k + 2) for k in range(OF_EXPONENTIAL)], np.where(small, z, 0.0))
    far = np.where(small, 1.0, z)
    return np.where(small, near, (np.expm1(far) - far) / (far * far))


def entropy_change(w: Array) -> Array:
    """Return ``(1 + w) ln(1 + w) - w`` for ``|w| <= 1/16``: at least 0, about ``w^2 / 2``."""
    return np.asarray(w * np.log1p(w) + log_less_change(w))


def mean_entropy(w: Array) -> Array:
    """Return ``(t ln(2t / (1+t)) + ln(2 / (1+t))) / 2`` at ``t = 1 + w`` for ``|w| <= 1/16``, about ``w^2 / 16``."""
    w = np.asarray(w, dtype=float)
    square = (w / (2.0 + w)) ** 2
    series = _polynomial([1.0 / (k * (2 * k - 1)) for k in range(1, OF_SQUARES + 1)], square)
    return np.asarray((2.0 + w) / 4.0 * square * series)


def power_shortfall(w: Array, a: Array | float) -> Array:
    """Return ``1 + a w - (1 + w)^a`` for ``|w| <= 1/16``: about ``a (1 - a) w^2 / 2``, of the sign of ``a (1 - a)``."""
    L = np.log1p(w)
    # One form is exact at a = 1, the other, t f_(1-a)(1/t), at a = 0: each cancels next to the other's end.
    upper = (1.0 - a) * (entropy_change(w) + (a - 1.0) * (1.0 + w) * L * L * exponential_rest((a - 1.0) * L))
    lower = -a * (log_less_change(w) + a * L * L * exponential_rest(a * L))
    return np.where(np.asarray(a) < 0.5, lower, upper)
