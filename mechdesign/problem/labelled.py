"""Numbers that carry labels of their own, put in the order of other labels: none is dropped, none made up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError, nearest
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem.columns_of_data import array, index_of, refuse_missing


def labelled(argument: str, given: Any) -> tuple[Array, tuple[str, ...] | None]:
    """Return the numbers of a mapping, a column, a table of two columns or a sequence, and the labels they carry."""
    labels: Any = None
    if isinstance(given, Mapping):
        labels, given = list(given), list(given.values())
    elif getattr(given, "columns", None) is not None:
        labels, given = _two_columns(argument, given)
    else:
        labels = index_of(given)
    numbers = array(argument, given)
    if numbers.dtype.kind in "Of":
        refuse_missing(argument, numbers)
    found = domains.vector(argument, numbers.tolist())
    if labels is not None:
        refuse_missing("labels", array("labels", labels))
    return found, None if labels is None else domains.names("labels", labels)


def _two_columns(argument: str, table: Any) -> tuple[Any, Any]:
    columns = list(table.columns)
    if len(columns) != 2:
        rule = "its first column holds the labels and its second the numbers"
        raise DomainError(argument, f"a table of {len(columns)} columns", rule, "select two of them, or give a mapping")
    return array("labels", table[columns[0]]).tolist(), table[columns[1]].to_numpy()


def table(argument: str, given: Any) -> tuple[Array, tuple[str, ...] | None, tuple[str, ...] | None]:
    """Return a matrix, and the names of its rows and of its columns where it is a table that has some.

    Rows are named by an index, or by a first column of texts.
    """
    if getattr(given, "columns", None) is None:
        return domains.matrix(argument, given), None, None
    columns: Any = None if type(given.columns).__name__ == "RangeIndex" else domains.names("labels", given.columns)
    rows = index_of(given)
    if rows is None and len(given.columns) > 1 and _of_texts(first := array(argument, given[given.columns[0]])):
        rows, given = first.tolist(), given[list(given.columns[1:])]
        columns = None if columns is None else columns[1:]
    numbers = np.asarray(given.to_numpy())
    refuse_missing(argument, numbers)
    return domains.matrix(argument, numbers), None if rows is None else domains.names("secret_labels", rows), columns


def _of_texts(column: npt.NDArray[Any]) -> bool:
    return all(isinstance(entry, str) or domains.is_missing(entry) for entry in column.tolist())


def ordered(counts: Array, named: tuple[str, ...], order: tuple[str, ...]) -> Array:
    """Return the counts in the order of the labels, 0 for those that have none."""
    forms = domains.one_form_of_each(order)
    known = set(forms)
    strangers = [name for name in named if domains.one_form(name) not in known]
    if strangers:
        rule = f"the labels do not have it ({len(strangers)} such)"
        raise DomainError("labels", f'without "{strangers[0]}"', rule, nearest(strangers[0], order))
    by_name = dict(zip(domains.one_form_of_each(named), counts.tolist(), strict=True))
    return np.array([by_name.get(form, 0.0) for form in forms])


def aligned(argument: str, given: Any, labels: tuple[str, ...] | None, count: int, *, whose: str = "counts") -> Array:
    """Return numbers in the order of `labels`, by which they are aligned where they carry labels themselves.

    Raises
    ------
    DomainError
        Labels that are not the same as those of `whose`, another number of entries than `count`.
    """
    found, named = labelled(argument, given)
    if named is None or labels is None:
        return domains.vector(argument, found, count)
    return found[places(argument, named, labels, whose=whose)]


def places(argument: str, named: tuple[str, ...], labels: tuple[str, ...], *, whose: str) -> list[int]:
    """Return the place of each of `labels` among the names that `argument` carries.

    Raises
    ------
    DomainError
        Names that are not the labels of `whose`.
    """
    named, labels = tuple(domains.one_form_of_each(named)), tuple(domains.one_form_of_each(labels))
    if set(named) != set(labels):
        missing = sorted(set(labels) - set(named)) or sorted(set(named) - set(labels))
        lacking = argument if set(labels) - set(named) else whose
        labels_of = "given labels" if whose == "labels" else f"labels of the {whose}"
        rule = f"it has to carry the {labels_of}; {'they lack' if lacking == 'labels' else f'{lacking} lacks'} it"
        remedy = "give it by the same labels, or as a list in their order"
        raise DomainError(argument, f'not aligned at "{missing[0]}"', rule, remedy)
    at = {name: place for place, name in enumerate(named)}
    return [at[label] for label in labels]


def in_one_order(labels: Any, **columns: Any) -> dict[str, Any]:
    """Return the labels, or the first index where there are none, and the columns: those with an index in that order.

    Raises
    ------
    DomainError
        An index that is not of the labels, or of two columns not the same one; labels that are there twice.
    """
    found = {name: index for name, column in columns.items() if (index := index_of(column)) is not None}
    if not found:
        return {"labels": labels, **columns}
    first, order = next(iter(found.items()))
    whose = first
    given = None if labels is None or isinstance(labels, str) else [str(label) for label in array("labels", labels)]
    if given is not None:
        found, order, whose = {name: [str(entry) for entry in index] for name, index in found.items()}, given, "labels"
    made = {"labels": order if labels is None else labels, **columns}
    for name, index in found.items():
        if index != order:
            _require_distinct(name, index)
            made[name] = columns[name].iloc[places(name, tuple(index), tuple(order), whose=whose)]
    return made


def _require_distinct(argument: str, index: list[Any]) -> None:
    forms = [domains.one_form(entry) if isinstance(entry, str) else entry for entry in index]
    if len(set(forms)) < len(forms):
        twice = domains.first_repeated(forms)
        raise DomainError(argument, f"labelled {twice} twice", "labels have to be distinct", "merge or rename them")


def refuse_negative(argument: str, given: npt.NDArray[Any]) -> None:
    """Raise where a count is below 0."""
    if (given < 0).any():
        place, entry = domains.first_of(argument, given, given < 0)
        raise DomainError(place, entry, "counts are not negative", "correct it")
