"""Counts as they are given: answers in their place are refused, and rows of one label are added up."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mechdesign.errors import DataWarning, DomainError
from mechdesign.parameters.checks import first_repeated, is_missing, one_form
from mechdesign.parameters.columns import index_of
from mechdesign.problem.columns_of_data import array, is_number


def added_up(counts: Any, stacklevel: int) -> Any:
    """Return a table or column of counts whose labels repeat as a mapping with their sums; other counts as they are.

    Warns
    -----
    DataWarning
        A label is there more than once.

    Examples
    --------
    >>> added_up({"no": 3, "yes": 1}, stacklevel=1)
    {'no': 3, 'yes': 1}
    """
    columns = getattr(counts, "columns", None)
    if isinstance(counts, Mapping) or (columns is not None and len(columns) != 2):
        return counts
    labels = index_of(counts) if columns is None else array("labels", counts[columns[0]]).tolist()
    numbers = array("counts", counts if columns is None else counts[columns[1]]).tolist()
    if labels is None or any(map(is_missing, labels)) or not all(map(_is_count, numbers)):
        # What is no count or no label is refused later, in words.
        return counts
    forms = [one_form(str(label)) for label in labels]
    if len(set(forms)) == len(forms):
        return counts
    found: dict[str, Any] = {}
    for form, number in zip(forms, numbers, strict=True):
        found[form] = found.get(form, 0) + number
    twice = first_repeated(forms)
    message = f'{len(forms)} counts are of {len(found)} labels, "{twice}" several times: they are added up.'
    warnings.warn(message, DataWarning, stacklevel=stacklevel + 1)
    shown = dict(zip(reversed(forms), reversed(labels), strict=True))
    return {shown[form]: number for form, number in found.items()}


def _is_count(entry: Any) -> bool:
    # A NaN compares as false.
    return is_number(entry) and bool(entry >= 0)


def refuse_records(counts: Any) -> None:
    """Raise where a column of answers stands in place of counts."""
    if isinstance(counts, Mapping) or getattr(counts, "columns", None) is not None or not isinstance(counts, Iterable):
        return
    entries = array("counts", counts)
    if entries.size and all(isinstance(entry, str | bool | np.bool_) for entry in entries.flat):
        rule = f"counts are numbers, and these are {entries.size} answers"
        raise DomainError("counts", entries.tolist(), rule, "for records use Problem.from_records")
