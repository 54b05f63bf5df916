"""Workloads of linear queries: matrices of figures of the frequencies, for ``InformationDesign("A", queries=W)``."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError, nearest
from mechdesign.parameters.checks import Array, frozen, vector, whole

__all__ = ["bands", "marginals", "prefix", "ranges"]

#: A row whose entries are larger than this many times their range is far from 0.
FAR = 16.0


def prefix(n: int) -> Array:
    """Return the prefix sums of n ordered inputs: row k adds up the first ``k + 1`` frequencies, shape (n, n).

    They are the distribution function, from which quantiles follow. The last one is 1 and has no variance.

    Parameters
    ----------
    n : int
        Inputs, at least 2.

    Raises
    ------
    DomainError
        Fewer than 2 inputs.

    Examples
    --------
    >>> prefix(3).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
    """
    count = whole("n", n, 2)
    return np.tril(np.ones((count, count)))


def ranges(n: int) -> Array:
    """Return all ranges of n ordered inputs: a row for each first and last input, shape (n (n + 1) / 2, n).

    Parameters
    ----------
    n : int
        Inputs, at least 2.

    Raises
    ------
    DomainError
        Fewer than 2 inputs.

    Examples
    --------
    >>> ranges(3).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]
    """
    count = whole("n", n, 2)
    first, last = np.triu_indices(count)
    at = np.arange(count)
    return ((at >= first[:, None]) & (at <= last[:, None])).astype(float)


def marginals(sizes: Sequence[int], order: int) -> Array:
    """Return the marginals of sets of attributes: a row for each combination of values of the attributes of a set.

    Inputs are the combinations of all attributes, the last one changing first (as `numpy.ravel_multi_index` counts).

    Parameters
    ----------
    sizes : sequence of int
        How many values each attribute has, each at least 2.
    order : int
        Of one to so many attributes; at most as many as there are.

    Returns
    -------
    ndarray, shape (queries, prod(sizes))

    Raises
    ------
    DomainError
        No attributes, an attribute of one value; another order.

    Examples
    --------
    >>> marginals([2, 2], 1).tolist()
    [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]
    """
    counts = [whole(f"sizes[{k}]", size, 2) for k, size in enumerate(sizes)]
    if not counts:
        raise DomainError("sizes", sizes, "there has to be an attribute", "give the number of values of each")
    most = whole("order", order, 1)
    if most > len(counts):
        raise DomainError("order", order, f"there are {len(counts)} attributes", "give at most as many")
    rows = []
    for size in range(1, most + 1):
        for chosen in itertools.combinations(range(len(counts)), size):
            parts = [np.eye(count) if k in chosen else np.ones((1, count)) for k, count in enumerate(counts)]
            each: Array = np.ones((1, 1))
            for part in parts:
                each = np.asarray(np.kron(each, part), dtype=float)
            rows.append(each)
    return np.vstack(rows)


def bands(values: npt.ArrayLike, edges: npt.ArrayLike) -> Array:
    """Return the shares of inputs in bands of values: row k adds up those with ``edges[k] <= value < edges[k + 1]``.

    The last band has its upper edge too.

    Parameters
    ----------
    values : array_like, shape (n,)
        The number of each input.
    edges : array_like, shape (bands + 1,)
        Increasing.

    Returns
    -------
    ndarray, shape (bands, n)

    Raises
    ------
    DomainError
        Edges that do not increase, fewer than two, or a band without an input.

    Examples
    --------
    >>> bands([18, 25, 40, 64], [18, 30, 65]).tolist()
    [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]
    """
    numbers, ends = vector("values", values, len(np.atleast_1d(values))), np.asarray(edges, dtype=float)
    if ends.ndim != 1 or len(ends) < 2 or not np.all(np.diff(ends) > 0):
        raise DomainError("edges", edges, "they have to increase, two at least", "give [18, 25, 40, 65], say")
    place = np.searchsorted(ends, numbers, side="right") - 1
    place[numbers == ends[-1]] = len(ends) - 2
    found: Array = np.asarray(place == np.arange(len(ends) - 1)[:, None], dtype=float)
    empty = ~found.any(axis=1)
    if empty.any():
        at = int(np.argmax(empty))
        raise DomainError(f"edges[{at}]", float(ends[at]), "no input has a value in its band", "join it to another")
    return found


#: Workloads that are asked for by a word.
NAMED: Final = {"prefix": prefix, "ranges": ranges}


@lru_cache(maxsize=8)
def named(argument: str, word: str, n: int) -> Array:
    """Return the workload that a word names, shape (p, n).

    Raises
    ------
    DomainError
        Another word.

    Examples
    --------
    >>> named("queries", "ranges", 3).shape
    (6, 3)
    """
    if word not in NAMED:
        rule = "a workload by name is " + " or ".join(f'"{name}"' for name in NAMED)
        raise DomainError(argument, word, rule, nearest(word, tuple(NAMED)))
    return frozen(NAMED[word](n))


def rows_of(argument: str, queries: Any, n: int) -> Array:
    """Return the queries of n inputs, those that a word names too, shape (p, n).

    Raises
    ------
    DomainError
        Another word, or another number of columns.
    """
    found: Array = named(argument, queries, n) if isinstance(queries, str) else queries
    if found.shape[1] != n:
        rule = f"it has to have a column for each of {n} inputs"
        raise DomainError(argument, f"of shape {found.shape}", rule, "give a row for each query")
    return found


def without_offsets(rows: Array, likeliest: int) -> Array:
    """Return rows, shape (p, n), less their entry at the likeliest input where they are far from 0.

    A constant has no variance, and the digits of what differs would be lost beside it.

    Examples
    --------
    >>> without_offsets(np.array([[1e9, 1e9 + 1.0], [0.0, 1.0]]), 0).tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    far = np.abs(rows).max(axis=1) > FAR * np.ptp(rows, axis=1)
    return np.asarray(rows - np.where(far, rows[:, likeliest], 0.0)[:, None]) if far.any() else rows


def only_varying(queries: Any) -> Array | None:
    """Return the query that is not constant if there is a single one, shape (n,); else None.

    Examples
    --------
    >>> only_varying(np.array([[1.0, 1.0], [0.0, 2.0]]))
    array([0., 2.])
    """
    if not isinstance(queries, np.ndarray):
        return None
    asked = queries[np.ptp(queries, axis=1) > 0.0]
    return np.asarray(asked[0]) if len(asked) == 1 else None


def require_figure(argument: str, numbers: Array) -> None:
    """Raise if the numbers of one figure, shape (n,), are equal: it does not depend on the frequencies."""
    if not float(np.ptp(numbers)) > 0.0:
        rule = "its numbers have to differ: the figure is known without asking anybody otherwise"
        raise DomainError(argument, f"{numbers[0]} for each input", rule, "give the values whose mean is wanted")


def require_varying(argument: str, queries: Any) -> None:
    """Raise if every query is constant: its value is known."""
    if isinstance(queries, np.ndarray) and not float(np.ptp(queries, axis=1).max()) > 0.0:
        rule = "one row has to differ from one input to another: of the others the answer is known without asking"
        raise DomainError(argument, "with constant rows alone", rule, "give md.queries.prefix(n), say")
