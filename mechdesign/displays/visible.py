"""Text from users and files, made harmless: control characters as escapes, very long texts cut with a note."""

from __future__ import annotations

#: Characters of a number's cell, of a cell of words, of a sentence; of longer ones the display says what is left out.
MOST_OF_CELL, MOST_OF_WORDS, MOST_OF_SENTENCE = 80, 400, 4000


def printable(text: object) -> str:
    r"""Return `text` with control characters, direction marks and surrogates written as escapes.

    Examples
    --------
    >>> printable("Zürich" + chr(27) + "[2J")
    'Zürich\\x1b[2J'
    """
    found = str(text)
    if found.isprintable():
        return found
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in found)


def shortened(text: object, most: int = MOST_OF_CELL) -> str:
    """Return `text` printable, with the number of characters left out where there are more than `most`.

    Examples
    --------
    >>> shortened("a" * 10_000, 5)
    'aaaaa... (9995 more characters)'
    """
    found = str(text)
    # A few characters more are shorter than the note would be.
    if len(found) <= most + 24:
        return printable(found)
    return f"{printable(found[:most])}... ({len(found) - most} more characters)"
