"""Columns of data as arrays in which nothing was converted, lost or made up; no library of tables is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import is_missing


def array(argument: str, values: Any) -> npt.NDArray[Any]:
    """Return `values` as an array whose entries are what they were: numpy would make texts of numbers among texts."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        return np.array(values, dtype=None if isinstance(values, str | int | np.integer) else object)
    if getattr(values, "mask", None) is not None and isinstance(values, np.ndarray):
        raise DomainError(argument, "a masked array", "masked entries are missing ones", "give .compressed()")
    if isinstance(values, np.ndarray):
        return values
    if hasattr(values, "to_numpy"):
        return np.asarray(values.to_numpy())
    if isinstance(values, Mapping | Set):
        raise DomainError(argument, type(values).__name__, "it has to be a sequence", "give a list, in a fixed order")
    entries = values if isinstance(values, list | tuple) else list(values)
    types = set(map(type, entries))
    try:
        # An empty list of floats would be one of no integers.
        return np.array(entries, dtype=np.int64 if not types else None if types in ({int}, {str}) else object)
    except ValueError:
        raise DomainError(argument, "of ragged rows", "rows have to be of one length", "give an array") from None


def refuse_missing(argument: str, given: npt.NDArray[Any]) -> None:
    """Raise where an entry is None, NaN, NaT or pandas's NA."""
    if given.dtype.kind == "O":
        missing = np.fromiter((is_missing(entry) for entry in given.flat), dtype=bool, count=given.size)
    else:
        # Of numbers and of dates alike: numpy has one test for NaN and one for NaT.
        empty = {"f": np.isnan, "M": np.isnat, "m": np.isnat}.get(given.dtype.kind)
        missing = np.zeros(0, dtype=bool) if empty is None else empty(given).reshape(-1)
    if missing.any():
        at = int(np.argmax(missing))
        rule = f"nothing may be missing ({missing.sum()} of {given.size})"
        raise DomainError(f"{argument}[{at}]", str(given.flat[at]), rule, "drop those rows, or give them a category")


def refuse_mixtures(argument: str, given: npt.NDArray[Any]) -> None:
    """Raise where texts, truths and numbers stand side by side."""
    kinds = {kind(of) for of in set(map(type, given.flat))}
    if len(kinds) > 1:
        shown = " and ".join(sorted(kinds))
        raise DomainError(argument, f"of {shown}", "all have to be of one kind", "convert them before")


def kind(of: type) -> str:
    """Return what entries of a type are called."""
    if issubclass(of, bool | np.bool_):
        return "true or false"
    if issubclass(of, str):
        return "texts"
    return "numbers" if issubclass(of, int | float | np.number) else f"{of.__name__} objects"


def is_number(entry: Any) -> bool:
    """Return whether an entry is a number; true and false are not."""
    return kind(type(entry)) == "numbers"


def categories_of(records: Any) -> Any:
    """Return the categories that a column of pandas or polars declares, None for others."""
    found = getattr(getattr(records, "dtype", None), "categories", None)
    # Some types of polars name a pool of categories that cannot be listed.
    return None if found is None or not hasattr(found, "__len__") else list(found)
