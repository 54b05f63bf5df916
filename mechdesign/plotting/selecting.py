"""What is drawn of a thing that is too large: rows and columns by index or name, or the largest of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError, nearest
from mechdesign.parameters.checks import Array, entries, whole

Places = npt.NDArray[np.int64]


def chosen(argument: str, given: Any, names: Sequence[str]) -> Places:
    """Return the places that are asked for, by index or by name; all of them where `given` is None.

    Raises
    ------
    DomainError
        No sequence of them, or an empty one; an index out of range, a name that there is none of (the nearest is
        named), one of them twice.
    """
    if given is None:
        return np.arange(len(names))
    asked = entries(argument, given, "it has to be a sequence of indices or names", "give a list")
    if not asked:
        raise DomainError(argument, "empty", "there has to be something to draw", "give at least one")
    found = [_place(argument, each, names) for each in asked]
    if len(set(found)) < len(found):
        twice = next(place for place in found if found.count(place) > 1)
        raise DomainError(argument, names[twice], "each is drawn once", "leave the second one out")
    return np.array(found)


def _place(argument: str, given: Any, names: Sequence[str]) -> int:
    if isinstance(given, str):
        if given not in names:
            close = nearest(given, names) if len(names) <= 30 else f"give an index below {len(names)}"
            raise DomainError(argument, given, "there is none of that name", close)
        return names.index(given)
    place = whole(argument, given, 0)
    if place >= len(names):
        raise DomainError(argument, place, f"there are {len(names)}, counted from 0", "choose one below that")
    return place


def largest_of(weights: Iterable[float], count: Any) -> Places:
    """Return the places of the `count` largest weights in their own order; of equal ones the first.

    Examples
    --------
    >>> largest_of([0.1, 0.5, 0.4, 0.5], 2).tolist()
    [1, 3]
    """
    most = whole("largest", count, 1)
    ranked = np.argsort(-np.asarray(list(weights), dtype=float), kind="stable")
    return np.sort(ranked[:most]).astype(np.int64)


def require_few(argument: str, count: int, most: int, what: str, remedy: str) -> None:
    """Raise where there is more to draw than a reader could distinguish.

    Raises
    ------
    DomainError
        With what to pass.
    """
    if count > most:
        raise DomainError(argument, f"of {count} {what}", f"a picture shows at most {most}", remedy)


def weights_of(matrix: Array, prior: Array | None) -> tuple[Array, Array]:
    """Return the weight of each input, its prior, and of each output, its mass; inputs count alike without a prior."""
    of_inputs = np.full(len(matrix), 1.0 / len(matrix)) if prior is None else np.asarray(prior, dtype=float)
    return of_inputs, np.asarray(of_inputs @ matrix)
