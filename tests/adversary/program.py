"""A linear program in fractions: the simplex method, from any costs to an optimal basis, without rounding."""

from __future__ import annotations

from flint import fmpq_mat

from tests.adversary.numbers import ONE, ZERO, Column

#: Pivots without gain, after which the first column that helps enters: then no basis comes twice.
PATIENCE = 15
MOST_PIVOTS = 400


def maximise(columns: list[Column], gains: Column, limits: Column) -> Column | None:
    """Return ``w >= 0`` of largest ``gains . w`` with ``sum_j w_j columns[j] = limits``, None where there is none."""
    found = optimal(columns, gains, limits)
    return None if found is None else found[0]


def optimal(columns: list[Column], gains: Column, limits: Column) -> tuple[Column, Column] | None:
    """Return the same weights and the prices of the limits.

    `limits` are at least 0. After MOST_PIVOTS the weights so far are returned, which are feasible.
    """
    rows, count = len(limits), len(columns)
    artificial = [[ONE * (i == j) for i in range(rows)] for j in range(rows)]
    every = columns + artificial
    table = fmpq_mat(rows, count + rows, [column[i] for i in range(rows) for column in every])
    phase_one = [ZERO] * count + [-ONE] * rows
    basis = list(range(count, count + rows))
    basis, weights, _ = _climb(table, every, phase_one, limits, basis, count + rows)
    if any(weight != 0 for j, weight in zip(basis, weights, strict=True) if j >= count):
        return None
    # An artificial column that stays in the basis has weight 0, and must not grow: it is driven out where it would.
    basis, weights, prices = _climb(table, every, gains + [ZERO] * rows, limits, basis, count)
    found = [ZERO] * count
    for j, weight in zip(basis, weights, strict=True):
        if j < count:
            found[j] = weight
        elif weight != 0:
            return None
    return found, prices


def _climb(
    table: fmpq_mat, columns: list[Column], gains: Column, limits: Column, basis: list[int], most: int
) -> tuple[list[int], Column, Column]:
    """Pivot until no column numbered below `most` helps; return the basis, its weights and the prices."""
    rows, stalled = len(limits), 0
    right = fmpq_mat(rows, 1, limits)
    costs = fmpq_mat(1, len(gains), gains)
    fixed = most < len(columns)
    weights: Column = []
    prices = fmpq_mat(1, rows)
    for _ in range(MOST_PIVOTS):
        inverse = fmpq_mat(rows, rows, [columns[j][i] for i in range(rows) for j in basis]).inv()
        weights = (inverse * right).entries()
        prices = fmpq_mat(1, rows, [gains[j] for j in basis]) * inverse
        reduced = (costs - prices * table).entries()[:most]
        helping = [j for j, gain in enumerate(reduced) if gain > 0]
        if not helping:
            break
        entering = helping[0] if stalled > PATIENCE else max(helping, key=lambda j: reduced[j])
        direction = (inverse * fmpq_mat(rows, 1, columns[entering])).entries()
        leaving = _leaving(direction, weights, basis, most if fixed else len(columns))
        if leaving is None:
            break
        stalled = stalled + 1 if weights[leaving] == 0 else 0
        basis = [*basis[:leaving], entering, *basis[leaving + 1 :]]
    return basis, weights, prices.entries()


def _leaving(direction: Column, weights: Column, basis: list[int], own: int) -> int | None:
    """Return the place in the basis that falls to zero first; an artificial one that would move goes at once."""
    for place, (step, j) in enumerate(zip(direction, basis, strict=True)):
        if j >= own and step != 0:
            return place
    ratios = [(weights[i] / step, basis[i], i) for i, step in enumerate(direction) if step > 0]
    return min(ratios)[2] if ratios else None
