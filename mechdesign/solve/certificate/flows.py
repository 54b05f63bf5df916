"""The bound of a map from multipliers and flows: sums alone, without a program.

A flow z >= 0 of an output from x' to x uses ``q(x') >= f q(x)`` with ``f <= e^(-epsilon d(x, x'))``, so that for
``v_y = g_y - lam`` any of them gives ``v_y . q <= left_y . q`` with ``left_y = v_y + z e_x' - f z e_x``, and the
utility of a stochastic matrix is at most ``sum_x (lam_x + max_y left_y(x))``.
"""

from __future__ import annotations

import math
from typing import TypeGuard

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array

Indices = npt.NDArray[np.intp]

#: Columns of the table of flows: output, sink x, source x', and what is shipped.
WIDTH = 4
#: Floats differ by this share from one to the next.
EPS = float(np.finfo(float).eps)


def is_flows(given: Array | None) -> TypeGuard[Array]:
    """Return whether what a file may hold are flows of a map: a table of shape (flows, 4)."""
    return given is not None and np.ndim(given) == 2 and given.shape[1] == WIDTH


def factors_below(exponents: Array, sink: Indices, source: Indices) -> Array:
    """Return ``e^-d`` of pairs from below, d the exponents of all, shape (n, n), each a sum along a way."""
    exponent = exponents[sink, source] * (1.0 + EPS * (len(exponents) + 4.0))
    with np.errstate(invalid="ignore"):
        found = np.exp(-exponent) * (1.0 - 4.0 * EPS * (1.0 + exponent))
    return np.where(np.isfinite(exponent), np.maximum(found, 0.0), 0.0)


def bound_of_flows(exponents: Array, gains: Array, lam: Array, table: Array) -> tuple[float, float]:
    """Return a bound on ``sum_y gains[y] . q_y`` over all mechanisms, and its rounding, which is in it.

    Parameters
    ----------
    exponents : ndarray, shape (n, n)
        d of the pairs: ``q(x) <= e^d[x, x'] q(x')`` in every column.
    gains : ndarray, shape (m, n)
        What each output gains of each input.
    lam : ndarray, shape (n,)
        Multipliers of the rows.
    table : ndarray, shape (k, 4)
        Flows; lines that are none count for nothing.
    """
    count, n = gains.shape
    table = table[_are_flows(table, count, n)]
    output, sink, source = (np.asarray(table[:, k], dtype=np.intp) for k in range(3))
    shipped, arrived = table[:, 3], factors_below(exponents, sink, source) * table[:, 3]
    size = count * n
    sent = np.bincount(output * n + source, shipped, size).reshape(gains.shape)
    received = np.bincount(output * n + sink, arrived, size).reshape(gains.shape)
    terms = 4.0 + np.bincount(output * n + source, minlength=size) + np.bincount(output * n + sink, minlength=size)
    left = gains - lam + sent - received
    noise = EPS * terms.reshape(gains.shape) * (np.abs(gains) + np.abs(lam) + sent + received)
    plain = math.fsum([*lam, *left.max(axis=0)])
    raised = math.fsum([*lam, *(left + noise).max(axis=0)])
    raised += EPS * abs(raised)
    return raised, raised - plain


def _are_flows(table: Array, count: int, n: int) -> Array:
    """Return which lines name an output and two inputs, and ship something."""
    places = table[:, :3]
    whole = np.all((places == np.rint(places)) & (places >= 0) & (places < [count, n, n]), axis=1)
    return np.asarray(whole & (table[:, 3] > 0) & (table[:, 1] != table[:, 2]))
