"""Numbers that carry labels of their own: columns, tables and mappings. Labels decide, and never positions.

A column of pandas whose index only counts its rows from 0, a list or an array has no labels, and is read by position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters import checks
from mechdesign.parameters.checks import Array
from mechdesign.parameters.columns import are_names, has_labels, index_of, is_table
from mechdesign.parameters.written_numbers import EXACT, as_number

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

    A vector is a mapping, a column of pandas, or a table of two columns of which the first holds the labels. A matrix
    is a table with an index, a table whose first column holds names, or a sequence or mapping of columns or mappings
    with the same labels.

    Raises
    ------
    DomainError
        A label that is missing, or there twice; a table of several columns in place of a vector.

    Examples
    --------
    >>> carried("values", {"a": 1.0, "b": 2.0}, 1)
    Carried(plain=[1.0, 2.0], rows=('a', 'b'), columns=None)
    """
    if isinstance(given, Carried):
        return given
    if isinstance(given, Labelled):
        return Carried(given.numbers, *given.axes)
    if isinstance(given, Iterator):
        return Carried(list(given))
    if isinstance(given, Mapping) and dimensions == 1:
        return Carried(list(given.values()), _names(argument, list(given)))
    if is_table(given):
        return _column_of_table(argument, given) if dimensions == 1 else _of_table(argument, given)
    index = index_of(given)
    if index is not None:
        return Carried(given.to_numpy(), _names(argument, index))
    if isinstance(given, Mapping):
        inner = carried(argument, list(given.values()), 2)
        return Carried(inner.plain, _names(argument, list(given)), inner.columns)
    if dimensions == 2 and isinstance(given, list | tuple) and any(has_labels(each) for each in given):
        return _of_columns(argument, given)
    return Carried(given)


def _column_of_table(argument: str, table: Any) -> Carried:
    heads, index = list(table.columns), index_of(table)
    if len(heads) == 2:
        return Carried(table[heads[1]].to_numpy(), _names(argument, table[heads[0]].to_numpy().tolist()))
    if len(heads) == 1:
        return Carried(table[heads[0]].to_numpy(), None if index is None else _names(argument, index))
    rule = "its first column holds the labels and its second the numbers"
    raise DomainError(argument, f"a table of {len(heads)} columns", rule, "select two of them, or give a mapping")


def _of_table(argument: str, table: Any) -> Carried:
    heads, rows = list(enumerate(table.columns)), index_of(table)
    if rows is None and len(heads) > 1 and are_names(first := table[heads[0][1]].to_numpy().tolist()):
        rows, heads = first, heads[1:]
        table = table[[head for _, head in heads]]
    counted = all(head in (place, f"column_{place}") for place, head in heads)
    # Two columns of one name are refused where they are matched: not every reader of a table asks for their names.
    columns = None if counted else checks.texts(argument, [head for _, head in heads])
    return Carried(table.to_numpy(), None if rows is None else _names(argument, rows), columns)


def _of_columns(argument: str, given: Sequence[Any]) -> Carried:
    """Return the matrix whose rows are columns or mappings with the same labels, in the order of the first of them."""
    first = next(place for place, each in enumerate(given) if has_labels(each))
    names = carried(f"{argument}[{first}]", given[first], 1).rows or ()
    rows = []
    for place, each in enumerate(given):
        if not has_labels(each):
            rule = f"{argument}[{first}] has labels ({listed(names)})"
            raise DomainError(f"{argument}[{place}]", "without labels", rule, "give both with labels, or neither")
        found = carried(f"{argument}[{place}]", each, 1)
        order = in_order_of(f"{argument}[{place}]", found.rows or (), names, f"{argument}[{first}]")
        entries = np.asarray(found.plain, dtype=object)[order].tolist()
        rows.append(entries)
    return Carried(tuple(rows) if isinstance(given, tuple) else rows, None, names)


def _names(argument: str, entries: Sequence[Any]) -> Names:
    return checks.names(f"{argument} (labels)", entries)


def aligned(
    argument: str,
    given: Any,
    labels: Names | None,
    count: int,
    *,
    whose: str = "problem",
    absent: float | None = None,
) -> Array:
    """Return one finite number for each label, in their order: by labels where `given` carries some, else by position.

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
        The number of each label that `given` does not name; without it all have to be named.

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
    places = matched(argument, found.rows, named(labels, count), whose, some=absent is not None)
    held = dict(zip(places, numbers.tolist(), strict=True))
    return checks.frozen(np.array([held.get(place, absent) for place in range(count)], dtype=float))


def named(labels: Names | None, count: int) -> Names:
    """Return the labels, or the numbers from 0 by which inputs without labels are called."""
    return tuple(map(str, range(count))) if labels is None else labels


def matched(argument: str, names: Names, labels: Names, whose: str, *, some: bool = False) -> list[int]:
    """Return the place among `labels` of each of `names`, which have to be all of them, or with `some` a part.

    Raises
    ------
    DomainError
        Other names, with both sets.

    Examples
    --------
    >>> matched("values", ("b", "a"), ("a", "b"), "problem")
    [1, 0]
    """
    places: list[int] = places_of(names, labels).tolist()
    if -1 not in places and len(set(places)) == len(places) and (some or len(places) == len(labels)):
        return places
    stranger = next((name for name, place in zip(names, places, strict=True) if place < 0), None)
    more = max(len(names), len(labels)) > SHOWN and stranger is not None
    rule = f"the {whose} has {listed(labels)}" + f', and not "{stranger}"' * more
    raise DomainError(argument, f"labelled {listed(names)}", rule, "use these labels, or give a list in their order")


@dataclass(frozen=True, eq=False)
class Places:
    """Where each of some labels stands; looked up in tables that are made once, however often texts are looked up.

    Attributes
    ----------
    labels : tuple of str
        Distinct names.
    """

    labels: Names

    @cached_property
    def table(self) -> dict[str, int]:
        """The place of each label, as it is written and in its Unicode form."""
        forms = {checks.one_form(label): at for at, label in enumerate(self.labels) if not label.isascii()}
        return forms | {label: at for at, label in enumerate(self.labels)}

    @cached_property
    def numbers(self) -> dict[float, int]:
        """The places of labels that are numbers, but for those that several labels are."""
        numbers = [as_number(label) for label in self.labels]
        times = Counter(numbers)
        return {number: at for at, number in enumerate(numbers) if abs(number) <= EXACT and times[number] == 1}

    def of(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the place of each text among the labels, -1 for no label; see `places_of`."""
        table = self.table
        found = np.fromiter(map(table.get, texts, repeat(-1)), dtype=np.int64, count=len(texts))
        unknown = np.flatnonzero(found < 0).tolist()
        if unknown:
            strangers = {texts[at] for at in unknown}
            others = {
                text: table.get(checks.one_form(text), self.numbers.get(as_number(text), -1)) for text in strangers
            }
            found[unknown] = [others[texts[at]] for at in unknown]
        return found


def places_of(texts: Sequence[str], labels: Names) -> npt.NDArray[np.int64]:
    """Return the place of each text among the labels, in whichever Unicode form the two are; -1 for no label.

    A number is its label however it is written: 55.0, as pandas has it beside a missing number, is 55.

    Examples
    --------
    >>> places_of(["e\u0301", "b"], ("a", "\u00e9")).tolist()
    [1, -1]
    >>> places_of(["55.0", "7", "8.5"], ("07", "55")).tolist()
    [1, 0, -1]
    """
    return Places(labels).of(texts)


def in_order_of(argument: str, names: Names, labels: Names, whose: str) -> list[int]:
    """Return the place among `names` of each of `labels`: where to take each row from; see `matched`.

    Examples
    --------
    >>> in_order_of("matrix", ("c", "a", "b"), ("a", "b", "c"), "problem")
    [1, 2, 0]
    """
    return [int(place) for place in np.argsort(matched(argument, names, labels, whose))]


def listed(names: Names) -> str:
    """Return the names, of many the first."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


@dataclass(frozen=True, eq=False)
class Labelled:
    """Numbers with the names of each axis, which are put in the order of a problem before anything is computed.

    It is no array: numpy would read it by position.

    Attributes
    ----------
    numbers : ndarray
        Read-only.
    axes : tuple of (tuple of str or None)
        The names of each axis; None of one that has none.
    """

    numbers: Array
    axes: tuple[Names | None, ...]

    def in_order(self, argument: str, orders: Sequence[tuple[Names, str] | None]) -> Array:
        """Return the numbers in the order of names, with whose they are, for each axis that has one."""
        found = self.numbers
        for axis, (names, order) in enumerate(zip(self.axes, orders, strict=True)):
            if names is not None and order is not None:
                found = np.take(found, in_order_of(argument, names, *order), axis=axis)
        return checks.frozen(found)

    @property
    def shape(self) -> tuple[int, ...]:
        """How long each axis is."""
        return self.numbers.shape

    def __len__(self) -> int:
        return len(self.numbers)

    def _key(self) -> tuple[Any, ...]:
        """Return the axes in the order of their names, and the numbers in it."""
        ordered = tuple(None if names is None else tuple(sorted(names)) for names in self.axes)
        numbers = self.in_order("self", [None if names is None else (names, "same") for names in ordered])
        return (*ordered, numbers.shape, numbers.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Labelled) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        rows, *others = self.axes
        held = self.numbers.tolist()
        if others:
            held = [repr(row) if others[0] is None else _pairs(others[0], row) for row in held]
        else:
            held = list(map(repr, held))
        return f"[{', '.join(held)}]" if rows is None else _written(rows, held)


def _pairs(names: Names, numbers: Sequence[float]) -> str:
    return _written(names, list(map(repr, numbers)))


def _written(names: Names, entries: Sequence[str]) -> str:
    return f"{{{', '.join(f'{name!r}: {entry}' for name, entry in zip(names, entries, strict=True))}}}"
