"""Extreme rays of any small cone, and of the fan on whose cells a budget is linear, in floating point."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mechdesign.errors import UnsupportedError
from mechdesign.notions import Budget, Cone, Rays
from mechdesign.parameters.checks import Array, EqualByContent
from mechdesign.solve.pricing.double_description import Effort, GivenUp, Numbers, cut, orthant, split
from mechdesign.solve.pricing.ray_errors import TIGHT, ray_errors

#: A row is tight on a ray where its value is below `TIGHT` of the terms that are added up for it, and not
#: tight above this share: a cone with values between is not enumerated.
LOOSE = 1e-10
#: A row whose value is below `TIGHT` of those terms, but above this share of the products of its own entries, is
#: neither: where its entries are themselves what cancellation left, the terms say nothing of them.
CANCELLED = 1e-6
#: Larger cones are not tried: more inputs, more rows before or after auxiliary variables are eliminated.
MOST_INPUTS, MOST_ROWS = 24, 160
#: Entries of rows and rays below this could underflow in a product of a few of them.
FAINT = 1e-60
#: A cone whose rays may be wrong in an entry by more than this share of it is not enumerated.
WRONG = 1e-3


@dataclass(frozen=True, eq=False)
class Fan(EqualByContent):
    """``{q >= 0 : rows @ q >= 0}``, split where another piece of a group becomes the largest.

    ``sizes`` bounds the terms that were added up for each entry of `rows`: rounding is measured against it.
    """

    rows: Array
    sizes: Array
    pieces: Array


@dataclass(frozen=True)
class Enumeration:
    """The rays of a cone, None where they were not enumerated.

    ``by_tolerance`` says whether some row was taken as tight on a ray where its value was not 0 in floating point.
    """

    rays: Rays | None
    by_tolerance: bool = False


class _Floats:
    """Floating-point numbers: a row is tight where its value is of the size of its rounding.

    A new ray is a sum of nonnegative numbers, so small entries stay accurate at any epsilon.
    """

    def __init__(self) -> None:
        self.effort = Effort()
        self.by_tolerance = False

    def values(self, rays: Numbers, rows: Numbers, sizes: Numbers) -> Numbers:
        """Return the values, zeros where they are of the size of their rounding."""
        values, terms = rays @ rows.T, rays @ sizes.T
        tight = np.abs(values) <= TIGHT * terms
        cancelled = tight & (np.abs(values) > CANCELLED * (rays @ np.abs(rows).T))
        if np.any(~tight & (np.abs(values) < LOOSE * terms)) or np.any(cancelled):
            raise GivenUp
        self.by_tolerance |= bool(np.any(values[tight] != 0.0))
        values[tight] = 0.0
        return np.asarray(values)

    def between(self, above: Numbers, below: Numbers, on_above: Numbers, on_below: Numbers) -> Numbers:
        """Return the rays between, of largest entry 1."""
        found = on_above[:, None] * below - on_below[:, None] * above
        found /= found.max(axis=1, keepdims=True)
        if _faint(found):
            raise GivenUp
        return np.asarray(found)

    def rank(self, rays: Numbers) -> int:
        """Return the rank in floating point."""
        return int(np.linalg.matrix_rank(rays))


def enumerable(cone: Cone, budget: Budget | None = None) -> bool:
    """Return whether `extreme_rays` can answer: the cone is small, and no row nearly tight on a ray."""
    return enumeration(cone, budget).rays is not None


def extreme_rays(cone: Cone, budget: Budget | None = None) -> Rays:
    """Return the extreme rays of `cone`, or of the fan on whose cells `budget` is linear, each of largest entry 1.

    Auxiliary variables are eliminated first. Then the orthant's rays are cut by one row after the other: rays on
    the wrong side go, and each adjacent pair on opposite sides leaves the ray between them on the hyperplane.

    Raises
    ------
    UnsupportedError
        More inputs, rows or rays than a second or two allows, or a cone that rounding cannot distinguish from another.
    OutOfTime
        The deadline passed.
    """
    rays = enumeration(cone, budget).rays
    if rays is None:
        raise UnsupportedError(
            f"The extreme rays of a cone over {cone.on_column.shape[1]} inputs with {len(cone.on_column)} rows are too "
            "many to enumerate, or too nearly degenerate; use a route that needs none."
        )
    return rays


def enumeration(cone: Cone, budget: Budget | None = None) -> Enumeration:
    """Return what `extreme_rays` does, or None for the rays where it would raise."""
    rows, n = cone.on_column.shape
    finite = np.all(np.isfinite(cone.on_column)) and np.all(np.isfinite(cone.on_auxiliary))
    if n > MOST_INPUTS or rows > MOST_ROWS or not finite:
        return Enumeration(None)
    budget = budget or Budget.none(n)
    found = _enumerated(Fan(*eliminated(*with_auxiliary(cone), n), budget.pieces))
    if found.rays is None:
        return found
    columns = found.rays.columns
    terms = budget.sizes @ columns
    rays = Rays(columns, budget.cost(columns), errors=found.rays.errors, cost_terms=terms)
    return Enumeration(rays, found.by_tolerance)


@lru_cache(maxsize=64)
def _enumerated(fan: Fan) -> Enumeration:
    if len(fan.rows) > MOST_ROWS or _faint(fan.rows):
        return Enumeration(None)
    floats = _Floats()
    try:
        whole = cut(orthant(fan.rows.shape[1]), fan.rows, fan.sizes, floats)
        rays = whole.rays
        if len(fan.pieces):
            rays = _distinct(np.vstack([cell.rays for cell in split(whole, fan.pieces, floats)]), fan, floats)
    except GivenUp:
        return Enumeration(None)
    errors = ray_errors(rays, *_ties(fan))
    if not np.all(errors <= WRONG * rays):
        return Enumeration(None)
    found = Rays(np.ascontiguousarray(rays.T), np.zeros(len(rays)), errors=np.ascontiguousarray(errors.T))
    return Enumeration(found, floats.by_tolerance)


def with_auxiliary(cone: Cone) -> tuple[Array, Array]:
    """Return the rows over the column and the auxiliary variables, the rows ``t >= 0`` last, and their terms' sizes."""
    n, auxiliary = cone.on_column.shape[1], cone.on_auxiliary.shape[1]
    not_negative = np.hstack([np.zeros((auxiliary, n)), np.eye(auxiliary)])
    rows = np.vstack([np.hstack([cone.on_column, cone.on_auxiliary]), not_negative])
    sizes = np.vstack([np.hstack([cone.sizes, np.abs(cone.on_auxiliary)]), not_negative])
    return rows, sizes


def eliminated(rows: Numbers, sizes: Numbers, n: int) -> tuple[Numbers, Numbers]:
    """Return rows over the first n variables alone (Fourier and Motzkin), and the sizes of their terms."""
    for last in range(rows.shape[1] - 1, n - 1, -1):
        rows, sizes = _without(rows, sizes, last)
        # A row without a negative entry says nothing of q >= 0; while variables are left, it bounds them.
        says = (rows < 0).any(axis=1) | (rows[:, n:] != 0).any(axis=1)
        rows, sizes = rows[says], sizes[says]
    return rows, sizes


def _without(rows: Numbers, sizes: Numbers, last: int) -> tuple[Numbers, Numbers]:
    """Return the rows that the projection along the last variable satisfies."""
    on_last, rows, sizes = rows[:, last], rows[:, :last], sizes[:, :last]
    # The integer keeps fractions what they are.
    scale = np.where(on_last == 0, 1, np.abs(on_last))[:, None]
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


def _faint(rows: Array) -> bool:
    """Return whether some row has an entry that is negligible beside its largest."""
    sizes = np.abs(rows)
    return bool(np.any((sizes > 0) & (sizes < FAINT * sizes.max(axis=1, keepdims=True, initial=0.0))))


def _distinct(rays: Array, fan: Fan, floats: _Floats) -> Array:
    """Return the rays once each: which rows and ties are tight on a ray of the fan says which ray it is."""
    signs = floats.values(rays, *_ties(fan))
    tight = np.hstack([rays == 0, signs == 0])
    return np.asarray(rays[np.unique(tight, axis=0, return_index=True)[1]])


def _ties(fan: Fan) -> tuple[Array, Array]:
    """Return the rows, and after them those on which two pieces of a group tie, with the sizes of their terms."""
    if not len(fan.pieces):
        return fan.rows, fan.sizes
    first, second = np.triu_indices(fan.pieces.shape[1], 1)
    n = fan.pieces.shape[2]
    ties = (fan.pieces[:, first] - fan.pieces[:, second]).reshape(-1, n)
    sizes = (np.abs(fan.pieces[:, first]) + np.abs(fan.pieces[:, second])).reshape(-1, n)
    return np.vstack([fan.rows, ties]), np.vstack([fan.sizes, sizes])
