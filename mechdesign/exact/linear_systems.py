"""Linear equations in fractions, by elimination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

#: A row of a sparse matrix: the coefficient of each unknown that it holds.
Row = Mapping[int, Fraction]
ZERO = Fraction()


def solution_of(rows: Sequence[Row], right: Sequence[Fraction]) -> dict[int, Fraction] | None:
    """Return a solution of ``rows . x = right``, with free unknowns at 0; None if the system has no solution.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> solution_of([{0: half, 1: half}, {0: Fraction(1)}], [Fraction(1), Fraction(1, 3)])
    {0: Fraction(1, 3), 1: Fraction(5, 3)}
    """
    # Each row is reduced by those before it: of their pivots it holds none, of later ones perhaps some.
    pivots: dict[int, tuple[dict[int, Fraction], Fraction]] = {}
    for given, value in zip(rows, right, strict=True):
        row, left = dict(given), value
        for unknown, (other, others_value) in pivots.items():
            share = row.get(unknown, ZERO)
            if share:
                for place, entry in other.items():
                    row[place] = row.get(place, ZERO) - share * entry
                left -= share * others_value
        row = {unknown: entry for unknown, entry in row.items() if entry}
        if not row and left:
            return None
        if row:
            pivot = min(row)
            pivots[pivot] = ({unknown: entry / row[pivot] for unknown, entry in row.items()}, left / row[pivot])
    found = dict.fromkeys(sorted({unknown for row in rows for unknown in row}), ZERO)
    for pivot, (row, left) in reversed(pivots.items()):
        found[pivot] = left - sum((entry * found[other] for other, entry in row.items() if other != pivot), ZERO)
    return found
