"""Numbers that carry labels of their own: columns, tables and mappings. Labels decide, and never positions.

A column of pandas whose index only counts its rows from 0, a list or an array has no labels, and is read by position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters import checks
from mechdesign.parameters.checks import Array

Names = tuple[str, ...]
#: Names are listed up to this many.
SHOWN = 6


@dataclass(frozen=True)
class Carried:
    """What was given, without its labels; and the names of its rows and of its columns, where it has some."""

    plain: Any
    rows: Names | None = None
    columns: Names | None = None

    @property
    def axes(self) -> tuple[Names | None, Names | None]:
        """The names of each axis."""
        return self.rows, self.columns


def carried(argument: str, given: Any, dimensions: int) -> Carried:
    """Return a vector (1) or a matrix (2) as it was given, apart from the labels that it carries.

    A vector is a mapping, a column of pandas, or a table of two columns of which the first holds the labels. A matrix is
    a table with an index, a table whose first column holds texts, or a sequence of columns with the same labels.

    Raises
    ------
    DomainError
        A label that is missing, or there twice.

    Examples
    --------
    >>> carried("values", {"a": 1.0, "b": 2.0}, 1)
    Carried(plain=[1.0, 2.0], rows=('a', 'b'), columns=None)
    """
    if isinstance(given, Mapping):
        return Carried(list(given.values()), _names(argument, list(given)))
    if hasattr(given, "columns") and hasattr(given, "to_numpy"):
        return _of_table(argument, given, dimensions)
    index = index_of(given)
    if index is not None:
        return Carried(given.to_numpy(), _names(argument, index))
    if dimensions == 2 and isinstance(given, list | tuple) and any(index_of(each) is not None for each in given):
        return _of_columns(argument, given)
    return Carried(given)


def _of_table(argument: str, table: Any, dimensions: int) -> Carried:
    heads, rows = _heads(table), index_of(table)
    if rows is None and len(heads) > 1 and _are_texts(first := table[heads[0]].to_numpy().tolist()):
        rows, table, heads = first, table[heads[1:]], heads[1:]
    if dimensions == 1 and len(heads) == 1:
        return Carried(table[heads[0]].to_numpy(), None if rows is None else _names(argument, rows))
    counted = all(head == place or head == f"column_{place}" for place, head in enumerate(heads))
    columns = None if counted else _names(argument, heads)
    return Carried(table.to_numpy(), None if rows is None else _names(argument, rows), columns)


def _heads(table: Any) -> list[Any]:
    return list(table.columns)


def _are_texts(entries: list[Any]) -> bool:
    return all(isinstance(entry, str) for entry in entries)


def _of_columns(argument: str, given: Sequence[Any]) -> Carried:
    """Return the matrix whose rows are columns of pandas with the same labels, in the order of the first of them."""
    first = next(place for place, each in enumerate(given) if index_of(each) is not None)
    names = _names(f"{argument}[{first}]", index_of(given[first]) or [])
    rows = []
    for place, each in enumerate(given):
        rows.append(aligned(f"{argument}[{place}]", each, names, len(names), whose=f"{argument}[{first}]").tolist())
    return Carried(rows, None, names)


def index_of(column: Any) -> list[Any] | None:
    """Return the labels that a column or table of pandas carries; None where it only counts its rows, or has none."""
    index = getattr(column, "index", None)
    if index is None or callable(index):
        return None
    if type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1:
        return None
    return list(index)


def _names(argument: str, entries: Iterable[Any]) -> Names:
    return checks.names(f"{argument} (labels)", list(entries))


def aligned(
    argument: str, given: Any, labels: Names | None, count: int, *, whose: str = "problem", absent: float | None = None
) -> Array:
    """Return one number for each label, in their order: by labels where `given` carries some, else by position.

    Parameters
    ----------
    argument : str
        What it is called.
    given : object
        As `carried` takes it.
    labels : tuple of str, optional
        The names of the inputs or outputs; without them they are called by their numbers, from 0.
    count : int
        How many there are.
    whose : str
        Whose labels they are.
    absent : float, optional
        The number of those that `given` does not name; without it all have to be named.

    Raises
    ------
    DomainError
        Other labels, with both sets of them; another number of entries; no numbers.

    Examples
    --------
    >>> aligned("values", {"b": 2.0, "a": 1.0}, ("a", "b"), 2).tolist()
    [1.0, 2.0]
    """
    found = carried(argument, given, 1)
    if found.rows is None:
        return checks.vector(argument, found.plain, count)
    numbers = checks.vector(argument, found.plain)
    order = tuple(map(str, range(count))) if labels is None else labels
    held = dict(zip(matched(argument, found.rows, order, whose, some=absent is not None), numbers.tolist(), strict=True))
    return checks.frozen([held.get(place, absent) for place in range(count)])


def matched(argument: str, names: Names, labels: Names, whose: str, *, some: bool = False) -> list[int]:
    """Return the place among `labels` of each of `names`, which have to be all of them, or with `some` a part.

    Raises
    ------
    DomainError
        Others, with both sets.

    Examples
    --------
    >>> matched("values", ("b", "a"), ("a", "b"), "problem")
    [1, 0]
    """
    at = {form: place for place, form in enumerate(checks.one_form_of_each(labels))}
    for forms in (checks.one_form_of_each(names), [_whole(name) for name in names]):
        if all(form in at for form in forms) and (some or len(forms) == len(at)):
            return [at[form] for form in forms]
    rule = f"the {whose} has {_listed(labels)}"
    raise DomainError(argument, f"labelled {_listed(names)}", rule, "give it by these labels, or as a list in their order")


def _whole(name: str) -> str:
    """Return ``5`` for ``5.0``: columns of integers in which something was missing are of floats."""
    return name.removesuffix(".0")


def _listed(names: Names) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


class Labelled(np.ndarray):
    """A read-only array with the names of its axes, which no arithmetic takes: it is put in an order first."""

    #: The names of each axis, None of one that has none.
    axes: tuple[Names | None, ...]
    # numpy would read it by position.
    __array_ufunc__ = None

    @classmethod
    def of(cls, array: Array, axes: tuple[Names | None, ...]) -> Labelled:
        """Return `array` with the names of its axes."""
        made = checks.frozen(array).view(cls)
        made.axes = axes
        return made

    @property
    def plain(self) -> Array:
        """The array without its names."""
        return self.view(np.ndarray)

    def in_order(self, argument: str, orders: Sequence[tuple[Names, str] | None]) -> Array:
        """Return the plain array in the order of names, with whose they are, for each axis that has one."""
        found = self.plain
        for axis, (names, order) in enumerate(zip(self.axes, orders, strict=True)):
            if names is not None and order is not None:
                found = np.take(found, np.argsort(matched(argument, names, *order)), axis=axis)
        return checks.frozen(found)

    def __reduce__(self) -> Any:
        return Labelled.of, (self.plain, self.axes)
