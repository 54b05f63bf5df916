"""Cell keys: the fractional part of the sum of the record keys in a cell, which picks the noise of its count."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import Array, whole
from mechdesign.parameters.columns import require_one_order

#: Record keys are taken to as many binary digits.
DIGITS = 53


def cell_keys(record_keys: npt.ArrayLike, cells: npt.ArrayLike, count: int | None = None) -> Array:
    """Return the key of each cell of a table: the fractional part of the sum of the keys of its records.

    The sum is exact, of keys with 53 binary digits, so that it does not depend on the order of the records: a cell with
    the same records has the same key in every table.

    Parameters
    ----------
    record_keys : array_like of float, shape (records,)
        A random key of each record, at least 0 and below 1, that it keeps.
    cells : array_like of int, shape (records,)
        The number of the cell of each record, from 0 on.
    count : int, optional
        The number of cells; by default up to the largest number.

    Returns
    -------
    ndarray, shape (cells,)
        At least 0 and below 1.

    Raises
    ------
    DomainError
        Keys outside of the range, cells that are not integers from 0 on or beyond `count`, or other shapes.

    Examples
    --------
    >>> import mechdesign as md
    >>> md.cell_keys([0.5, 0.75, 0.125], [0, 0, 2]).tolist()
    [0.25, 0.0, 0.125]
    """
    require_one_order("cells", record_keys, cells, "record keys")
    at = checked_counts(cells, "cells")
    if at.ndim != 1:
        raise DomainError("cells", f"of shape {at.shape}", "it has to be a vector", "give one number for each record")
    keys = checked_keys(record_keys, at.shape, "record_keys", "cells")
    needed = int(at.max(initial=-1)) + 1
    size = needed if count is None else whole("count", count, 0)
    if size < needed:
        raise DomainError("count", size, f"the cells have numbers up to {needed - 1}", f"give {needed} or more")
    # Sums of integers wrap at 2^64, a multiple of 2^53.
    total = np.zeros(size, dtype=np.uint64)
    np.add.at(total, at, np.floor(np.ldexp(keys, DIGITS)).astype(np.uint64))
    return np.ldexp((total % np.uint64(1 << DIGITS)).astype(np.float64), -DIGITS)


def checked_counts(counts: npt.ArrayLike, argument: str = "counts") -> npt.NDArray[np.int64]:
    """Return counts as a new array of integers, which are at least 0.

    Examples
    --------
    >>> checked_counts([[0, 3]])
    array([[0, 3]])
    """
    given = np.asarray(counts)
    if given.size and given.dtype.kind not in "iu":
        rule = "it has to be an array of integers"
        raise DomainError(argument, f"of the type {given.dtype}", rule, "give integers")
    if given.size and (given.min() < 0 or given.max() > np.iinfo(np.int64).max // 2):
        wrong = int(given.min()) if given.min() < 0 else int(given.max())
        raise DomainError(argument, wrong, "entries have to be at least 0 and below 2^62", "correct it")
    return np.array(given, dtype=np.int64)


def checked_keys(keys: npt.ArrayLike, shape: tuple[int, ...], argument: str = "keys", beside: str = "counts") -> Array:
    """Return keys as floats from 0 to below 1, of a shape.

    Examples
    --------
    >>> checked_keys([0.25, 1.0], (2,))
    Traceback (most recent call last):
    mechdesign.errors.DomainError: keys is 1.0, but a key has to be at least 0 and below 1; give the fractional part.
    """
    given = np.asarray(keys)
    if given.shape != shape:
        remedy = "give one key for each"
        raise DomainError(argument, f"of shape {given.shape}", f"{beside} is of shape {shape}", remedy)
    if given.size and given.dtype.kind not in "iuf":
        raise DomainError(argument, f"of the type {given.dtype}", "it has to be an array of numbers", "give floats")
    found = np.asarray(given, dtype=np.float64)
    outside = ~((found >= 0) & (found < 1))
    if outside.any():
        rule, remedy = "a key has to be at least 0 and below 1", "give the fractional part"
        raise DomainError(argument, float(found[outside][0]), rule, remedy)
    return found
