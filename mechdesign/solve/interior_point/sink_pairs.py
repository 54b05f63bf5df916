"""Which constraints of metric DP are kept: pairs of a sink and a source, for each output.

With ``v_y = c_y - lam``, multipliers lam are feasible where direct flows from the entries above zero (sources)
cover those below (sinks), and what leaves x' arrives at x as ``z e^(-epsilon d(x, x'))``: by the triangle inequality no
longer way is needed. Only pairs with a sink first matter, and of those the few of largest ``Q[x, y] e^(-epsilon d)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point.map_program import Indices, MapProgram

#: An input is a first sink of an output where its cost is below this times the start's cost for each input.
FIRST_COST = 0.8
#: Pairs kept at first for each output and source, and missing ones that may enter in a step.
FIRST, ENTERING = 10, 2
#: In units of the near slack: entries that break a constraint by more are lifted to a slack of one; missing pairs of
#: less than the second enter, which is above one so that the pair that lifted an entry does.
LIFTED, ENTERS = 0.4, 1.026
#: In the same units: a slack below the first keeps a pair; above the second its rank does not.
TIGHT, LOOSE = 6.0, 16.0
#: Flows above this share of the slack keep a pair.
ACTIVE = 1e-2
LEAST = 1e-300


@dataclass(frozen=True)
class Pairs:
    """Kept constraints, sorted by output, sink and source; shape (pairs,) unless said otherwise."""

    keys: Indices
    sink: Indices
    source: Indices
    #: Places in the flat columns, m n of them.
    sink_at: Indices
    source_at: Indices
    #: ``e^(-epsilon d)``, and its root: the weight of the barrier, which keeps flows over masses bounded.
    factor: Array
    weight: Array
    #: Output y has the pairs from ``first[y]`` to ``first[y + 1]``, shape (m + 1,).
    first: Indices
    #: The sinks of each output, and the place of each pair's sink among them.
    sinks: tuple[Indices, ...]
    rank: Indices

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def of(cls, program: MapProgram, keys: Indices) -> Pairs:
        """Return the pairs of keys ``(y n + x) n + x'``; repeated ones count once."""
        n = program.inputs
        # Nearly sorted already, which a stable sort makes use of.
        keys = np.sort(keys, kind="stable")
        keys = keys[np.diff(keys, prepend=-1) > 0]
        output, rest = np.divmod(keys, n * n)
        sink, source = np.divmod(rest, n)
        first = np.searchsorted(output, np.arange(program.outputs + 1))
        factor = program.factors[sink, source]
        ranked = [np.unique(sink[a:b], return_inverse=True) for a, b in pairwise(first)]
        return cls(
            keys,
            sink,
            source,
            output * n + sink,
            output * n + source,
            factor,
            np.sqrt(factor),
            first,
            tuple(sinks for sinks, _ in ranked),
            np.concatenate([rank for _, rank in ranked]),
        )

    @classmethod
    def first_of(cls, program: MapProgram) -> Pairs:
        """Return cheap sinks, two for each output at least, each with its nearest sources."""
        cheap = program.cost < FIRST_COST * program.value(program.start) / program.inputs
        np.put_along_axis(cheap, np.argpartition(program.cost, min(1, program.inputs - 1), axis=1)[:, :2], True, axis=1)
        keys = [_nearest(program, y, np.flatnonzero(cheap[y])) for y in range(program.outputs)]
        return cls.of(program, np.concatenate(keys))


def _nearest(program: MapProgram, y: int, sinks: Indices) -> Indices:
    """Return the keys of the best pairs of each source: of the least way from the output's home by the sink."""
    n = program.inputs
    way = program.exponents[sinks] + program.exponents[program.homes[y], sinks][:, None]
    way[np.arange(len(sinks)), sinks] = np.inf
    kept = min(FIRST, len(sinks))
    chosen = np.argpartition(way, kept - 1, axis=0)[:kept]
    sink, source = sinks[chosen].ravel(), np.tile(np.arange(n), kept)
    return np.asarray(((y * n + sink) * n + source)[sink != source], dtype=np.intp)


def lifted(program: MapProgram, pairs: Pairs, columns: Array, light: float) -> tuple[Array, Indices]:
    """Return columns, shape (inputs, outputs), with each constraint met, and the keys of kept and entering pairs.

    Entries that break a constraint are put just inside it. Outputs of a mass below `light` are left alone: what they
    lack costs little yet.
    """
    found, keys = columns.copy(), [pairs.keys]
    for y in np.flatnonzero(columns.mean(axis=1) * program.outputs > light).tolist():
        log = np.log(np.maximum(columns[y], LEAST))
        tight = log[:, None] - program.exponents
        excess = tight.max(axis=0) - log
        broken = np.flatnonzero(excess > LIFTED * program.near)
        if len(broken):
            found[y, broken] *= np.exp(excess[broken] + program.near)
            log = np.log(found[y])
            tight[broken] = log[broken, None] - program.exponents[broken]
        tight -= log
        keys.append(_missing(pairs, y, tight, ENTERS * program.near))
    return found, np.concatenate(keys)


def _missing(pairs: Pairs, y: int, tight: Array, slack: float) -> Indices:
    """Return the keys of missing pairs of an output whose log slack is below `slack`: the tightest of each source."""
    n, offset = len(tight), y * tight.size
    flat = tight.ravel()
    flat[:: n + 1] = -np.inf
    flat[pairs.keys[pairs.first[y] : pairs.first[y + 1]] - offset] = -np.inf
    at = np.flatnonzero(flat > -slack)
    return np.asarray(offset + at[_ranks(at % n, -flat[at]) < ENTERING], dtype=np.intp)


def useful(program: MapProgram, pairs: Pairs, slack: Array, shipped: Array, kept: int) -> Indices:
    """Return the keys of pairs that are active, nearly tight, or among the tightest of their output and source.

    Slacks and flows have the shape (pairs,), and so many keys or fewer are returned.
    """
    rank, loose = _ranks(pairs.source_at, slack), slack > LOOSE * program.near
    wanted = ((rank < kept) & ~loose) | (slack < TIGHT * program.near) | (shipped > ACTIVE * slack) | (rank == 0)
    return np.asarray(pairs.keys[wanted], dtype=np.intp)


def _ranks(groups: Indices, values: Array) -> Indices:
    """Return the rank of each value within its group, 0 for the smallest."""
    order = np.lexsort((values, groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ranks = np.empty(len(groups), dtype=np.intp)
    ranks[order] = np.arange(len(groups)) - np.repeat(starts, np.diff(starts, append=len(groups)))
    return ranks
