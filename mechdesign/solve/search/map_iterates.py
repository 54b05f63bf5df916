"""The interior point of maps, whose kept constraints change from step to step.

Entries that break a constraint are lifted, missing pairs come in, idle pairs leave. Every iterate gives a true bound
and, closed and mixed, a private mechanism: whoever asks for the next decides when to stop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point.map_program import Indices, MapProgram
from mechdesign.solve.interior_point.map_steps import FIRST_CENTERING, Iterate, stepped
from mechdesign.solve.interior_point.output_blocks import Differences
from mechdesign.solve.interior_point.sink_pairs import Pairs, lifted, useful

#: The complementarity of the start, as a share of its value.
FIRST_COMPLEMENTARITY = 0.3
#: Least relative slack of a new or mended pair, in units of the near slack.
LEAST_SLACK = 0.4
#: Outputs are light below the complementarity as a share of the value, within these limits.
LIGHT = (1e-5, 1e-1)
#: Pairs leave where the complementarity falls below a share of the value: that, and pairs kept for each source.
PRUNED = ((3e-2, 6), (3e-3, 4))


def iterates(program: MapProgram) -> Iterator[Iterate]:
    """Yield the iterates, first to last, without end.

    Raises
    ------
    SolverError
        A Newton system cannot be factored.
    """
    iterate, pruned, centering = _first(program), 0, FIRST_CENTERING
    yield iterate
    while True:
        centering, iterate = stepped(program, iterate, centering)
        yield iterate
        iterate = _attended(program, iterate)
        if pruned < len(PRUNED) and iterate.complementarity < PRUNED[pruned][0] * program.value(iterate.columns):
            keys = useful(program, iterate.pairs, iterate.slack, iterate.shipped, PRUNED[pruned][1])
            iterate, pruned = _with_pairs(program, iterate, keys), pruned + 1


def _first(program: MapProgram) -> Iterate:
    """Return the starting mechanism with flows on the central path, and the best multipliers for them, or zero."""
    pairs, columns = Pairs.first_of(program), program.start
    ones = np.ones(len(pairs))
    start = Iterate(pairs, columns, np.zeros(program.inputs), ones, ones)
    slack = 1.0 - start.ratio
    shipped = FIRST_COMPLEMENTARITY * program.value(columns) / pairs.weight.sum() * pairs.weight / slack
    sent = Differences(pairs, start.ratio, columns.shape).transposed(shipped)
    multipliers = np.maximum((program.cost - sent / columns).min(axis=0), 0.0)
    return replace(start, slack=slack, shipped=shipped, multipliers=multipliers)


def _attended(program: MapProgram, iterate: Iterate) -> Iterate:
    """Return the iterate with broken entries lifted and nearly tight missing pairs taken in."""
    light = float(np.clip(iterate.complementarity / program.value(iterate.columns), *LIGHT))
    columns, keys = lifted(program, iterate.pairs, iterate.columns, light)
    changed = columns != iterate.columns
    if changed.any():
        iterate = _with_columns(program, iterate, columns, changed.ravel())
    return _with_pairs(program, iterate, keys) if len(keys) > len(iterate.pairs) else iterate


def _with_columns(program: MapProgram, iterate: Iterate, columns: Array, changed: npt.NDArray[np.bool_]) -> Iterate:
    """Return the iterate at lifted columns: slacks of touched pairs are true or the least, products do not grow."""
    touched = changed[iterate.pairs.source_at] | changed[iterate.pairs.sink_at]
    there = replace(iterate, columns=columns)
    slack = np.where(touched, np.maximum(1.0 - there.ratio, _least(program, iterate.pairs)), iterate.slack)
    product = np.minimum(iterate.shipped * iterate.slack, iterate.barrier * iterate.pairs.weight)
    return replace(there, slack=slack, shipped=np.where(touched, product / slack, iterate.shipped))


def _with_pairs(program: MapProgram, iterate: Iterate, keys: Indices) -> Iterate:
    """Return the iterate on other pairs: old ones stay as they are, new ones start on the central path."""
    pairs = Pairs.of(program, keys)
    ones = np.ones(len(pairs))
    fresh = Iterate(pairs, iterate.columns, iterate.multipliers, ones, ones)
    slack = np.maximum(1.0 - fresh.ratio, _least(program, pairs))
    shipped = iterate.barrier * pairs.weight / slack
    old, new = np.intersect1d(iterate.pairs.keys, pairs.keys, assume_unique=True, return_indices=True)[1:]
    slack[new], shipped[new] = iterate.slack[old], iterate.shipped[old]
    return replace(fresh, slack=slack, shipped=shipped)


def _least(program: MapProgram, pairs: Pairs) -> Array:
    """Return the least relative slack of a new or touched pair: it fits pairs that are close by."""
    return np.asarray(LEAST_SLACK * np.minimum(program.near, program.exponents[pairs.sink, pairs.source]))
