"""People with several rows in a file: by the columns that are named as identifiers are."""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

#: Words in the name of a column that identifies people.
NAMES = {"id", "ids", "uid", "uuid", "guid", "identifier", "person", "people", "respondent", "participant", "subject"}
NAMES |= {
    "user",
    "username",
    "member",
    "patient",
    "employee",
    "customer",
    "client",
    "panelist",
    "email",
    "mail",
    "phone",
}

#: Rows from the first on whose cells are compared with each other.
MOST_COMPARED = 1 << 20

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True)
class RepeatedPeople:
    """The rows of a file that have the same cells in some columns as a row before; no column, no such row.

    Examples
    --------
    >>> people = RepeatedPeople.of(["personId", "town"])
    >>> people.add([["7", "Bern"], ["8", "Bern"], ["7", "Basel"]])
    >>> people.names, people.rows
    (('personId',), 1)
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    seen: array[int] = field(default_factory=lambda: array("q"))

    @classmethod
    def of(cls, header: Sequence[str], without: Collection[str] = ()) -> Self:
        """Return what compares the columns of identifiers."""
        names = [cell.strip() for cell in header]
        held = [name for name in names if name not in without and is_identifier(name)]
        return cls(tuple(held), tuple(names.index(name) for name in held))

    def add(self, rows: Sequence[Sequence[str]]) -> None:
        """Take the next rows into account."""
        # Eight bytes for each row, of so many that memory stays the same however long the file is.
        if self.columns and len(self.seen) < MOST_COMPARED:
            cells = (tuple(row[k].strip() for k in self.columns) for row in rows)
            # An empty one is nobody's.
            self.seen.extend(hash(each) for each in cells if any(each))

    @property
    def rows(self) -> int:
        """How many rows have the cells of a row before."""
        numbers = np.array(self.seen, dtype=np.int64)
        numbers.sort()
        return int(np.count_nonzero(numbers[1:] == numbers[:-1]))

    def sentence(self, what: str, then: str) -> str | None:
        """Return how many rows, or `what` they are called, are of a person who has one before, and what follows."""
        found = self.rows
        several = f"{found} {what}s have" if found > 1 else f"1 {what} has"
        same = f"the same {', '.join(self.names)} as a {what} before"
        return (
            f"{several} {same}: where that is one person, several reports reveal more than one is {then}"
            if found
            else None
        )


def is_identifier(name: str) -> bool:
    """Return whether a column is named as identifiers of people are.

    Examples
    --------
    >>> [is_identifier(name) for name in ("id", "person_id", "UserID", "e-mail", "valid", "idea")]
    [True, True, True, True, False, False]
    """
    return not NAMES.isdisjoint(word.casefold() for word in _WORD.findall(name))
