"""Extreme rays of any small cone, and of the fan on whose cells a budget is linear: double description."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mechdesign.errors import UnsupportedError
from mechdesign.notions import Budget, Cone, Rays
from mechdesign.parameters.checks import Array, EqualByContent
from mechdesign.runtime.deadline import require_time
from mechdesign.solve.pricing.ray_errors import TIGHT, ray_errors

Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]

#: A row is tight on a ray where its value is below `TIGHT` of the terms that are added up for it, and not
#: tight above this share: a cone with values between is not enumerated.
LOOSE = 1e-10
#: Larger cones are not tried: more inputs, more rows before or after auxiliary variables are eliminated.
MOST_INPUTS, MOST_ROWS = 24, 160
#: Comparisons of a pair of rays with a third, after which the enumeration gives up: about two seconds.
EFFORT = 4e8
#: What one cut costs besides, and the first look at one pair, in comparisons (measured).
OF_CUT, OF_PAIR = 1.2e4, 4
#: Entries of rows and rays below this could underflow in a product of a few of them.
FAINT = 1e-60
#: A cone whose rays may be wrong in an entry by more than this share of it is not enumerated.
WRONG = 1e-3
#: Rays (or pairs of them) that are compared with all others at once: a table of some megabytes.
BLOCK = 1024


@dataclass(frozen=True, eq=False)
class Fan(EqualByContent):
    """``{q >= 0 : rows @ q >= 0}``, split where another piece of a group becomes the largest.

    ``sizes`` bounds the terms that were added up for each entry of `rows`: rounding is measured against it.
    """

    rows: Array
    sizes: Array
    pieces: Array


@dataclass(frozen=True)
class Cell:
    """A cone by its extreme rays, shape (r, n), and which of its rows so far are tight on each of them."""

    rays: Array
    tight: Flags


class _GivenUp(Exception):
    """The cone is too large, too steep, or some row is neither tight nor loose on some ray."""


class _Effort:
    """Counts comparisons."""

    def __init__(self) -> None:
        self.left = EFFORT

    def spend(self, comparisons: float) -> None:
        self.left -= comparisons
        if self.left < 0:
            raise _GivenUp
        # An exception, so that no cache takes it for an answer.
        require_time("extreme rays were enumerated")


def enumerable(cone: Cone, budget: Budget | None = None) -> bool:
    """Tell whether `extreme_rays` can answer: the cone is small, and no row nearly tight on a ray."""
    return _attempt(cone, budget) is not None


def extreme_rays(cone: Cone, budget: Budget | None = None) -> Rays:
    """Return the extreme rays of `cone`, or of the fan on whose cells `budget` is linear, each of largest entry 1.

    Auxiliary variables are eliminated first. Then the orthant's rays are cut by one row after the other: rays on
    the wrong side go, and each adjacent pair on opposite sides leaves the ray between them on the hyperplane. A new
    ray is a sum of nonnegative numbers, so small entries stay accurate at any epsilon.

    Raises
    ------
    UnsupportedError
        More inputs, rows or rays than a second or two allows, or a cone that rounding cannot tell from another.
    OutOfTime
        The deadline passed.
    """
    rays = _attempt(cone, budget)
    if rays is None:
        raise UnsupportedError(
            f"The extreme rays of a cone over {cone.on_column.shape[1]} inputs with {len(cone.on_column)} rows are too "
            "many to enumerate, or too nearly degenerate; use a route that needs none."
        )
    return rays


def _attempt(cone: Cone, budget: Budget | None) -> Rays | None:
    rows, n = cone.on_column.shape
    finite = np.all(np.isfinite(cone.on_column)) and np.all(np.isfinite(cone.on_auxiliary))
    if n > MOST_INPUTS or rows > MOST_ROWS or not finite:
        return None
    budget = budget or Budget.none(n)
    pieces = budget.pieces
    found = _enumerated(Fan(*eliminated(cone), pieces))
    if found is None:
        return None
    terms = budget.sizes @ found.columns
    return Rays(found.columns, budget.cost(found.columns), errors=found.errors, cost_terms=terms)


@lru_cache(maxsize=64)
def _enumerated(fan: Fan) -> Rays | None:
    if len(fan.rows) > MOST_ROWS or _faint(fan.rows):
        return None
    try:
        effort = _Effort()
        n = fan.rows.shape[1]
        whole = cut(Cell(np.eye(n), ~np.eye(n, dtype=bool)), fan.rows, fan.sizes, effort)
        rays = whole.rays if len(fan.pieces) == 0 else _distinct(_split(whole, fan.pieces, effort), fan)
    except _GivenUp:
        return None
    errors = ray_errors(rays, *_ties(fan))
    if not np.all(errors <= WRONG * rays):
        return None
    return Rays(np.ascontiguousarray(rays.T), np.zeros(len(rays)), errors=np.ascontiguousarray(errors.T))


def eliminated(cone: Cone) -> tuple[Array, Array]:
    """Return rows of the cone without auxiliary variables (Fourier and Motzkin), and the sizes of their terms."""
    n, auxiliary = cone.on_column.shape[1], cone.on_auxiliary.shape[1]
    rows = np.hstack([cone.on_column, cone.on_auxiliary])
    rows = np.vstack([rows, np.hstack([np.zeros((auxiliary, n)), np.eye(auxiliary)])])
    sizes = np.hstack([cone.sizes, np.abs(cone.on_auxiliary)])
    sizes = np.vstack([sizes, np.hstack([np.zeros((auxiliary, n)), np.eye(auxiliary)])])
    for last in range(n + auxiliary - 1, n - 1, -1):
        rows, sizes = _without(rows, sizes, last)
        # A row without a negative entry says nothing of q >= 0; while variables are left, it bounds them.
        says = (rows < 0).any(axis=1) | (rows[:, n:] != 0).any(axis=1)
        rows, sizes = rows[says], sizes[says]
    return rows, sizes


def _without(rows: Array, sizes: Array, last: int) -> tuple[Array, Array]:
    """Return the rows that the projection along the last variable satisfies."""
    on_last, rows, sizes = rows[:, last], rows[:, :last], sizes[:, :last]
    scale = np.where(on_last == 0, 1.0, np.abs(on_last))[:, None]
    rows, sizes = rows / scale, sizes / scale
    above, below = np.flatnonzero(on_last > 0), np.flatnonzero(on_last < 0)
    free = np.flatnonzero(on_last == 0)
    equal = next(((i, j) for i in above for j in below if np.array_equal(rows[i], -rows[j])), None)
    if equal is not None:
        # An equation defines the variable: it is put into the other rows, one new row for each old one.
        above, below = np.setdiff1d(above, equal[0]), np.setdiff1d(below, equal[1])
        first = np.concatenate([above, np.full(len(below), equal[0])])
        second = np.concatenate([np.full(len(above), equal[1]), below])
    else:
        first, second = (pair.ravel() for pair in np.meshgrid(above, below, indexing="ij"))
    rows = np.vstack([rows[free], rows[first] + rows[second]])
    sizes = np.vstack([sizes[free], sizes[first] + sizes[second]])
    return rows, sizes


def cut(cell: Cell, rows: Array, sizes: Array, effort: _Effort) -> Cell:
    """Return ``{q in cell : rows @ q >= 0}``, always by the row next that leaves the fewest pairs."""
    left = np.ones(len(rows), dtype=bool)
    while left.any():
        values = _signed(cell.rays, rows[left], sizes[left])
        pairs = (values > 0).sum(axis=0) * (values < 0).sum(axis=0)
        index = int(pairs.argmin())
        cell = _cut_once(cell, values[:, index], effort)
        left[np.flatnonzero(left)[index]] = False
    return cell


def _signed(rays: Array, rows: Array, sizes: Array) -> Array:
    """Return ``rays @ rows'`` with zeros where a row is tight."""
    values, terms = rays @ rows.T, rays @ sizes.T
    tight = np.abs(values) <= TIGHT * terms
    if np.any(~tight & (np.abs(values) < LOOSE * terms)):
        raise _GivenUp
    values[tight] = 0.0
    return values


def _cut_once(cell: Cell, values: Array, effort: _Effort) -> Cell:
    kept, above, below = values >= 0, np.flatnonzero(values > 0), np.flatnonzero(values < 0)
    first, second = _adjacent(cell, above, below, effort)
    between = values[first][:, None] * cell.rays[second] - values[second][:, None] * cell.rays[first]
    between /= between.max(axis=1, keepdims=True)
    if _faint(between):
        raise _GivenUp
    tight = np.vstack([cell.tight[kept], cell.tight[first] & cell.tight[second]])
    on_row = np.concatenate([values[kept] == 0, np.ones(len(first), dtype=bool)])
    return Cell(np.vstack([cell.rays[kept], between]), np.hstack([tight, on_row[:, None]]))


def _faint(rows: Array) -> bool:
    """Tell whether some row has an entry that is next to nothing beside its largest."""
    sizes = np.abs(rows)
    return bool(np.any((sizes > 0) & (sizes < FAINT * sizes.max(axis=1, keepdims=True, initial=0.0))))


def _counts(left: npt.NDArray[np.float32], right: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return ``left @ right'`` of zeros and ones."""
    # Single-precision kernels read past the ends of small matrices, and may flag what they find there.
    with np.errstate(invalid="ignore"):
        return np.asarray(left @ right.T)


def _adjacent(cell: Cell, above: Indices, below: Indices, effort: _Effort) -> tuple[Indices, Indices]:
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


def _split(whole: Cell, pieces: Array, effort: _Effort) -> Array:
    """Return the rays of all cells on each of which one piece of every group is the largest."""
    cells = [whole]
    for group in pieces:
        cells = [part for cell in cells for part in _largest_pieces(cell, group, effort)]
    return np.vstack([cell.rays for cell in cells])


def _largest_pieces(cell: Cell, group: Array, effort: _Effort) -> list[Cell]:
    dimension = np.linalg.matrix_rank(cell.rays)
    parts = []
    for index, piece in enumerate(group):
        others = np.delete(group, index, axis=0)
        part = cut(cell, piece - others, np.abs(piece) + np.abs(others), effort)
        effort.spend(OF_CUT)
        # A cell of lower dimension is a face of others.
        if np.linalg.matrix_rank(part.rays) == dimension:
            parts.append(part)
    return parts


def _distinct(rays: Array, fan: Fan) -> Array:
    """Return the rays once each: which rows and ties are tight on a ray of the fan says which ray it is."""
    signs = _signed(rays, *_ties(fan))
    tight = np.hstack([rays == 0, signs == 0])
    return rays[np.unique(tight, axis=0, return_index=True)[1]]


def _ties(fan: Fan) -> tuple[Array, Array]:
    """Return the rows, and after them those on which two pieces of a group tie, with the sizes of their terms."""
    if not len(fan.pieces):
        return fan.rows, fan.sizes
    first, second = np.triu_indices(fan.pieces.shape[1], 1)
    n = fan.pieces.shape[2]
    ties = (fan.pieces[:, first] - fan.pieces[:, second]).reshape(-1, n)
    sizes = (np.abs(fan.pieces[:, first]) + np.abs(fan.pieces[:, second])).reshape(-1, n)
    return np.vstack([fan.rows, ties]), np.vstack([fan.sizes, sizes])
