"""Columns and tables of pandas and polars, recognised without loading either library, and the labels they carry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.errors import DomainError


def index_of(column: Any) -> list[Any] | None:
    """Return the labels that a column or table of pandas carries; None where it only counts its rows, or has none."""
    index = getattr(column, "index", None)
    if index is None or callable(index):
        return None
    if type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1:
        return None
    return list(index)


def is_table(given: Any) -> bool:
    """Return whether `given` is a table of named columns, such as a DataFrame of pandas or polars."""
    return hasattr(given, "columns") and hasattr(given, "to_numpy")


def has_counted_heads(table: Any) -> bool:
    """Return whether the columns of a table are only numbered, as they are in an array that was made into a table."""
    return all(head in (place, f"column_{place}") for place, head in enumerate(table.columns))


def has_labels(given: Any) -> bool:
    """Return whether `given` says by itself which entry belongs to which label."""
    return isinstance(given, Mapping) or index_of(given) is not None


def are_names(entries: Sequence[Any]) -> bool:
    """Return whether all entries are texts, of which one at least is no number."""
    return all(isinstance(entry, str) for entry in entries) and not all(map(_is_fraction, entries))


def _is_fraction(written: str) -> bool:
    try:
        Fraction(written)
    except (ValueError, ZeroDivisionError):
        return False
    return True


def require_one_order(argument: str, reports: Any, given: Any, whose: str = "reports") -> None:
    """Raise where reports (or what else stands beside) and a column are of pandas, and each has an index of its own."""
    indices = [each.index for each in (reports, given) if hasattr(each, "index") and hasattr(each, "iloc")]
    if len(indices) == 2 and not np.array_equal(indices[0], indices[1]):
        rule = f"its index is not the one of the {whose}, and each entry belongs to one of these"
        remedy = f"take both from one table, or give {argument}.to_numpy() in the order of the {whose}"
        raise DomainError(argument, "a column with another index", rule, remedy)
