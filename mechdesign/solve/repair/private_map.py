"""From the columns of a map to private ones: closed, normalised, and mixed with the start as far as needed."""

from __future__ import annotations

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point.map_program import MapProgram

#: Added to the share that is mixed in, against rounding in the comparison itself.
MARGIN = 1e-15


def private_map(program: MapProgram, columns: Array) -> Array:
    """Return columns, shape (m, n), that satisfy every constraint up to a rounding.

    The closure ``max_x Q[x, y] e^(-epsilon d(x, x'))`` is the smallest private column above one; sums of rows may then
    differ, and what the division by them breaks is made up for by the strictly private start.
    """
    closed = closed_columns(program, columns)
    closed /= closed.sum(axis=0)
    share = max(_needed(program, column, start) for column, start in zip(closed, program.start, strict=True))
    share = min(1.0, share * (1.0 + 1e-12) + MARGIN)
    return np.asarray((1.0 - share) * closed + share * program.start)


def closed_columns(program: MapProgram, columns: Array) -> Array:
    """Return the smallest private columns above others, shape (m, n)."""
    return np.array([(column[:, None] * program.factors).max(axis=0) for column in columns])


def _needed(program: MapProgram, column: Array, start: Array) -> float:
    """Return the least share of the start that mends a column."""
    excess = column[:, None] * program.factors - column
    sink, source = np.nonzero(excess > 0)
    if not len(sink):
        return 0.0
    over = excess[sink, source]
    room = start[source] - start[sink] * program.factors[sink, source]
    return float((over / (over + room)).max())
