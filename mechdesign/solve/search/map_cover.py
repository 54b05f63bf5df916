"""From an iterate of a map, or multipliers alone, to a bound: flows that no entry makes beyond what it has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.interior_point.map_program import MapProgram
from mechdesign.solve.interior_point.map_steps import Iterate

#: Passes of the fixed point that cuts flows to what their senders have.
PASSES = 20
LEAST = 1e-300
#: By what share multipliers are lowered at first where they are not covered as they are; how much more where an output
#: is short, and less where none is.
LOWERED, MORE, LESS = 0.1, 0.5, 0.01
#: Entries below zero by less, as a share of the largest multiplier, are not filled.
UNFILLED = 1e-9


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
    lines = np.column_stack([pairs.source_at // program.inputs, pairs.sink, pairs.source, shipped])
    return _filled(program, iterate.multipliers, left, [lines])


def lowered(program: MapProgram, multipliers: Array, rounds: int) -> Cover:
    """Return the best cover of multipliers that are lowered where outputs are short, for a number of rounds.

    Parameters
    ----------
    multipliers : ndarray, shape (n,)
        At least 0, of the rows of a program over fewer columns: where these are not optimal, too high to be covered.
    """
    share, best = np.zeros(program.inputs), Cover(np.zeros(program.inputs), np.zeros((0, 4)), 0.0)
    near = program.factors[program.homes]
    for done in range(rounds):
        # Late, too, there is a bound: where multipliers were lowered once it is seldom as poor as none.
        if done > 1 and is_late():
            break
        tried = (1.0 - share) * multipliers
        left = program.cost - tried
        found = _filled(program, tried, left, [])
        best = max(best, found, key=lambda one: one.bound)
        short = -np.minimum(left, 0.0).sum(axis=1) / np.maximum(near @ tried, LEAST)
        more = (near * short[:, None]).max(axis=0)
        changed = share + np.where(more > UNFILLED, MORE * more, -LESS * min(1.0, float(share.max()) / LOWERED))
        share = np.clip(changed, 0.0, 1.0) if done else np.full(program.inputs, min(LOWERED, float(more.max())))
    return best


def _filled(program: MapProgram, multipliers: Array, left: Array, lines: list[Array]) -> Cover:
    """Fill what is left, shape (m, n), in place, and return the cover with these flows beside those in `lines`."""
    least = UNFILLED * float(np.abs(multipliers).max(initial=0.0))
    lines = [*lines, *(line for y, row in enumerate(left) for line in _filled_output(program, y, row, least))]
    table = np.vstack(lines) if lines else np.zeros((0, 4))
    return Cover(multipliers, table[table[:, 3] > 0], float((multipliers + left.min(axis=0)).sum()))


def _filled_output(program: MapProgram, y: int, left: Array, least: float) -> list[Array]:
    """Ship, in place, from the nearest entries above zero to those below -`least`, worst first; return the lines."""
    lines, short = [], np.flatnonzero(left < -least)
    for x in short[np.argsort(left[short])]:
        nearest = program.nearest[x]
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
