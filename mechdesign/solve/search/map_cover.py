"""From an iterate of a map to multipliers that bound it: flows that no entry makes beyond what it has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point.map_program import MapProgram
from mechdesign.solve.interior_point.map_steps import Iterate

#: Passes of the fixed point that cuts flows to what their senders have.
PASSES = 20
LEAST = 1e-300


@dataclass(frozen=True)
class Cover:
    """Multipliers (n,), flows as lines of output, sink, source and amount, and their bound; all scaled."""

    multipliers: Array
    table: Array
    bound: float

    def lighter(self, allowed: float) -> Cover:
        """Return the cover without its smallest flows, which together deliver less than is `allowed`."""
        order = np.argsort(self.table[:, 3])
        dropped = int(np.searchsorted(np.cumsum(self.table[order, 3]), allowed))
        return Cover(self.multipliers, self.table[np.sort(order[dropped:])], self.bound - allowed)


def cover(program: MapProgram, iterate: Iterate) -> Cover:
    """Return the flows of an iterate, cut and filled up.

    No entry ships more than its cost above the multiplier and what arrives at it; what is short is filled from the
    nearest entries that have something left.
    """
    excess = program.cost - iterate.multipliers
    pairs, wanted = iterate.pairs, iterate.flows
    size, flat = excess.size, excess.ravel()
    asked, arriving = np.bincount(pairs.source_at, wanted, size), pairs.factor * wanted
    share = np.ones(size)
    for _ in range(PASSES):
        has = flat + np.bincount(pairs.sink_at, arriving * share[pairs.source_at], size)
        share = np.clip(has, 0.0, asked) / np.maximum(asked, LEAST)
    has = flat + np.bincount(pairs.sink_at, arriving * share[pairs.source_at], size)
    left = (has - asked * share).reshape(excess.shape)
    shipped = wanted * share[pairs.source_at]
    lines = [np.column_stack([pairs.source_at // program.inputs, pairs.sink, pairs.source, shipped])]
    least = 1e-9 * float(np.abs(iterate.multipliers).max(initial=0.0))
    for y, row in enumerate(left):
        lines += _filled(program, y, row, least)
    table = np.vstack(lines)
    bound = float((iterate.multipliers + left.min(axis=0)).sum())
    return Cover(iterate.multipliers, table[table[:, 3] > 0], bound)


def _filled(program: MapProgram, y: int, left: Array, least: float) -> list[Array]:
    """Ship, in place, from the nearest entries above zero to those below -`least`, worst first; return the lines."""
    lines, short = [], np.flatnonzero(left < -least)
    for x in short[np.argsort(left[short])]:
        nearest = np.argsort(program.exponents[x], kind="stable")
        factor = program.factors[x, nearest]
        amounts = np.maximum(left[nearest], 0.0)
        arrived = np.cumsum(amounts * factor)
        last = int(np.searchsorted(arrived, -left[x]))
        if last < len(left):
            before = arrived[last - 1] if last else 0.0
            amounts[last] = (-left[x] - before) / factor[last]
            amounts[last + 1 :] = 0.0
        left[nearest] -= amounts
        left[x] += float(amounts @ factor)
        made = amounts > 0
        count = int(made.sum())
        lines.append(np.column_stack([np.full(count, y), np.full(count, x), nearest[made], amounts[made]]))
    return lines
