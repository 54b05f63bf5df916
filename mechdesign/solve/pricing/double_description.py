"""Double description: the extreme rays of a cone that is cut by one row after the other, in any arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mechdesign.runtime.deadline import require_time

#: An array of floats, or of integers of any size.
Numbers = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]

#: Comparisons of a pair of rays with a third, after which the enumeration gives up: about two seconds.
EFFORT = 4e8
#: What one cut costs besides, and the first look at one pair, in comparisons (measured).
OF_CUT, OF_PAIR = 1.2e4, 4
#: Rays (or pairs of them) that are compared with all others at once: a table of some megabytes.
BLOCK = 1024


class GivenUp(Exception):
    """The cone is too large, too steep, or some row is neither tight nor loose on some ray."""


class Effort:
    """Counts comparisons, and gives up beyond a number of them: `EFFORT` by default."""

    def __init__(self, most: float | None = None) -> None:
        self.left = EFFORT if most is None else most

    def spend(self, comparisons: float) -> None:
        """Count a number of comparisons.

        Raises
        ------
        GivenUp
            They were too many.
        OutOfTime
            The deadline passed: an exception, so that no cache takes it for an answer.
        """
        self.left -= comparisons
        if self.left < 0:
            raise GivenUp
        require_time("extreme rays were enumerated")


@dataclass(frozen=True)
class Cell:
    """A cone by its extreme rays, shape (r, n), and which of its rows so far are tight on each of them."""

    rays: Numbers
    tight: Flags


class Arithmetic(Protocol):
    """How rows are evaluated at rays, and rays made between others."""

    effort: Effort

    def values(self, rays: Numbers, rows: Numbers, sizes: Numbers) -> Numbers:
        """Return ``rays @ rows'``, shape (r, rows), with zeros where a row is tight.

        ``sizes``, of the shape of `rows`, bounds the terms that were added up for each entry of a row.
        """
        ...

    def between(self, above: Numbers, below: Numbers, on_above: Numbers, on_below: Numbers) -> Numbers:
        """Return ``on_above * below - on_below * above`` for each pair of rays, each scaled by a positive number.

        `on_above` and `on_below`, of shape (pairs,), are the row's values there, positive and negative.
        """
        ...

    def rank(self, rays: Numbers) -> int:
        """Return the dimension of what the rays span."""
        ...


def orthant(n: int, dtype: npt.DTypeLike = float) -> Cell:
    """Return the cone of all ``q >= 0``."""
    return Cell(np.eye(n, dtype=int).astype(dtype), ~np.eye(n, dtype=bool))


def cut(cell: Cell, rows: Numbers, sizes: Numbers, arithmetic: Arithmetic) -> Cell:
    """Return ``{q in cell : rows @ q >= 0}``, always by the row next that leaves the fewest pairs."""
    left = np.ones(len(rows), dtype=bool)
    while left.any():
        values = arithmetic.values(cell.rays, rows[left], sizes[left])
        pairs = (values > 0).sum(axis=0) * (values < 0).sum(axis=0)
        index = int(pairs.argmin())
        cell = _cut_once(cell, values[:, index], arithmetic)
        left[np.flatnonzero(left)[index]] = False
    return cell


def cut_in_order(cell: Cell, rows: Numbers, arithmetic: Arithmetic, most_pairs: int) -> Cell:
    """Return ``{q in cell : rows @ q >= 0}``, by one row after the other as they are given.

    Raises
    ------
    GivenUp
        There are more than `most_pairs` pairs of rays on both sides of the rows, in all.
    """
    pairs = 0
    for row in rows:
        values = arithmetic.values(cell.rays, row[None, :], np.abs(row)[None, :])[:, 0]
        pairs += int((values > 0).sum()) * int((values < 0).sum())
        if pairs > most_pairs:
            raise GivenUp
        cell = _cut_once(cell, values, arithmetic)
    return cell


def split(whole: Cell, pieces: Numbers, arithmetic: Arithmetic) -> list[Cell]:
    """Return the cells on each of which one piece of every group is the largest; `pieces` is (groups, each, n)."""
    cells = [whole]
    for group in pieces:
        cells = [part for cell in cells for part in _largest_pieces(cell, group, arithmetic)]
    return cells


def _cut_once(cell: Cell, values: Numbers, arithmetic: Arithmetic) -> Cell:
    kept = (values >= 0).astype(bool)
    above, below = (np.flatnonzero(side.astype(bool)) for side in (values > 0, values < 0))
    first, second = _adjacent(cell, above, below, arithmetic.effort)
    between = arithmetic.between(cell.rays[first], cell.rays[second], values[first], values[second])
    tight = np.vstack([cell.tight[kept], cell.tight[first] & cell.tight[second]])
    on_row = np.concatenate([(values[kept] == 0).astype(bool), np.ones(len(first), dtype=bool)])
    return Cell(np.vstack([cell.rays[kept], between]), np.hstack([tight, on_row[:, None]]))


def _largest_pieces(cell: Cell, group: Numbers, arithmetic: Arithmetic) -> list[Cell]:
    dimension = arithmetic.rank(cell.rays)
    parts = []
    for index, piece in enumerate(group):
        others = np.delete(group, index, axis=0)
        part = cut(cell, piece - others, np.abs(piece) + np.abs(others), arithmetic)
        arithmetic.effort.spend(OF_CUT)
        # A cell of lower dimension is a face of others.
        if arithmetic.rank(part.rays) == dimension:
            parts.append(part)
    return parts


def _counts(left: npt.NDArray[np.float32], right: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return ``left @ right'`` of zeros and ones."""
    # Single-precision kernels read past the ends of small matrices, and may flag what they find there.
    with np.errstate(invalid="ignore"):
        return np.asarray(left @ right.T)


def _adjacent(cell: Cell, above: Indices, below: Indices, effort: Effort) -> tuple[Indices, Indices]:
    """Return the pairs that span a face: no third ray is tight wherever both are."""
    effort.spend(OF_CUT + OF_PAIR * len(above) * len(below))
    tight, loose = cell.tight.astype(np.float32), (~cell.tight).astype(np.float32)
    # The face of a pair has dimension two: at least n - 2 rows are tight on it.
    least = cell.rays.shape[1] - 2
    close = [
        np.argwhere(_counts(tight[above[part]], tight[below]) >= least) + np.array([part.start, 0])
        for part in _blocks(len(above))
    ]
    pairs = np.concatenate([np.zeros((0, 2), dtype=np.intp), *close])
    first, second = above[pairs[:, 0]], below[pairs[:, 1]]
    effort.spend(len(first) * len(tight))
    spans = np.zeros(len(first), dtype=bool)
    for part in _blocks(len(first)):
        missed = _counts(tight[first[part]] * tight[second[part]], loose)
        spans[part] = (missed == 0).sum(axis=1) == 2
    return first[spans], second[spans]


def _blocks(count: int) -> list[slice]:
    return [slice(start, start + BLOCK) for start in range(0, count, BLOCK)]
