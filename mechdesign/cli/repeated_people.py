"""Whether a kept column identifies people, and how many rows have a person that a row before has."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable

import numpy as np

#: Rows from the first on whose cells are compared with each other: eight bytes for each, however long the file is.
MOST_COMPARED = 1 << 20
#: Words of the names of columns that identify people.
_WORDS = frozenset(
    (
        "id",
        "ids",
        "uid",
        "uuid",
        "guid",
        "identifier",
        "person",
        "people",
        "participant",
        "respondent",
        "subject",
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
        "passport",
        "ssn",
    )
)


class RepeatedCells:
    """The cells of one kept column, as their hashes.

    Parameters
    ----------
    name : str
        The column's. One that does not say that it identifies people, as a weight or a region, is not compared.

    Examples
    --------
    >>> ids, regions = RepeatedCells("person_id"), RepeatedCells("region")
    >>> for column in (ids, regions):
    ...     column.extend(["7", "8", "7"])
    >>> ids.repeated(), regions.repeated()
    (1, 0)
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._compared = identifies_people(name)
        self._seen = array("q")

    def extend(self, cells: Iterable[str]) -> None:
        """Take the next cells; an empty one is nobody's."""
        if self._compared and len(self._seen) < MOST_COMPARED:
            self._seen.extend(hash(cell) for cell in cells if cell.strip())

    def repeated(self) -> int:
        """Return the number of cells that occur earlier."""
        numbers = np.array(self._seen, dtype=np.int64)
        numbers.sort()
        return int(np.count_nonzero(numbers[1:] == numbers[:-1]))


def identifies_people(name: str) -> bool:
    """Return whether a column's name says that its cells identify people.

    Examples
    --------
    >>> [identifies_people(name) for name in ("id", "personId", "E-Mail", "weight", "region", "paid")]
    [True, True, True, False, False, False]
    """
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return not _WORDS.isdisjoint(re.split(r"[^a-z]+", words.lower()))


def several_reports(name: str, count: int) -> str:
    """Return why rows of one person are doubtful, in a sentence.

    Examples
    --------
    >>> print(several_reports("id", 1))
    1 row has the same id as a row before: where that is one person, several reports reveal more than one is allowed \
to; give each person one row.
    """
    several = f"{count} rows have" if count > 1 else "1 row has"
    return (
        f"{several} the same {name} as a row before: where that is one person, several reports reveal more than one is "
        "allowed to; give each person one row."
    )
