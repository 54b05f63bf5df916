"""Extreme rays of a cone of fractions, by the double description, and of the fan that budgets cut it into."""

from __future__ import annotations

import itertools

from flint import fmpq, fmpq_mat

from tests.adversary.cones import Allowed
from tests.adversary.numbers import ONE, ZERO, Column, dot

#: More rays than this between two rows are not followed up.
MOST = 400
#: More choices of hyperplanes than this are not tried.
MOST_CHOICES = 3000


def scaled(column: Column) -> Column:
    """Return the column divided by its largest entry."""
    largest = max(column)
    return [entry / largest for entry in column]


def extreme(rows: list[Column], n: int) -> list[Column] | None:
    """Return the extreme rays of ``{q >= 0 : rows . q >= 0}``; None where there are too many on the way."""
    # A ray with the set of rows, as bits, that it lies on.
    found = [([ONE * (i == x) for i in range(n)], ((1 << n) - 1) ^ (1 << x)) for x in range(n)]
    for number, row in enumerate(rows, start=n):
        sides = [(dot(row, ray), ray, tight) for ray, tight in found]
        above = [side for side in sides if side[0] > 0]
        under = [side for side in sides if side[0] < 0]
        kept = [(ray, tight | (1 << number) if room == 0 else tight) for room, ray, tight in sides if room >= 0]
        all_tight = [tight for _, tight in found]
        for (high, up, of_up), (low, down, of_down) in itertools.product(above, under):
            common = of_up & of_down
            if common.bit_count() < n - 2 or sum(common & other == common for other in all_tight) != 2:
                continue
            between = [high * b - low * a for a, b in zip(up, down, strict=True)]
            kept.append((scaled(between), common | (1 << number)))
        found = kept
        if len(found) > MOST:
            return None
    return [ray for ray, _ in found]


def _crossing(rows: list[Column], n: int) -> Column | None:
    """Return the one direction that is on n - 1 hyperplanes, None where there are more or it has both signs."""
    reduced, rank = fmpq_mat(len(rows), n, [entry for row in rows for entry in row]).rref()
    if rank != n - 1:
        return None
    pivots = [next(j for j in range(n) if reduced[i, j] != 0) for i in range(rank)]
    free = next(j for j in range(n) if j not in pivots)
    column = [ZERO] * n
    column[free] = ONE
    for i, j in enumerate(pivots):
        column[j] = -reduced[i, free]
    if min(column) < 0:
        return None
    return scaled(column)


def of_fan(columns: Allowed, n: int) -> list[Column] | None:
    """Return the rays of the cells on which all budgets are linear: where n - 1 hyperplanes cross inside the cone."""
    planes = [[ONE * (i == x) for i in range(n)] for x in range(n)] + columns.rows
    for pieces, _ in columns.budgets:
        for first, second in itertools.combinations(pieces, 2):
            planes.append([a - b for a, b in zip(first, second, strict=True)])
    unique = {tuple(_signed(plane)) for plane in planes if any(plane)}
    choices = 1
    for i in range(n - 1):
        choices = choices * (len(unique) - i) // (i + 1)
    if choices > MOST_CHOICES:
        return None
    found = set()
    for chosen in itertools.combinations([list(plane) for plane in unique], n - 1):
        column = [ONE] if n == 1 else _crossing(list(chosen), n)
        if column is not None and all(dot(row, column) >= 0 for row in columns.rows):
            found.add(tuple(column))
    return [list(column) for column in found]


def _signed(plane: Column) -> Column:
    first = next(entry for entry in plane if entry != 0)
    return [entry / first for entry in plane]


def rays(columns: Allowed, n: int) -> list[Column] | None:
    """Return the columns that some optimum uses alone, None where they are too many to find."""
    found = of_fan(columns, n) if columns.budgets else extreme(columns.rows, n)
    if found is None:
        return None
    return found + [[fmpq(int(i == x)) for i in range(n)] for x in columns.revealed]


def of_two(columns: Allowed, n: int) -> list[list[Column]]:
    """Return the binary mechanisms whose first column is a vertex of ``{q : q and 1 - q are allowed}``."""
    # Over (q, t) with t in the last place: q is allowed, and so is t - q.
    units = [[ONE * (i == x) for i in range(n)] for x in range(n)]
    rows = [[*row, ZERO] for row in columns.rows]
    rows += [[-entry for entry in row] + [sum(row, ZERO)] for row in units + columns.rows]
    found = extreme(rows, n + 1) or []
    firsts = [[entry / ray[-1] for entry in ray[:-1]] for ray in found if ray[-1] != 0]
    return [[first, [ONE - entry for entry in first]] for first in firsts]
