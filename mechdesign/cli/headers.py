"""The header of a CSV file: the place of a column, or a sentence that says why no column has that name."""

from __future__ import annotations

from collections.abc import Sequence

from mechdesign.errors import DomainError, nearest

#: What may separate the cells of a table, in words; which of the first three it is, `delimiters` finds out.
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


def column(place: str, header: Sequence[str], name: str) -> int:
    """Return the place of the column called `name`.

    Parameters
    ----------
    place : str
        Where the header stands, for messages.
    header : sequence of str
        The names of the columns.
    name : str
        The column that is asked for.

    Raises
    ------
    DomainError
        None has that name, or several have; the cells are separated by something else.

    Examples
    --------
    >>> column("people.csv line 1", ["id", "rating"], "rating")
    1
    >>> column("people.csv line 1", ["id|rating"], "rating")
    Traceback (most recent call last):
    mechdesign.errors.DomainError: people.csv line 1 is id|rating, but its cells are separated by bars; \
save the table with commas.
    """
    names = [cell.strip() for cell in header]
    if names.count(name) == 1:
        return names.index(name)
    shown = ",".join(header)
    if name in names:
        rule = f'{names.count(name)} columns are called "{name}"'
        raise DomainError(place, shown, rule, "rename all of them but one")
    other = next((words for sign, words in SEPARATORS.items() if len(names) == 1 and sign in names[0]), None)
    if other is not None:
        raise DomainError(place, shown, f"its cells are separated by {other}", "save the table with commas")
    raise DomainError(place, shown, f'it has no column "{name}"', nearest(name, set(names)))
