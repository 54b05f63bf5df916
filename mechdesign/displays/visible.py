"""Text from users and files, made harmless: control characters as escapes, very long texts cut with a note."""

from __future__ import annotations

import re

#: Characters of a number's cell, of a cell of words, of a sentence; of longer ones the display says what is left out.
MOST_OF_CELL, MOST_OF_WORDS, MOST_OF_SENTENCE = 80, 400, 4000
#: Characters of one word of a sentence, and about those of the note that says what is left out.
MOST_OF_WORD, NOTE = 250, 24


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
    if len(found) > MOST_OF_WORD and most > MOST_OF_WORD:
        # What a sentence says is not to be lost behind a name.
        found = re.sub(rf"(\S{{{MOST_OF_WORD}}})(\S{{{NOTE},}})", _cut, found)
    # A few characters more are shorter than the note would be.
    if len(found) <= most + NOTE:
        return printable(found)
    return f"{printable(found[:most])}... ({len(found) - most} more characters)"


def _cut(word: re.Match[str]) -> str:
    return f"{word[1]}... ({len(word[2])} more characters)"
