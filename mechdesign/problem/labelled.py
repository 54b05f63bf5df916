"""Counts, values and tables with labels of their own, as a problem is made from them: none is dropped, none made up."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError, nearest
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.parameters.columns import is_table
from mechdesign.parameters.labels import Names, carried, in_order_of, places_of
from mechdesign.problem.columns_of_data import array, refuse_missing


def labelled(argument: str, given: Any) -> tuple[Array, Names | None]:
    """Return the numbers of a mapping, a column, a table of two columns or a sequence, and the labels they carry."""
    found = carried(argument, given, 1)
    numbers = array(argument, found.plain)
    if numbers.dtype.kind in "Of":
        refuse_missing(argument, numbers)
    return domains.vector(argument, numbers.tolist()), found.rows


def table(argument: str, given: Any) -> tuple[Array, Names | None, Names | None]:
    """Return a matrix, and the names of its rows and of its columns where it is a table that has some.

    Rows are named by an index, or by a first column of texts.
    """
    found = carried(argument, given, 2)
    if is_table(given):
        refuse_missing(argument, np.asarray(found.plain))
    return domains.matrix(argument, found.plain), found.rows, found.columns


def ordered(counts: Array, named: Names, order: Names) -> Array:
    """Return the counts in the order of the labels, 0 for labels without a count."""
    places = places_of(named, order)
    strangers = [name for name, place in zip(named, places, strict=True) if place < 0]
    if strangers:
        rule = f"the labels do not have it ({len(strangers)} such)"
        raise DomainError("labels", f'without "{strangers[0]}"', rule, nearest(strangers[0], order))
    found = np.zeros(len(order))
    # Two names may be one number, as 7 and 7.0 are.
    np.add.at(found, places, counts)
    return found


def in_one_order(labels: Any, **columns: Any) -> dict[str, Any]:
    """Return the labels, or the first that a column carries where there are none, and the columns in their order.

    Raises
    ------
    DomainError
        A column whose labels are not those of the others.
    """
    known = {name: carried(name, column, 1) for name, column in columns.items()}
    found = {name: column for name, column in known.items() if column.rows is not None}
    if not found:
        return {"labels": labels, **columns}
    first, own = next(iter(found.items()))
    whose, order = first, own.rows
    if labels is not None and not isinstance(labels, str):
        whose, order = "problem", domains.names("labels", array("labels", labels).tolist())
    assert order is not None, "a column with labels was found"
    made = {"labels": order if labels is None else labels, **columns}
    for name, column in found.items():
        plain = array(name, column.plain)
        made[name] = plain if column.rows == order else plain[in_order_of(name, column.rows or (), order, whose)]
    return made


def refuse_negative(argument: str, given: npt.NDArray[Any]) -> None:
    """Raise where a count is below 0."""
    if (given < 0).any():
        place, entry = domains.first_of(argument, given, given < 0)
        raise DomainError(place, entry, "counts are not negative", "correct it")
